//! [`Cross`]: the kernels of a bank between new rows and training (or support) rows.
//!
//! Normalisations use the statistics of the training instances. Centring a new row x wants the
//! mean of k(x, ·) over *all* training instances. Where only support rows are kept that number
//! is taken as 0 ([`RowMeans::Cancelled`]): it shifts all values of a row alike, which a sum
//! Σ_i c_i k(x, x_i) with Σ_i c_i = 0 (every support vector classifier) does not see.
//!
//! Cost for q new rows, s support rows: q·s measures for each group of kernels and q·s
//! evaluations for each active kernel; memory a few rows at a time.

mod features;
mod heads;
mod incomplete;

use super::base::{Measure, Side};
use super::engine::{Engine, Group, refuse_too_large};
use super::fill::{Fill, placed_rows};
use super::norm::{inverse_root, statistics_fit};
use crate::data::{Matrix, Table, View, Views};
use crate::error::room_for;
use crate::kernel::{
    Function, Kernel, Metric, Norm, Normalization, ViewKind, refuse_negative,
    refuse_negative_distances,
};
use crate::rule::{Mix, Pairs, Product, Weighted, nonzero};
use crate::run::Pass;
use crate::{Error, Result, Watch};
use cokernel_dense::{Slice, product_nn};
use rayon::prelude::*;

/// What is known about the mean of k(x, ·) over the training instances, for new rows x.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowMeans {
    /// The rows are all training instances: the mean is computed.
    Exact,
    /// The rows are some of them, and results will be used in sums whose coefficients add up
    /// to 0: the mean is taken as 0.
    Cancelled,
}

/// Whether new rows need all training instances even where coefficients add up to 0: a unit
/// diagonal after a centring.
pub fn needs_all_rows(steps: &[Normalization]) -> bool {
    let center = steps.iter().position(|s| s.centers());
    center.is_some_and(|c| steps[c..].contains(&Normalization::UnitDiagonal))
}

/// New rows at once at most, and support rows with which they are compared at once: their products stay
/// in the cache, and support rows are laid out for few products. On 3,000 support rows of 100 columns this
/// took 0.87 of the time of 64 rows at once with all support rows.
const STRIP: usize = 192;
const BLOCK: usize = 256;

/// What a stop leaves without a result.
const COMPARISON: &str = "the comparison of new instances";

/// A normalisation with the statistics of the support rows.
#[derive(Debug)]
enum Step {
    Outer(Vec<f64>),
    Scale(f64),
    Center(Vec<f64>, f64),
}

/// Kernels towards fixed support rows.
#[derive(Debug)]
pub struct Cross {
    kernels: Vec<Kernel>,
    engine: Engine,
    steps: Vec<Vec<Step>>,
    means: RowMeans,
    rows: Vec<usize>,
    n_train: usize,
    watch: Option<Watch>,
    /// The statistics of kernels of single features; empty without such.
    norms: Vec<Vec<Norm>>,
    /// Their views with the number of columns.
    widths: Vec<(String, usize)>,
    /// Where some support rows lack a view.
    fill: Option<Fill>,
}

/// New rows, ready to be compared; made by [`Cross::new_rows`].
#[derive(Debug)]
pub struct NewRows {
    n: usize,
    sides: Vec<Option<Side>>,
    /// New rows × kernels of single features, normalised.
    features: Option<Matrix>,
    /// For each kernel which of them have its view, where not all have and values are estimated.
    present: Vec<Option<Vec<bool>>>,
}

impl NewRows {
    /// Number of new rows.
    pub fn n(&self) -> usize {
        self.n
    }
}

/// What a strip of new rows needs; made once for many strips, as fresh memory costs as much as the values.
#[derive(Default)]
struct Room {
    measures: Vec<f64>,
    /// Row, then kernel, then support row.
    values: Vec<f64>,
    /// Of a rule: row, then support row.
    mixed: Vec<f64>,
}

/// Numbers that a rule has for instances by themselves ([`Mix::numbers`]).
#[derive(Debug, Clone, Copy)]
pub struct Numbers<'a> {
    /// Of the new rows, one row each.
    pub new: &'a Matrix,
    /// Of the support rows, one row each.
    pub support: &'a Matrix,
}

impl Cross {
    /// Kernels towards the rows of `support`, which are the training instances `rows` (indices)
    /// of `n_train`. `norms[m]` are the statistics of kernel m as the training bank gave them
    /// ([`Bank::norms`](super::Bank::norms)), row means cut to the support rows. Of a similarity
    /// view only the name is looked at (it may have any number of columns), unless a kernel on it
    /// has a unit diagonal.
    ///
    /// # Errors
    /// Sizes that do not fit; statistics of other normalisations than the kernels have; support
    /// rows alone where all training rows are needed
    /// ([`needs_all_rows`]).
    pub fn new(
        support: &Views,
        rows: &[usize],
        n_train: usize,
        kernels: &[Kernel],
        norms: &[Vec<Norm>],
        means: RowMeans,
    ) -> Result<Self> {
        Cross::of_incomplete(support, rows, n_train, (kernels, norms), means, None)
    }

    /// [`new`](Self::new) where some support rows lack a view, their rows there being zeros: `fill` has what the bank
    /// had, of these kernels and the support rows.
    pub(crate) fn of_incomplete(
        support: &Views,
        rows: &[usize],
        n_train: usize,
        (kernels, norms): (&[Kernel], &[Vec<Norm>]),
        means: RowMeans,
        fill: Option<Fill>,
    ) -> Result<Self> {
        // Without kernels there is nothing to compare with, and the views may be none.
        let n = if kernels.is_empty() { rows.len() } else { support.n() };
        if rows.len() != n {
            return Err(Error::shape("support row indices", n, rows.len()));
        }
        if norms.len() != kernels.len() {
            return Err(Error::shape("normalisation statistics", kernels.len(), norms.len()));
        }
        if means == RowMeans::Exact && n != n_train {
            return Err(Error::shape("rows for exact centring", n_train, n));
        }
        if let Some(m) = (0..kernels.len()).find(|m| !statistics_fit(&kernels[*m], &norms[*m])) {
            return Err(Error::Data(format!(
                "kernel '{}': its normalisation statistics are not those of its normalisations",
                kernels[m].name
            )));
        }
        for kernel in kernels.iter().filter(|k| k.function.is_wave()) {
            if !matches!(support.get(&kernel.view)?.table, Table::Dense(_)) {
                let problem = format!("kernel '{}': its directions are no dense rows", kernel.name);
                return Err(Error::Data(problem));
            }
        }
        // What is estimated is a value of a pair.
        let columns = match fill.as_ref().is_some_and(|f| f.estimated) {
            true => None,
            false => features::chosen(support, kernels, norms)?,
        };
        let widths = features::widths(support, kernels, columns.as_ref())?;
        let engine = Engine::new(support, kernels, columns, &Pass::default())?;
        let mut steps = Vec::new();
        for (m, kernel) in kernels.iter().enumerate() {
            if engine.column(m).is_some() {
                steps.push(Vec::new());
                continue;
            }
            if means == RowMeans::Cancelled && needs_all_rows(&kernel.normalize) {
                return Err(Error::Data(format!(
                    "kernel '{}' has a unit diagonal after centring: new rows need all training \
                     instances",
                    kernel.name
                )));
            }
            let (view, given) = (&kernel.view, kernel.function.takes() == ViewKind::Similarities);
            if given && norms[m].contains(&Norm::UnitDiagonal) {
                let cols = support.get(view)?.table.cols();
                if cols != n {
                    let expected = format!("{n} columns, one for each support row");
                    return Err(Error::shape(format!("view '{view}'"), expected, cols));
                }
            }
            steps.push(support_steps(&engine, m, kernel, &norms[m])?);
        }
        let norms = if widths.is_empty() { Vec::new() } else { norms.to_vec() };
        let (kernels, rows) = (kernels.to_vec(), rows.to_vec());
        let watch = None;
        Ok(Cross { kernels, engine, steps, means, rows, n_train, watch, norms, widths, fill })
    }

    /// Ends what takes long with an error a moment after the watch says stop.
    pub fn under(self, watch: Watch) -> Self {
        Cross { watch: Some(watch), ..self }
    }

    /// A pass over new rows, and the matrix of `cols` columns that it fills.
    fn pass_for(&self, new: &NewRows, cols: usize) -> Result<(Pass<'_>, Matrix)> {
        let n = new.n;
        room_for::<f64>(n.checked_mul(cols), || format!("a matrix of {n} × {cols} numbers"))?;
        Ok((self.pass(), Matrix::zeros(n, cols)))
    }

    fn pass(&self) -> Pass<'_> {
        self.watch.as_ref().map_or_else(Pass::default, Pass::under)
    }

    /// Number of support rows.
    pub fn n_support(&self) -> usize {
        self.engine.n
    }

    /// Prepares new rows. Only views of the kernels in `active` are looked at. A similarity
    /// view of new rows has one column for each training instance, or one for each support row.
    ///
    /// # Errors
    /// A view is missing, incomplete, of another kind or has another number of columns; negative
    /// features under a χ² kernel; a unit diagonal asked of a similarity, which does not tell
    /// the self-similarity of new rows.
    pub fn new_rows(&self, views: &Views, active: &[usize]) -> Result<NewRows> {
        if self.estimates() {
            // Estimates are those of all kernels together.
            let all: Vec<usize> = (0..self.kernels.len()).collect();
            let of = |k: &Kernel| Ok(views.get(&k.view)?.present.clone());
            let present = self.kernels.iter().map(of).collect::<Result<_>>()?;
            return Ok(NewRows { present, ..self.new_rows_of(&placed_rows(views)?, &all)? });
        }
        self.new_rows_of(views, active)
    }

    fn new_rows_of(&self, views: &Views, active: &[usize]) -> Result<NewRows> {
        let mut is_active = vec![false; self.kernels.len()];
        active.iter().for_each(|m| is_active[*m] = true);
        let features = self.new_features(views, &is_active)?;
        let mut sides = Vec::new();
        for group in &self.engine.groups {
            if !group.members.iter().any(|m| is_active[*m]) {
                sides.push(None);
                continue;
            }
            sides.push(Some(self.new_side(views, group, active)?));
        }
        Ok(NewRows { n: views.n(), sides, features, present: Vec::new() })
    }

    fn new_side(&self, views: &Views, group: &Group, active: &[usize]) -> Result<Side> {
        let view = views.get(&group.view)?;
        require_complete(view)?;
        let what = format!("view '{}'", view.name);
        if group.measure.is_given() {
            if !view.table.is_similarity() {
                return Err(Error::Data(format!(
                    "{what} holds features; the model wants the similarities between the new \
                     rows and the {} training instances",
                    self.n_train
                )));
            }
            let members = group.members.iter().filter(|m| active.contains(m));
            for kernel in members.map(|m| &self.kernels[*m]) {
                if kernel.function.is_transductive() {
                    return Err(Error::Data(format!(
                        "kernel '{}' is one of all nodes of its graph together, so that new rows have no place in \
                         it; compute the kernel of the whole graph first (kernel::diffusion and \
                         kernel::random_walk, in Python diffusion_matrix and random_walk_matrix) and give it as a \
                         similarity",
                        kernel.name
                    )));
                }
                if matches!(kernel.function, Function::Exponential { metric: Metric::Given, .. }) {
                    refuse_negative_distances(view)?;
                }
                if kernel.normalize.contains(&Normalization::UnitDiagonal) {
                    return Err(Error::Data(format!(
                        "kernel '{}' has normalisation unit_diagonal, but a similarity does not \
                         tell the self-similarity of new rows; normalise the similarity itself \
                         before training and prediction",
                        kernel.name
                    )));
                }
            }
            let cut = match view.table.cols() {
                c if c == self.n_train => view.table.select_cols(&self.rows),
                c if c == self.n_support() => view.table.clone(),
                c => {
                    let expected = format!(
                        "one column for each of the {} training instances (or of the {} support \
                         rows)",
                        self.n_train,
                        self.n_support()
                    );
                    return Err(Error::shape(what, expected, format!("{c} columns")));
                }
            };
            return Side::new(&cut, None, Measure::Given, &[], &Pass::default());
        }
        let takes = self.kernels[group.members[0]].function.takes();
        if !takes.is(&view.table) {
            let (found, wanted) = (view.table.words(), takes.words());
            return Err(Error::Data(format!("{what} is {found}; the model wants {wanted}")));
        }
        if view.table.cols() != group.width {
            let expected = format!("{} columns as in training", group.width);
            return Err(Error::shape(what, expected, format!("{} columns", view.table.cols())));
        }
        if matches!(group.measure, Measure::ChiSquared | Measure::MinMax) {
            refuse_negative(view)?;
        }
        let along = group.measure == Measure::Along;
        let table = match &view.table {
            // Directions are dense, and take rows as they are.
            table if along => table,
            Table::Dense(m) if group.side.is_sparse() => &Table::Sparse(sparse_of(m)?),
            Table::Sparse(m) if !group.side.is_sparse() && group.column.is_none() => {
                &Table::Dense(m.try_to_dense()?)
            }
            table => table,
        };
        let side = Side::new(table, group.column, group.measure, &group.mean, &self.pass())?;
        refuse_too_large(&view.name, &side)?;
        Ok(side)
    }

    /// The matrix of kernel m, new rows × support rows.
    ///
    /// # Errors
    /// There is no memory for it; a stop.
    pub fn kernel(&self, new: &NewRows, m: usize) -> Result<Matrix> {
        let s = self.n_support();
        let (pass, mut out) = self.pass_for(new, s)?;
        let strip = self.strip(1);
        let strips = out.values_mut().par_chunks_mut(strip * s).enumerate();
        strips.for_each_init(Vec::new, |measures, (c, out)| {
            if !pass.is_over() {
                let rows = out.len() / s;
                self.values(new, &[m], c * strip, rows, measures, out);
            }
        });
        pass.complete(COMPARISON)?;
        Ok(out)
    }

    /// (Σ_m w_m K_m) C, K_m new rows × support rows, for coefficients C, support rows × k.
    ///
    /// # Errors
    /// There is no memory for the result; a stop.
    pub fn multiply_sum(&self, new: &NewRows, weights: &[f64], coef: &Matrix) -> Result<Matrix> {
        self.multiply(new, &nonzero(weights), &Weighted::new(weights.to_vec()), None, coef)
    }

    /// (∏_m K_m) C, elementwise product over `kernels` (different indices).
    ///
    /// # Errors
    /// As [`multiply`](Self::multiply).
    pub fn multiply_product(
        &self,
        new: &NewRows,
        kernels: &[usize],
        coef: &Matrix,
    ) -> Result<Matrix> {
        self.multiply(new, kernels, &Product::new(kernels.len()), None, coef)
    }

    /// K C, K the pointwise rule of the kernels, new rows × support rows; `places` are those kernels here
    /// that the rule [reads](crate::rule::Rule::active), in its order.
    ///
    /// # Errors
    /// The rule is no sum, and a kernel is centred though the support rows are not all training
    /// instances: row means do not cancel. There is no memory for the result; a stop.
    pub fn multiply(
        &self,
        new: &NewRows,
        places: &[usize],
        mix: &dyn Mix,
        numbers: Option<Numbers<'_>>,
        coef: &Matrix,
    ) -> Result<Matrix> {
        if mix.weights().is_none() {
            self.require_exact(places)?;
        }
        let s = self.n_support();
        if let Some(weights) = mix.weights()
            && places.iter().any(|m| self.engine.column(*m).is_some())
        {
            let weights = mix.active().into_iter().map(|m| weights[m]);
            let all = places.iter().copied().zip(weights);
            let (features, others): (Vec<_>, Vec<_>) =
                all.partition(|(place, _)| self.engine.column(*place).is_some());
            let mut out = match others.is_empty() {
                true => self.pass_for(new, coef.cols())?.1,
                false => {
                    let (places, weights): (Vec<usize>, Vec<f64>) = others.into_iter().unzip();
                    self.multiply(new, &places, &Weighted::new(weights), None, coef)?
                }
            };
            self.add_features(new, &features, coef, &mut out);
            return Ok(out);
        }
        if let (Some(weights), [_], [m]) = (mix.weights(), places, &mix.active()[..]) {
            // One kernel: its weight goes to the coefficients.
            let scaled = coef.values().iter().map(|c| weights[*m] * c).collect();
            return self.multiply_each(new, places, &Matrix::new(s, coef.cols(), scaled)?);
        }
        let support = numbers.map_or_else(|| Matrix::zeros(0, s), |n| n.support.transposed());
        let others: Vec<&[f64]> = (0..support.rows()).map(|g| support.row(g)).collect();
        self.strips(new, places, coef, |first, Room { values, mixed, .. }, out| {
            let rows = out.len() / coef.cols();
            mixed.resize(rows * s, 0.0);
            for (r, one) in mixed.chunks_mut(s).enumerate() {
                let own = r * places.len() * s..(r + 1) * places.len() * s;
                let values: Vec<&[f64]> = values[own].chunks(s).collect();
                let own = numbers.map_or(&[][..], |n| n.new.row(first + r));
                mix.mix(Pairs { values: &values, own, others: &others }, one);
            }
            product_nn(Slice::new(mixed, rows, s), Slice::new(coef.values(), s, coef.cols()), out);
        })
    }

    /// Refuses centred kernels whose row means are not known: only in a sum they cancel.
    fn require_exact(&self, places: &[usize]) -> Result<()> {
        let centered = |m: &&usize| self.steps[**m].iter().any(|s| matches!(s, Step::Center(..)));
        match places.iter().find(centered) {
            Some(m) if self.means == RowMeans::Cancelled => Err(Error::Data(format!(
                "kernel '{}' is centred: where kernels are not added up new rows need all training \
                 instances",
                self.kernels[*m].name
            ))),
            _ => Ok(()),
        }
    }

    /// Σ_m K_m C_m over the kernels `places`, K_m new rows × support rows, for coefficients C_m (support
    /// rows × k) one below the other.
    ///
    /// # Errors
    /// There is no memory for the result; a stop.
    pub fn multiply_each(&self, new: &NewRows, places: &[usize], coef: &Matrix) -> Result<Matrix> {
        let (s, k) = (self.n_support(), coef.cols());
        if places.iter().any(|m| self.engine.column(*m).is_some()) {
            let all = places.iter().copied().zip(coef.values().chunks((s * k).max(1)));
            let (features, others): (Vec<_>, Vec<_>) =
                all.partition(|(place, _)| self.engine.column(*place).is_some());
            let mut out = match others.is_empty() {
                true => self.pass_for(new, k)?.1,
                false => {
                    let (places, coefs): (Vec<usize>, Vec<&[f64]>) = others.into_iter().unzip();
                    let coef = Matrix::new(places.len() * s, k, coefs.concat())?;
                    self.multiply_each(new, &places, &coef)?
                }
            };
            let terms: Vec<(usize, Slice<'_>)> =
                features.iter().map(|(m, values)| (*m, Slice::new(values, s, k))).collect();
            self.add_each_feature(new, &terms, &mut out);
            return Ok(out);
        }
        let wide = places.len() * s;
        self.strips(new, places, coef, |_, room, out| {
            let values = Slice::new(&room.values, out.len() / k, wide);
            product_nn(values, Slice::new(coef.values(), wide, k), out);
        })
    }

    /// K_m C of each of the kernels `places`, one beside the other, for coefficients C, support rows × k.
    ///
    /// # Errors
    /// As [`multiply`](Self::multiply).
    pub fn multiply_apart(&self, new: &NewRows, places: &[usize], coef: &Matrix) -> Result<Matrix> {
        let k = coef.cols();
        let mut out = self.pass_for(new, places.len() * k)?.1;
        for (j, place) in places.iter().enumerate() {
            let one = self.multiply_each(new, &[*place], coef)?;
            for i in 0..new.n {
                out.row_mut(i)[j * k..(j + 1) * k].copy_from_slice(one.row(i));
            }
        }
        Ok(out)
    }

    /// k_m(x, x) of the new rows for the kernels `places`, new rows × kernels.
    ///
    /// # Errors
    /// A kernel is a similarity, which does not tell it; or is centred though the support rows are not all
    /// training instances. There is no memory for the result; a stop.
    pub fn own(&self, new: &NewRows, places: &[usize]) -> Result<Matrix> {
        let Some(fill) = self.fill.as_ref().filter(|f| f.estimated) else {
            return self.own_plain(new, places);
        };
        let all: Vec<usize> = (0..self.kernels.len()).collect();
        let mut values = self.own_plain(new, &all)?;
        for i in 0..new.n {
            fill.fill_pair(|m| new.has(m, i), 0, 1, values.row_mut(i));
            fill.lift_self(0, 1, values.row_mut(i));
        }
        Ok(values.select_cols(places))
    }

    fn own_plain(&self, new: &NewRows, places: &[usize]) -> Result<Matrix> {
        for place in places {
            let kernel = &self.kernels[*place];
            if kernel.function.takes() == ViewKind::Similarities {
                return Err(Error::Data(format!(
                    "kernel '{}': a similarity does not tell the self-similarity of new rows",
                    kernel.name
                )));
            }
            let feature = self.engine.column(*place).is_some();
            if self.means == RowMeans::Cancelled
                && !feature
                && kernel.normalize.iter().any(|s| s.centers())
            {
                return Err(Error::Data(format!(
                    "kernel '{}' is centred: the self-similarity of new rows needs all training instances",
                    kernel.name
                )));
            }
        }
        let s = self.n_support();
        let (pass, mut out) = self.pass_for(new, places.len())?;
        out.values_mut().par_chunks_mut(places.len().max(1)).enumerate().for_each(|(i, out)| {
            let (mut measures, mut values) = (vec![0.0; s], vec![0.0; s]);
            if let Some(z) = &new.features {
                for (m, out) in places.iter().zip(out.iter_mut()) {
                    if let Some(place) = self.engine.column(*m) {
                        *out = z.row(i)[place].powi(2);
                    }
                }
            }
            for (group, side) in self.engine.groups.iter().zip(&new.sides) {
                let Some(side) = side.as_ref() else { continue };
                let mut measured = false;
                for (m, out) in places.iter().zip(out.iter_mut()) {
                    if pass.is_over() || !group.members.contains(m) {
                        continue;
                    }
                    let only = |k| (k == *m).then_some(0);
                    // Only a mean over the training instances wants the values with them.
                    if self.steps[*m].iter().any(|s| matches!(s, Step::Center(..))) {
                        if !measured {
                            side.block(i, 1, &group.side, 0, s, &mut measures);
                            measured = true;
                        }
                        self.engine.functions_of(group, &measures, only, s, &mut values);
                    }
                    *out = self.normalize(*m, group, side, i, &mut values, true);
                }
            }
        });
        pass.complete(COMPARISON)?;
        Ok(out)
    }

    /// New rows × columns of `coef`, filled strip by strip: `fill(first row, room, out)`.
    fn strips(
        &self,
        new: &NewRows,
        places: &[usize],
        coef: &Matrix,
        fill: impl Fn(usize, &mut Room, &mut [f64]) + Sync,
    ) -> Result<Matrix> {
        let (s, k) = (self.n_support(), coef.cols());
        let (pass, mut out) = self.pass_for(new, k)?;
        if k == 0 || places.is_empty() {
            return Ok(out);
        }
        let strip = self.strip(if self.estimates() { self.kernels.len() } else { places.len() });
        let strips = out.values_mut().par_chunks_mut(strip * k).enumerate();
        strips.for_each_init(Room::default, |room, (c, out)| {
            if pass.is_over() {
                return;
            }
            let rows = out.len() / k;
            room.values.resize(rows * places.len() * s, 0.0);
            self.values(new, places, c * strip, rows, &mut room.measures, &mut room.values);
            fill(c * strip, room, out);
        });
        pass.complete(COMPARISON)?;
        Ok(out)
    }

    /// New rows handled at once: at most 8 MB of kernel values.
    fn strip(&self, active: usize) -> usize {
        ((1 << 20) / (self.n_support() * active).max(1)).clamp(1, STRIP)
    }

    /// [`values`](Self::values) before anything is filled in.
    fn plain_values(
        &self,
        new: &NewRows,
        active: &[usize],
        i0: usize,
        rows: usize,
        measures: &mut Vec<f64>,
        out: &mut [f64],
    ) {
        let (s, slots) = (self.n_support(), self.engine.slots(active));
        measures.resize(rows * BLOCK.min(s), 0.0);
        let wide = active.len() * s;
        self.feature_values(new, &slots, i0, wide, out);
        for (group, side) in self.engine.groups.iter().zip(&new.sides) {
            let Some(side) = side.as_ref() else { continue };
            if group.members.iter().all(|m| slots[*m].is_none()) {
                continue;
            }
            for j0 in (0..s).step_by(BLOCK) {
                let cols = BLOCK.min(s - j0);
                side.block(i0, rows, &group.side, j0, cols, measures);
                for (values, out) in measures.chunks(cols).zip(out.chunks_mut(wide)) {
                    self.engine.functions_of(group, values, |m| slots[m], s, &mut out[j0..]);
                }
            }
            for (r, out) in out.chunks_mut(wide).enumerate() {
                for (m, a) in group.members.iter().filter_map(|m| slots[*m].map(|a| (*m, a))) {
                    self.normalize(m, group, side, i0 + r, &mut out[a * s..(a + 1) * s], false);
                }
            }
        }
    }

    /// Normalises the values of new row i with the support rows; gives k_m(x_i, x_i), if it is wanted.
    fn normalize(
        &self,
        m: usize,
        group: &Group,
        side: &Side,
        i: usize,
        values: &mut [f64],
        wanted: bool,
    ) -> f64 {
        let wants_self = wanted || self.steps[m].iter().any(|s| matches!(s, Step::Outer(_)));
        let mut own = [0.0];
        if wants_self {
            let measure = [side.entry(i, side, i)];
            let only = |k| (k == m).then_some(0);
            self.engine.functions_of(group, &measure, only, 1, &mut own);
        }
        let mut own = own[0];
        for step in &self.steps[m] {
            match step {
                Step::Scale(factor) => {
                    values.iter_mut().for_each(|v| *v *= factor);
                    own *= factor;
                }
                Step::Outer(scales) => {
                    let factor = inverse_root(own);
                    values.iter_mut().zip(scales).for_each(|(v, s)| *v *= factor * s);
                    own *= factor * factor;
                }
                Step::Center(means, grand) => {
                    let mean = match self.means {
                        RowMeans::Exact => self.mean(m, values),
                        RowMeans::Cancelled => 0.0,
                    };
                    let shift = grand - mean;
                    values.iter_mut().zip(means).for_each(|(v, r)| *v += shift - r);
                    own += shift - mean;
                }
            }
        }
        own
    }
}

/// Refuses a view that a new row lacks.
fn require_complete(view: &View) -> Result<()> {
    match view.present.as_ref().and_then(|p| p.iter().position(|x| !x)) {
        None => Ok(()),
        Some(row) => Err(Error::Data(format!(
            "view '{}' is missing for row {row}; this model needs it",
            view.name
        ))),
    }
}

/// The steps of kernel m with the statistics of the support rows.
fn support_steps(engine: &Engine, m: usize, kernel: &Kernel, norms: &[Norm]) -> Result<Vec<Step>> {
    let mut own = vec![0.0; engine.n];
    if norms.contains(&Norm::UnitDiagonal) {
        for (i, d) in own.iter_mut().enumerate() {
            engine.entries(&[m], i, std::iter::once(i), std::slice::from_mut(d));
        }
    }
    let mut steps = Vec::new();
    for norm in norms {
        steps.push(match norm {
            Norm::UnitDiagonal => {
                let scales: Vec<f64> = own.iter().map(|d| inverse_root(*d)).collect();
                own.iter_mut().zip(&scales).for_each(|(d, s)| *d *= s * s);
                Step::Outer(scales)
            }
            Norm::Scale { factor } => {
                own.iter_mut().for_each(|d| *d *= factor);
                Step::Scale(*factor)
            }
            // Of single features, which have no steps here.
            Norm::CenterFeature { .. } => continue,
            Norm::Center { row_means, grand_mean } => {
                if row_means.len() != engine.n {
                    let what = format!("row means of kernel '{}'", kernel.name);
                    return Err(Error::shape(what, engine.n, row_means.len()));
                }
                own.iter_mut().zip(row_means).for_each(|(d, r)| *d += grand_mean - r - r);
                Step::Center(row_means.clone(), *grand_mean)
            }
        });
    }
    Ok(steps)
}

fn sparse_of(m: &Matrix) -> Result<crate::data::Csr> {
    let row = |i: usize| {
        let cells = m.row(i).iter().enumerate().filter(|c| *c.1 != 0.0);
        cells.map(|(j, v)| (j as u32, *v)).collect()
    };
    crate::data::Csr::from_rows(m.cols(), (0..m.rows()).map(row).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::{Bank, Storage};
    use crate::kernel::KernelSpec;
    use crate::run::late_watch;

    fn cross() -> (Cross, NewRows) {
        let m = Matrix::from_fn(40, 2, |i, j| (i * (j + 1)) as f64 * 0.1);
        let views = Views::new().dense("v", m).unwrap();
        let specs = [KernelSpec::gaussian()];
        let bank = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
        let rows: Vec<usize> = (0..40).collect();
        let norms = [bank.norms(0).to_vec()];
        let kernels = bank.kernels();
        let cross = Cross::new(&views, &rows, 40, kernels, &norms, RowMeans::Exact).unwrap();
        let new = cross.new_rows(&views, &[0]).unwrap();
        (cross, new)
    }

    /// New rows were once compared to the end, whatever was asked for.
    #[test]
    fn a_stop_ends_the_comparison() {
        let (cross, new) = cross();
        let coef = Matrix::from_fn(40, 1, |_, _| 1.0);
        assert!(cross.multiply_sum(&new, &[1.0], &coef).is_ok());
        let cross = cross.under(late_watch());
        for found in [
            cross.kernel(&new, 0),
            cross.multiply_sum(&new, &[1.0], &coef),
            cross.multiply_product(&new, &[0], &coef),
        ] {
            let said = found.unwrap_err().to_string();
            let want = "the comparison of new instances was stopped (interrupted) before there \
                        was a result";
            assert_eq!(said, want);
        }
    }

    /// A matrix for which there is no memory once ended the program.
    #[test]
    fn what_has_no_room_is_an_error() {
        let (cross, mut new) = cross();
        new.n = 1 << 50;
        let coef = Matrix::from_fn(40, 1, |_, _| 1.0);
        for found in [cross.kernel(&new, 0), cross.multiply_sum(&new, &[1.0], &coef)] {
            assert!(matches!(found, Err(Error::Memory { .. })));
        }
    }
}
