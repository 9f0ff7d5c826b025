//! Passes that [others](super::workers) compute.

use super::instances::{Instances, Linear};
use super::parcel::Parcel;
use super::tiles::Tiling;
use super::workers::{Ask, Executor, Task, Told, Verb, Workers};
use crate::bank::place;
use crate::{Error, Result};
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

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
        Ok(Some(Away { executor, workers, folder, digest, rows }))
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
        let task = |tiles: &[usize; 2]| {
            let task = Task {
                folder: self.folder.to_path_buf(),
                digest: self.digest.to_string(),
                ask: path.name(),
                tiles: *tiles,
                threads: self.workers.threads,
            };
            serde_json::to_string(&task)
                .map_err(|e| Error::Data(format!("a task cannot be written: {e}")))
        };
        let parts = tiling.parts(self.executor.workers().max(1)).into_iter();
        let parts: Vec<[usize; 2]> =
            parts.filter(|p| !p.is_empty()).map(|p| [p.start, p.end]).collect();
        let tasks = parts.iter().map(task).collect::<Result<Vec<String>>>()?;
        let Some(answers) = self.executor.map(&tasks, stop)? else { return Ok(None) };
        let count = match verb {
            Verb::Evaluate => instances.evaluate_sums(linear.kernels.len()),
            Verb::Curve => instances.curve_sums(linear.kernels.len()),
        };
        let mut nodes = HashMap::new();
        for (bytes, tiles) in answers.iter().zip(parts) {
            let own = |told: &Told| told.ask == path.name() && told.tiles == tiles;
            let found = Parcel::<Told>::unpack(bytes)
                .filter(|p| own(&p.head) && p.numbers.len() == p.head.places.len() * count)
                .ok_or_else(|| {
                    Error::Data("an answer of a worker is damaged, or that of another task".into())
                })?;
            let sums = found.numbers.chunks(count.max(1)).map(<[f64]>::to_vec);
            nodes.extend(found.head.places.into_iter().zip(sums));
        }
        let add = |sum: &mut Vec<f64>, other: Vec<f64>| {
            sum.iter_mut().zip(other).for_each(|(s, o)| *s += o);
        };
        let missing = || Error::Data("the answers of the workers are not complete".to_string());
        tiling.joined(nodes, add).ok_or_else(missing).map(Some)
    }
}
