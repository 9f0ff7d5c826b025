//! [`Place`]: the folder of one fit, and [`State`]: what a fit that was killed goes on from, to the same bits.
//!
//! After every round a file of some P numbers takes the place of the last one in one step: the functions and weights at hand
//! and the best so far, and of which instances the curvatures were made. What follows from these is computed again.

use super::parcel::Parcel;
use super::scratch::Content;
use super::workers::{Workers, whole};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

/// Weights and functions, without what was evaluated there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Spot {
    pub weights: Vec<f64>,
    pub v: Vec<f64>,
    pub bias: Vec<f64>,
    pub h: f64,
}

/// Instances that curvatures were made of, with their weights.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Drawn {
    pub rows: Vec<usize>,
    pub weights: Vec<f64>,
    /// Kernels whose covariances are computed, increasing.
    pub kernels: Vec<usize>,
    /// Whether covariances between views are wanted.
    pub whole: bool,
}

/// What Newton's method keeps from step to step.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Solver {
    pub samples: Vec<Drawn>,
    /// κ and weights of each factor.
    pub factors: Vec<(f64, Vec<f64>)>,
    /// How many random numbers were drawn.
    pub draws: u64,
    pub iterations: u64,
    pub products: u64,
    pub evaluations: u64,
}

/// The loop before a round.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct State {
    /// Which of the starts, then the whole, and the passes of those that are done.
    pub stage: usize,
    pub rounds: [u64; 2],
    pub here: Spot,
    pub best: Spot,
    /// The round of the best, and the gap that had fallen by a tenth last with its round.
    pub at: usize,
    pub fallen: (f64, usize),
    pub stuck: u32,
    /// The last width over which kinks are rounded.
    pub narrowest: f64,
    pub objective: Vec<f64>,
    pub gaps: Vec<f64>,
    pub newton: Solver,
}

impl State {
    /// Whether it is one of so many kernels, numbers of a function, heads and instances.
    pub fn fits(&self, kernels: usize, numbers: usize, heads: usize, n: usize) -> bool {
        let spot =
            |s: &Spot| s.weights.len() == kernels && s.v.len() == numbers && s.bias.len() == heads;
        let sample = |s: &Drawn| {
            s.rows.len() == s.weights.len()
                && s.rows.iter().all(|row| *row < n)
                && s.kernels.iter().all(|m| *m < kernels)
                && s.kernels.windows(2).all(|pair| pair[0] < pair[1])
        };
        let newton = &self.newton;
        spot(&self.here)
            && spot(&self.best)
            && self.at <= self.gaps.len()
            && self.objective.len() == self.gaps.len()
            && newton.samples.iter().all(sample)
            && newton.factors.iter().all(|(_, weights)| weights.len() == kernels)
    }
}

/// The whole numbers of a state, and whose it is.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    library: String,
    key: String,
    numbers: [u64; 10],
}

impl State {
    fn parcel(&self, key: &str) -> Parcel<Head> {
        let mut all: Vec<f64> = Vec::new();
        let mut put = |values: &[f64]| {
            all.push(values.len() as f64);
            all.extend(values);
        };
        for spot in [&self.here, &self.best] {
            put(&spot.weights);
            put(&spot.v);
            put(&spot.bias);
            put(&[spot.h]);
        }
        put(&[self.fallen.0, self.narrowest]);
        put(&self.objective);
        put(&self.gaps);
        let newton = &self.newton;
        for sample in &newton.samples {
            // Instances are fewer than 2^53.
            put(&sample.rows.iter().map(|r| *r as f64).collect::<Vec<f64>>());
            put(&sample.weights);
            put(&sample.kernels.iter().map(|m| *m as f64).collect::<Vec<f64>>());
            put(&[f64::from(u8::from(sample.whole))]);
        }
        for (kappa, weights) in &newton.factors {
            put(&[*kappa]);
            put(weights);
        }
        let numbers = [
            self.stage as u64,
            self.rounds[0],
            self.rounds[1],
            self.at as u64,
            self.fallen.1 as u64,
            u64::from(self.stuck),
            newton.draws,
            newton.iterations,
            newton.products,
            newton.evaluations,
        ];
        // Last, where they are found without reading what is before: how many samples and factors there are.
        put(&[newton.samples.len() as f64, newton.factors.len() as f64]);
        let (library, key) = (crate::VERSION.to_string(), key.to_string());
        Parcel { head: Head { library, key, numbers }, numbers: all }
    }

    fn of(parcel: &Parcel<Head>) -> Option<State> {
        let all = &parcel.numbers;
        let [samples, factors] = *all.last_chunk::<2>()?;
        let mut at = 0;
        let mut take = || -> Option<Vec<f64>> {
            let begin: usize = at + 1;
            let end = begin.checked_add(*all.get(at)? as usize)?;
            let found = all.get(begin..end)?.to_vec();
            at = end;
            Some(found)
        };
        let mut spot = || -> Option<Spot> {
            let (weights, v, bias) = (take()?, take()?, take()?);
            Some(Spot { weights, v, bias, h: *take()?.first()? })
        };
        let (here, best) = (spot()?, spot()?);
        let [fallen, narrowest] = *take()?.first_chunk::<2>()?;
        let (objective, gaps) = (take()?, take()?);
        let mut newton = Solver::default();
        for _ in 0..samples as usize {
            let whole_numbers = |v: Vec<f64>| v.into_iter().map(|r| r as usize).collect();
            let (rows, weights) = (whole_numbers(take()?), take()?);
            let (kernels, whole) = (whole_numbers(take()?), *take()?.first()? != 0.0);
            newton.samples.push(Drawn { rows, weights, kernels, whole });
        }
        for _ in 0..factors as usize {
            newton.factors.push((*take()?.first()?, take()?));
        }
        let [stage, evaluated, curved, at, round, stuck, draws, iterations, products, evaluations] =
            parcel.head.numbers;
        Some(State {
            stage: stage as usize,
            rounds: [evaluated, curved],
            here,
            best,
            at: at as usize,
            fallen: (fallen, round as usize),
            stuck: stuck as u32,
            narrowest,
            objective,
            gaps,
            newton: Solver { draws, iterations, products, evaluations, ..newton },
        })
    }
}

/// The folder of one fit; nobody else works in it meanwhile.
pub(crate) struct Place {
    pub folder: PathBuf,
    pub digest: String,
    key: String,
    lock: File,
}

impl Place {
    /// The folder of this problem, with its tables where others work on it. `key` says what is asked of the problem: another
    /// question has another folder.
    ///
    /// # Errors
    /// [`Error::Io`]; another program works in the folder.
    pub fn new(workers: &Workers, content: &Content<'_>, key: &str) -> Result<Self> {
        let io = |source| Error::Io { path: workers.scratch.clone(), source };
        std::fs::create_dir_all(&workers.scratch).map_err(io)?;
        let digest = content.digest()?;
        let hash = Sha256::digest(format!("{digest} {key}"));
        let name: String = hash.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        let folder = whole(&workers.scratch).join(format!("fit-{name}"));
        let io = |source| Error::Io { path: folder.clone(), source };
        std::fs::create_dir_all(&folder).map_err(io)?;
        let lock = File::create(folder.join("lock")).map_err(io)?;
        if let Err(TryLockError::WouldBlock) = lock.try_lock() {
            let problem = format!(
                "{}: another program is at work on the same fit in this folder; wait for it, or give another scratch folder",
                folder.display()
            );
            return Err(Error::Data(problem));
        }
        // What a killed run had no time to remove.
        for name in names(&folder) {
            if ["ask-", "values-", "rows-", "."].iter().any(|begin| name.starts_with(begin)) {
                std::fs::remove_file(folder.join(name)).map_err(io)?;
            }
        }
        if workers.executor.is_some() && content.views.n() >= workers.least {
            content.put(&folder, &digest)?;
        }
        Ok(Place { folder, digest, key: key.to_string(), lock })
    }

    /// What a killed run left; `None` if there is nothing that can be used.
    pub fn left(&self) -> Option<State> {
        let parcel = Parcel::<Head>::load(&self.folder.join("state")).ok()?;
        let own = parcel.head.key == self.key && parcel.head.library == crate::VERSION;
        own.then(|| State::of(&parcel)).flatten()
    }

    /// Keeps the state of a loop.
    pub fn keep(&self, state: &State) -> Result<()> {
        state.parcel(&self.key).save(&self.folder.join("state"))
    }

    /// Removes all that the fit needed.
    pub fn done(self) {
        // Without the state first: what is left of a folder that cannot be removed is not gone on from.
        let _ = std::fs::remove_file(self.folder.join("state"));
        let _ = self.lock.unlock();
        drop(self.lock);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_as_it_was() {
        let spot = |k: f64| Spot {
            weights: vec![k, 0.0],
            v: vec![1.0 / k, -k, 1e-300],
            bias: vec![k],
            h: 0.1 * k,
        };
        let samples = vec![
            Drawn {
                rows: vec![3, 1 << 40],
                weights: vec![0.5, 2.0],
                kernels: vec![1],
                whole: true,
            },
            Drawn { rows: vec![1], weights: vec![7.0], kernels: vec![0, 1], whole: false },
        ];
        let newton = Solver {
            samples,
            factors: vec![(3.0, vec![0.5, 0.25])],
            draws: 4,
            iterations: 5,
            products: 6,
            evaluations: 7,
        };
        let state = State {
            stage: 2,
            rounds: [8, 9],
            here: spot(3.0),
            best: spot(7.0),
            at: 1,
            fallen: (f64::INFINITY, 2),
            stuck: 3,
            narrowest: 1e-9,
            objective: vec![5.0, 4.0],
            gaps: vec![0.5],
            newton,
        };
        assert_eq!(State::of(&state.parcel("a")), Some(state.clone()));
        let first = State { newton: Solver::default(), ..state };
        let mut parcel = first.parcel("a");
        assert_eq!(State::of(&parcel), Some(first));
        parcel.numbers.truncate(5);
        assert_eq!(State::of(&parcel), None);
        parcel.numbers.clear();
        assert_eq!(State::of(&parcel), None);
    }
}
