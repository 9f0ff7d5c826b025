//! A browser for the test of the report page. Without one that test is skipped.

use std::process::{Command, Stdio};

/// What the test looks for, too.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

fn succeeds(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|s| s.success())
}

fn found() -> Option<&'static str> {
    let paths = std::env::var_os("PATH")?;
    let is_there = |name: &&&str| std::env::split_paths(&paths).any(|p| p.join(name).is_file());
    NAMES.iter().find(is_there).copied()
}

/// Installs a browser where there is none and the system's packages can be; says what there is.
pub fn provide() -> String {
    if let Some(name) = found() {
        return format!("the page is tested in {name}");
    }
    let user = Command::new("id").arg("-u").output();
    let root = user.is_ok_and(|o| o.stdout.trim_ascii() == b"0");
    if !root || !succeeds("apt-get", &["--version"]) {
        return "skipped: the page is not tested in a browser, because there is no chromium in \
                PATH and it can only be installed by root with apt-get"
            .to_string();
    }
    let install = ["install", "-y", "--no-install-recommends", "chromium"];
    let installed = succeeds("apt-get", &install)
        || (succeeds("apt-get", &["update"]) && succeeds("apt-get", &install));
    match (installed, found()) {
        (true, Some(name)) => format!("the page is tested in {name}, which was just installed"),
        _ => "skipped: the page is not tested in a browser, because `apt-get install chromium` \
              failed"
            .to_string(),
    }
}
