//! `cargo xtask fuzz [NAME…] [--seconds N] [--seed N]`: every target of `fuzz/`, or those that are
//! named, each in a process of its own for a time. Inputs that end in a fault are kept in
//! `target/fuzz/NAME`.

use crate::steps::{cargo, root, target};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// The target that is a test of the command line, because nothing else reads experiments.
const EXPERIMENTS: &str = "experiments";

/// Seconds for each target.
const SECONDS: f64 = 60.0;

/// Runs the targets; a fault of one does not keep the others from running.
pub fn run(args: &[String]) -> Result<(), String> {
    let (mut names, mut seconds) = (Vec::new(), SECONDS);
    let mut seed = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |t| t.as_secs());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{arg}: expected a number"));
        match arg.as_str() {
            "--seconds" => seconds = value()?.parse().map_err(|e| format!("{arg}: {e}"))?,
            "--seed" => seed = value()?.parse().map_err(|e| format!("{arg}: {e}"))?,
            name => names.push(name.to_string()),
        }
    }
    // Checks of overflow are on in this profile.
    cargo(&["build", "--package", "cokernel-fuzz"])?;
    let known = known()?;
    if let Some(unknown) = names.iter().find(|n| !known.contains(n)) {
        return Err(format!("no target '{unknown}'; known: {}", known.join(", ")));
    }
    let mut faults = Vec::new();
    for name in known.iter().filter(|n| names.is_empty() || names.contains(n)) {
        if let Err(problem) = one(name, seconds, seed) {
            eprintln!("{problem}");
            faults.push(name.as_str());
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(format!("faults in {}", faults.join(", "))) }
}

fn program() -> Command {
    Command::new(
        target().join("debug").join(format!("cokernel-fuzz{}", std::env::consts::EXE_SUFFIX)),
    )
}

fn known() -> Result<Vec<String>, String> {
    let out = program().output().map_err(|e| format!("cokernel-fuzz: {e}"))?;
    let mut names: Vec<String> =
        String::from_utf8_lossy(&out.stdout).lines().map(str::to_string).collect();
    names.push(EXPERIMENTS.to_string());
    Ok(names)
}

fn one(name: &str, seconds: f64, seed: u64) -> Result<(), String> {
    let folder = target().join("fuzz").join(name);
    let (seconds, seed) = (seconds.to_string(), seed.to_string());
    let mut command = if name == EXPERIMENTS {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command
            .args(["test", "--package", "cokernel-experiments", "--lib", "--"])
            .args(["any_text_is_an_experiment_or_refused", "--nocapture", "--quiet"])
            .current_dir(root())
            .env("COKERNEL_FUZZ_SECONDS", &seconds)
            .env("COKERNEL_FUZZ_SEED", &seed)
            .env("COKERNEL_FUZZ_FOLDER", &folder);
        command
    } else {
        let mut command = program();
        command.args([name, "--seconds", &seconds, "--seed", &seed]).arg("--folder").arg(&folder);
        command
    };
    let status = command.status().map_err(|e| format!("{name}: {e}"))?;
    if status.success() {
        return Ok(());
    }
    let last = folder.join("current");
    let ended =
        if last.exists() { format!("; the last input: {}", last.display()) } else { String::new() };
    Err(format!("{name}: {status} with seed {seed}{ended}"))
}
