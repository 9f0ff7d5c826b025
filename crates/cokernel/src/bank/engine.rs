//! [`Engine`]: kernels grouped by what they are made of, evaluated block by block.
//!
//! Kernels on the same view, column and measure form a group: the measure is computed once for
//! all. Within a group Gaussian kernels are sorted by γ; where γ is 2^k times the one before,
//! the values are squared k times instead of taking another exponential (at most twelve
//! squarings in a chain, which keep the relative error below 1e-12). Angles of random features are doubled in the same way.

use super::base::{Measure, Side, column_means};
use super::columns::Columns;
use super::factors::Factors;
use super::fill::Fill;
use super::layout::{Layout, Strides};
use crate::data::{Csr, Views};
use crate::kernel::{Function, Kernel, Metric};
use crate::run::Pass;
use crate::{Error, Result};
use cokernel_dense::simd;
use std::collections::HashMap;

/// Squarings after which an exponential is taken afresh.
const LONGEST_CHAIN: u32 = 12;

/// Kernels that share a measure.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) view: String,
    pub(super) column: Option<usize>,
    pub(super) measure: Measure,
    /// Columns of the view.
    pub(super) width: usize,
    /// Centre for squared distances.
    pub(super) mean: Vec<f64>,
    pub(super) side: Side,
    /// Indices of kernels, Gaussian ones by increasing γ.
    pub(super) members: Vec<usize>,
}

/// A normalisation with its statistics on both sides, ready for entries (i, j).
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// k · s_i · s_j.
    Outer(Vec<f64>),
    /// k · factor.
    Scale(f64),
    /// k − r_i − r_j + g.
    Center(Vec<f64>, f64),
}

#[derive(Debug)]
pub(super) struct Engine {
    pub(super) n: usize,
    pub(super) functions: Vec<Function>,
    pub(super) groups: Vec<Group>,
    /// Normalisation steps of each kernel.
    pub(super) steps: Vec<Vec<Step>>,
    /// What stands in for the values of instances that lack a view.
    pub(super) fill: Option<Fill>,
    /// Linear kernels of single features, which are in no group.
    pub(super) columns: Option<Columns>,
    /// All kernels, where they are of low rank and nothing else is kept of them.
    pub(super) factors: Option<Factors>,
}

/// γ of a Gaussian kernel, or the factor of a wave.
fn rung(function: Function) -> Option<f64> {
    match function {
        Function::Exponential { metric: Metric::SquaredEuclidean, gamma } => Some(gamma),
        Function::Wave { factor } => Some(factor),
        _ => None,
    }
}

/// How often the values for γ `from` must be squared, or the angles doubled, to get those for `to`. Asked for every row and kernel: from the bits of
/// the ratio, which a logarithm would cost as much as the squaring.
fn squarings(from: f64, to: f64) -> Option<u32> {
    const ONE: u64 = 1023 << 52;
    let ratio = to / from;
    // 2^k next to the ratio has its exponent, or the next one.
    let exponent = ((ratio.to_bits() >> 52) & 0x7ff) as i64 - 1023;
    let part = ratio.to_bits() & ((1 << 52) - 1) | ONE;
    let k = exponent + i64::from(f64::from_bits(part) > 1.5);
    if !(1..=i64::from(LONGEST_CHAIN)).contains(&k) {
        return None;
    }
    let power = f64::from_bits(ONE + ((k as u64) << 52));
    ((ratio / power - 1.0).abs() < 1e-12).then_some(k as u32)
}

impl Engine {
    /// Groups kernels on the rows of `views`, but for those that are kept as columns.
    pub(super) fn new(
        views: &Views,
        kernels: &[Kernel],
        columns: Option<Columns>,
        pass: &Pass<'_>,
    ) -> Result<Self> {
        let mut groups: Vec<Group> = Vec::new();
        let mut known: HashMap<(&str, Option<usize>, Measure), usize> = HashMap::new();
        for (m, kernel) in kernels.iter().enumerate() {
            if columns.as_ref().is_some_and(|c| c.place(m).is_some()) {
                continue;
            }
            let measure = Measure::of(kernel.function);
            let key = (kernel.view.as_str(), kernel.column, measure);
            if let Some(group) = known.get(&key) {
                groups[*group].members.push(m);
                continue;
            }
            known.insert(key, groups.len());
            let table = &views.get(&kernel.view)?.table;
            if let Some(column) = kernel.column.filter(|c| *c >= table.cols()) {
                let found = format!("column {column} in kernel '{}'", kernel.name);
                let what = format!("view '{}'", kernel.view);
                return Err(Error::shape(what, format!("below {}", table.cols()), found));
            }
            let mean = if measure == Measure::Squared && kernel.column.is_none() {
                column_means(table)
            } else {
                Vec::new()
            };
            let side = Side::new(table, kernel.column, measure, &mean, pass)?;
            refuse_too_large(&kernel.view, &side)?;
            refuse_too_small(&kernel.view, &side)?;
            let (view, column) = (kernel.view.clone(), kernel.column);
            let (width, members) = (table.cols(), vec![m]);
            groups.push(Group { view, column, measure, width, mean, side, members });
        }
        for group in &mut groups {
            let gamma = |m: &usize| rung(kernels[*m].function).unwrap_or(-1.0);
            group.members.sort_by(|a, b| gamma(a).total_cmp(&gamma(b)));
        }
        Ok(Engine {
            n: views.n(),
            functions: kernels.iter().map(|k| k.function).collect(),
            groups,
            steps: vec![Vec::new(); kernels.len()],
            fill: None,
            columns,
            factors: None,
        })
    }

    /// The engine of kernels all of which are in memory, over some of the instances.
    pub(super) fn stored(of: &Engine, rows: &[usize]) -> Self {
        let columns = of.columns.as_ref().map(|c| c.select_rows(rows));
        Engine { n: rows.len(), ..Engine::of_columns(of.functions.clone(), columns) }
    }

    /// The engine of the kernels that are not `kept` elsewhere, which takes the columns of this one along.
    pub(super) fn without(&mut self, kept: &[usize]) -> Self {
        let is_kept = self.slots(kept);
        let left = |g: &Group| g.members.iter().any(|m| is_kept[*m].is_none());
        let mut groups: Vec<Group> = self.groups.iter().filter(|g| left(g)).cloned().collect();
        groups.iter_mut().for_each(|g| g.members.retain(|m| is_kept[*m].is_none()));
        let mut steps = self.steps.clone();
        kept.iter().for_each(|m| steps[*m].clear());
        let columns = self.columns.take();
        Engine { n: self.n, groups, steps, ..Engine::of_columns(self.functions.clone(), columns) }
    }

    /// An engine that computes nothing.
    pub(super) fn of_columns(functions: Vec<Function>, columns: Option<Columns>) -> Self {
        let steps = vec![Vec::new(); functions.len()];
        let n = columns.as_ref().map_or(0, Columns::n);
        Engine { n, functions, groups: Vec::new(), steps, fill: None, columns, factors: None }
    }

    /// The column of kernel m, if it is kept as one.
    pub(super) fn column(&self, m: usize) -> Option<usize> {
        self.columns.as_ref()?.place(m)
    }

    /// Whether kernel m is neither a graph nor kept as a column.
    pub(super) fn is_tiled(&self, m: usize) -> bool {
        self.column(m).is_none() && self.graph(m).is_none()
    }

    /// The edges of kernel m before normalisation, if it is a graph all of whose other entries
    /// are 0, normalised or not: it is not centred and nothing is filled in.
    pub(super) fn graph(&self, m: usize) -> Option<&Csr> {
        let centred = |s: &Step| matches!(s, Step::Center(..));
        if self.steps.get(m)?.iter().any(centred)
            || self.fill.as_ref().is_some_and(|f| f.touches_kernel(m))
        {
            return None;
        }
        let graphs = self.groups.iter().filter(|g| g.side.graph().is_some());
        graphs.into_iter().find(|g| g.members.contains(&m))?.side.graph()
    }

    /// Columns and normalised values of row i of kernel m with these edges.
    pub(super) fn graph_row<'a>(
        &self,
        graph: &'a Csr,
        m: usize,
        i: usize,
        values: &mut Vec<f64>,
    ) -> &'a [u32] {
        let (columns, given) = graph.row(i);
        values.clear();
        values.extend_from_slice(given);
        self.normalize(m, i, columns.iter().map(|c| *c as usize), values);
        columns
    }

    /// Kernel values from a row of measures, for the members of a group that `slot` maps to a
    /// place: kernel m goes to `out[slot(m)·stride..]`. Normalisation is not applied.
    pub(super) fn functions_of(
        &self,
        group: &Group,
        measures: &[f64],
        slot: impl Fn(usize) -> Option<usize>,
        stride: usize,
        out: &mut [f64],
    ) {
        let cols = measures.len();
        let mut last: Option<(f64, usize, u32)> = None;
        for &m in &group.members {
            let Some(place) = slot(m) else { continue };
            let at = place * stride;
            if let Some(gamma) = rung(self.functions[m]) {
                let chain = last.and_then(|(from, source, depth)| {
                    let k = squarings(from, gamma)?;
                    (depth + k <= LONGEST_CHAIN).then_some((source, k, depth + k))
                });
                if let Some((source, k, depth)) = chain {
                    let (x, o) = two_parts(out, source, at, cols);
                    match self.functions[m].is_wave() {
                        true => simd::doubled(x, k, o),
                        false => simd::squares(x, k, o),
                    }
                    last = Some((gamma, at, depth));
                } else {
                    apply(self.functions[m], measures, &mut out[at..at + cols]);
                    last = Some((gamma, at, 0));
                }
            } else {
                apply(self.functions[m], measures, &mut out[at..at + cols]);
            }
        }
    }

    /// Normalises `values` = entries (i, j) for j in `columns` of kernel m.
    pub(super) fn normalize(
        &self,
        m: usize,
        i: usize,
        columns: impl Iterator<Item = usize> + Clone,
        values: &mut [f64],
    ) {
        for step in &self.steps[m] {
            match step {
                Step::Scale(factor) => values.iter_mut().for_each(|v| *v *= factor),
                Step::Outer(s) => {
                    let own = s[i];
                    values.iter_mut().zip(columns.clone()).for_each(|(v, j)| *v *= own * s[j]);
                }
                Step::Center(r, g) => {
                    let own = g - r[i];
                    values.iter_mut().zip(columns.clone()).for_each(|(v, j)| *v += own - r[j]);
                }
            }
        }
    }

    /// Entries (i, j), j in `columns`, of the kernels in `active`: kernel active[a] goes to
    /// `out[a·len..]`, `len` the number of columns.
    pub(super) fn entries(
        &self,
        active: &[usize],
        i: usize,
        columns: impl ExactSizeIterator<Item = usize> + Clone,
        out: &mut [f64],
    ) {
        if self.fill.as_ref().is_some_and(|f| f.touches_row(i, columns.clone())) {
            return self.filled_entries(active, i, columns, out);
        }
        self.plain_entries(active, i, columns, out);
    }

    /// [`entries`](Self::entries) before anything is filled in.
    pub(super) fn plain_entries(
        &self,
        active: &[usize],
        i: usize,
        columns: impl ExactSizeIterator<Item = usize> + Clone,
        out: &mut [f64],
    ) {
        let len = columns.len();
        let slots = self.slots(active);
        let mut measures = vec![0.0; len];
        for group in &self.groups {
            if group.members.iter().all(|m| slots[*m].is_none()) {
                continue;
            }
            group.side.entries(i, &group.side, columns.clone(), &mut measures);
            self.functions_of(group, &measures, |m| slots[m], len, out);
        }
        for (a, &m) in active.iter().enumerate() {
            self.normalize(m, i, columns.clone(), &mut out[a * len..(a + 1) * len]);
        }
        if let Some(kept) = &self.columns {
            kept.entries(active, i, columns, out);
        }
    }

    /// Place of each kernel within `active`.
    pub(super) fn slots(&self, active: &[usize]) -> Vec<Option<usize>> {
        let mut slots = vec![None; self.functions.len()];
        for (a, &m) in active.iter().enumerate() {
            slots[m] = Some(a);
        }
        slots
    }

    /// Entries of a strip: rows i0.. × columns j0.. of the kernels in `active`. Row r of kernel
    /// active[a] starts at `out[strides.at(r, a)]`. `measures` holds rows × cols numbers.
    pub(super) fn strip(
        &self,
        slots: &[Option<usize>],
        (i0, rows): (usize, usize),
        (j0, cols): (usize, usize),
        strides: Strides,
        measures: &mut [f64],
        out: &mut [f64],
    ) {
        if self.fill.as_ref().is_some_and(|f| f.touches((i0, rows), (j0, cols))) {
            let (rows, cols) = ((i0, rows), (j0, cols));
            return self.filled_strip(slots, rows, cols, strides, measures, out);
        }
        self.plain_strip(slots, (i0, rows), (j0, cols), strides, measures, out);
    }

    /// [`strip`](Self::strip) of a whole tile.
    pub(super) fn tile(
        &self,
        slots: &[Option<usize>],
        layout: Layout,
        tile: usize,
        strides: Strides,
        measures: &mut Vec<f64>,
        out: &mut [f64],
    ) {
        let (i, j) = layout.place(tile);
        measures.resize(layout.b * layout.b, 0.0);
        self.strip(slots, layout.span(i), layout.span(j), strides, measures, out);
    }

    /// [`strip`](Self::strip) before anything is filled in.
    pub(super) fn plain_strip(
        &self,
        slots: &[Option<usize>],
        (i0, rows): (usize, usize),
        (j0, cols): (usize, usize),
        strides: Strides,
        measures: &mut [f64],
        out: &mut [f64],
    ) {
        for group in &self.groups {
            if group.members.iter().all(|m| slots[*m].is_none()) {
                continue;
            }
            group.side.block(i0, rows, &group.side, j0, cols, measures);
            for r in 0..rows {
                let values = &measures[r * cols..(r + 1) * cols];
                let out = &mut out[r * strides.row..];
                self.functions_of(group, values, |m| slots[m], strides.kernel, out);
                for (m, a) in group.members.iter().filter_map(|m| slots[*m].map(|a| (*m, a))) {
                    if !self.steps[m].is_empty() {
                        let values = &mut out[strides.at(0, a)..][..cols];
                        self.normalize(m, i0 + r, j0..j0 + cols, values);
                    }
                }
            }
        }
        if let Some(kept) = &self.columns {
            kept.strip(slots, (i0, rows), (j0, cols), |r, a| strides.at(r, a), out);
        }
    }
}

/// Refuses features whose squared distances overflow.
pub(super) fn refuse_too_large(view: &str, side: &Side) -> Result<()> {
    match side.too_large() {
        None => Ok(()),
        Some(row) => Err(Error::Data(format!(
            "view '{view}', row {row}: the features are too large for squared distances; scale \
             them first"
        ))),
    }
}

/// Refuses features of which products underflow.
fn refuse_too_small(view: &str, side: &Side) -> Result<()> {
    match side.too_small() {
        None => Ok(()),
        Some(largest) => Err(Error::Data(format!(
            "view '{view}': the features are too small for products of them, none is larger than \
             {largest:e}; scale them first"
        ))),
    }
}

/// `out[source..source + len]` to read and `out[at..at + len]` to write; they do not overlap.
fn two_parts(out: &mut [f64], source: usize, at: usize, len: usize) -> (&[f64], &mut [f64]) {
    if source < at {
        let (head, tail) = out.split_at_mut(at);
        (&head[source..source + len], &mut tail[..len])
    } else {
        let (head, tail) = out.split_at_mut(source);
        (&tail[..len], &mut head[at..at + len])
    }
}

/// A function on a row of measures.
fn apply(function: Function, measures: &[f64], out: &mut [f64]) {
    let pairs = out.iter_mut().zip(measures);
    match function {
        Function::Polynomial { degree, gamma, coef0 } => {
            let degree = i32::try_from(degree).unwrap_or(i32::MAX);
            pairs.for_each(|(o, v)| *o = (gamma * v + coef0).powi(degree));
        }
        Function::Sigmoid { gamma, coef0 } => {
            pairs.for_each(|(o, v)| *o = (gamma * v + coef0).tanh());
        }
        Function::Exponential { metric: Metric::Euclidean, gamma } => {
            pairs.for_each(|(o, v)| *o = v.sqrt());
            simd::exp_in_place(out, -gamma);
        }
        Function::Exponential { gamma, .. } => simd::exp_of(measures, -gamma, out),
        Function::Wave { factor } => simd::waves(measures, factor, out),
        // The measure itself.
        _ => out.copy_from_slice(measures),
    }
}

#[cfg(test)]
mod tests {
    use crate::Run;
    use crate::bank::{Bank, Storage};
    use crate::data::{Matrix, Views};
    use crate::kernel::KernelSpec;

    #[test]
    fn squarings_are_those_of_the_logarithm() {
        let by_logarithm = |ratio: f64| {
            let k = ratio.log2().round();
            let near = (ratio / k.exp2() - 1.0).abs() < 1e-12;
            ((1.0..=12.0).contains(&k) && near).then_some(k as u32)
        };
        for k in -3..16 {
            for off in [0.0, 2e-16, 9e-13, 1.1e-12, 1e-9, 0.3, 0.5, 0.9] {
                for ratio in [2.0_f64.powi(k) * (1.0 + off), 2.0_f64.powi(k) * (1.0 - off)] {
                    for from in [1.0, 0.3, 7e-9] {
                        let to = ratio * from;
                        let want = by_logarithm(to / from);
                        assert_eq!(super::squarings(from, to), want, "{ratio}");
                    }
                }
            }
        }
        let odd = [f64::NAN, f64::INFINITY, 0.0, 1e300];
        assert!(odd.iter().all(|to| super::squarings(1.0, *to).is_none()));
    }

    #[test]
    fn kernel_functions_by_hand() {
        // x = (1, 2), z = (3, 1): ⟨x, z⟩ = 5, d² = 5, Manhattan 3, χ² = 4/4 + 1/3.
        let m = Matrix::new(2, 2, vec![1.0, 2.0, 3.0, 1.0]).unwrap();
        let views = Views::new().dense("v", m).unwrap();
        for (text, want) in [
            ("linear", vec![5.0]),
            ("polynomial:degree=2:coef0=1:gamma=2", vec![121.0]),
            ("gaussian:gamma=0.1", vec![(-0.5_f64).exp()]),
            ("gaussian:sigma=2,4", vec![(-5.0_f64 / 8.0).exp(), (-5.0_f64 / 32.0).exp()]),
            ("gaussian:scale=2", vec![(-1.25_f64).exp()]),
            ("gaussian", vec![(-0.5_f64).exp()]),
            ("laplacian:gamma=0.5", vec![(-1.5_f64).exp()]),
            ("laplacian", vec![(-1.0_f64).exp()]),
            ("chi2:gamma=1", vec![(-4.0_f64 / 3.0).exp()]),
            ("exponential:scale=2", vec![(-(5.0_f64.sqrt()) / 2.0).exp()]),
            ("exponential", vec![(-1.0_f64).exp()]),
            // Of the squared distance it used to be exp(−d/s²), with the median distance as s.
            ("exponential:metric=squared_euclidean:scale=2", vec![(-2.5_f64).exp()]),
            ("exponential:metric=squared_euclidean", vec![(-1.0_f64).exp()]),
            ("exponential:metric=squared_euclidean:scale=median*2", vec![(-0.5_f64).exp()]),
            ("exponential:metric=squared_euclidean:gamma=2", vec![(-10.0_f64).exp()]),
            ("sigmoid:gamma=0.1:coef0=0.2", vec![0.7_f64.tanh()]),
            ("linear:per_feature", vec![3.0, 2.0]),
            ("gaussian:gamma=1:per_feature", vec![(-4.0_f64).exp(), (-1.0_f64).exp()]),
        ] {
            let specs = KernelSpec::parse_list(text).unwrap();
            let run = Run::default();
            let bank = Bank::build(&views, &specs, Storage::OnDemand, &run).unwrap();
            assert_eq!(bank.len(), want.len(), "{text}");
            for (m, w) in want.iter().enumerate() {
                let got = bank.entry(m, 0, 1);
                assert!((got - w).abs() <= 1e-15 * w.abs().max(1.0), "{text}: {got} {w}");
            }
        }
    }

    #[test]
    fn names_are_readable() {
        let m = Matrix::from_fn(4, 2, |i, j| (i * i + j) as f64);
        let views = Views::new().dense("fou", m).unwrap();
        let names = |text: &str| -> Vec<String> {
            let spec: KernelSpec = text.parse().unwrap();
            let kernels = spec.resolve(&views, &Run::default()).unwrap();
            kernels.into_iter().map(|k| k.name).collect()
        };
        assert_eq!(names("gaussian:gamma=0.25"), ["gaussian@fou(gamma=0.25)"]);
        assert_eq!(names("linear:per_feature"), ["linear@fou[0]", "linear@fou[1]"]);
        assert_eq!(names("linear:normalize=center"), ["linear@fou(center)"]);
    }
}
