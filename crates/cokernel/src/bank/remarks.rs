//! Sentences about the kernels of a bank that a user should read. One sentence stands for all
//! kernels of which the same is to be said.

use super::engine::{Engine, Group};
use super::tiles::Tiles;
use crate::Result;
use crate::data::{Table, Views};
use crate::kernel::{Function, Kernel};

/// Instances, evenly spaced, that the remarks look at.
const LOOKED_AT: usize = 128;

/// Columns of deviation 1 have values of at most the root of the number of rows.
const SCALED: f64 = 1e4;

/// Kernels that a sentence names.
const NAMED: usize = 5;

/// `kernel 'a'`, or `7 kernels ('a', 'b', 'c', 'd', 'e' and 2 more)`.
fn named(names: &[&str]) -> String {
    if let [one] = names {
        return format!("kernel '{one}'");
    }
    let shown: Vec<String> = names.iter().take(NAMED).map(|n| format!("'{n}'")).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} kernels ({}{more})", names.len(), shown.join(", "))
}

/// The kernels of which one thing is to be said, with the least and the largest number for it.
#[derive(Default)]
pub(super) struct Said<'a> {
    names: Vec<&'a str>,
    range: Option<(f64, f64)>,
}

impl<'a> Said<'a> {
    pub(super) fn add(&mut self, name: &'a str, value: f64) {
        self.names.push(name);
        let (low, high) = self.range.unwrap_or((value, value));
        self.range = Some((low.min(value), high.max(value)));
    }

    /// A sentence, if there is anything to say.
    pub(super) fn is_nearly_the_identity(&self, remedy: &str) -> Option<String> {
        let (is, verb) = match self.names.len() {
            0 => return None,
            1 => ("is", "it can"),
            _ => ("are", "they can"),
        };
        let (subject, numbers) = (named(&self.names), self.numbers());
        Some(format!(
            "{subject} {is} nearly the identity (off-diagonal entries average {numbers} of the \
             diagonal), so {verb} only memorise; try {remedy}"
        ))
    }

    /// A sentence, if there is anything to say.
    pub(super) fn is_nearly_constant(&self, remedy: &str) -> Option<String> {
        let (is, verb) = match self.names.len() {
            0 => return None,
            1 => ("is", "it tells"),
            _ => ("are", "they tell"),
        };
        let (subject, numbers) = (named(&self.names), self.numbers());
        Some(format!(
            "{subject} {is} nearly constant (entries vary by {numbers} of their mean), so {verb} \
             instances hardly apart; try {remedy}"
        ))
    }

    /// A sentence, if there is anything to say: `what` (a trace, for example) is nothing to divide by.
    pub(super) fn is_not_divided_by(&self, what: &str) -> Option<String> {
        let (its, it_is, by) = match self.names.len() {
            0 => return None,
            1 => ("its", "it is", "it"),
            _ => ("their", "they are", "that"),
        };
        let (subject, numbers) = (named(&self.names), self.numbers());
        Some(format!("{subject}: {its} {what} is {numbers}, so {it_is} not divided by {by}"))
    }

    /// The numbers as `0`, `3.0e-5`, or `3.0e-5 to 9.1e-4`.
    fn numbers(&self) -> String {
        match self.range {
            Some((low, high)) if low < high => format!("{low:.1e} to {high:.1e}"),
            Some((0.0, _)) => "0".to_string(),
            Some((one, _)) => format!("{one:.1e}"),
            None => String::new(),
        }
    }
}

/// What helps against a kernel that is nearly the identity, and nearly constant.
fn remedies(function: Function) -> [&'static str; 2] {
    match function {
        Function::Exponential { .. } => ["a larger width", "a smaller width"],
        Function::Precomputed => ["another similarity", "another similarity"],
        Function::Diffusion { .. } => ["a larger beta", "a smaller beta"],
        Function::RandomWalk { .. } => ["more steps", "fewer steps"],
        Function::Words(_) => ["shorter words", "longer words"],
        _ => ["scaled features", "scaled features"],
    }
}

/// Kernels of whole views.
fn of_views(engine: &Engine) -> impl Iterator<Item = &Group> {
    engine.groups.iter().filter(|g| g.column.is_none())
}

/// `size` of the instances, evenly spaced, that remarks look at.
pub(super) fn looked_at(n: usize) -> Vec<usize> {
    let size = n.min(LOOKED_AT);
    (0..size).map(|k| k * n / size).collect()
}

/// Warns of kernels that are nearly the identity or nearly constant, judged on a submatrix.
pub(super) fn of(tiles: &Tiles, kernels: &[Kernel]) -> Vec<String> {
    // Of rows far from all others something else is said; beside them, the others can be all alike.
    let far: Vec<usize> = of_views(&tiles.engine).flat_map(|g| g.side.extreme_rows()).collect();
    let mut chosen = looked_at(tiles.layout.n);
    chosen.retain(|i| !far.contains(i));
    let size = chosen.len();
    if size < 3 {
        return Vec::new();
    }
    // Single features have had their own.
    let all: Vec<usize> =
        (0..kernels.len()).filter(|m| tiles.engine.column(*m).is_none()).collect();
    let mut sums = vec![[0.0_f64; 4]; all.len()];
    let mut row = vec![0.0; size * all.len()];
    for (r, &i) in chosen.iter().enumerate() {
        tiles.entries(&all, i, chosen.iter().copied(), &mut row);
        for (m, sum) in sums.iter_mut().enumerate() {
            let values = &row[m * size..(m + 1) * size];
            for (c, v) in values.iter().enumerate() {
                let (diagonal, off) = if r == c { (v.abs(), 0.0) } else { (0.0, v.abs()) };
                sum[0] += diagonal;
                sum[1] += off;
                sum[2] += v;
                sum[3] += v * v;
            }
        }
    }
    // By remedy: nearly the identity, nearly constant.
    let mut said: Vec<(&str, [Said<'_>; 2])> = Vec::new();
    for (m, [diagonal, off, sum, square]) in all.iter().copied().zip(sums) {
        let kernel = &kernels[m];
        if tiles.engine.graph(m).is_some() {
            continue; // Most entries are 0, which tells nothing.
        }
        let count = (size * size) as f64;
        let ratio = (off / (size * (size - 1)) as f64) / (diagonal / size as f64);
        let mean = sum / count;
        let spread = (square / count - mean * mean).max(0.0).sqrt() / mean.abs();
        let what = if ratio < 1e-3 {
            0
        } else if spread < 1e-3 {
            1
        } else {
            continue;
        };
        let remedy = remedies(kernel.function)[what];
        let place = said.iter().position(|s| s.0 == remedy).unwrap_or_else(|| {
            said.push((remedy, Default::default()));
            said.len() - 1
        });
        said[place].1[what].add(&kernel.name, [ratio, spread][what]);
    }
    let mut notes = Vec::new();
    for (remedy, [identity, constant]) in &said {
        notes.extend(identity.is_nearly_the_identity(remedy));
        notes.extend(constant.is_nearly_constant(remedy));
    }
    notes
}

/// Warns of rows that are so far from all others that no similarity is left between them.
pub(super) fn extreme(views: &Views, engine: &Engine) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    for group in of_views(engine) {
        let rows = group.side.extreme_rows();
        if rows.is_empty() {
            continue;
        }
        let view = views.get(&group.view)?;
        let values = |row: usize| match &view.table {
            Table::Dense(m) | Table::Similarity(m) => m.row(row),
            Table::Sparse(m) | Table::Graph(m) => m.row(row).1,
            Table::Sequences(_) => &[],
        };
        let all = rows.iter().flat_map(|row| values(*row));
        let largest = all.fold(0.0_f64, |a, v| if v.abs() > a.abs() { *v } else { a });
        // Values that were scaled are known to nobody.
        let value = if largest.abs() > SCALED { format!(" ({largest:e})") } else { String::new() };
        let (count, n) = (rows.len(), view.table.rows());
        let verb = if count == 1 { "is" } else { "are" };
        notes.push(format!(
            "view '{}': {count} of {n} rows {verb} more than a million times as far from the others as \
             these are from each other{value}; if such numbers stand for \
             missing values, leave these instances out, otherwise scale the \
             features by ranks or logarithms",
            view.name
        ));
    }
    Ok(notes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::Run;
    use crate::bank::{Bank, Storage};
    use crate::data::{Matrix, Views};
    use crate::kernel::KernelSpec;

    /// 37 kernels once gave 37 remarks.
    #[test]
    fn one_remark_stands_for_many_kernels() {
        let x = Matrix::from_fn(20, 2, |i, j| (i as f64 * 0.7 + j as f64).sin());
        let views = Views::new().dense("x", x).unwrap();
        let notes = |text: &str| {
            let specs = [text.parse::<KernelSpec>().unwrap()];
            let bank = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
            bank.notes().to_vec()
        };
        let found = notes("gaussian:gamma=2^-60..-24");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("37 kernels ('gaussian@x(gamma="), "{found:?}");
        let rest = "and 32 more) are nearly constant (entries vary by ";
        assert!(found[0].contains(rest) && found[0].ends_with("try a smaller width"), "{found:?}");
        let found = notes("gaussian:gamma=1e-9,1,1e9");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("kernel 'gaussian@x(gamma=1e-9)' is nearly constant"));
        assert!(found[1].starts_with("kernel 'gaussian@x(gamma=1e9)' is nearly the identity"));
    }

    /// Every kernel of a constant column once had the remark of its own.
    #[test]
    fn kernels_without_a_variance_are_named_once() {
        let x = Matrix::from_fn(20, 8, |i, j| if j < 7 { 3.0 } else { i as f64 });
        let views = Views::new().dense("x", x).unwrap();
        let notes = |text: &str| {
            let specs = [text.parse::<KernelSpec>().unwrap()];
            let bank = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
            let mut found = bank.notes().to_vec();
            found.retain(|n| n.contains("divided"));
            found
        };
        let found = notes("gaussian:gamma=1:per_feature:normalize=center_unit_variance");
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("7 kernels ('gaussian@x[0](gamma=1, "), "{found:?}");
        let end = " and 2 more): their variance is 0, so they are not divided by that";
        assert!(found[0].ends_with(end), "{found:?}");
        let found = notes("gaussian:gamma=1e-40:normalize=center,unit_trace");
        let all = "kernel 'gaussian@x(gamma=1e-40, center unit_trace)': its trace is 0, so it is not divided by it";
        assert_eq!(found, [all]);
    }

    #[test]
    fn extreme_rows_are_named() {
        let entry = |i: usize, j: usize| (i as f64 * 0.7 + j as f64).sin();
        let notes = |value: f64| {
            let x =
                Matrix::from_fn(20, 2, |i, j| if (i, j) == (3, 1) { value } else { entry(i, j) });
            let views = Views::new().dense("x", x).unwrap();
            let specs = [KernelSpec::gaussian().sigma_median()];
            let bank = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
            assert!(bank.notes().is_empty());
            (bank.warnings().to_vec(), bank.entry(0, 0, 1))
        };
        let (none, usual) = notes(0.5);
        assert!(none.is_empty(), "{none:?}");
        for value in [1e9, 1e18, 1e20, 3.4e38] {
            let (found, entry) = notes(value);
            let start = "view 'x': 1 of 20 rows is more than a million times as far";
            let named = format!("from each other ({value:e}); if");
            assert!(found[0].starts_with(start) && found[0].contains(&named), "{found:?}");
            // The median distance has one large one more; nothing else changes.
            assert!((entry - usual).abs() < 0.05, "{entry} {usual}");
        }
        // Their mean is that of the far row.
        let x = Matrix::from_fn(20, 2, |i, j| if (i, j) == (3, 1) { 1e20 } else { entry(i, j) });
        let views = Views::new().dense("x", x).unwrap();
        let specs = ["gaussian:sigma=mean".parse::<KernelSpec>().unwrap()];
        let bank = Bank::build(&views, &specs, Storage::Auto, &Run::default()).unwrap();
        let said = bank.notes().concat();
        assert!(said.contains("is nearly constant") && said.contains("smaller width"), "{said}");
    }
}
