//! `cargo xtask test`: everything continuous integration runs, with nothing to install by hand.
//!
//! | command | what it does |
//! |---|---|
//! | `cargo xtask test` | formatting, lints, documentation, all tests of Rust, Python and R, generated files, README examples |
//! | `cargo xtask generate` | rewrites the generated parts of the README and of the Python package |
//! | `cargo xtask docs` | the documentation site, in `target/site` |
//! | `cargo xtask fuzz [NAME…] [--seconds N]` | every fuzz target for a minute |
//! | `cargo xtask bench [NAME…]` | speed and memory beside the peers; makes its own Python environment |

#![allow(clippy::print_stdout)]

mod bench;
mod browser;
mod fuzz;
mod python;
mod r;
mod readme;
mod steps;
mod system;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let result = match args.first().map(String::as_str) {
        Some("test") => test(),
        Some("generate") => readme::generate().and_then(|()| python::generate()),
        Some("docs") => python::docs(),
        Some("bench") => bench::run(&args[1..]),
        Some("fuzz") => fuzz::run(&args[1..]),
        _ => Err("usage: cargo xtask test | generate | docs | bench [NAME…] | fuzz [NAME…] \
                  [--seconds N]"
            .to_string()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// All tests of Rust.
const TESTS: [&str; 4] = ["test", "--workspace", "--exclude", "cokernel-benches"];

fn test() -> Result<(), String> {
    use steps::{cargo, timed};
    let mut counts = steps::Counts::default();
    // Packages come over the network while the first steps compile.
    let packages = std::thread::spawn(python::provide);
    timed("formatting", || cargo(&["fmt", "--all", "--check"]))?;
    timed("tests, compiled", || cargo(&[&TESTS[..], &["--no-run"]].concat()))?;
    timed("a browser for the report page, and R", || {
        println!("{}\n{}", browser::provide(), r::provide());
        Ok(())
    })?;
    // Tests seldom take all cores: what only reads the code goes on beside them.
    std::thread::scope(|threads| {
        let reading = threads.spawn(read);
        timed("tests", || steps::cargo_test(&TESTS, &mut counts))?;
        timed("generated files", readme::check_generated)?;
        timed("Python's packages", || packages.join().map_err(|_| "a panic".to_string())?)?;
        reading.join().map_err(|_| "a panic".to_string())?
    })?;
    with_programs(&mut counts)?;
    println!("{} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.ignored);
    if counts.passed == 0 { Err("no test was run".to_string()) } else { Ok(()) }
}

/// Lints and documentation; the lines of each come when it has ended.
fn read() -> Result<(), String> {
    use steps::{cargo_at_once, timed};
    timed("lints", || {
        cargo_at_once(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])
    })?;
    timed("documentation", || {
        // Of benchmarks, fuzzers and this program nobody reads pages.
        let mut words = vec!["doc", "--workspace", "--no-deps"];
        for unread in ["cokernel-benches", "cokernel-fuzz", "xtask"] {
            words.extend(["--exclude", unread]);
        }
        cargo_at_once(&words, &[("RUSTDOCFLAGS", "-D warnings")])
    })
}

/// What uses the programs that are built by now. Python's checks go on alone for a while on one core, so the others stand
/// beside them.
fn with_programs(counts: &mut steps::Counts) -> Result<(), String> {
    use steps::timed;
    let mut beside = steps::Counts::default();
    let others = std::thread::scope(|threads| {
        let others = threads.spawn(|| {
            timed("R package", || r::test(&mut beside))?;
            timed("commands of the pages", || readme::run_commands(&mut beside))
        });
        let python = timed("Python package", || python::test(counts));
        let others = others.join().map_err(|_| "a panic".to_string())?;
        python.and(others)
    });
    counts.add(&beside);
    others
}
