//! `cargo xtask bench`: every benchmark pair of `benches/`, in one run.

use crate::steps::{cargo, root, succeed, target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Peers, with the versions beside which the figures in the documentation were taken.
const PEERS: [&str; 7] = [
    "numpy==2.4.6",
    "scipy==1.17.1",
    "scikit-learn==1.9.1",
    "joblib==1.6.0",
    "clarabel==0.11.1",
    "highspy==1.16.0",
    "mudata==0.3.10",
];

/// Peers whose stated dependencies (plotting, old versions) are not needed: installed without them.
const PEERS_ALONE: [&str; 3] = ["mvlearn==0.5.0", "polyview==0.1.0", "snfpy==0.2.2"];

/// Runs the named benchmarks, or all.
pub fn run(names: &[String]) -> Result<(), String> {
    cargo(&["build", "--release", "--package", "cokernel-benches"])?;
    let python = environment()?;
    let scripts = root().join("benches").join("peers");
    // What they share runs nothing of ours.
    let runs = |name: &String| {
        let text = std::fs::read_to_string(scripts.join(format!("{name}.py")));
        name != "common" && text.is_ok_and(|t| t.contains("ours("))
    };
    let mut all: Vec<String> = std::fs::read_dir(&scripts)
        .map_err(|e| e.to_string())?
        .filter_map(|f| f.ok()?.file_name().into_string().ok())
        .filter_map(|f| f.strip_suffix(".py").map(str::to_string))
        .filter(runs)
        .collect();
    all.sort();
    if let Some(unknown) = names.iter().find(|n| !all.contains(n)) {
        return Err(format!("no benchmark '{unknown}'; known: {}", all.join(", ")));
    }
    for name in all.iter().filter(|n| names.is_empty() || names.contains(n)) {
        let mut command = Command::new(&python);
        command
            .arg(scripts.join(format!("{name}.py")))
            .arg(target().join("release"))
            .env_remove("OPENBLAS_CORETYPE")
            .env("OPENBLAS_NUM_THREADS", "1")
            .env("OMP_NUM_THREADS", "1")
            .env("RAYON_NUM_THREADS", "1");
        succeed(&mut command)?;
    }
    Ok(())
}

/// A Python with the peers, made below the target folder at the first use and whenever the list of
/// peers has changed.
fn environment() -> Result<PathBuf, String> {
    let folder = target().join("bench-python");
    let python = folder.join("bin").join("python");
    let (list, installed) = ([&PEERS[..], &PEERS_ALONE].concat().join("\n"), folder.join("peers"));
    if std::fs::read_to_string(&installed).is_ok_and(|known| known == list) {
        return Ok(python);
    }
    if !Path::new(&python).exists() {
        succeed(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    let pip = ["-m", "pip", "install", "--quiet"];
    succeed(Command::new(&python).args(pip).args(PEERS))?;
    succeed(Command::new(&python).args(pip).arg("--no-deps").args(PEERS_ALONE))?;
    std::fs::write(&installed, list).map_err(|e| e.to_string())?;
    Ok(python)
}
