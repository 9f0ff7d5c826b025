//! Instances that lack a view: their similarities there, estimated from the other views.
//!
//! Kernels are resolved and normalised on the instances that have their view. Then, for a pair
//! (i, j) of which kernel m does not have both,
//!
//! K_m(i, j) = s_m · mean { K_w(i, j) / s_w : kernels w that have both i and j },
//! s_w = ‖K_w‖_F / n_w over the n_w instances that have the view of w.
//!
//! s_w is the root mean square of the known entries: the Frobenius norm per entry, so that
//! kernels known for more instances do not weigh less. A pair that no kernel has together takes
//! the mean of the known off-diagonal entries of K_m, which says nothing about the pair. A kernel
//! that is 0 throughout (s = 0) estimates nothing.
//!
//! Source: LMS §3.6, which leaves the normalisation open and does not say what becomes of pairs
//! without any source.
//!
//! Filled kernels are symmetric, and between the smallest and largest K_w/s_w, times s_m; they
//! need not be positive semi-definite ([`lift`] makes them so for machines). Cost: the kernels are computed twice more, for the
//! statistics; afterwards a pair with a missing instance takes the values of all kernels. A graph
//! with missing instances loses its sparsity.

mod absent;
mod lift;
#[cfg(test)]
mod tests;

pub(crate) use absent::{check_present, check_sources, placed, placed_rows};
pub(crate) use lift::{Estimates, Lift};

use super::engine::{Engine, Step};
use super::layout::Strides;
use super::mapped::Source;
use super::tiles::Tiles;
use super::{
    Bank, Storage, building, check_diagonals, check_functions, keep, number_names, raw_diagonals,
    resolve_storage,
};
use crate::data::Views;
use crate::kernel::{Kernel, KernelSpec, Norm};
use crate::run::Pass;
use crate::{Result, Run};
use absent::{in_rows_of, only_present};
use lift::EXACT;
use std::collections::HashMap;

/// What was filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filled {
    /// Each view that some instances lack, with their number.
    pub instances: Vec<(String, usize)>,
    /// Pairs of different instances that some view does not have together.
    pub pairs: usize,
    /// Pairs of different instances that no view has together.
    pub pairs_without_source: usize,
}

impl Filled {
    /// What a user should read about it where nothing is estimated, for `n` instances.
    pub(crate) fn lacking(&self, n: usize) -> Vec<String> {
        let one = |(view, absent): &(String, usize)| {
            format!("{absent} of {n} instances lack view '{view}': the method treats them itself")
        };
        self.instances.iter().map(one).collect()
    }

    /// What a user should read about it, for `n` instances.
    pub fn notes(&self, n: usize) -> Vec<String> {
        let mut notes: Vec<String> = self
            .instances
            .iter()
            .map(|(view, absent)| {
                format!(
                    "{absent} of {n} instances lack view '{view}': their similarities there are \
                     estimated from the other views"
                )
            })
            .collect();
        if self.pairs_without_source > 0 {
            let all = n * n.saturating_sub(1) / 2;
            notes.push(format!(
                "{} of {all} pairs of instances share no view: every kernel takes its mean \
                 similarity for them",
                self.pairs_without_source
            ));
        }
        notes
    }
}

/// The statistics of the rule above. Where nothing is estimated, the values of pairs that a kernel does not have are 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fill {
    /// Which mask each kernel has.
    pub mask_of: Vec<usize>,
    /// Per view: which instances have it.
    pub masks: Vec<Vec<bool>>,
    /// Whether an instance has all views.
    pub complete: Vec<bool>,
    /// s of each kernel.
    pub scales: Vec<f64>,
    /// The value of each kernel for pairs without a source.
    pub neutral: Vec<f64>,
    /// Whether values are estimated.
    pub estimated: bool,
    /// What makes the estimates those of a kernel, where something does.
    pub lift: Option<Lift>,
}

impl Fill {
    /// Of instances that have the views that these masks say.
    pub(crate) fn of(
        mask_of: Vec<usize>,
        masks: Vec<Vec<bool>>,
        n: usize,
        estimated: bool,
    ) -> Self {
        let kernels = mask_of.len();
        let complete = (0..n).map(|i| masks.iter().all(|m| m[i])).collect();
        let (scales, neutral) = (vec![0.0; kernels], vec![0.0; kernels]);
        Fill { mask_of, masks, complete, scales, neutral, estimated, lift: None }
    }

    /// The same of some of the instances.
    pub(crate) fn rows(&self, rows: &[usize]) -> Self {
        let of = |all: &[bool]| -> Vec<bool> { rows.iter().map(|i| all[*i]).collect() };
        let masks = self.masks.iter().map(|m| of(m)).collect();
        Fill { masks, complete: of(&self.complete), ..self.clone() }
    }

    /// The same of some of the kernels.
    pub(crate) fn kernels(&self, which: &[usize]) -> Self {
        let of = |all: &[f64]| which.iter().map(|m| all[*m]).collect();
        Fill {
            mask_of: which.iter().map(|m| self.mask_of[*m]).collect(),
            scales: of(&self.scales),
            neutral: of(&self.neutral),
            lift: self.lift.as_ref().map(|l| Lift { added: of(&l.added), ..*l }),
            ..self.clone()
        }
    }

    /// Whether instance i has the view of kernel m.
    pub(crate) fn has(&self, m: usize, i: usize) -> bool {
        self.masks[self.mask_of[m]][i]
    }

    /// Whether anything in this block of rows and columns is filled in.
    pub(super) fn touches(&self, rows: (usize, usize), cols: (usize, usize)) -> bool {
        let some =
            |(start, len): (usize, usize)| self.complete[start..start + len].contains(&false);
        let meet = rows.0 < cols.0 + cols.1 && cols.0 < rows.0 + rows.1;
        some(rows) || some(cols) || self.lift.as_ref().is_some_and(|l| l.unit || meet)
    }

    pub(super) fn touches_row(&self, i: usize, mut columns: impl Iterator<Item = usize>) -> bool {
        let lift = self.lift.as_ref();
        !self.complete[i]
            || lift.is_some_and(|l| l.unit)
            || columns.any(|j| !self.complete[j] || (i == j && lift.is_some()))
    }

    /// Whether anything of kernel m is filled in.
    pub(super) fn touches_kernel(&self, m: usize) -> bool {
        self.masks[self.mask_of[m]].contains(&false)
    }

    /// Fills row i: kernel m, column number c is `values[m · stride + c]`.
    fn row(
        &self,
        i: usize,
        columns: impl Iterator<Item = usize> + Clone,
        stride: usize,
        values: &mut [f64],
    ) {
        self.fill_row(self.complete[i], |m| self.has(m, i), columns.clone(), stride, values);
        if self.lift.is_some() {
            let own = columns.enumerate().filter(|(_, j)| *j == i);
            own.for_each(|(c, _)| self.lift_self(c, stride, values));
        }
    }

    /// The same for a row that is not one of these instances: whether it has all views, and that of kernel m.
    pub(crate) fn fill_row(
        &self,
        complete: bool,
        own: impl Fn(usize) -> bool,
        columns: impl Iterator<Item = usize>,
        stride: usize,
        values: &mut [f64],
    ) {
        for (c, j) in columns.enumerate() {
            if !(complete && self.complete[j]) {
                self.fill_pair(|m| own(m) && self.has(m, j), c, stride, values);
            }
            self.shrink_pair(c, stride, values);
        }
    }

    /// Fills the values of one pair, `values[m · stride + c]`, of which kernel m has both instances where `has` says so.
    pub(crate) fn fill_pair(
        &self,
        has: impl Fn(usize) -> bool,
        c: usize,
        stride: usize,
        values: &mut [f64],
    ) {
        let (mut sum, mut sources) = (0.0, 0.0);
        for m in (0..self.scales.len()).filter(|m| has(*m) && self.scales[*m] > 0.0) {
            sum += values[m * stride + c] / self.scales[m];
            sources += 1.0;
        }
        for m in (0..self.scales.len()).filter(|m| !has(*m)) {
            values[m * stride + c] =
                if sources > 0.0 { self.scales[m] * (sum / sources) } else { self.neutral[m] };
        }
    }
}

impl Engine {
    /// [`Engine::entries`] where something is filled in: that takes all kernels.
    pub(super) fn filled_entries(
        &self,
        active: &[usize],
        i: usize,
        columns: impl ExactSizeIterator<Item = usize> + Clone,
        out: &mut [f64],
    ) {
        let (len, all) = (columns.len(), (0..self.functions.len()).collect::<Vec<_>>());
        let mut values = vec![0.0; len * all.len()];
        self.plain_entries(&all, i, columns.clone(), &mut values);
        if let Some(fill) = &self.fill {
            fill.row(i, columns, len, &mut values);
        }
        for (a, m) in active.iter().enumerate() {
            out[a * len..(a + 1) * len].copy_from_slice(&values[m * len..(m + 1) * len]);
        }
    }

    /// [`Engine::strip`] where something is filled in.
    pub(super) fn filled_strip(
        &self,
        slots: &[Option<usize>],
        (i0, rows): (usize, usize),
        (j0, cols): (usize, usize),
        strides: Strides,
        measures: &mut [f64],
        out: &mut [f64],
    ) {
        let kernels = self.functions.len();
        let all: Vec<Option<usize>> = (0..kernels).map(Some).collect();
        let mut values = vec![0.0; rows * kernels * cols];
        let own = Strides::side_by_side(cols, kernels);
        self.plain_strip(&all, (i0, rows), (j0, cols), own, measures, &mut values);
        for (r, values) in values.chunks_mut(kernels * cols).enumerate() {
            if let Some(fill) = &self.fill {
                fill.row(i0 + r, j0..j0 + cols, cols, values);
            }
            for (m, slot) in slots.iter().enumerate() {
                let Some(slot) = slot else { continue };
                out[strides.at(r, *slot)..][..cols]
                    .copy_from_slice(&values[m * cols..(m + 1) * cols]);
            }
        }
    }
}

/// The kernels that specifications become on the instances that have their view.
pub(crate) fn resolved_where_present(
    views: &Views,
    specs: &[KernelSpec],
    run: &Run,
    notes: &mut Vec<String>,
) -> Result<Vec<Kernel>> {
    let mut kernels = Vec::new();
    for spec in specs {
        spec.check()?;
        for view in spec.chosen(views)? {
            let spec = spec.clone().view(&view.name);
            let known = spec.resolve_with_notes(&only_present(view)?, run, notes);
            kernels.extend(known.map_err(|e| in_rows_of(view, e))?);
        }
    }
    Ok(kernels)
}

impl Bank {
    /// [`Bank::build`] on views that some instances lack: the kernels are fixed and normalised on
    /// the instances that have their view, and filled in from the other views elsewhere (see the
    /// beginning of `bank/fill.rs` for the rule). With complete views it is exactly
    /// [`Bank::build`].
    ///
    /// # Errors
    /// As [`Bank::build`]; an instance has none of the views; or the views fall into groups
    /// without a common instance.
    pub fn build_filled(
        views: &Views,
        specs: &[KernelSpec],
        storage: Storage,
        run: &Run,
    ) -> Result<(Self, Filled)> {
        Bank::build_incomplete(views, specs, storage, Estimates::Plain, run)
    }

    /// The kernels of views that some instances lack, fixed and normalised on the instances that have their view; what
    /// the others lack is what `estimates` says.
    pub(crate) fn build_incomplete(
        views: &Views,
        specs: &[KernelSpec],
        storage: Storage,
        estimates: Estimates,
        run: &Run,
    ) -> Result<(Self, Filled)> {
        if views.missing().is_empty() {
            return Ok((Bank::build(views, specs, storage, run)?, Filled::default()));
        }
        let mut notes = Vec::new();
        let kernels = resolved_where_present(views, specs, run, &mut notes)?;
        let (mut bank, filled) =
            Bank::incomplete_from_kernels(views, kernels, storage, estimates, run)?;
        notes.append(&mut bank.notes);
        bank.notes = notes;
        Ok((bank, filled))
    }

    /// [`Bank::build`] on views in which something stands for what instances of `views` lack: the kernels (widths) are
    /// fixed on the instances that have their view.
    pub(crate) fn build_standing_in(
        (views, filled): (&Views, &Views),
        specs: &[KernelSpec],
        storage: Storage,
        run: &Run,
    ) -> Result<Self> {
        let mut notes = Vec::new();
        let kernels = resolved_where_present(views, specs, run, &mut notes)?;
        let mut bank = Bank::from_kernels(filled, kernels, storage, run)?;
        notes.append(&mut bank.notes);
        bank.notes = notes;
        Ok(bank)
    }

    /// [`Bank::from_kernels`] on views that some instances lack; see
    /// [`build_filled`](Self::build_filled).
    ///
    /// # Errors
    /// As [`build_filled`](Self::build_filled).
    pub fn filled_from_kernels(
        views: &Views,
        kernels: Vec<Kernel>,
        storage: Storage,
        run: &Run,
    ) -> Result<(Self, Filled)> {
        Bank::incomplete_from_kernels(views, kernels, storage, Estimates::Plain, run)
    }

    fn incomplete_from_kernels(
        views: &Views,
        mut kernels: Vec<Kernel>,
        storage: Storage,
        estimates: Estimates,
        run: &Run,
    ) -> Result<(Self, Filled)> {
        if views.missing().is_empty() || kernels.is_empty() {
            return Ok((Bank::from_kernels(views, kernels, storage, run)?, Filled::default()));
        }
        number_names(&mut kernels);
        check_functions(views, &kernels)?;
        let mut used = Views::new();
        for view in views.iter().filter(|v| kernels.iter().any(|k| k.view == v.name)) {
            used.push(view.clone())?;
        }
        if let Some(ids) = views.ids() {
            used.set_ids(ids.to_vec())?;
        }
        check_present(&used)?;
        let estimated = estimates != Estimates::None;
        if estimated {
            check_sources(&used)?;
        }
        let n = views.n();
        let watch = run.watch();
        let engine = Engine::new(&placed(&used)?, &kernels, None, &Pass::under(&watch))?;
        let mut tiles = Tiles::computed(engine);
        let pass = building(&storage, tiles.layout.stored(kernels.len()), &watch);
        check_diagonals(&kernels, &raw_diagonals(&tiles))?;
        let position = |k: &Kernel| used.iter().position(|v| v.name == k.view).unwrap_or(0);
        let mask_of = kernels.iter().map(position).collect();
        let masks = used.iter().map(|v| v.present.clone().unwrap_or(vec![true; n])).collect();
        let mut fill = Fill::of(mask_of, masks, n, estimated);
        let mut norms = vec![Vec::new(); kernels.len()];
        let (mut notes, mut warnings) = (Vec::new(), Vec::new());
        for (v, view) in used.iter().enumerate() {
            let own: Vec<usize> = (0..kernels.len()).filter(|m| fill.mask_of[*m] == v).collect();
            let rows: Vec<usize> = (0..n).filter(|i| fill.masks[v][*i]).collect();
            let list = own.iter().map(|m| kernels[*m].clone()).collect();
            let part = Bank::of(&only_present(view)?, list, Storage::OnDemand, run, false)?;
            if estimates == Estimates::UnitDiagonal {
                lift::require_unit(&part)?;
            }
            notes.extend_from_slice(&part.notes);
            warnings.extend_from_slice(&part.warnings);
            let sizes = if estimated { sizes(&part, &pass) } else { Vec::new() };
            for (&m, (square, mean)) in own.iter().zip(sizes) {
                (fill.scales[m], fill.neutral[m]) = (square.sqrt(), mean);
            }
            for (k, &m) in own.iter().enumerate() {
                tiles.engine.steps[m] =
                    part.tiles.engine.steps[k].iter().map(|s| spread_step(s, &rows, n)).collect();
                norms[m] = part.norms[k].iter().map(|s| spread_norm(s, &rows, n)).collect();
            }
        }
        let filled = count(&used, &fill.masks);
        if matches!(estimates, Estimates::Definite | Estimates::UnitDiagonal) {
            let unit = estimates == Estimates::UnitDiagonal;
            fill.lift = unit.then(|| Lift::none(kernels.len(), unit));
            let lacking: Vec<usize> =
                (0..kernels.len()).filter(|m| fill.touches_kernel(*m)).collect();
            tiles.engine.fill = Some(fill.clone());
            let found = lift::least_eigenvalues(&tiles, &lacking, (EXACT, run.memory), &pass)?;
            let mut lift = Lift::none(kernels.len(), unit);
            lacking.iter().zip(found).for_each(|(m, added)| lift.added[*m] = added);
            notes.extend(lift.note(&raw_diagonals(&tiles)));
            fill.lift = Some(lift);
        }
        tiles.engine.fill = Some(fill.clone());
        let storage = resolve_storage(storage, &tiles, &kernels, run)?;
        let diagonals = raw_diagonals(&tiles);
        let source = Source { views: &used, kernels: &kernels, estimates };
        notes.extend(keep(&mut tiles, &storage, source, run.memory, &pass)?);
        pass.complete("the computation of kernels")?;
        let sigmoids = Vec::new();
        let lacking = fill.complete.contains(&false);
        let fill = lacking.then(|| Box::new(fill));
        Ok((
            Bank {
                n,
                kernels,
                norms,
                notes,
                warnings,
                sigmoids,
                diagonals,
                tiles,
                fill,
                stands_for: None,
            },
            filled,
        ))
    }

    /// Which instances have the view of kernel m, where some lack it and nothing is estimated: its values for those are
    /// 0 and say nothing. `None` where all values are to be read.
    pub fn present(&self, m: usize) -> Option<&[bool]> {
        let fill = self.fill.as_deref().filter(|f| !f.estimated)?;
        let mask = &fill.masks[fill.mask_of[m]];
        mask.contains(&false).then_some(mask)
    }

    /// What stands for the values of instances that lack a view.
    pub(crate) fn fill(&self) -> Option<&Fill> {
        self.fill.as_deref()
    }
}

/// Mean square of all entries, and mean of those off the diagonal, of each kernel.
fn sizes(bank: &Bank, pass: &Pass<'_>) -> Vec<(f64, f64)> {
    let (n, all) = (bank.n as f64, (0..bank.len()).collect::<Vec<_>>());
    let sums = bank.tiles.fold(
        pass,
        &all,
        |_, _| true,
        || vec![(0.0, 0.0); all.len()],
        |sums, tile| {
            for r in 0..tile.rows {
                for (a, sum) in sums.iter_mut().enumerate() {
                    let values = tile.segment(r, a);
                    sum.0 += tile.weight() * values.iter().map(|v| v * v).sum::<f64>();
                    sum.1 += tile.weight() * values.iter().sum::<f64>();
                }
            }
        },
        |total, part| {
            total.iter_mut().zip(part).for_each(|(t, p)| (t.0, t.1) = (t.0 + p.0, t.1 + p.1));
        },
    );
    let one = |(m, (square, sum)): (usize, (f64, f64))| {
        let off = sum - bank.diagonals[m].iter().sum::<f64>();
        (square / (n * n), if n > 1.0 { off / (n * (n - 1.0)) } else { 0.0 })
    };
    sums.into_iter().enumerate().map(one).collect()
}

fn spread(values: &[f64], rows: &[usize], n: usize) -> Vec<f64> {
    let mut all = vec![0.0; n];
    rows.iter().zip(values).for_each(|(i, v)| all[*i] = *v);
    all
}

fn spread_step(step: &Step, rows: &[usize], n: usize) -> Step {
    match step {
        Step::Outer(s) => Step::Outer(spread(s, rows, n)),
        Step::Scale(factor) => Step::Scale(*factor),
        Step::Center(r, g) => Step::Center(spread(r, rows, n), *g),
    }
}

fn spread_norm(norm: &Norm, rows: &[usize], n: usize) -> Norm {
    match norm {
        Norm::Center { row_means, grand_mean } => {
            Norm::Center { row_means: spread(row_means, rows, n), grand_mean: *grand_mean }
        }
        other => other.clone(),
    }
}

/// Counts by groups of instances with the same views.
fn count(views: &Views, masks: &[Vec<bool>]) -> Filled {
    let mut patterns: HashMap<Vec<bool>, usize> = HashMap::new();
    for i in 0..views.n() {
        *patterns.entry(masks.iter().map(|m| m[i]).collect()).or_default() += 1;
    }
    let groups: Vec<(&Vec<bool>, usize)> = patterns.iter().map(|(p, c)| (p, *c)).collect();
    let (mut pairs, mut pairs_without_source) = (0, 0);
    for (g, (p, size)) in groups.iter().enumerate() {
        for (h, (q, other)) in groups[..=g].iter().enumerate() {
            let together = if g == h { size * (size - 1) / 2 } else { size * other };
            let both = || p.iter().zip(q.iter()).map(|(a, b)| *a && *b);
            if both().any(|b| !b) {
                pairs += together;
            }
            if both().all(|b| !b) {
                pairs_without_source += together;
            }
        }
    }
    let instances = views.missing().into_iter().map(|(name, k)| (name.to_string(), k)).collect();
    Filled { instances, pairs, pairs_without_source }
}
