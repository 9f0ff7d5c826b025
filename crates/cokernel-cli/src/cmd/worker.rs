//! `cokernel worker`: answers tasks of a fit that another process made. Not for people.

use anyhow::Result;
use std::process::ExitCode;

/// Answer tasks of a fit, line by line (`fit --workers` starts these)
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_: Args) -> Result<ExitCode> {
    cokernel::scale::serve(std::io::stdin().lock(), std::io::stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}
