//! Running programs, with their time and their counts of tests.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Tests counted from the closing lines of `cargo test`.
#[derive(Debug, Default)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that were skipped.
    pub ignored: u64,
}

impl Counts {
    /// Adds those of other tests.
    pub fn add(&mut self, other: &Counts) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }

    /// Adds what the last line of pytest, or of the tests of the R package, counts; other lines count nothing.
    pub fn add_closing(&mut self, line: &str) {
        let plain = line.contains(" passed, ") && line.ends_with(" skipped");
        if plain || line.contains(" passed") && line.contains(" in ") {
            self.passed += number_before(line, " passed");
            self.failed += number_before(line, " failed");
            self.ignored += number_before(line, " skipped");
        }
    }
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    let mut dir = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    dir.pop();
    dir
}

/// The folder into which cargo builds.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// Runs a step between two lines that name it and say how long it took.
pub fn timed(name: &str, step: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    println!("==> {name}");
    let (start, before) = (Instant::now(), cpu_of_programs());
    step().map_err(|e| format!("{name}: {e}"))?;
    let cpu = match (before, cpu_of_programs()) {
        (Some(before), Some(after)) => format!(", {:.0} s of CPU", after - before),
        _ => String::new(),
    };
    println!("<== {name}: {:.0} s{cpu}", start.elapsed().as_secs_f64());
    Ok(())
}

/// CPU seconds of the programs that were run so far, and of those that they ran; on Linux, which
/// counts them in hundredths in fields 16 and 17 of this file.
fn cpu_of_programs() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Field 2 is a name in brackets, which may hold blanks.
    let (_, fields) = text.rsplit_once(')')?;
    let hundredths = |n: usize| fields.split_whitespace().nth(n - 3)?.parse::<f64>().ok();
    Some((hundredths(16)? + hundredths(17)?) / 100.0)
}

/// Cargo in the root of the workspace.
pub fn cargo(args: &[&str]) -> Result<(), String> {
    succeed(&mut cargo_command(args))
}

fn cargo_command(args: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(args).current_dir(root());
    command
}

/// Cargo with extra environment variables beside other programs: all its lines come at once, and but for a failure they are few.
pub fn cargo_at_once(args: &[&str], env: &[(&str, &str)]) -> Result<(), String> {
    let mut command = cargo_command(&args[..1]);
    let command = command.arg("--quiet").args(&args[1..]).envs(env.iter().copied());
    let out = command.output().map_err(|e| format!("cargo: {e}"))?;
    print!("{}", String::from_utf8_lossy(&out.stdout));
    eprint!("{}", String::from_utf8_lossy(&out.stderr));
    if out.status.success() {
        Ok(())
    } else {
        Err(format!("cargo {} ended with {}", args[0], out.status))
    }
}

/// Runs a program that must succeed.
pub fn succeed(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}")) }
}

/// `cargo test`, adding up its closing lines.
pub fn cargo_test(args: &[&str], counts: &mut Counts) -> Result<(), String> {
    let mut child =
        cargo_command(args).stdout(Stdio::piped()).spawn().map_err(|e| format!("cargo: {e}"))?;
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines() {
            let line = line.map_err(|e| e.to_string())?;
            println!("{line}");
            if let Some(closing) = line.strip_prefix("test result: ") {
                counts.passed += number_before(closing, " passed");
                counts.failed += number_before(closing, " failed");
                counts.ignored += number_before(closing, " ignored");
            }
        }
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("{} tests failed", counts.failed)) }
}

/// A program whose last line says how many tests passed, adding up what it counts.
pub fn counted(command: &mut Command, counts: &mut Counts) -> Result<(), String> {
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|e| format!("{command:?}: {e}"))?;
    if let Some(out) = child.stdout.take() {
        for line in BufReader::new(out).lines() {
            let line = line.map_err(|e| e.to_string())?;
            println!("{line}");
            counts.add_closing(&line);
        }
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} ended with {status}")) }
}

fn number_before(line: &str, word: &str) -> u64 {
    let Some(end) = line.find(word) else { return 0 };
    let digits = line[..end].rsplit(|c: char| !c.is_ascii_digit()).next();
    digits.and_then(|d| d.parse().ok()).unwrap_or(0)
}
