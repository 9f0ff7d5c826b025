//! A browser for the test of the report page. Without one that test is skipped.

use crate::system;

/// What the test looks for, too.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// Installs a browser where there is none and the system's packages can be; says what there is.
pub fn provide() -> String {
    match system::provided(&NAMES, &["chromium"]) {
        Ok((name, false)) => format!("the page is tested in {name}"),
        Ok((name, true)) => format!("the page is tested in {name}, which was just installed"),
        Err(why) => format!("skipped: the page is not tested in a browser, because {why}"),
    }
}
