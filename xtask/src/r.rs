//! The R package: built and tested where there is R, or where it can be installed.

use crate::steps::{Counts, counted, root, succeed, target};
use crate::system;
use std::process::Command;

/// R, sparse matrices, and what compiles packages.
const PACKAGES: [&str; 3] = ["r-base-core", "r-cran-matrix", "make"];

/// Installs R where there is none and the system's packages can be; says what there is.
pub fn provide() -> String {
    match system::provided(&["Rscript"], &PACKAGES) {
        Ok(_) => "the R package is tested".to_string(),
        Err(why) => format!("skipped: the R package is not tested, because {why}"),
    }
}

/// Installs the package into a library of its own and runs its tests, with the command line that `cargo test` has
/// built and the code of the vignette.
pub fn test(counts: &mut Counts) -> Result<(), String> {
    if system::found(&["Rscript"]).is_none() {
        println!("skipped: the R package, because there is no R");
        counts.ignored += 1;
        return Ok(());
    }
    let (package, library) = (root().join("r"), target().join("r"));
    std::fs::create_dir_all(&library).map_err(|e| format!("{}: {e}", library.display()))?;
    let mut install = Command::new("R");
    install.args(["CMD", "INSTALL", "--clean", "--no-test-load"]);
    install.arg(format!("--library={}", library.display())).arg(&package);
    succeed(install.env("COKERNEL_PROFILE", "dev").env("COKERNEL_TARGET", target()))?;
    let mut tests = Command::new("Rscript");
    tests.arg(package.join("tests/cokernel.R")).env("R_LIBS", &library);
    tests.env("COKERNEL_CLI", target().join("debug/cokernel"));
    tests.env("COKERNEL_VIGNETTE", package.join("vignettes/cokernel.Rmd"));
    counted(&mut tests, counts)
}
