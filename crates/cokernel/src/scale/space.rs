//! [`Space`]: kernels as features towards landmarks.
//!
//! With landmarks Z (r instances) kernel m is approximated by
//!
//! ```text
//! k̃_m(x, z) = C_m(x) W_m⁺ C_m(z)ᵀ,     C_m(x) = k_m(x, Z),     W_m = k_m(Z, Z)
//! ```
//!
//! (Nyström; Williams and Seeger, NIPS 2000), which is positive semi-definite, never above k_m, and equal to it where all
//! instances are landmarks. In the place of W_m⁺ stands R_m R_mᵀ, which gives the same k̃_m: R_m = S U Λ^{−1/2} over the eigenvalues Λ of
//! S W_m S above [`LEAST`] times the largest, S = diag(W_m)^{−1/2}, so that kernels that are nearly singular on the landmarks do no
//! harm and no landmark of large norm hides the others; r_m of them are kept. A function of kernel m is
//! f_m(x) = C_m(x) R_m v_m with norm ‖v_m‖: rows are never multiplied by R_m, v_m is, once for all instances.
//!
//! Random features ([`directions`]) in the place of landmarks are C_m(x) with C_m(x) C_m(z)ᵀ ≈ k_m(x, z) r_m / 2: R_m then takes
//! those that are the kernel's own, times √(2/r_m).
//!
//! C_m(x) is computed where it is needed and kept nowhere ([`Features`]).

use super::basis::Basis;
use super::directions::{self, Drawn};
use super::features::Features;
use super::landmarks::{self, SAMPLE, some_of};
use super::root::{self, Root, Values};
use crate::bank::{Bank, LowRank, Storage, Towards};
use crate::data::{Matrix, Table, Views};
use crate::error::room_for;
use crate::kernel::{Function, Kernel, Norm, Normalization, ViewKind};
use crate::{Error, Result, Run, Watch};
use cokernel_dense::{Slice, symmetric_eigen};
use rayon::prelude::*;

/// Eigenvalues of W_m, its diagonal brought to one, below this part of the largest count as 0.
const LEAST: f64 = 1e-11;

/// Instances on which the error is measured.
const MEASURED: usize = 200;

/// Kernels towards landmarks.
#[derive(Debug)]
pub struct Space {
    basis: Basis,
    pub(super) features: Features,
    /// The kernels that the features stand for.
    exact: Vec<Kernel>,
    /// Statistics of the normalisations of the kernels.
    norms: Vec<Vec<Norm>>,
    pub(super) roots: Vec<Root>,
    size: usize,
    partitions: usize,
    /// ‖K_m − K̃_m‖_F / ‖K_m‖_F on some instances.
    errors: Vec<f64>,
    notes: Vec<String>,
}

impl Space {
    /// Resolved kernels on instances that have all views: chooses landmarks, and measures the error. Also gives the kernels
    /// among the landmarks.
    ///
    /// # Errors
    /// Similarities, whose rows are not computed from features; kernels that are centred or divided by a number that all
    /// instances enter together; as [`Bank::from_kernels`]; a stop.
    pub fn new(
        views: &Views,
        kernels: Vec<Kernel>,
        how: LowRank,
        run: &Run,
    ) -> Result<(Self, Bank)> {
        check(&kernels)?;
        let (n, watch) = (views.n(), run.watch());
        if how.landmarks.are_directions() {
            return Space::of_directions(views, kernels, how, run, &watch);
        }
        let mut rng = run.rng("sample for landmarks");
        let sample = some_of(n, SAMPLE.max(how.rank.saturating_mul(4)), &mut rng);
        let chosen = {
            let some = (sample.len() < n).then(|| rows_of(views, &sample)).transpose()?;
            let some = some.as_ref().unwrap_or(views);
            let bank = Bank::from_kernels(some, kernels.clone(), Storage::OnDemand, run)?;
            landmarks::choose(&bank, how, &run.remaining(&watch))?
        };
        let landmarks: Vec<usize> = chosen.places.iter().map(|p| sample[*p]).collect();
        let own = rows_of(views, &landmarks)?;
        let (features, bank) = Features::new(&own, kernels, run)?;
        let norms = (0..bank.len()).map(|m| bank.norms(m).to_vec()).collect();
        let exact = features.kernels().to_vec();
        let mut space = Space::plain(Basis::Instances(landmarks), features, exact, norms);
        space.find_roots(&own, &watch)?;
        space.measure(views, run, &watch)?;
        space.notes = space.told(how, chosen.residual, n);
        Ok((space, bank))
    }

    fn plain(basis: Basis, features: Features, exact: Vec<Kernel>, norms: Vec<Vec<Norm>>) -> Self {
        Space {
            basis,
            features,
            exact,
            norms,
            roots: Vec::new(),
            size: 0,
            partitions: 1,
            errors: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// With random features; also gives the kernels on some instances.
    fn of_directions(
        views: &Views,
        kernels: Vec<Kernel>,
        how: LowRank,
        run: &Run,
        watch: &Watch,
    ) -> Result<(Self, Bank)> {
        let Drawn { rows, waves, own } = directions::draw(views, &kernels, how, run)?;
        let features = Features::of_directions(&rows, waves.clone())?;
        let basis = Basis::Directions { rows, kernels: waves };
        let norms = vec![Vec::new(); kernels.len()];
        let mut space = Space::plain(basis, features, kernels, norms);
        let (rank, part) = (how.rank, (2.0 / how.rank as f64).sqrt());
        for first in own {
            let root = Root { rank, values: Values::Own(first, part), first: space.size };
            space.size += rank;
            space.roots.push(root);
        }
        let bank = space.measure(views, run, watch)?;
        space.notes = space.told(how, None, views.n());
        Ok((space, bank))
    }

    /// Columns of a view that are features themselves, each times a factor: f(x) = factor·v·x with norm ‖v‖.
    ///
    /// # Errors
    /// There is no memory.
    pub(crate) fn of_columns(view: &str, columns: usize, factor: f64) -> Result<Self> {
        room_for::<f64>(columns.checked_mul(columns), || format!("{columns} unit vectors"))?;
        let units = Matrix::from_fn(columns, columns, |i, j| f64::from(u8::from(i == j)));
        let rows = Views::new().with(view, Table::Dense(units))?;
        let kernel = Kernel {
            name: view.to_string(),
            view: view.to_string(),
            column: None,
            function: Function::Linear,
            normalize: Vec::new(),
        };
        let features = Features::of_directions(&rows, vec![kernel.clone()])?;
        let basis = Basis::Directions { rows, kernels: vec![kernel.clone()] };
        let mut space = Space::plain(basis, features, vec![kernel], vec![Vec::new()]);
        space.size = columns;
        space.roots = vec![Root { rank: columns, values: Values::Own(0, factor), first: 0 }];
        Ok(space)
    }

    /// Computes in so many partitions of the instances, one after the other in what they give but not in time: the bits
    /// of all results are the same for any number.
    #[must_use]
    pub fn with_partitions(self, partitions: usize) -> Self {
        Space { partitions, ..self }
    }

    pub(crate) fn partitions(&self) -> usize {
        self.partitions
    }

    /// The landmarks, or the directions of random features.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// What of an instance and a landmark or direction is a feature.
    pub fn kernels(&self) -> &[Kernel] {
        self.features.kernels()
    }

    /// The kernels that the features stand for.
    pub fn exact(&self) -> &[Kernel] {
        &self.exact
    }

    /// How far each kernel is from its approximation: the Frobenius norm of the difference as a part of that of the kernel,
    /// between instances of a sample.
    pub fn errors(&self) -> &[f64] {
        &self.errors
    }

    /// Sentences that a user should read.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Σ r_m: the length of v.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Kernels with their statistics, and what compares any instance with those that they are features of.
    pub(super) fn into_parts(self) -> (Vec<Kernel>, Vec<Vec<Norm>>, Towards) {
        let towards = Towards { basis: self.basis, roots: self.roots };
        (self.features.into_kernels(), self.norms, towards)
    }

    /// The part of v that belongs to kernel m.
    pub(crate) fn part(&self, m: usize) -> std::ops::Range<usize> {
        let root = &self.roots[m];
        root.first..root.first + root.rank
    }

    fn find_roots(&mut self, own: &Views, watch: &Watch) -> Result<()> {
        let (r, kernels) = (self.basis.len(), self.kernels().len());
        let all: Vec<usize> = (0..kernels).collect();
        let rows: Vec<usize> = (0..r).collect();
        room_for::<f64>(kernels.checked_mul(2 * r * r), || {
            format!(
                "{kernels} kernels among {r} landmarks (a smaller rank of the storage needs less)"
            )
        })?;
        let mut among = vec![vec![0.0; r * r]; kernels];
        self.visit(own, &rows, &all, |first, count, values| {
            for i in 0..count {
                let row = &values[i * kernels * r..(i + 1) * kernels * r];
                for (w, row) in among.iter_mut().zip(row.chunks(r)) {
                    w[(first + i) * r..(first + i + 1) * r].copy_from_slice(row);
                }
            }
        })?;
        let root = |(m, mut w): (usize, Vec<f64>)| {
            landmarks::stopped(watch)?;
            cokernel_dense::symmetric_part(r, &mut w);
            // To a unit diagonal: an instance of large norm would make all others count as 0.
            let unit = |i: usize| if w[i * r + i] > 0.0 { 1.0 / w[i * r + i].sqrt() } else { 0.0 };
            let units: Vec<f64> = (0..r).map(unit).collect();
            for (row, own) in w.chunks_mut(r).zip(&units) {
                row.iter_mut().zip(&units).for_each(|(v, other)| *v *= own * other);
            }
            let mut vectors = vec![0.0; r * r];
            let found = symmetric_eigen(Slice::new(&w, r, r), &mut vectors);
            let values = found.ok_or_else(|| {
                let name = &self.kernels()[m].name;
                Error::Data(format!(
                    "kernel '{name}': its eigenvalues on the landmarks were not found"
                ))
            })?;
            let largest = values.last().copied().unwrap_or(0.0);
            let kept: Vec<usize> =
                (0..r).filter(|j| largest > 0.0 && values[*j] > LEAST * largest).collect();
            let column = |i: usize, j: &usize| units[i] * vectors[i * r + j] / values[*j].sqrt();
            let values = (0..r).flat_map(|i| kept.iter().map(move |j| column(i, j))).collect();
            Ok(Root { rank: kept.len(), values: Values::All(values), first: 0 })
        };
        self.roots = among.into_par_iter().enumerate().map(root).collect::<Result<_>>()?;
        for root in &mut self.roots {
            root.first = self.size;
            self.size += root.rank;
        }
        Ok(())
    }

    /// Features C of some rows of the views, as [`Features::visit`].
    pub(crate) fn visit(
        &self,
        views: &Views,
        rows: &[usize],
        kernels: &[usize],
        each: impl FnMut(usize, usize, &[f64]),
    ) -> Result<()> {
        self.features.visit(views, rows, kernels, each)
    }

    /// C R, from the features of some rows: row after row, kernel after kernel.
    pub(crate) fn whitened(
        &self,
        kernels: &[usize],
        count: usize,
        values: &[f64],
        out: &mut Vec<f64>,
    ) {
        root::whitened((&self.roots, self.basis.len()), kernels, count, values, out);
    }

    /// R_m v_m of these kernels for each of the heads (v one head after the other): one row for each feature, one column for
    /// each head.
    pub(crate) fn coefficients(&self, kernels: &[usize], v: &[f64], heads: usize) -> Vec<f64> {
        let r = self.basis.len();
        let mut out = vec![0.0; kernels.len() * r * heads];
        out.par_chunks_mut((r * heads).max(1)).zip(kernels).for_each(|(out, m)| {
            for (head, v) in v.chunks(self.size.max(1)).take(heads).enumerate() {
                self.roots[*m].times(&v[self.part(*m)], |i, value| out[i * heads + head] = value);
            }
        });
        out
    }

    /// R_mᵀ g_m of these kernels for each row of g (one number for each feature), one row after the other; the parts of other
    /// kernels are 0.
    pub(crate) fn gathered(&self, kernels: &[usize], g: &[f64]) -> Vec<f64> {
        let r = self.basis.len();
        let wide = (kernels.len() * r).max(1);
        let mut out = vec![0.0; g.len() / wide * self.size];
        let rows = out.par_chunks_mut(self.size.max(1)).zip(g.par_chunks(wide));
        rows.for_each(|(out, g)| {
            for (m, g) in kernels.iter().zip(g.chunks(r)) {
                let (root, part) = (&self.roots[*m], &mut out[self.part(*m)]);
                match &root.values {
                    Values::All(own) => {
                        for (g, row) in g.iter().zip(own.chunks(root.rank.max(1))) {
                            cokernel_dense::simd::subtract(part, -g, row);
                        }
                    }
                    Values::Own(first, factor) => {
                        part.iter_mut().zip(&g[*first..]).for_each(|(p, g)| *p += factor * g);
                    }
                }
            }
        });
        out
    }

    /// Finds the errors; gives the kernels on the instances on which they were measured.
    fn measure(&mut self, views: &Views, run: &Run, watch: &Watch) -> Result<Bank> {
        let rows = some_of(views.n(), MEASURED, &mut run.rng("sample for the error"));
        let (s, r) = (rows.len(), self.basis.len());
        let some = rows_of(views, &rows)?;
        let exact = Bank::from_kernels(&some, self.exact.clone(), Storage::OnDemand, run)?;
        let mut row = vec![0.0; s];
        for m in 0..self.kernels().len() {
            landmarks::stopped(watch)?;
            let (rank, mut features, mut white) =
                (self.roots[m].rank, vec![0.0; s * r], Vec::new());
            self.visit(views, &rows, &[m], |first, count, values| {
                features[first * r..(first + count) * r].copy_from_slice(values);
            })?;
            self.whitened(&[m], s, &features, &mut white);
            let (mut off, mut all) = (0.0, 0.0);
            for i in 0..s {
                exact.row(m, i, &mut row);
                for (j, k) in row.iter().enumerate() {
                    let (a, b) =
                        (&white[i * rank..(i + 1) * rank], &white[j * rank..(j + 1) * rank]);
                    off += (k - cokernel_dense::simd::dot(a, b)).powi(2);
                    all += k * k;
                }
            }
            self.errors.push(if all > 0.0 { (off / all).sqrt() } else { 0.0 });
        }
        Ok(exact)
    }

    fn told(&self, how: LowRank, residual: Option<f64>, n: usize) -> Vec<String> {
        let mut sorted: Vec<usize> = (0..self.errors.len()).collect();
        sorted.sort_by(|a, b| self.errors[*a].total_cmp(&self.errors[*b]));
        let (Some(worst), middle) = (sorted.last(), sorted[sorted.len() / 2]) else {
            return Vec::new();
        };
        let name = &self.kernels()[*worst].name;
        let basis = match &self.basis {
            Basis::Instances(rows) => format!("{} landmarks", rows.len()),
            Basis::Directions { .. } => format!("{} random features for each kernel", how.rank),
        };
        let mut text = format!(
            "{basis} ({}) stand for {n} instances: kernels between {} instances are off by {:.1e} (median; relative \
             Frobenius norm), the worst, '{name}', by {:.1e}",
            how.landmarks.id(),
            n.min(MEASURED),
            self.errors[middle],
            self.errors[*worst],
        );
        if let Some(share) = residual {
            let among = if n > SAMPLE { format!(" on {SAMPLE} instances") } else { String::new() };
            text.push_str(&format!(
                "; what the pivots leave of the trace of the mean kernel{among}, which bounds the error: {share:.1e}"
            ));
        }
        let mut all = vec![text];
        if self.basis.are_directions() && how.rank >= n {
            all.push(format!(
                "{} random features for each kernel of {n} instances: kernels between them (storage auto), or landmarks (nystroem), \
                 are exact and cost less",
                how.rank
            ));
        }
        all
    }
}

/// These rows of all views, without what belongs to instances beside features.
pub(crate) fn rows_of(views: &Views, rows: &[usize]) -> Result<Views> {
    let mut some = Views::new();
    for view in views.iter() {
        some = some.with(view.name.clone(), view.table.select_rows(rows))?;
    }
    Ok(some)
}

/// Refuses what needs all instances to compute a value of a new one.
fn check(kernels: &[Kernel]) -> Result<()> {
    for kernel in kernels {
        if kernel.function.takes() == ViewKind::Similarities {
            return Err(Error::parameter(
                "storage",
                format!(
                    "kernel '{}' is a similarity between all instances; landmarks need features (storage resident or \
                     on_demand has similarities)",
                    kernel.name
                ),
            ));
        }
        let whole = |step: &&Normalization| **step != Normalization::UnitDiagonal;
        if let Some(step) = kernel.normalize.iter().find(whole) {
            let why = match step.centers() {
                true => {
                    "it changes nothing but the scale where the machine has a bias; leave it out"
                }
                false => "use unit_diagonal",
            };
            let problem = format!(
                "kernel '{}': landmarks and random features do not go with a normalisation by all instances; {why}",
                kernel.name
            );
            return Err(Error::parameter("storage", problem));
        }
    }
    Ok(())
}
