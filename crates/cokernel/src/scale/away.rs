//! Passes that [others](super::workers) compute.

use super::covariance::{self, Moments, Strip};
use super::instances::{Instances, Linear};
use super::parcel::{Parcel, unwritten};
use super::state::Drawn;
use super::tiles::Tiling;
use super::workers::{Ask, Executor, Task, Told, Verb, Workers};
use crate::bank::place;
use crate::{Error, Result};
use cokernel_dense::GRAM_STRIP;
use rayon::prelude::*;
use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Instant, SystemTime};

/// A file that goes when nobody needs it any more.
#[derive(Debug)]
pub(crate) struct Kept(PathBuf);

impl Drop for Kept {
    fn drop(&mut self) {
        // One that cannot be removed goes with its folder.
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Kept {
    fn name(&self) -> String {
        self.0.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// Workers that know some instances of a problem.
pub(crate) struct Away<'a> {
    executor: &'a dyn Executor,
    workers: &'a Workers,
    folder: &'a Path,
    digest: &'a str,
    /// The file of the instances, where they are not all.
    rows: Option<Kept>,
    pace: Pace,
}

/// Seconds for one kernel that the last evaluation and the last [`Verb::Curve`] took.
///
/// A pass with one task for each worker waits for the slowest of them: on two cores, a client and a scheduler of Dask
/// beside the workers, a twentieth of all time. A task costs Dask 15 ms, so short passes are not cut further.
#[derive(Debug, Default)]
struct Pace(Mutex<[f64; 2]>);

/// Tasks for each worker of a pass that takes so many seconds or more.
const TASKS: usize = 4;
const LONG: f64 = 0.5;

impl Pace {
    /// Tasks for each of these workers.
    fn tasks(&self, verb: Verb, kernels: usize, workers: usize) -> usize {
        let seconds = self.0.lock().unwrap_or_else(PoisonError::into_inner)[Self::place(verb)];
        if workers > 1 && seconds * kernels as f64 >= LONG { TASKS } else { 1 }
    }

    fn tell(&self, verb: Verb, kernels: usize, seconds: f64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all[Self::place(verb)] = seconds / kernels.max(1) as f64;
    }

    fn place(verb: Verb) -> usize {
        usize::from(verb == Verb::Evaluate)
    }
}

/// Decision values, here and in a file, and sums.
type Found = (Vec<f64>, Arc<Kept>, Vec<f64>);

/// Numbers of files, that no other fit of this process has.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// When the first name was asked for: what was before may have had the number of this process.
static SINCE: OnceLock<u128> = OnceLock::new();

/// A name in the folder that nobody has or had, since workers remember some.
fn name(folder: &Path, what: &str) -> PathBuf {
    let since = *SINCE.get_or_init(|| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        now.map_or(0, |d| d.as_nanos())
    });
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("{what}-{}-{since:x}-{number}", std::process::id()))
}

impl<'a> Away<'a> {
    /// For these instances of n; `None` where they are too few to be given away.
    pub fn new(
        workers: &'a Workers,
        (folder, digest): (&'a Path, &'a str),
        (rows, n): (&[usize], usize),
    ) -> Result<Option<Self>> {
        let Some(executor) = workers.executor.as_deref() else { return Ok(None) };
        if rows.len() < workers.least {
            return Ok(None);
        }
        let rows = match rows.len() < n {
            false => None,
            true => {
                let path = name(folder, "rows");
                Parcel { head: rows.to_vec(), numbers: Vec::new() }.write(&path)?;
                Some(Kept(path))
            }
        };
        Ok(Some(Away { executor, workers, folder, digest, rows, pace: Pace::default() }))
    }

    /// Decision values of all instances, also in a file, and the sums of a pass at a point; `None` if it was given up.
    pub fn evaluate(
        &self,
        instances: &Instances<'_>,
        to: &Linear<'_>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Found>> {
        let kept = Kept(name(self.folder, "values"));
        let io = |source| Error::Io { path: kept.0.clone(), source };
        let mut f = vec![0.0; instances.rows.len() * instances.heads()];
        let bytes = bytemuck::cast_slice_mut::<f64, u8>(&mut f);
        File::create(&kept.0).and_then(|file| file.set_len(bytes.len() as u64)).map_err(io)?;
        let sums = self.pass(Verb::Evaluate, (instances, to), &kept, stop)?;
        let Some(sums) = sums else { return Ok(None) };
        let file = File::open(&kept.0).map_err(io)?;
        place::read(&file, bytes, 0).map_err(io)?;
        Ok(Some((f, Arc::new(kept), sums)))
    }

    /// The sums of a pass along a direction from a point with these decision values; `None` if it was given up.
    pub fn curve(
        &self,
        instances: &Instances<'_>,
        along: &Linear<'_>,
        values: &Kept,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<f64>>> {
        self.pass(Verb::Curve, (instances, along), values, stop)
    }

    fn pass(
        &self,
        verb: Verb,
        (instances, linear): (&Instances<'_>, &Linear<'_>),
        values: &Kept,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<f64>>> {
        let path = Kept(name(self.folder, "ask"));
        let head = Ask {
            verb,
            kernels: linear.kernels.to_vec(),
            h: linear.h.to_bits(),
            factor: instances.factor.to_bits(),
            rows: self.rows.as_ref().map(Kept::name),
            values: values.name(),
        };
        let numbers = [&linear.coefs, linear.bias].concat();
        Parcel { head, numbers }.write(&path.0)?;
        let tiling = Tiling::new(instances.rows.len(), 1);
        let (kernels, workers) = (linear.kernels.len(), self.executor.workers().max(1));
        let tasks = workers.saturating_mul(self.pace.tasks(verb, kernels, workers));
        let parts = tiling.parts(tasks.min(tiling.count()));
        let start = Instant::now();
        let Some(answers) = self.answers(&path, parts, stop)? else { return Ok(None) };
        self.pace.tell(verb, kernels, start.elapsed().as_secs_f64());
        let count = match verb {
            Verb::Evaluate => instances.evaluate_sums(linear.kernels.len()),
            _ => instances.curve_sums(linear.kernels.len()),
        };
        let mut nodes = HashMap::new();
        for found in answers {
            if found.numbers.len() != found.head.places.len() * count {
                return Err(damaged());
            }
            let sums = found.numbers.chunks(count.max(1)).map(<[f64]>::to_vec);
            nodes.extend(found.head.places.into_iter().zip(sums));
        }
        let add = |sum: &mut Vec<f64>, other: Vec<f64>| {
            sum.iter_mut().zip(other).for_each(|(s, o)| *s += o);
        };
        let missing = || Error::Data("the answers of the workers are not complete".to_string());
        tiling.joined(nodes, add).ok_or_else(missing).map(Some)
    }

    /// What is said to tasks for these ranges of tiles or strips; `None` if it was given up.
    fn answers(
        &self,
        ask: &Kept,
        parts: Vec<Range<usize>>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Parcel<Told>>>> {
        let task = |tiles: &[usize; 2]| {
            let task = Task {
                folder: self.folder.to_path_buf(),
                digest: self.digest.to_string(),
                ask: ask.name(),
                tiles: *tiles,
                threads: self.workers.threads,
            };
            serde_json::to_string(&task)
                .map_err(|e| Error::Data(format!("a task cannot be written: {e}")))
        };
        let parts = parts.into_iter().filter(|p| !p.is_empty());
        let parts: Vec<[usize; 2]> = parts.map(|p| [p.start, p.end]).collect();
        if parts.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let tasks = parts.iter().map(task).collect::<Result<Vec<String>>>()?;
        let Some(answers) = self.executor.map(&tasks, stop)? else { return Ok(None) };
        let read = |(bytes, tiles): (&Vec<u8>, [usize; 2])| {
            let own = |told: &Told| told.ask == ask.name() && told.tiles == tiles;
            Parcel::<Told>::unpack(bytes).filter(|p| own(&p.head)).ok_or_else(damaged)
        };
        answers.iter().zip(parts).map(read).collect::<Result<_>>().map(Some)
    }

    /// Of each group of kernels of a sample, of these sizes, means and second moments, as
    /// [`Covariance`](super::covariance::Covariance) computes them; `None` if it was given up.
    pub fn covariance(
        &self,
        sample: &Drawn,
        sizes: &[usize],
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Vec<Moments>>> {
        let (strips, count) = (covariance::strips(sizes), self.executor.workers().max(1));
        let total = strips.iter().map(Strip::numbers).sum::<usize>() as u64 * 8;
        let [rows, kept, path] =
            ["rows", "strips", "ask"].map(|what| Kept(name(self.folder, what)));
        Parcel { head: sample.rows.clone(), numbers: Vec::new() }.write(&rows.0)?;
        let io = |source| unwritten(&kept.0, source);
        File::create(&kept.0).and_then(|file| file.set_len(total)).map_err(io)?;
        let head = Ask {
            verb: Verb::Covariance { whole: sample.whole },
            kernels: sample.kernels.clone(),
            h: 0,
            factor: 0,
            rows: Some(rows.name()),
            values: kept.name(),
        };
        Parcel { head, numbers: sample.weights.clone() }.write(&path.0)?;
        let shares = covariance::shares(&strips, count.min(strips.len()));
        let Some(answers) = self.answers(&path, shares, stop)? else { return Ok(None) };
        let mut found: Vec<Moments> =
            sizes.iter().map(|size| (Vec::new(), vec![0.0; size * size])).collect();
        let mut sums = HashMap::new();
        for said in answers {
            let mut numbers = said.numbers.as_slice();
            for (sum, place) in said.head.places {
                let strip = strips.get(place).ok_or_else(damaged)?;
                sums.insert(place, sum);
                if strip.rows.start == 0 {
                    let parts = numbers.split_at_checked(sizes[strip.group]).ok_or_else(damaged)?;
                    (found[strip.group].0, numbers) = (parts.0.to_vec(), parts.1);
                }
            }
        }
        if found.iter().zip(sizes).any(|((means, _), size)| means.len() != *size) {
            return Err(damaged());
        }
        let file = File::open(&kept.0).map_err(io)?;
        let rows = found.iter_mut().zip(sizes).flat_map(|((_, whole), size)| {
            whole.chunks_mut((GRAM_STRIP * size).max(1)).map(move |rows| (rows, *size))
        });
        let mut at = 0;
        let mut each = Vec::with_capacity(strips.len());
        for ((place, strip), rows) in strips.iter().enumerate().zip(rows) {
            each.push((place, strip, rows, at));
            at += strip.numbers() as u64 * 8;
        }
        each.into_par_iter().try_for_each(|(place, strip, (rows, size), at)| {
            let mut block = vec![0.0; strip.numbers()];
            place::read(&file, bytemuck::cast_slice_mut(&mut block), at).map_err(io)?;
            if sums.get(&place) != Some(&crc32fast::hash(bytemuck::cast_slice(&block))) {
                let path = kept.0.display();
                return Err(Error::Data(format!(
                    "{path}: is not what workers wrote there; the same fit goes on from what else lies in the folder"
                )));
            }
            for (row, own) in rows.chunks_mut(size).zip(block.chunks(strip.rows.end)) {
                row[..own.len()].copy_from_slice(own);
            }
            Ok(())
        })?;
        Ok(Some(found))
    }
}

fn damaged() -> Error {
    Error::Data("an answer of a worker is damaged, or that of another task".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_pass_is_cut_further() {
        let pace = Pace::default();
        let tasks = |verb, kernels, workers| pace.tasks(verb, kernels, workers);
        assert_eq!(tasks(Verb::Evaluate, 50, 2), 1, "nothing is known yet");
        pace.tell(Verb::Evaluate, 10, 0.2);
        assert_eq!([10, 24, 26, 50].map(|k| tasks(Verb::Evaluate, k, 2)), [1, 1, TASKS, TASKS]);
        assert_eq!(tasks(Verb::Curve, 50, 2), 1, "of another kind");
        assert_eq!(tasks(Verb::Evaluate, 50, 1), 1, "nobody waits for a worker that is alone");
    }
}
