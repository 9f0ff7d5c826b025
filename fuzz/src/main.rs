//! `cokernel-fuzz NAME [--seconds N] [--seed N] [--folder DIR]` tries a target for a time,
//! `cokernel-fuzz NAME FILE…` tries these inputs once, `cokernel-fuzz` lists the targets.

#![allow(clippy::print_stdout)]

use cokernel_fuzz::{TARGETS, Target, drive, find, limit};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[global_allocator]
static MEMORY: limit::Limited = limit::Limited;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("cokernel-fuzz: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &[String]) -> Result<(), String> {
    let Some(name) = args.first() else {
        TARGETS.iter().for_each(|t| println!("{}", t.name));
        return Ok(());
    };
    let target = find(name)?;
    let (mut seconds, mut seed, mut folder) = (60.0, 1, PathBuf::from(name));
    let mut files = Vec::new();
    let mut rest = args[1..].iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{arg}: expected a value"));
        match arg.as_str() {
            "--seconds" => seconds = value()?.parse().map_err(|e| format!("--seconds: {e}"))?,
            "--seed" => seed = value()?.parse().map_err(|e| format!("--seed: {e}"))?,
            "--folder" => folder = PathBuf::from(value()?),
            file => files.push(file),
        }
    }
    if files.is_empty() { search(target, seconds, seed, &folder) } else { replay(target, &files) }
}

fn replay(target: &Target, files: &[&str]) -> Result<(), String> {
    for file in files {
        let bytes = drive::kept(Path::new(file)).map_err(|e| format!("{file}: {e}"))?;
        let word = if (target.run)(&bytes) { "accepted" } else { "refused" };
        println!("{file}: {word}");
    }
    Ok(())
}

fn search(target: &Target, seconds: f64, seed: u64, folder: &Path) -> Result<(), String> {
    // The same inputs in the same order on every machine.
    let threads = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    threads.map_err(|e| e.to_string())?;
    let found = drive::run(target, seconds, seed, folder).map_err(|e| e.to_string())?;
    println!(
        "{}: {} inputs, {} accepted, {} faults",
        target.name,
        found.tried,
        found.accepted,
        found.faults.len()
    );
    match found.faults.first() {
        None => Ok(()),
        Some(first) => Err(format!("{}: a panic, first by {}", target.name, first.display())),
    }
}
