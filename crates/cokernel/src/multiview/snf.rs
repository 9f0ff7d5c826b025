//! Similarity network fusion: the graphs of all kernels pass what each knows to the others until they agree, then spectral
//! clustering of their mean.
//!
//! With W_m ≥ 0 the similarity of kernel m,
//!
//! P_m(i, i) = ½, P_m(i, j) = W_m(i, j)/(2 Σ_{l≠i} W_m(i, l));     S_m(i, j) = W_m(i, j)/Σ_{l∈N_i} W_m(i, l) for the K nearest
//! neighbours j ∈ N_i, else 0;     P_m ← S_m · (mean of P_h over h ≠ m) · S_mᵀ for t rounds,
//!
//! after each of which P_m is brought back to the form of the first line and made symmetric. The result P is their mean, in that
//! form, too.
//!
//! Source: Wang, Mezlini, Demir and others, *Similarity network fusion for aggregating data types on a genomic scale*, Nature
//! Methods 11, 2014, (1)-(7) and Online Methods.
//!
//! | symbol | name |
//! |---|---|
//! | K, t | `neighbors`, `rounds` |
//! | P_m, S_m | `full`, `sparse` |
//!
//! `affinity=kernel` takes W_m from the kernel as it is. `affinity=local` is the scaled exponential of the source on the distances
//! in the feature space of the kernel, d_ij² = K_ii + K_jj − 2K_ij: W = exp(−d²/(μ ε_ij)), ε_ij = (d̄_i + d̄_j + d_ij)/3 with d̄_i the
//! mean distance to the K nearest neighbours: with linear kernels of standardised features that is the source's own.
//! Deviation: ties among the K-th neighbours go to the earlier instance. With one kernel nothing is passed on: P is its own.
//!
//! **Instances that lack views** (`incomplete=own`, in the way of Gliozzo and others, *Intelligent integration of partial
//! samples by similarity network fusion*, 2023, in its simplest form): the graph of a kernel has the instances that have its
//! view; of each pair it hears the mean of the other graphs that have both, and itself where none has. P is the mean of the
//! graphs that have both, 0 where none has.
//!
//! No new rows: what is fused depends on all instances.
//!
//! The rounds are computed in single precision: entries of P are off by about 1e-7 of the sums of their rows. Where that does not hold
//! (`exchange`) they are computed in double precision, which takes many times as long.
//!
//! Cost: 6 n² K operations for each kernel and round, since S_m has K entries in a row; memory 4 n² bytes for each kernel and 12 n²
//! besides, refused beyond the memory of the run.

mod exact;
mod exchange;

use super::incomplete::{INCOMPLETE, present};
use super::kmeans::check_clusters;
use super::work::Work;
use super::{Embedder, Embedding, Problem, Wants, laplacian};
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::{Param, Params, Range};
use crate::run::Pass;
use crate::{Error, Event, Report, Result, Run, Status};
use exchange::{FEEBLE, Graph, Half, Sparse, mean_of};
use rayon::prelude::*;

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> = Entry { method: &METHOD, build: |p| Box::new(Snf::new(p)) };

static METHOD: Method = Method {
    id: "snf",
    title: "similarity network fusion",
    source: "Wang and others 2014, (1)-(7)",
    summary: "Graphs of all kernels exchange their similarities along nearest neighbours until they agree; spectral clustering of \
              the result. Widely used for molecular data. Needs similarities of at least 0. 6 n² K operations for each kernel and \
              round, and 4 n² bytes of memory for each kernel.",
    tasks: &[Task::Cluster],
    group: Group::MultiView,
    certificate: Certificate::None,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[
        Param {
            name: "neighbors",
            doc: "K, the nearest neighbours of an instance that it listens to (at most all others).",
            range: Range::Int { default: 20, min: 1, max: i64::MAX },
        },
        Param {
            name: "rounds",
            doc: "t, the rounds of exchange.",
            range: Range::Int { default: 20, min: 0, max: 1_000_000 },
        },
        Param {
            name: "affinity",
            doc: "The similarities: kernel (the kernels as they are) or local (the scaled exponential of the distances in their \
                  feature spaces, for linear kernels that of the source).",
            range: Range::Choice { default: "kernel", of: &["kernel", "local"] },
        },
        Param {
            name: "mu",
            doc: "μ, the scale of affinity=local; the source recommends 0.3 to 0.8.",
            range: Range::Real { default: 0.5, min: 0.0, max: 1e6, closed: false },
        },
        INCOMPLETE,
    ],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct Snf {
    neighbors: usize,
    iterations: usize,
    local: bool,
    mu: f64,
    own: bool,
}

impl Snf {
    fn new(p: &Params) -> Self {
        Snf {
            neighbors: p.count("neighbors"),
            iterations: p.count("rounds"),
            local: p.text("affinity") == "local",
            mu: p.real("mu"),
            own: p.text("incomplete") == "own",
        }
    }
}

impl Snf {
    /// W_m, of all instances or of some.
    fn affinity(
        &self,
        problem: &Problem<'_>,
        m: usize,
        rows: Option<&[u32]>,
        work: &Work<'_>,
    ) -> Result<Vec<f64>> {
        let bank = problem.bank;
        let n = rows.map_or(bank.n(), <[u32]>::len);
        let mut w = match rows {
            None => {
                let mut alone = vec![0.0; bank.len()];
                alone[m] = 1.0;
                let pass = Pass::under(&work.watch);
                let w = bank.combine_in(&alone, &pass)?.into_matrix()?.into_values();
                pass.complete(laplacian::EMBEDDING)?;
                w
            }
            Some(rows) => {
                work.go_on()?;
                let mut w = vec![0.0; n * n];
                let each = w.chunks_mut(n).zip(rows);
                each.for_each(|(out, i)| bank.entries(m, *i as usize, rows, out));
                w
            }
        };
        let name = format!("kernel '{}'", bank.kernels()[m].name);
        if self.local {
            self.scaled(&mut w, n, &name)?;
        } else {
            let degrees = |i: usize, row: &mut [f64]| row.copy_from_slice(&w[i * n..(i + 1) * n]);
            let largest = bank.diagonal(m).iter().fold(0.0_f64, |a, d| a.max(d.abs()));
            laplacian::degrees_of(n, &name, largest, &work.watch, degrees)?;
            // Rounding below 0 was let through.
            w.iter_mut().for_each(|v| *v = v.max(0.0));
        }
        Ok(w)
    }

    /// The scaled exponential of the distances that `w`, a kernel, has in its feature space.
    fn scaled(&self, w: &mut [f64], n: usize, name: &str) -> Result<()> {
        let own: Vec<f64> = (0..n).map(|i| w[i * n + i]).collect();
        w.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
            row.iter_mut()
                .zip(&own)
                .for_each(|(v, d)| *v = (own[i] + d - 2.0 * *v).max(0.0).sqrt());
            row[i] = 0.0;
        });
        let nearest = self.neighbors.min(n - 1).max(1);
        let mean = |(i, row): (usize, &[f64])| {
            let mut others: Vec<f64> =
                row.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, d)| *d).collect();
            let at = nearest.min(others.len()).max(1) - 1;
            if others.is_empty() {
                return 0.0;
            }
            others.select_nth_unstable_by(at, f64::total_cmp);
            let mut near = others[..=at].to_vec();
            near.sort_by(f64::total_cmp);
            near.iter().sum::<f64>() / near.len() as f64
        };
        let means: Vec<f64> = w.par_chunks(n).enumerate().map(mean).collect();
        if n > 1 && w.iter().all(|d| *d == 0.0) {
            return Err(super::coordinates::same(&format!("{name} is")));
        }
        w.par_chunks_mut(n).enumerate().for_each(|(i, row)| {
            for (d, other) in row.iter_mut().zip(&means) {
                let scale = self.mu * (means[i] + other + *d) / 3.0;
                // Instances that coincide with all their neighbours are as similar as can be.
                *d = if *d == 0.0 { 1.0 } else { (-*d * *d / scale).exp() };
            }
        });
        Ok(())
    }

    /// S of a kernel among `n` instances, with the similarities `w` of all or of those in `rows`.
    fn sparse(&self, n: usize, w: &[f64], rows: Option<&[u32]>) -> Sparse {
        let size = rows.map_or(n, <[u32]>::len);
        let each = self.neighbors.min(size - 1).max(1);
        let row = |(i, row): (usize, &[f64])| {
            let own = if size > 1 { i } else { size };
            let mut values = row.to_vec();
            if own < size {
                values.swap_remove(own);
            }
            // Most are below the K-th of a few and need not be sorted.
            let few = values.len().min(8 * each);
            let down = |a: &f64, b: &f64| b.total_cmp(a);
            let enough = *values[..few].select_nth_unstable_by(each - 1, down).1;
            values.retain(|v| *v >= enough);
            let (above, least, _) = values.select_nth_unstable_by(each - 1, down);
            let least = *least;
            let mut ties = each - above.iter().filter(|v| **v > least).count();
            let mut near = Vec::with_capacity(each);
            for (j, v) in row.iter().enumerate() {
                if *v >= least && j != own && (*v > least || ties > 0) {
                    ties -= usize::from(*v == least);
                    near.push(j as u32);
                }
            }
            near
        };
        let nearest: Vec<Vec<u32>> = w.par_chunks(size).enumerate().map(row).collect();
        let at = |j: u32| rows.map_or(j, |rows| rows[j as usize]);
        let mut sparse = Sparse::new(n, each);
        for (i, (near, w)) in nearest.iter().zip(w.chunks(size)).enumerate() {
            let sum: f64 = near.iter().map(|j| w[*j as usize]).sum();
            let share = |j: u32| if sum > 0.0 { w[j as usize] / sum } else { 1.0 / each as f64 };
            sparse.set(at(i as u32) as usize, near.iter().map(|j| (at(*j), share(*j))));
        }
        sparse
    }
}

/// What the rounds came to.
struct Rounds {
    fused: Vec<f64>,
    done: usize,
    status: Status,
}

impl Snf {
    /// The rounds in single precision; `None` where rows have too little but entries that are lost in it.
    fn rounds(
        &self,
        n: usize,
        mut graphs: Vec<Graph>,
        sparse: &[Sparse],
        spare: Vec<f64>,
        work: &Work<'_>,
    ) -> Option<Rounds> {
        let rounds = if graphs.len() == 1 { 0 } else { self.iterations };
        let mut next: Vec<Graph> =
            if rounds == 0 { Vec::new() } else { graphs.iter().map(Graph::room).collect() };
        let mut half = Half::new(if rounds == 0 { 0 } else { n });
        let (mut done, mut status) = (0, Status::ClosedForm);
        'rounds: while done < rounds {
            let mut moved = 0.0_f64;
            for (m, (sparse, next)) in sparse.iter().zip(&mut next).enumerate() {
                if let Some(stop) = work.watch.stop() {
                    status = stop;
                    break 'rounds;
                }
                let (change, least) = half.pass(&graphs, m, sparse, next);
                if least < FEEBLE {
                    return None;
                }
                moved = moved.max(change);
            }
            std::mem::swap(&mut graphs, &mut next);
            done += 1;
            // As a share of the largest entry, which is ½.
            let message = format!("change {:.1e}", 2.0 * moved);
            work.run.tell(Event::Step { done: done as u64, message: &message });
        }
        drop((next, half));
        Some(Rounds { fused: mean_of(n, &graphs, spare), done, status })
    }

    /// The same in double precision.
    fn rounds_exactly(
        &self,
        problem: &Problem<'_>,
        present: Option<&Vec<Vec<u32>>>,
        sparse: &[Sparse],
        work: &Work<'_>,
    ) -> Result<Rounds> {
        let (n, count) = (work.n(), sparse.len());
        self.fits([16 * count + 24, n, n], (n, count), work.run)?;
        let (mut graphs, mut has) = (Vec::new(), Vec::new());
        for m in 0..count {
            let rows = present.map(|p| &p[m][..]);
            let w = self.affinity(problem, m, rows, work)?;
            let size = rows.map_or(n, <[u32]>::len);
            let at = |a: usize| rows.map_or(a, |rows| rows[a] as usize);
            let (mut p, mut there) = (vec![0.0; n * n], vec![false; n]);
            for (a, w) in w.chunks(size).enumerate() {
                there[at(a)] = true;
                w.iter().enumerate().for_each(|(b, v)| p[at(a) * n + at(b)] = *v);
            }
            exact::form(n, &there, &mut p);
            graphs.push(p);
            has.push(there);
        }
        let (mut done, mut status) = (0, Status::ClosedForm);
        'rounds: while done < self.iterations {
            let mut next = Vec::new();
            for (m, sparse) in sparse.iter().enumerate() {
                if let Some(stop) = work.watch.stop() {
                    status = stop;
                    break 'rounds;
                }
                next.push(exact::pass(n, &graphs, &has, m, sparse));
            }
            graphs = next;
            done += 1;
            work.run.tell(Event::Step { done: done as u64, message: "double precision" });
        }
        Ok(Rounds { fused: exact::mean_of(n, &graphs, &has), done, status })
    }

    /// Refuses what the run has no memory for.
    fn fits(&self, bytes: [usize; 3], (n, count): (usize, usize), run: &Run) -> Result<()> {
        let needed = bytes.into_iter().fold(1, usize::saturating_mul);
        if needed <= run.memory {
            return Ok(());
        }
        Err(Error::Data(format!(
            "{} needs {:.1} MB for the graphs of {count} kernels on {n} instances, and {:.1} MB are allowed; allow more memory, or use \
             a method that keeps none ('spectral', 'co_regularized')",
            METHOD.id,
            needed as f64 / 1e6,
            run.memory as f64 / 1e6
        )))
    }
}

impl Embedder for Snf {
    fn wants(&self) -> Wants {
        Wants { incomplete: self.own, ..Wants::default() }
    }

    fn places_new_rows(&self) -> bool {
        false
    }

    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        let (n, count) = (bank.n(), bank.len());
        check_clusters(k, n)?;
        let mut work = Work::new(bank, run);
        self.fits([4 * count + 12, n, n], (n, count), run)?;
        run.tell(Event::Begin { stage: METHOD.title, total: Some(self.iterations as u64) });
        let present = present(bank).filter(|_| self.own);
        let (mut graphs, mut sparse, mut spare) = (Vec::new(), Vec::new(), Vec::new());
        for m in 0..count {
            let rows = present.as_ref().map(|p| &p[m][..]);
            let w = self.affinity(problem, m, rows, &work)?;
            sparse.push(self.sparse(n, &w, rows));
            graphs.push(Graph::new(n, &w, rows));
            spare = w;
        }
        let found = match self.rounds(n, graphs, &sparse, spare, &work) {
            Some(found) => found,
            None => self.rounds_exactly(problem, present.as_ref(), &sparse, &work)?,
        };
        run.tell(Event::End);
        let Rounds { mut fused, done, status } = found;
        exact::form(n, &vec![true; n], &mut fused);
        let fused = Matrix::new(n, n, fused)?;
        let degrees: Vec<f64> = (0..n).map(|i| fused.row(i).iter().sum()).collect();
        let product = |x: &Matrix| crate::solve::dense::product((&fused).into(), x.into());
        let (pairs, _) = work.normalized("the fused graph", &degrees, k, product)?;
        let rows = work.unit_rows(&pairs.vectors, "the fused graph");
        let own = work.report();
        let status = if own.status.is_success() { status } else { own.status };
        let report = Report { status, iterations: done, ..own };
        Ok(Embedding {
            rows,
            gaps: vec![pairs.gap()],
            eigenvalues: vec![pairs.values],
            eigenvectors: vec![pairs.vectors],
            agreement: Vec::new(),
            extension: None,
            report,
        })
    }
}
