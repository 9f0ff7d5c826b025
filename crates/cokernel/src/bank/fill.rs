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
//! without any source. METHODS J7.
//!
//! Filled kernels are symmetric, and between the smallest and largest K_w/s_w, times s_m; they
//! need not be positive semi-definite. Cost: the kernels are computed twice more, for the
//! statistics; afterwards a pair with a missing instance takes the values of all kernels. A graph
//! with missing instances loses its sparsity.

use super::engine::{Engine, Step};
use super::tiles::Tiles;
use super::{
    Bank, Storage, check_diagonals, check_functions, keep, number_names, raw_diagonals,
    resolve_storage,
};
use crate::data::{Csr, Table, View, Views};
use crate::kernel::{Kernel, KernelSpec, Norm};
use crate::{Error, Result, Run};
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

/// The statistics of the rule above.
#[derive(Debug, Clone)]
pub(super) struct Fill {
    /// Which mask each kernel has.
    mask_of: Vec<usize>,
    /// Per view: which instances have it.
    masks: Vec<Vec<bool>>,
    /// Whether an instance has all views.
    complete: Vec<bool>,
    /// s of each kernel.
    scales: Vec<f64>,
    /// The value of each kernel for pairs without a source.
    neutral: Vec<f64>,
}

impl Fill {
    /// Whether anything in this block of rows and columns is filled in.
    pub(super) fn touches(&self, rows: (usize, usize), cols: (usize, usize)) -> bool {
        let some =
            |(start, len): (usize, usize)| self.complete[start..start + len].contains(&false);
        some(rows) || some(cols)
    }

    pub(super) fn touches_row(&self, i: usize, mut columns: impl Iterator<Item = usize>) -> bool {
        !self.complete[i] || columns.any(|j| !self.complete[j])
    }

    /// Whether anything of kernel m is filled in.
    pub(super) fn touches_kernel(&self, m: usize) -> bool {
        self.masks[self.mask_of[m]].contains(&false)
    }

    /// Fills row i: kernel m, column number c is `values[m · stride + c]`.
    fn row(
        &self,
        i: usize,
        columns: impl Iterator<Item = usize>,
        stride: usize,
        values: &mut [f64],
    ) {
        for (c, j) in columns.enumerate() {
            if self.complete[i] && self.complete[j] {
                continue;
            }
            let has = |m: &usize| {
                let mask = &self.masks[self.mask_of[*m]];
                mask[i] && mask[j]
            };
            let (mut sum, mut sources) = (0.0, 0.0);
            for m in (0..self.scales.len()).filter(has).filter(|m| self.scales[*m] > 0.0) {
                sum += values[m * stride + c] / self.scales[m];
                sources += 1.0;
            }
            for m in (0..self.scales.len()).filter(|m| !has(m)) {
                values[m * stride + c] =
                    if sources > 0.0 { self.scales[m] * (sum / sources) } else { self.neutral[m] };
            }
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
        n_active: usize,
        (i0, rows): (usize, usize),
        (j0, cols): (usize, usize),
        stride: usize,
        measures: &mut [f64],
        out: &mut [f64],
    ) {
        let kernels = self.functions.len();
        let all: Vec<Option<usize>> = (0..kernels).map(Some).collect();
        let mut values = vec![0.0; rows * kernels * cols];
        self.plain_strip(&all, kernels, (i0, rows), (j0, cols), cols, measures, &mut values);
        for (r, values) in values.chunks_mut(kernels * cols).enumerate() {
            if let Some(fill) = &self.fill {
                fill.row(i0 + r, j0..j0 + cols, cols, values);
            }
            for (m, slot) in slots.iter().enumerate() {
                let Some(slot) = slot else { continue };
                out[(r * n_active + slot) * stride..][..cols]
                    .copy_from_slice(&values[m * cols..(m + 1) * cols]);
            }
        }
    }
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
        if views.missing().is_empty() {
            return Ok((Bank::build(views, specs, storage, run)?, Filled::default()));
        }
        let (mut kernels, mut notes) = (Vec::new(), Vec::new());
        for spec in specs {
            spec.check()?;
            for view in spec.chosen(views)? {
                let spec = spec.clone().view(&view.name);
                let known = spec.resolve_with_notes(&only_present(view)?, run, &mut notes);
                kernels.extend(known.map_err(|e| in_rows_of(view, e))?);
            }
        }
        let (mut bank, filled) = Bank::filled_from_kernels(views, kernels, storage, run)?;
        notes.append(&mut bank.notes);
        bank.notes = notes;
        Ok((bank, filled))
    }

    /// [`Bank::from_kernels`] on views that some instances lack; see
    /// [`build_filled`](Self::build_filled).
    ///
    /// # Errors
    /// As [`build_filled`](Self::build_filled).
    pub fn filled_from_kernels(
        views: &Views,
        mut kernels: Vec<Kernel>,
        storage: Storage,
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
        check_sources(&used)?;
        let n = views.n();
        let engine = Engine::new(&placed(&used)?, &kernels)?;
        let mut tiles = Tiles::computed(engine);
        check_diagonals(&kernels, &raw_diagonals(&tiles))?;
        let mut fill = Fill {
            mask_of: Vec::new(),
            masks: used.iter().map(|v| v.present.clone().unwrap_or(vec![true; n])).collect(),
            complete: vec![true; n],
            scales: vec![0.0; kernels.len()],
            neutral: vec![0.0; kernels.len()],
        };
        for mask in &fill.masks {
            fill.complete.iter_mut().zip(mask).for_each(|(c, m)| *c &= m);
        }
        let position = |k: &Kernel| used.iter().position(|v| v.name == k.view).unwrap_or(0);
        fill.mask_of = kernels.iter().map(position).collect();
        let mut norms = vec![Vec::new(); kernels.len()];
        let mut notes = Vec::new();
        for (v, view) in used.iter().enumerate() {
            let own: Vec<usize> = (0..kernels.len()).filter(|m| fill.mask_of[*m] == v).collect();
            let rows: Vec<usize> = (0..n).filter(|i| fill.masks[v][*i]).collect();
            let list = own.iter().map(|m| kernels[*m].clone()).collect();
            let part = Bank::from_kernels(&only_present(view)?, list, Storage::OnDemand, run)?;
            notes.extend_from_slice(&part.notes);
            for (&m, (square, mean)) in own.iter().zip(sizes(&part)) {
                (fill.scales[m], fill.neutral[m]) = (square.sqrt(), mean);
            }
            for (k, &m) in own.iter().enumerate() {
                tiles.engine.steps[m] =
                    part.tiles.engine.steps[k].iter().map(|s| spread_step(s, &rows, n)).collect();
                norms[m] = part.norms[k].iter().map(|s| spread_norm(s, &rows, n)).collect();
            }
        }
        let filled = count(&used, &fill.masks);
        tiles.engine.fill = Some(fill);
        let storage = resolve_storage(storage, &tiles, &kernels, run)?;
        let diagonals = raw_diagonals(&tiles);
        keep(&mut tiles, storage);
        Ok((Bank { n, kernels, norms, notes, diagonals, tiles }, filled))
    }
}

/// Mean square of all entries, and mean of those off the diagonal, of each kernel.
fn sizes(bank: &Bank) -> Vec<(f64, f64)> {
    let (n, all) = (bank.n as f64, (0..bank.len()).collect::<Vec<_>>());
    let sums = bank.tiles.fold(
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

/// One view on the instances that have it.
fn only_present(view: &View) -> Result<Views> {
    let mut one = Views::new();
    one.push(view.clone())?;
    let Some(present) = &view.present else { return Ok(one) };
    let rows: Vec<usize> = (0..present.len()).filter(|i| present[*i]).collect();
    let cut = one.select(&rows);
    let mut complete = Views::new();
    for v in cut.iter() {
        complete.push(View { present: None, ..v.clone() })?;
    }
    Ok(complete)
}

/// An error about the instances that have a view, in the rows of all instances.
fn in_rows_of(view: &View, error: Error) -> Error {
    match (error, &view.present) {
        (Error::Value { what, row, column, problem }, Some(present)) => {
            let row = (0..present.len()).filter(|i| present[*i]).nth(row).unwrap_or(row);
            Error::Value { what, row, column, problem }
        }
        (error, _) => error,
    }
}

/// The same views with zeros in place of what is not there.
fn placed(views: &Views) -> Result<Views> {
    let mut all = Views::new();
    for view in views.iter() {
        let Some(present) = &view.present else {
            all.push(view.clone())?;
            continue;
        };
        let mut table = view.table.clone();
        match &mut table {
            Table::Dense(m) => {
                (0..present.len()).filter(|i| !present[*i]).for_each(|i| m.row_mut(i).fill(0.0));
            }
            Table::Similarity(m) => {
                for i in 0..present.len() {
                    for (j, v) in m.row_mut(i).iter_mut().enumerate() {
                        if !(present[i] && present[j]) {
                            *v = 0.0;
                        }
                    }
                }
            }
            Table::Sparse(m) => *m = kept(m, present, |_| true)?,
            Table::Graph(m) => *m = kept(m, present, |j| present[j])?,
        }
        all.push(View { table, present: None, ..view.clone() })?;
    }
    Ok(all)
}

/// The entries of present rows whose column is wanted.
fn kept(m: &Csr, present: &[bool], wanted: impl Fn(usize) -> bool) -> Result<Csr> {
    let row = |i: usize| {
        let (c, v) = m.row(i);
        let all = c.iter().copied().zip(v.iter().copied());
        all.filter(|(j, _)| present[i] && wanted(*j as usize)).collect()
    };
    Csr::from_rows(m.cols(), (0..m.rows()).map(row).collect())
}

/// Refuses instances without any view, and views that share no instance with the others.
pub(crate) fn check_sources(views: &Views) -> Result<()> {
    let list: Vec<&View> = views.iter().collect();
    let has = |v: &View, i: usize| v.present.as_ref().is_none_or(|p| p[i]);
    let names: Vec<String> = list.iter().map(|v| format!("'{}'", v.name)).collect();
    if let Some(i) = (0..views.n()).find(|i| !list.iter().any(|v| has(v, *i))) {
        let name = views.ids().map_or(String::new(), |ids| format!(" ('{}')", ids[i]));
        let names = names.join(", ");
        return Err(Error::Data(if list.len() == 1 {
            format!(
                "instance {i}{name} lacks view {names}, and there is no other view from which its \
                 similarities could be estimated; leave it out"
            )
        } else {
            format!("instance {i}{name} has none of the views {names}; leave it out")
        }));
    }
    // Views that can be reached from the first one by common instances.
    let mut reached = vec![false; list.len()];
    let mut next = vec![0];
    reached[0] = true;
    while let Some(v) = next.pop() {
        for w in 0..list.len() {
            if !reached[w] && (0..views.n()).any(|i| has(list[v], i) && has(list[w], i)) {
                reached[w] = true;
                next.push(w);
            }
        }
    }
    match reached.iter().position(|r| !r) {
        None => Ok(()),
        Some(w) => {
            let within: Vec<&str> =
                (0..list.len()).filter(|v| reached[*v]).map(|v| names[v].as_str()).collect();
            Err(Error::Data(format!(
                "no instance has view {} together with any of the views {}, so that nothing \
                 relates them; are the instances named alike in all files?",
                names[w],
                within.join(", ")
            )))
        }
    }
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Matrix;
    use proptest::prelude::*;

    fn view(name: &str, table: Table, present: Vec<bool>) -> View {
        View { name: name.into(), table, columns: None, present: Some(present) }
    }

    fn similarity(name: &str, n: usize, values: &[f64], absent: &[usize]) -> View {
        let present: Vec<bool> = (0..n).map(|i| !absent.contains(&i)).collect();
        let m = Matrix::from_fn(n, n, |i, j| {
            if present[i] && present[j] { values[i * n + j] } else { f64::NAN }
        });
        view(name, Table::Similarity(m), present)
    }

    fn filled(views: Vec<View>, spec: &str, storage: Storage) -> Result<(Bank, Filled)> {
        let mut all = Views::new();
        for v in views {
            all.push(v)?;
        }
        Bank::build_filled(&all, &KernelSpec::parse_list(spec)?, storage, &Run::default())
    }

    #[test]
    fn three_instances_by_hand() {
        // View a lacks instance 2, view b lacks instance 0: the pair (0, 2) has no source.
        let a = similarity("a", 3, &[2.0, 1.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 0.0], &[2]);
        let b = similarity("b", 3, &[0.0, 0.0, 0.0, 0.0, 5.0, 4.0, 0.0, 4.0, 6.0], &[0]);
        // s_a² = (4 + 1 + 1 + 9) / 4, s_b² = (25 + 16 + 16 + 36) / 4.
        let (s_a, s_b) = (15.0_f64.sqrt() / 2.0, 93.0_f64.sqrt() / 2.0);
        let ratio = s_a / s_b;
        let want_a = [2.0, 1.0, 1.0, 1.0, 3.0, 4.0 * ratio, 1.0, 4.0 * ratio, 6.0 * ratio];
        let want_b = [2.0 / ratio, 1.0 / ratio, 4.0, 1.0 / ratio, 5.0, 4.0, 4.0, 4.0, 6.0];
        for storage in [Storage::Resident, Storage::OnDemand] {
            let (bank, filled) =
                filled(vec![a.clone(), b.clone()], "precomputed", storage).unwrap();
            assert_eq!(bank.storage(), storage);
            for (m, want) in [want_a, want_b].iter().enumerate() {
                for (p, w) in want.iter().enumerate() {
                    let got = bank.entry(m, p / 3, p % 3);
                    assert!((got - w).abs() < 1e-14, "{m} {p}: {got} and {w}");
                }
                for i in 0..3 {
                    assert!((bank.diagonal(m)[i] - want[4 * i]).abs() < 1e-14);
                }
            }
            let instances = vec![("a".to_string(), 1), ("b".to_string(), 1)];
            assert_eq!(filled, Filled { instances, pairs: 3, pairs_without_source: 1 });
            let notes = filled.notes(3);
            assert_eq!(
                notes[0],
                "1 of 3 instances lack view 'a': their similarities there are estimated from the \
                 other views"
            );
            assert!(notes[2].starts_with("1 of 3 pairs of instances share no view"), "{notes:?}");
        }
    }

    #[test]
    fn complete_views_are_not_touched() {
        let x = Matrix::from_fn(150, 3, |i, j| ((i * 7 + j * 5) % 11) as f64 + 0.1 * i as f64);
        let views = Views::new().dense("a", x.clone()).and_then(|v| v.dense("b", x)).unwrap();
        let specs = KernelSpec::parse_list("gaussian:normalize=center").unwrap();
        let run = Run::default();
        let plain = Bank::build(&views, &specs, Storage::Resident, &run).unwrap();
        let (bank, filled) = Bank::build_filled(&views, &specs, Storage::Resident, &run).unwrap();
        assert_eq!(filled, Filled::default());
        assert_eq!(bank.combine(&[0.5, 2.0]), plain.combine(&[0.5, 2.0]));
        assert_eq!((bank.kernels(), bank.notes()), (plain.kernels(), plain.notes()));
    }

    /// Feature, sparse, similarity and graph views of which some instances lack some.
    fn mixed(n: usize, masks: &[Vec<bool>]) -> Vec<View> {
        let x = |i: usize, j: usize| ((i * 13 + j * 7) % 17) as f64 / 5.0;
        let nan = |v: usize, i: usize, x: f64| if masks[v][i] { x } else { f64::NAN };
        let dense = Matrix::from_fn(n, 3, |i, j| nan(0, i, x(i, j)));
        let row = |i: usize| {
            if masks[1][i] { vec![(0, x(i, 5)), (2, 1.0)] } else { vec![(1, f64::NAN)] }
        };
        let sparse = Csr::from_rows(4, (0..n).map(row).collect()).unwrap();
        let near = |i: usize, j: usize| (-(x(i, 1) - x(j, 1)).abs()).exp();
        let k = Matrix::from_fn(n, n, |i, j| nan(2, i, nan(2, j, near(i, j))));
        let edges = |i: usize| {
            let all = (0..n).filter(|j| i.abs_diff(*j) <= 2);
            all.map(|j| (j as u32, nan(3, i, nan(3, j, near(i, j))))).collect()
        };
        let graph = Csr::from_rows(n, (0..n).map(edges).collect()).unwrap();
        let tables =
            [Table::Dense(dense), Table::Sparse(sparse), Table::Similarity(k), Table::Graph(graph)];
        let names = ["d", "s", "k", "g"];
        let all = names.into_iter().zip(tables).zip(masks);
        all.map(|((name, table), mask)| view(name, table, mask.clone())).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

        #[test]
        fn filled_kernels_are_the_rule_entry_by_entry(seed in 0_u64..1000, center in any::<bool>()) {
            use rand::RngExt;
            let n = 40;
            let mut rng = Run::with_seed(seed).rng("masks");
            let mut masks: Vec<Vec<bool>> =
                (0..4).map(|_| (0..n).map(|_| rng.random::<f64>() < 0.7).collect()).collect();
            for i in 0..n {
                // Everyone has some view; the first three instances have all.
                if i < 3 || masks.iter().all(|m| !m[i]) {
                    masks.iter_mut().for_each(|m| m[i] = true);
                }
            }
            masks[0][5] = false;
            masks[1][5] = true;
            let mut views = Views::new();
            for v in mixed(n, &masks) {
                views.push(v).unwrap();
            }
            let step = if center { ":normalize=center,frobenius" } else { "" };
            let text = ["gaussian@d:sigma=median*0.5,1", "linear@s", "precomputed@k", "precomputed@g"];
            let specs: Vec<KernelSpec> =
                text.iter().map(|t| format!("{t}{step}").parse().unwrap()).collect();
            let run = Run::default();
            let (bank, filled) =
                Bank::build_filled(&views, &specs, Storage::Resident, &run).unwrap();
            let on_demand = Bank::build_filled(&views, &specs, Storage::OnDemand, &run).unwrap().0;
            // Each kernel alone on the instances that have its view.
            let of = |k: &Kernel| views.iter().position(|v| v.name == k.view).unwrap();
            let mut alone: Vec<Matrix> = Vec::new();
            for kernel in bank.kernels() {
                let v = of(kernel);
                let rows: Vec<usize> = (0..n).filter(|i| masks[v][*i]).collect();
                let part = only_present(views.get(&kernel.view).unwrap()).unwrap();
                let one = vec![kernel.clone()];
                let part = Bank::from_kernels(&part, one, Storage::Resident, &run).unwrap();
                let mut full = Matrix::from_fn(n, n, |_, _| f64::NAN);
                for (a, i) in rows.iter().enumerate() {
                    for (b, j) in rows.iter().enumerate() {
                        full.set(*i, *j, part.entry(0, a, b));
                    }
                }
                alone.push(full);
            }
            let known = |k: &Matrix| k.values().iter().copied().filter(|v| !v.is_nan()).collect::<Vec<f64>>();
            let size = |k: &Matrix| {
                let v = known(k);
                (v.iter().map(|v| v * v).sum::<f64>() / v.len() as f64).sqrt()
            };
            let s: Vec<f64> = alone.iter().map(size).collect();
            let off = |k: &Matrix| {
                let all = (0..n * n).filter(|p| p / n != p % n).map(|p| k.values()[p]);
                let v: Vec<f64> = all.filter(|v| !v.is_nan()).collect();
                v.iter().sum::<f64>() / v.len() as f64
            };
            let (mut pairs, mut lonely) = (0, 0);
            for i in 0..n {
                for j in 0..n {
                    let sources: Vec<usize> =
                        (0..alone.len()).filter(|m| !alone[*m].get(i, j).is_nan()).collect();
                    let mean = sources.iter().map(|m| alone[*m].get(i, j) / s[*m]).sum::<f64>()
                        / sources.len() as f64;
                    pairs += usize::from(j < i && sources.len() < alone.len());
                    lonely += usize::from(j < i && sources.is_empty());
                    for m in 0..alone.len() {
                        let given = alone[m].get(i, j);
                        let want = match (given.is_nan(), sources.is_empty()) {
                            (false, _) => given,
                            (true, false) => s[m] * mean,
                            (true, true) => off(&alone[m]),
                        };
                        let got = bank.entry(m, i, j);
                        prop_assert!((got - want).abs() < 1e-10 * s[m], "{m} {i} {j}: {got} {want}");
                        prop_assert!((on_demand.entry(m, i, j) - want).abs() < 1e-10 * s[m]);
                        prop_assert!((bank.entry(m, j, i) - got).abs() <= 1e-14 * s[m]);
                        // Within the range of what is known, relative to s.
                        let all: Vec<f64> = alone.iter().zip(&s).flat_map(|(k, s)| {
                            known(k).into_iter().map(|v| v / s).collect::<Vec<_>>()
                        }).collect();
                        if (i + j) % 13 == 0 {
                            let low = all.iter().copied().fold(f64::INFINITY, f64::min);
                            let high = all.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                            prop_assert!(got / s[m] >= low - 1e-10 && got / s[m] <= high + 1e-10);
                        }
                    }
                }
            }
            prop_assert_eq!((filled.pairs, filled.pairs_without_source), (pairs, lonely));
            // Products agree with entries on every storage.
            let block = Matrix::from_fn(n, 2, |i, j| (i as f64 * 0.3 + j as f64).sin());
            for m in 0..bank.len() {
                let (x, y) = (bank.apply(m, &block), on_demand.apply(m, &block));
                for (p, (a, b)) in x.values().iter().zip(y.values()).enumerate() {
                    let want: f64 =
                        (0..n).map(|j| bank.entry(m, p / 2, j) * block.get(j, p % 2)).sum();
                    prop_assert!((a - want).abs() < 1e-10 * (1.0 + want.abs()));
                    prop_assert!((a - b).abs() < 1e-10 * (1.0 + want.abs()));
                }
            }
        }
    }

    #[test]
    fn refusals() {
        let full = vec![1.0; 16];
        let of =
            |views: Vec<View>| filled(views, "precomputed", Storage::Auto).unwrap_err().to_string();
        let (a, b) = (similarity("a", 4, &full, &[1, 3]), similarity("b", 4, &full, &[3]));
        assert_eq!(
            of(vec![a.clone(), b]),
            "instance 3 has none of the views 'a', 'b'; leave it out"
        );
        let alone = of(vec![a.clone()]);
        assert!(alone.starts_with("instance 1 lacks view 'a', and there is no other"), "{alone}");
        let apart = of(vec![a, similarity("b", 4, &full, &[0, 2])]);
        assert!(
            apart.starts_with("no instance has view 'b' together with any of the views 'a', so"),
            "{apart}"
        );
        let mut skewed = full.clone();
        skewed[2] = 0.5; // Row 0, column 2.
        let (a, b) = (similarity("a", 4, &skewed, &[1]), similarity("b", 4, &full, &[]));
        let e = of(vec![a, b.clone()]);
        assert!(e.starts_with("view 'a', row 2, column 0: found 1, but 0.5 at row 0"), "{e}");
        // What is wrong with absent instances does not matter.
        let a = similarity("a", 4, &skewed, &[2]);
        assert!(filled(vec![a, b.clone()], "precomputed", Storage::Auto).is_ok());
        let x = Matrix::new(4, 1, vec![1.0, f64::NAN, 2.0, -3.0]).unwrap();
        let x = view("x", Table::Dense(x), vec![true, false, true, true]);
        let e = filled(vec![x, b], "chi2", Storage::Auto).unwrap_err().to_string();
        assert!(e.starts_with("view 'x', row 3, column 0: found -3"), "{e}");
    }
}
