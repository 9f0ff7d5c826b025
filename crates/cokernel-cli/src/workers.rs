//! Flags for worker processes, and for fits that go on where they were killed.

use crate::misuse::misuse;
use anyhow::{Context, Result};
use cokernel::Run;
use cokernel::scale::{Executor, Processes, Workers};
use std::path::PathBuf;
use std::sync::Arc;

/// More would only wait for each other.
const MOST: usize = 1024;

#[derive(Debug, clap::Args)]
pub struct WorkerArgs {
    /// Compute the passes over the instances in so many processes; for --storage nystroem:rank=… and fourier:rank=… [default: threads alone]
    #[arg(long, value_name = "N", help_heading = "Work")]
    workers: Option<usize>,
    /// A folder for what workers read (the views, once) and where the fit leaves its state after every round: one that was
    /// killed goes on from there. Empty again when it ends [default with --workers: one of the system's, gone with the program]
    #[arg(long, value_name = "DIR", help_heading = "Work")]
    scratch: Option<PathBuf>,
}

/// A folder that goes with this program, if it is its own.
pub struct Scratch(Option<PathBuf>);

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(own) = &self.0 {
            // What cannot be removed is in the system's folder for such things.
            let _ = std::fs::remove_dir_all(own);
        }
    }
}

impl WorkerArgs {
    /// Gives workers to a run, if some are asked for.
    pub fn add_to(&self, run: &mut Run) -> Result<Scratch> {
        if self.workers.is_none() && self.scratch.is_none() {
            return Ok(Scratch(None));
        }
        let own = self
            .scratch
            .is_none()
            .then(|| std::env::temp_dir().join(format!("cokernel-scratch-{}", std::process::id())));
        let folder = self.scratch.clone().or_else(|| own.clone()).unwrap_or_default();
        let mut executor: Option<Arc<dyn Executor>> = None;
        let mut threads = 1;
        if let Some(count) = self.workers {
            if !(1..=MOST).contains(&count) {
                return Err(misuse(format!(
                    "--workers: expected 1 to {MOST} processes, found {count}"
                )));
            }
            let program = std::env::current_exe().context("--workers: this program's own file")?;
            threads = (rayon::current_num_threads() / count).max(1);
            executor = Some(Arc::new(Processes::new(
                [program.into(), "worker".into()] as [std::ffi::OsString; 2],
                count,
            )));
        }
        run.workers = Some(Arc::new(Workers { threads, ..Workers::new(executor, folder) }));
        Ok(Scratch(own))
    }
}
