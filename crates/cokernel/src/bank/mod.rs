//! [`Bank`]: M kernels over n instances, and the primitives on which every method is written.
//!
//! | file | what it holds |
//! |---|---|
//! | `storage`, `layout`, `tiles` | the storages, visited tile by tile |
//! | `mapped` | tiles in a file |
//! | `columns` | linear kernels of single features, however many |
//! | `engine`, `base` | kernel values from features, with shared work |
//! | `middle` | the median of squared distances |
//! | `norm` | statistics of the normalisations |
//! | `remarks`, `definite` | sentences about kernels that a user should read |
//! | `panels` | products with thin blocks |
//! | `primitives`, `products` | combine, quadratic forms, products, pairs |
//! | `gram`, `rows`, `mixed` | a combination as a stored matrix, or read by rows |
//! | `known` | products that a search wants again |
//! | `gated` | quadratic forms instance by instance and gate by gate |
//! | `features` | quadratic forms feature by feature |
//! | `fill` | values of instances that lack a view |
//! | `neighbours` | nearest-neighbour and ε graphs of features |
//! | `cross` | the same kernels between new rows and training rows |

mod base;
mod columns;
mod cross;
mod definite;
mod engine;
mod factors;
mod features;
mod fill;
mod gated;
mod gram;
mod known;
mod layout;
mod mapped;
mod maps;
mod middle;
mod mixed;
mod neighbours;
mod norm;
mod panels;
mod primitives;
mod products;
mod remarks;
mod rows;
mod sample;
mod storage;
mod tiles;

pub(crate) use base::distances;
pub(crate) use columns::centered_by_feature;
pub use cross::{Cross, NewRows, Numbers, RowMeans, needs_all_rows};
pub(crate) use factors::{Entries, Factors, Towards};
pub(crate) use features::Feature;
pub use fill::Filled;
pub(crate) use fill::{
    Estimates, Fill, Lift, check_present, check_sources, placed, resolved_where_present,
};
pub use gram::Gram;
pub(crate) use known::Known;
pub(crate) use middle::middle_squared;
pub use neighbours::{build_graph, epsilon, knn};
pub(crate) use norm::statistics_fit;
pub(crate) use primitives::room_for_pairs;
pub use storage::{Landmarks, LowRank, Storage};
pub use tiles::Tile;
pub(crate) use tiles::huge_pages;

use crate::data::{Matrix, Table, View, Views};
use crate::error::room_for;
use crate::kernel::{
    Function, Kernel, KernelSpec, Metric, Norm, Normalization, ViewKind, no_distances,
    refuse_negative,
};
use crate::run::Pass;
use crate::scale::Basis;
use crate::{Error, Result, Run, Watch};
use columns::Columns;
use definite::Proof;
use engine::Engine;
use gram::{check_symmetric_among, check_symmetric_graph};
use mapped::Source;
pub(crate) use mapped::{add_bytes, add_text, add_view, place};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::HashSet;
use tiles::{Tiles, Values};

/// M kernels over n instances.
#[derive(Debug)]
pub struct Bank {
    n: usize,
    kernels: Vec<Kernel>,
    norms: Vec<Vec<Norm>>,
    notes: Vec<String>,
    warnings: Vec<String>,
    /// Those that are not positive semi-definite.
    sigmoids: Vec<(String, Proof)>,
    /// Empty for single features.
    diagonals: Vec<Vec<f64>>,
    tiles: Tiles,
    /// Where some instances lack a view of these kernels.
    fill: Option<Box<Fill>>,
    /// How many instances these are a sample of.
    stands_for: Option<usize>,
}

impl Bank {
    /// Resolves specifications on these instances and builds the bank.
    ///
    /// # Errors
    /// As [`KernelSpec::resolve`] and [`from_kernels`](Self::from_kernels).
    pub fn build(views: &Views, specs: &[KernelSpec], storage: Storage, run: &Run) -> Result<Self> {
        let (mut kernels, mut notes) = (Vec::new(), Vec::new());
        views.require_complete()?;
        for spec in specs {
            kernels.extend(spec.resolve_with_notes(views, run, &mut notes)?);
        }
        let mut bank = Bank::from_kernels(views, kernels, storage, run)?;
        notes.append(&mut bank.notes);
        bank.notes = notes;
        Ok(bank)
    }

    /// A bank from resolved kernels (normalisation statistics are taken from these instances).
    /// Kernels with the same name get a number.
    ///
    /// # Errors
    /// No kernel, unknown views, incomplete views, functions that a view cannot serve,
    /// similarities that are not square and symmetric, kernel values that are not finite or of a
    /// size that has no square, a resident storage for which there is no memory, a stop that was
    /// asked for while the kernels were computed.
    pub fn from_kernels(
        views: &Views,
        kernels: Vec<Kernel>,
        storage: Storage,
        run: &Run,
    ) -> Result<Self> {
        Bank::of(views, kernels, storage, run, true)
    }

    /// [`from_kernels`](Self::from_kernels) with or without kernels that are kept as columns.
    fn of(
        views: &Views,
        mut kernels: Vec<Kernel>,
        storage: Storage,
        run: &Run,
        by_column: bool,
    ) -> Result<Self> {
        if kernels.is_empty() {
            return Err(Error::Data("there is no kernel; give at least one".to_string()));
        }
        views.require_complete()?;
        check_functions(views, &kernels)?;
        number_names(&mut kernels);
        let n = views.n();
        let watch = run.watch();
        let features = if by_column { columns::chosen(&kernels) } else { Vec::new() };
        let fitted = match features.is_empty() {
            true => None,
            false => Some(columns::fit(views, &kernels, &features, &Pass::under(&watch))?),
        };
        let (columns, feature_norms, feature_notes) = match fitted {
            None => (None, Vec::new(), Vec::new()),
            Some(f) => (Some(Columns::new(kernels.len(), features.clone(), f.z)), f.norms, f.notes),
        };
        let mut tiles =
            Tiles::computed(Engine::new(views, &kernels, columns, &Pass::under(&watch))?);
        let storage = resolve_storage(storage, &tiles, &kernels, run)?;
        let diagonals = raw_diagonals(&tiles);
        check_diagonals(&kernels, &diagonals)?;
        let pass = building(&storage, tiles.layout.stored(kernels.len() - features.len()), &watch);
        let (mut norms, diagonals, mut notes) = norm::fit(&mut tiles, &kernels, diagonals, &pass);
        pass.complete("the computation of kernels")?;
        features.into_iter().zip(feature_norms).for_each(|(m, steps)| norms[m] = steps);
        notes.extend(feature_notes);
        check_range(views, &kernels, &diagonals)?;
        notes.extend(remarks::of(&tiles, &kernels));
        let warnings = remarks::extreme(views, &tiles.engine)?;
        let sigmoids = definite::sigmoids(&tiles, &kernels, &diagonals);
        let source = Source { views, kernels: &kernels, estimates: Estimates::None };
        notes.extend(keep(&mut tiles, &storage, source, run.memory, &pass)?);
        pass.complete("the computation of kernels")?;
        let fill = None;
        Ok(Bank {
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
        })
    }

    /// A bank from named n × n symmetric matrices.
    ///
    /// # Errors
    /// No matrix, a name twice, different sizes, entries that are not finite, matrices that are
    /// not symmetric.
    pub fn from_matrices(matrices: Vec<(String, Matrix)>, storage: Storage) -> Result<Self> {
        Bank::of_matrices(matrices, storage, &Run::default())
    }

    /// [`from_matrices`](Self::from_matrices) within the limits of a run.
    pub(crate) fn of_matrices(
        matrices: Vec<(String, Matrix)>,
        storage: Storage,
        run: &Run,
    ) -> Result<Self> {
        let mut views = Views::new();
        let mut kernels = Vec::new();
        for (name, matrix) in matrices {
            kernels.push(Kernel {
                name: name.clone(),
                view: name.clone(),
                column: None,
                function: Function::Precomputed,
                normalize: Vec::new(),
            });
            views = views.with(name, Table::Similarity(matrix))?;
        }
        Bank::from_kernels(&views, kernels, storage, run)
    }

    /// n.
    pub fn n(&self) -> usize {
        self.n
    }

    /// M.
    pub fn len(&self) -> usize {
        self.kernels.len()
    }

    /// Whether there is no kernel.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The kernels, in order.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The normalisation statistics of kernel m, in order of application.
    pub fn norms(&self, m: usize) -> &[Norm] {
        &self.norms[m]
    }

    /// Sentences about the kernels that a user should read (nearly constant, nearly the identity …).
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Sentences that must not be overlooked (rows far from all others).
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// A sentence about kernels that are not positive semi-definite, for those who train machines on
    /// them; `views` are those that the bank was made of. Costs 30 n² multiplications for each
    /// similarity among them. Silence proves nothing.
    ///
    /// # Errors
    /// Unknown views.
    pub fn indefinite(&self, views: &Views) -> Result<Option<String>> {
        let mut found = definite::similarities(views, &self.kernels)?;
        found.extend_from_slice(&self.sigmoids);
        Ok(definite::remark(&found))
    }

    /// Gives kernel m another name.
    pub(crate) fn rename(&mut self, m: usize, name: String) {
        self.kernels[m].name = name;
    }

    /// The storage in force (never `Auto`).
    pub fn storage(&self) -> Storage {
        if let Some(factors) = self.factors() {
            return Storage::LowRank(factors.how());
        }
        match self.tiles.values {
            Values::Full(_) => Storage::Resident,
            Values::Half(_) => Storage::ResidentF32,
            Values::File(ref file) => file.storage(),
            Values::Computed => Storage::OnDemand,
        }
    }

    /// Diagonal of kernel m.
    pub fn diagonal(&self, m: usize) -> Cow<'_, [f64]> {
        match self.column(m) {
            Some((columns, place)) => Cow::Owned(columns.diagonal(place)),
            None => Cow::Borrowed(&self.diagonals[m]),
        }
    }

    /// (K_m)_ii.
    pub fn own(&self, m: usize, i: usize) -> f64 {
        match self.column(m) {
            Some((columns, place)) => columns.z().row(i)[place].powi(2),
            None => self.diagonals[m][i],
        }
    }

    /// Whether kernel m is the linear kernel of one feature and kept as such, whatever the storage is: there
    /// may be a million of them.
    pub fn is_column(&self, m: usize) -> bool {
        self.column(m).is_some()
    }

    /// Whether all kernels are [columns](Self::is_column).
    pub fn is_all_columns(&self) -> bool {
        self.tiles.engine.columns.as_ref().is_some_and(Columns::is_all)
    }

    /// Zᵀc of a bank of nothing but [columns](Self::is_column), K_m = z_m z_mᵀ; nothing of it is to be used if the
    /// pass is given up.
    pub(crate) fn feature_scores(&self, coef: &[f64], pass: &Pass<'_>) -> Option<Vec<f64>> {
        let columns = self.tiles.engine.columns.as_ref().filter(|c| c.is_all())?;
        Some(columns.scores(coef, pass))
    }

    /// Rows of Zx of such a bank.
    pub(crate) fn feature_sums(
        &self,
        x: &[f64],
        rows: &[u32],
        pass: &Pass<'_>,
    ) -> Option<Vec<f64>> {
        let columns = self.tiles.engine.columns.as_ref().filter(|c| c.is_all())?;
        Some(columns.rows_times(x, rows, pass))
    }

    /// Zx and Σ_m w_m z_im² of such a bank, in one pass.
    pub(crate) fn feature_moments(
        &self,
        x: &[f64],
        weights: &[f64],
        pass: &Pass<'_>,
    ) -> Option<(Vec<f64>, Vec<f64>)> {
        let columns = self.tiles.engine.columns.as_ref().filter(|c| c.is_all())?;
        Some(columns.moments(x, weights, pass))
    }

    /// Columns of a view that the kernels in `active` read, ascending, if those on it are all
    /// [columns](Self::is_column).
    pub(crate) fn columns_read(&self, view: &str, active: &[usize]) -> Option<Vec<usize>> {
        let on_it = active.iter().filter(|m| self.kernels[**m].view == view);
        let column = |m: &usize| self.kernels[*m].column.filter(|_| self.is_column(*m));
        let mut columns: Vec<usize> = on_it.map(column).collect::<Option<_>>()?;
        columns.sort_unstable();
        columns.dedup();
        Some(columns)
    }

    /// A bank of kernels of low rank, for methods that take products with thin blocks, row sums, diagonals and single entries.
    pub(crate) fn of_factors(
        kernels: Vec<Kernel>,
        norms: Vec<Vec<Norm>>,
        factors: Factors,
        notes: Vec<String>,
    ) -> Self {
        let functions = kernels.iter().map(|k| k.function).collect();
        let diagonals = (0..kernels.len()).map(|m| factors.diagonal(m)).collect();
        let n = factors.n();
        let engine = Engine { n, factors: Some(factors), ..Engine::of_columns(functions, None) };
        Bank {
            n,
            norms,
            notes,
            warnings: Vec::new(),
            sigmoids: Vec::new(),
            diagonals,
            tiles: Tiles::computed(engine),
            kernels,
            fill: None,
            stands_for: None,
        }
    }

    /// Of instances that are a random sample of so many.
    #[must_use]
    pub(crate) fn standing_for(self, instances: usize) -> Self {
        Bank { stands_for: Some(instances), ..self }
    }

    /// How many instances these are a random sample of, where they are one.
    pub(crate) fn stands_for(&self) -> Option<usize> {
        self.stands_for
    }

    /// Whether the kernels are of low rank, towards landmarks, and nothing but their factors is kept: then there are sums, products with
    /// thin blocks, rows, entries, row sums and diagonals; what visits tiles panics.
    pub fn is_low_rank(&self) -> bool {
        self.factors().is_some()
    }

    /// The landmarks of kernels of low rank, or the directions of random features.
    pub(crate) fn basis(&self) -> Option<&Basis> {
        self.factors().map(Factors::basis)
    }

    /// For kernel m of low rank and a thin block V, n × k, the matrix A, landmarks × k, with k_m(x, ·) V = k_m(x, Z) A for
    /// any x, Z being the landmarks; `None` for other kernels, and where the pass is given up. Costs half of a product with V.
    pub(crate) fn towards_landmarks(
        &self,
        m: usize,
        block: &Matrix,
        pass: &Pass<'_>,
    ) -> Option<Matrix> {
        let found = self.factors()?.towards(m, block, pass);
        (!pass.is_given_up()).then_some(found)
    }

    /// K_m V as of [`apply_in`](Self::apply_in), and what [`towards_landmarks`](Self::towards_landmarks) gives, from one pass.
    pub(crate) fn apply_towards(
        &self,
        m: usize,
        block: &Matrix,
        pass: &Pass<'_>,
    ) -> (Matrix, Option<Matrix>) {
        match self.factors().filter(|_| block.cols() > 0) {
            None => (self.apply_in(m, block, pass), None),
            Some(factors) => {
                let (image, towards) = factors.applied(m, block, pass);
                (image, (!pass.is_given_up()).then_some(towards))
            }
        }
    }

    /// The factors of a bank of kernels of low rank.
    pub(super) fn factors(&self) -> Option<&Factors> {
        self.tiles.engine.factors.as_ref()
    }

    /// Where kernel m is kept as a column.
    fn column(&self, m: usize) -> Option<(&Columns, usize)> {
        let columns = self.tiles.engine.columns.as_ref()?;
        Some((columns, columns.place(m)?))
    }

    /// The bank of these kernels alone, where all of them are [columns](Self::is_column): a copy of n
    /// numbers for each.
    pub(crate) fn part(&self, kernels: &[usize]) -> Option<Bank> {
        let columns = self.tiles.engine.columns.as_ref()?.only(kernels)?;
        let list: Vec<Kernel> = kernels.iter().map(|m| self.kernels[*m].clone()).collect();
        let functions = list.iter().map(|k| k.function).collect();
        Some(Bank {
            n: self.n,
            norms: vec![Vec::new(); list.len()],
            notes: Vec::new(),
            warnings: Vec::new(),
            sigmoids: Vec::new(),
            diagonals: vec![Vec::new(); list.len()],
            tiles: Tiles::stored(Engine::of_columns(functions, Some(columns)), Vec::new()),
            kernels: list,
            fill: None,
            stands_for: self.stands_for,
        })
    }
}

/// Refuses kernels whose view cannot serve their function.
fn check_functions(views: &Views, kernels: &[Kernel]) -> Result<()> {
    let mut checked: HashSet<(&str, bool)> = HashSet::new();
    for kernel in kernels {
        let view = views.get(&kernel.view)?;
        let function = kernel.function;
        let chi = function.refuses_negative() || function.takes() == ViewKind::Similarities;
        let distances = matches!(function, Function::Exponential { metric: Metric::Given, .. });
        let has = |i: usize| view.present.as_ref().is_none_or(|p| p[i]);
        let what = format!("view '{}'", view.name);
        if !function.takes().is(&view.table) {
            let (wanted, found) = (function.takes().words(), view.table.words());
            return Err(Error::Data(format!(
                "kernel '{}' needs {wanted}, but view '{}' is {found}",
                kernel.name, view.name
            )));
        }
        match &view.table {
            Table::Similarity(m) if distances => check_distances(view, m)?,
            Table::Graph(_) if distances => return Err(no_distances(view)),
            Table::Similarity(m) if checked.insert((&kernel.view, chi)) => {
                view.require_known()?;
                let among: Vec<usize> = (0..m.rows()).filter(|i| has(*i)).collect();
                check_symmetric_among(&what, m, &among, 1e-8)?;
            }
            Table::Graph(m) if checked.insert((&kernel.view, chi)) => {
                check_symmetric_graph(&what, m, has, 1e-8)?;
            }
            table if table.is_features() && chi && checked.insert((&kernel.view, chi)) => {
                refuse_negative(view)?
            }
            _ => {}
        }
    }
    Ok(())
}

/// Refuses distances of which one is negative, that of an instance to itself is not 0, or that are not symmetric.
fn check_distances(view: &View, m: &Matrix) -> Result<()> {
    view.require_known()?;
    let what = format!("view '{}'", view.name);
    let among: Vec<usize> = (0..m.rows()).filter(|i| view.has(*i)).collect();
    check_symmetric_among(&what, m, &among, 1e-8)?;
    for &i in &among {
        let wrong = |j: &usize| m.get(i, *j) < 0.0 || i == *j && m.get(i, *j) != 0.0;
        if let Some(column) = among.iter().copied().find(wrong) {
            let problem = match column == i {
                true => "the distance of an instance to itself must be 0",
                false => "a distance must not be negative",
            };
            let problem = format!("found {}; {problem}", m.get(i, column));
            return Err(Error::Value { what, row: i, column, problem });
        }
    }
    Ok(())
}

/// The storage that is meant, if there is room for it. Graphs that stay sparse do not count.
fn resolve_storage(
    storage: Storage,
    tiles: &Tiles,
    kernels: &[Kernel],
    run: &Run,
) -> Result<Storage> {
    let centred = |k: &Kernel| {
        let center = [Normalization::Center, Normalization::CenterUnitVariance];
        k.normalize.iter().any(|s| center.contains(s))
    };
    let dense = (0..kernels.len())
        .filter(|&m| tiles.engine.column(m).is_none())
        .filter(|&m| tiles.engine.graph(m).is_none() || centred(&kernels[m]))
        .count();
    let bytes = tiles.layout.stored(dense).saturating_mul(8);
    let storage = match storage {
        Storage::Auto if bytes <= run.memory => Storage::Resident,
        Storage::Auto => Storage::OnDemand,
        given => given,
    };
    match storage {
        Storage::LowRank(_) => {
            return Err(storage.refused("this method", Some(tiles.layout.n)));
        }
        Storage::Resident => room_to_keep(bytes, tiles.layout.n, dense)?,
        Storage::ResidentF32 => room_to_keep(bytes / 2, tiles.layout.n, dense)?,
        _ => {}
    }
    Ok(storage)
}

/// Up to so many numbers are computed and kept whatever was asked for, in some tenths of a second.
const AT_ONCE: usize = 1 << 24;

/// The pass of a bank that is built, which can be stopped where it is not done at once: kernels that are
/// computed on demand, and more than [`AT_ONCE`] numbers to keep.
fn building<'a>(storage: &Storage, stored: usize, watch: &'a Watch) -> Pass<'a> {
    match *storage == Storage::OnDemand || stored > AT_ONCE {
        true => Pass::under(watch),
        false => Pass::default(),
    }
}

/// Keeps the tiles as the storage says; what a user should read of that.
fn keep(
    tiles: &mut Tiles,
    storage: &Storage,
    source: Source<'_>,
    memory: usize,
    pass: &Pass<'_>,
) -> Result<Vec<String>> {
    match storage {
        Storage::Resident => tiles.keep(false, pass),
        Storage::ResidentF32 => tiles.keep(true, pass),
        Storage::Mapped(directory) | Storage::MappedF32(directory) => {
            return tiles.keep_in(directory, storage.is_single(), source, memory, pass);
        }
        Storage::Auto | Storage::OnDemand | Storage::LowRank(_) => {}
    }
    Ok(Vec::new())
}

/// Refuses self-similarities that are not finite.
fn check_diagonals(kernels: &[Kernel], diagonals: &[Vec<f64>]) -> Result<()> {
    for (kernel, diagonal) in kernels.iter().zip(diagonals) {
        if let Some(i) = diagonal.iter().position(|d| !d.is_finite()) {
            return Err(Error::Data(format!(
                "kernel '{}' is {} at row {i}: its values are too large; scale the features \
                 or choose smaller parameters",
                kernel.name, diagonal[i]
            )));
        }
    }
    Ok(())
}

/// Refuses kernels whose values have no squares: sums of squares of them overflow or vanish in the
/// machines. A kernel that is 0 throughout is none of these.
fn check_range(views: &Views, kernels: &[Kernel], diagonals: &[Vec<f64>]) -> Result<()> {
    const RANGE: std::ops::RangeInclusive<f64> = 1e-140..=1e140;
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    for (kernel, diagonal) in kernels.iter().zip(diagonals) {
        let given = match &views.get(&kernel.view)?.table {
            _ if kernel.function != Function::Precomputed => 0.0,
            Table::Similarity(m) if kernel.normalize.is_empty() => largest(m.values()),
            Table::Graph(m) if kernel.normalize.is_empty() => largest(m.entries().1),
            _ => 0.0,
        };
        let found = largest(diagonal).max(given);
        if found != 0.0 && !RANGE.contains(&found) {
            let (size, what) =
                if found > 1.0 { ("large", "overflow") } else { ("small", "underflow") };
            return Err(Error::Data(format!(
                "kernel '{}': its values are too {size}, up to {found:e}, so that squares of them \
                 {what}; scale the features first, or normalise the kernel \
                 (normalize=unit_diagonal)",
                kernel.name
            )));
        }
    }
    Ok(())
}

/// Refuses to keep what the system has no room for, with what helps.
fn room_to_keep(bytes: usize, n: usize, kernels: usize) -> Result<()> {
    room_for::<u8>(Some(bytes), || {
        format!(
            "keeping {kernels} kernels over {n} instances (compute them on demand, storage \
             on_demand, or use fewer kernels)"
        )
    })
}

fn number_names(kernels: &mut [Kernel]) {
    let mut names = HashSet::new();
    for k in kernels {
        let plain = k.name.clone();
        let mut copy = 2;
        while !names.insert(k.name.clone()) {
            k.name = format!("{plain} #{copy}");
            copy += 1;
        }
    }
}

/// k(x_i, x_i) for all kernels before normalisation, but for single features.
fn raw_diagonals(tiles: &Tiles) -> Vec<Vec<f64>> {
    let n = tiles.layout.n;
    let all: Vec<usize> =
        (0..tiles.kernels).filter(|m| tiles.engine.column(*m).is_none()).collect();
    let wide = all.len();
    let mut by_row = vec![0.0; n * wide];
    by_row.par_chunks_mut(wide.max(1)).enumerate().for_each(|(i, out)| {
        tiles.entries(&all, i, std::iter::once(i), out);
    });
    let mut diagonals = vec![Vec::new(); tiles.kernels];
    for (a, m) in all.iter().enumerate() {
        diagonals[*m] = (0..n).map(|i| by_row[i * wide + a]).collect();
    }
    diagonals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::late_watch;

    /// Two gigabytes of kernels were computed to the end, for four seconds after a stop.
    #[test]
    fn large_banks_can_be_stopped_while_they_are_made() {
        let watch = late_watch();
        for (storage, stored, stops) in [
            (Storage::Resident, AT_ONCE, false),
            (Storage::Resident, AT_ONCE + 1, true),
            (Storage::ResidentF32, AT_ONCE + 1, true),
            (Storage::OnDemand, 1, true),
        ] {
            let pass = building(&storage, stored, &watch);
            assert_eq!(pass.is_over(), stops, "{storage:?}, {stored} numbers");
        }
    }
}
