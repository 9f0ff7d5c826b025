//! Running targets: many changed inputs one after the other, each kept on disk while it is tried.

use crate::Target;
use crate::mutate::{Rng, mutate};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// An input that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// The file that holds the input being tried.
const CURRENT: &str = "current";

/// Inputs that were accepted and are changed further, at most.
const KEPT: usize = 256;

/// Faults after which a run ends.
const FAULTS: usize = 10;

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Inputs tried.
    pub tried: u64,
    /// Of these, accepted.
    pub accepted: u64,
    /// Files with inputs that ended in a panic.
    pub faults: Vec<PathBuf>,
}

/// The inputs of one run: those that come with the target, then changed ones.
struct Inputs<'a> {
    target: &'a Target,
    rng: Rng,
    seeds: Vec<Vec<u8>>,
    kept: Vec<Vec<u8>>,
    given: usize,
}

impl<'a> Inputs<'a> {
    fn new(target: &'a Target, seed: u64) -> Self {
        let seeds = (target.seeds)();
        Inputs { target, rng: Rng::new(seed), kept: seeds.clone(), seeds, given: 0 }
    }

    fn next(&mut self) -> Vec<u8> {
        self.given += 1;
        if let Some(seed) = self.seeds.get(self.given - 1) {
            return seed.clone();
        }
        let rng = &mut self.rng;
        let from = if rng.below(3) == 0 { &self.seeds } else { &self.kept };
        let mut bytes = rng.of(from).clone();
        if rng.below(2) == 0 || !(self.target.change)(&mut bytes, rng) {
            mutate(&mut bytes, &self.seeds, self.target.words, rng);
        }
        bytes
    }

    /// Some accepted inputs are changed further.
    fn accepted(&mut self, bytes: &[u8]) {
        if self.rng.below(4) > 0 {
            return;
        }
        if self.kept.len() < KEPT {
            return self.kept.push(bytes.to_vec());
        }
        let place = self.rng.below(KEPT);
        self.kept[place] = bytes.to_vec();
    }
}

/// Tries `inputs` inputs of a fixed seed; the panic of a fault is passed on.
pub fn short(target: &Target, inputs: usize) -> Outcome {
    let mut outcome = Outcome::default();
    let mut all = Inputs::new(target, 1);
    while all.given < inputs.max(all.seeds.len()) {
        let bytes = all.next();
        outcome.tried += 1;
        if (target.run)(&bytes) {
            outcome.accepted += 1;
            all.accepted(&bytes);
        }
    }
    outcome
}

/// Tries inputs for a time. The one that is being tried is in `folder/current`: it is what ended
/// the process, should it end. Inputs that panic are kept as `folder/fault-*`.
///
/// # Errors
/// The folder cannot be written to.
pub fn run(target: &Target, seconds: f64, seed: u64, folder: &Path) -> std::io::Result<Outcome> {
    std::fs::create_dir_all(folder)?;
    let current = folder.join(CURRENT);
    let mut file = File::create(&current)?;
    let (start, limit) = (Instant::now(), Duration::from_secs_f64(seconds));
    let done = watch_over(&current);
    let mut outcome = Outcome::default();
    let mut all = Inputs::new(target, seed);
    while (start.elapsed() < limit || all.given < all.seeds.len()) && outcome.faults.len() < FAULTS
    {
        let bytes = all.next();
        keep(&mut file, &bytes)?;
        match catch_unwind(AssertUnwindSafe(|| (target.run)(&bytes))) {
            Ok(true) => {
                outcome.accepted += 1;
                all.accepted(&bytes);
            }
            Ok(false) => {}
            Err(_) => {
                let fault = folder.join(format!("fault-{seed}-{}", all.given));
                std::fs::write(&fault, &bytes)?;
                outcome.faults.push(fault);
            }
        }
        outcome.tried += 1;
        done.fetch_add(1, Ordering::Relaxed);
    }
    done.store(u64::MAX, Ordering::Relaxed);
    std::fs::remove_file(current)?;
    Ok(outcome)
}

/// Puts an input over the one before: its length, then its bytes. Cutting the file for each would
/// take longer than most inputs.
fn keep(file: &mut File, bytes: &[u8]) -> std::io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(&[&(bytes.len() as u64).to_le_bytes()[..], bytes].concat())
}

/// An input that was kept.
///
/// # Errors
/// The file cannot be read.
pub fn kept(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = std::fs::read(path)?;
    if path.file_name().is_some_and(|name| name == CURRENT)
        && let Some((length, rest)) = bytes.split_first_chunk::<8>()
    {
        let length = (u64::from_le_bytes(*length) as usize).min(rest.len());
        bytes = rest[..length].to_vec();
    }
    Ok(bytes)
}

/// Ends the process if an input hangs; counts inputs that are done.
fn watch_over(current: &Path) -> Arc<AtomicU64> {
    let done = Arc::new(AtomicU64::new(0));
    let (seen, current) = (done.clone(), current.to_path_buf());
    std::thread::spawn(move || {
        let (mut last, mut since) = (0, Instant::now());
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let now = seen.load(Ordering::Relaxed);
            if now == u64::MAX {
                return;
            }
            if now != last {
                (last, since) = (now, Instant::now());
            }
            if since.elapsed() > PATIENCE {
                eprintln!("the input {} takes longer than {PATIENCE:?}", current.display());
                std::process::abort();
            }
        }
    });
    done
}
