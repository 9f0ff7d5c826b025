//! [`Executor`]: who computes the passes of a fit [towards landmarks](super), if the threads of this process do not.
//!
//! It has one verb, map. A task is a short text that names a folder, what a pass asks and a range of tiles; its answer, which
//! [`answer`] computes in whatever process it is called, are the sums of these tiles, P numbers or two for each head. A second kind of
//! task asks for [covariances](super::covariance) of a sample: it names a range of strips, and writes them. All else goes through the folder ([`scratch`](super::scratch)), which all workers see under one name: the rows of the
//! views, once; what a pass asks, P numbers; and decision values, 8 bytes for each instance and head, which the worker writes
//! that computed them and whoever has the next task reads. So nothing belongs to a worker: a task that was lost is given to any
//! other, and the sums have [the same bits](super::tiles) whoever computed them.
//!
//! Cost of a pass beside the features: a file of 8 P bytes for each head, read by each worker, and as much or twice that as its
//! answer.

use super::covariance::{self, Covariance, Strip};
use super::instances::{Instances, Linear};
use super::parcel::{Parcel, unwritten};
use super::scratch::Opened;
use super::tiles::{TILE, Tiling};
use crate::bank::place;
use crate::{Error, Result, Run};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Answers of many tasks, one verb.
pub trait Executor: Send + Sync {
    /// How many tasks are worked on side by side: a pass is cut into as many, a long one into four times as many.
    fn workers(&self) -> usize;

    /// What [`answer`] says to each task, in the order of the tasks; `None` if `stop` said so meanwhile, which is asked every
    /// moment. A task that is lost (its worker died) is to be given to another worker.
    ///
    /// # Errors
    /// An answer could not be had.
    fn map(&self, tasks: &[String], stop: &dyn Fn() -> bool) -> Result<Option<Vec<Vec<u8>>>>;
}

/// Who works on the passes of a fit towards landmarks, and where what they need lies.
#[derive(Clone)]
pub struct Workers {
    /// Who computes; `None` are the threads of this process, which go on from the state in the folder.
    pub executor: Option<Arc<dyn Executor>>,
    /// A folder that all workers see under this name. A fit that was killed goes on from what it left there; one that ends
    /// leaves nothing.
    pub scratch: PathBuf,
    /// Threads of each worker.
    pub threads: usize,
    /// Instances from which on a pass is given to workers; those over fewer are done before a worker has read what is asked.
    pub least: usize,
}

impl Workers {
    /// Threads of each worker one, passes from 16,384 instances on.
    pub fn new(executor: Option<Arc<dyn Executor>>, scratch: impl Into<PathBuf>) -> Self {
        Workers { executor, scratch: scratch.into(), threads: 1, least: 16_384 }
    }

    /// Refuses a run with workers where no passes are given away.
    ///
    /// # Errors
    /// It has some.
    pub(crate) fn refuse_others(run: &Run) -> Result<()> {
        match run.workers {
            None => Ok(()),
            Some(_) => Err(Error::parameter(
                "workers",
                "they, and a scratch folder, are for fits of weights and machines towards landmarks (storage nystroem:rank=200, or fourier:rank=200); threads \
                 compute all else, clusters included: leave them out",
            )),
        }
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workers")
            .field("workers", &self.executor.as_ref().map(|e| e.workers()))
            .field("scratch", &self.scratch)
            .finish_non_exhaustive()
    }
}

/// One task.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub folder: PathBuf,
    pub digest: String,
    /// The file with what is asked.
    pub ask: String,
    /// Or strips.
    pub tiles: [usize; 2],
    pub threads: usize,
}

/// Which pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Verb {
    Evaluate,
    Curve,
    /// Covariances of all kernels together, or view by view.
    Covariance {
        whole: bool,
    },
}

/// What a pass asks; the numbers beside it are coefficients, then a constant for each head, or the weights of a sample.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Ask {
    pub verb: Verb,
    pub kernels: Vec<usize>,
    /// Bits of the width over which kinks are rounded, and of the factor on the costs.
    pub h: u64,
    pub factor: u64,
    /// The file of the instances, where they are not all.
    pub rows: Option<String>,
    /// The file of the decision values, or of the strips.
    pub values: String,
}

/// Which task is answered, and the nodes of the tree of which the numbers are the sums; or the checksums and numbers of the strips
/// that were written, with the means of the groups that begin with one of them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Told {
    pub ask: String,
    pub tiles: [usize; 2],
    pub places: Vec<(u32, usize)>,
}

/// What is kept between tasks, for speed alone: problems that were opened, instances of a start, and what was asked last.
#[derive(Default)]
struct Memory {
    opened: VecDeque<Arc<Opened>>,
    rows: VecDeque<(PathBuf, Arc<Vec<usize>>)>,
    asked: Option<(PathBuf, Arc<Parcel<Ask>>)>,
    /// Threads that wait, with their process and number.
    pools: Vec<(u32, usize, rayon::ThreadPool)>,
}

static MEMORY: Mutex<Option<Memory>> = Mutex::new(None);

/// Problems that stay open.
const OPEN: usize = 4;

fn remembered<T>(what: impl FnOnce(&mut Memory) -> T) -> T {
    what(MEMORY.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default())
}

fn opened(task: &Task) -> Result<Arc<Opened>> {
    let same = |o: &&Arc<Opened>| o.digest == task.digest && o.folder == task.folder;
    if let Some(known) = remembered(|m| m.opened.iter().find(same).cloned()) {
        return Ok(known);
    }
    let new = Arc::new(Opened::new(&task.folder, &task.digest)?);
    remembered(|m| {
        m.opened.push_front(new.clone());
        m.opened.truncate(OPEN);
    });
    Ok(new)
}

fn asked(path: PathBuf) -> Result<Arc<Parcel<Ask>>> {
    let known = remembered(|m| m.asked.as_ref().filter(|a| a.0 == path).map(|a| a.1.clone()));
    if let Some(known) = known {
        return Ok(known);
    }
    let new = Arc::new(Parcel::load(&path)?);
    remembered(|m| m.asked = Some((path, new.clone())));
    Ok(new)
}

fn rows_of(of: &Opened, ask: &Ask) -> Result<Arc<Vec<usize>>> {
    let path = of.folder.join(ask.rows.as_deref().unwrap_or_default());
    let known = remembered(|m| m.rows.iter().find(|r| r.0 == path).map(|r| r.1.clone()));
    if let Some(known) = known {
        return Ok(known);
    }
    let rows = match &ask.rows {
        None => (0..of.n).collect(),
        Some(_) => Parcel::<Vec<usize>>::load(&path)?.head,
    };
    let rows = Arc::new(rows);
    remembered(|m| {
        m.rows.push_front((path, rows.clone()));
        m.rows.truncate(OPEN);
    });
    Ok(rows)
}

/// Does something with so many threads: those of an earlier task, if some of this process wait.
fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    let process = std::process::id();
    let waiting = remembered(|m| {
        let place = m.pools.iter().position(|p| (p.0, p.1) == (process, threads));
        place.map(|k| m.pools.swap_remove(k).2)
    });
    let pool = match waiting {
        Some(pool) => pool,
        None => rayon::ThreadPoolBuilder::new()
            .num_threads(crate::threads_with_room(threads)?)
            .build()
            .map_err(|e| Error::Data(format!("threads cannot be started: {e}")))?,
    };
    let found = pool.install(work);
    remembered(|m| m.pools.push((process, threads, pool)));
    Ok(found)
}

/// The answer to a task of a fit: the sums of its tiles. Whoever is an [`Executor`] calls this, in any thread or process
/// that sees the folder which the task names.
///
/// # Errors
/// The folder is not there, or what lies in it is damaged or of another version; the task is none.
pub fn answer(task: &str) -> Result<Vec<u8>> {
    let task: Task = serde_json::from_str(task)
        .map_err(|e| Error::Data(format!("this is not the task of a fit: {e}")))?;
    let of = opened(&task)?;
    let asked = asked(of.folder.join(&task.ask))?;
    let rows = rows_of(&of, &asked.head)?;
    let known = asked.head.kernels.iter().all(|m| *m < of.features.kernels().len());
    if !known || rows.last().is_some_and(|r| *r >= of.n) {
        return Err(misfit());
    }
    let given = Given { of: &of, ask: &asked.head, numbers: &asked.numbers, rows: &rows };
    let (places, numbers) = with_threads(task.threads.max(1), || match asked.head.verb {
        Verb::Covariance { whole } => given.strips(whole, task.tiles),
        Verb::Evaluate | Verb::Curve => given.sums(task.tiles),
    })??;
    Parcel { head: Told { ask: task.ask, tiles: task.tiles, places }, numbers }.pack()
}

fn misfit() -> Error {
    Error::Data("a pass asks for what the problem has not".to_string())
}

/// What is asked, about which instances of what.
struct Given<'a> {
    of: &'a Opened,
    ask: &'a Ask,
    numbers: &'a [f64],
    rows: &'a [usize],
}

/// What is said where, and the numbers.
type Said = (Vec<(u32, usize)>, Vec<f64>);

impl Given<'_> {
    fn path(&self) -> PathBuf {
        self.of.folder.join(&self.ask.values)
    }

    /// The file of decision values or strips.
    fn file(&self) -> Result<File> {
        let path = self.path();
        let write = self.ask.verb != Verb::Curve;
        let open = OpenOptions::new().read(true).write(write).open(&path);
        open.map_err(|source| Error::Io { path, source })
    }

    fn sums(&self, [first, last]: [usize; 2]) -> Result<Said> {
        let (of, ask, rows) = (self.of, self.ask, self.rows);
        let source = of.source()?;
        let instances = Instances {
            features: &of.features,
            source: &source,
            labels: of.labels(),
            loss: of.loss,
            costs: &of.costs,
            rows,
            factor: f64::from_bits(ask.factor),
        };
        let (heads, tiling) = (instances.heads(), Tiling::new(rows.len(), 1));
        let wide = ask.kernels.len() * of.features.landmarks();
        if first > last || last > tiling.count() || self.numbers.len() != (wide + 1) * heads {
            return Err(misfit());
        }
        let (coefs, bias) = self.numbers.split_at(wide * heads);
        let linear =
            Linear { kernels: &ask.kernels, coefs: coefs.to_vec(), bias, h: f64::from_bits(ask.h) };
        let (path, values) = (self.path(), self.file()?);
        let one = |t: usize| -> Result<Vec<f64>> {
            let mut f = vec![0.0; tiling.rows(t).len() * heads];
            let at = (t * TILE * heads * 8) as u64;
            if ask.verb == Verb::Evaluate {
                let mut sums = vec![0.0; instances.evaluate_sums(ask.kernels.len())];
                instances.evaluate(t, &linear, &mut f, &mut sums)?;
                place::write(&values, bytemuck::cast_slice(&f), at)
                    .map_err(|source| unwritten(&path, source))?;
                return Ok(sums);
            }
            place::read(&values, bytemuck::cast_slice_mut(&mut f), at)
                .map_err(|source| Error::Io { path: path.clone(), source })?;
            let mut sums = vec![0.0; instances.curve_sums(ask.kernels.len())];
            instances.curve(t, &linear, &f, &mut sums)?;
            Ok(sums)
        };
        let (mut places, mut numbers) = (Vec::new(), Vec::new());
        for (place, sums) in tiling.nodes(first..last, &one, &both) {
            places.push(place);
            numbers.extend(sums?);
        }
        Ok((places, numbers))
    }

    /// Writes these strips; the means of the groups that begin with one of them.
    fn strips(&self, whole: bool, [first, last]: [usize; 2]) -> Result<Said> {
        let (of, ask) = (self.of, self.ask);
        let (roots, source) = (of.roots(&ask.kernels)?, of.source()?);
        let groups = covariance::groups(of.features.kernels(), &ask.kernels, whole);
        let sizes: Vec<usize> = groups.iter().map(|g| covariance::size(&roots, g)).collect();
        let strips = covariance::strips(&sizes);
        if first > last || last > strips.len() || self.numbers.len() != self.rows.len() {
            return Err(misfit());
        }
        let (features, weights) = (&of.features, self.numbers);
        let own = Covariance { features, roots: &roots, source: &source, rows: self.rows, weights };
        let (path, file) = (self.path(), self.file()?);
        let mut at = strips[..first].iter().map(Strip::numbers).sum::<usize>() as u64 * 8;
        let (mut places, mut numbers) = (Vec::new(), Vec::new());
        for own_strips in strips[first..last].chunk_by(|a, b| a.group == b.group) {
            let [begin, ..] = own_strips else { continue };
            let rows: usize = own_strips.iter().map(|s| s.rows.len()).sum();
            let wanted = begin.rows.start..begin.rows.start + rows;
            let (group, size) = (begin.group, sizes[begin.group]);
            let (means, found) = own.of(&groups[group], wanted.clone(), &|| Ok(()))?;
            for strip in own_strips {
                let rows = found[(strip.rows.start - wanted.start) * size..].chunks(size);
                let of_strip = rows.take(strip.rows.len()).flat_map(|row| &row[..strip.rows.end]);
                let block: Vec<f64> = of_strip.copied().collect();
                let bytes = bytemuck::cast_slice(&block);
                place::write(&file, bytes, at).map_err(|source| unwritten(&path, source))?;
                at += bytes.len() as u64;
                places.push((crc32fast::hash(bytes), first + places.len()));
            }
            if wanted.start == 0 {
                numbers.extend(means);
            }
        }
        Ok((places, numbers))
    }
}

/// The sum of two parts, or the first error.
fn both(sum: &mut Result<Vec<f64>>, other: Result<Vec<f64>>) {
    match (sum.as_mut(), other) {
        (Ok(sum), Ok(other)) => sum.iter_mut().zip(other).for_each(|(s, o)| *s += o),
        (Ok(_), error) => *sum = error,
        (Err(_), _) => {}
    }
}

/// The name of a folder that a worker can find: whole, from the root on.
pub(super) fn whole(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}
