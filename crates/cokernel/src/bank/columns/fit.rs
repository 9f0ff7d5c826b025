//! The normalisations of single features, on the training instances and on new rows.

use super::{Part, Step, gather, parts};
use crate::bank::remarks::Said;
use crate::data::{Matrix, Table, Views};
use crate::error::room_for;
use crate::kernel::{Kernel, Norm, Normalization};
use crate::run::Pass;
use crate::{Error, Result};
use rayon::prelude::*;

/// Numbers that are worked on at once: within the second-level cache.
const BLOCK: usize = 1 << 16;
/// Blocks that are worked on together before they are written.
const TOGETHER: usize = 64;
/// Kernels that a sentence names.
const NAMED: usize = 5;

/// A feature is constant if centring leaves less than this of it.
const NOTHING: f64 = 8.0 * f64::EPSILON;

/// The sizes of kernel values that have squares.
const RANGE: std::ops::RangeInclusive<f64> = 1e-140..=1e140;

/// What normalising some features gives.
pub(in crate::bank) struct Fitted {
    /// n × kernels.
    pub z: Matrix,
    /// The statistics of each kernel.
    pub norms: Vec<Vec<Norm>>,
    /// Sentences for the user.
    pub notes: Vec<String>,
}

/// What one feature was like.
#[derive(Default)]
struct Found {
    norms: Vec<Norm>,
    /// The largest magnitude before and after the normalisations.
    raw: f64,
    largest: f64,
    /// Instances without self-similarity for a unit diagonal.
    without: usize,
    /// The size that it is not divided by.
    undivided: Option<(&'static str, f64)>,
    /// See [`remarks`](crate::bank::remarks): off-diagonal entries over the diagonal, spread of the entries.
    identity: f64,
    spread: f64,
}

/// The normalised features of these kernels, all of which are linear on one column.
///
/// # Errors
/// A view or a column that is not there, values out of range, no memory, a stop.
pub(in crate::bank) fn fit(
    views: &Views,
    kernels: &[Kernel],
    members: &[usize],
    pass: &Pass<'_>,
) -> Result<Fitted> {
    let (n, parts) = (views.n(), parts(kernels, members));
    let mut found: Vec<Found> = Vec::with_capacity(members.len());
    let shared = shared(views, kernels, &parts)?;
    let mut z = match &shared {
        Some(_) => Matrix::default(),
        None => room(n, members.len())?,
    };
    let mut first = 0;
    for part in &parts {
        let table = table(views, kernels, part)?;
        let width = (BLOCK / n.max(1)).clamp(8, 512);
        let blocks: Vec<&[usize]> = part.columns.chunks(width).collect();
        for blocks in blocks.chunks(TOGETHER) {
            let done: Vec<(Vec<Found>, Vec<f64>)> = blocks
                .par_iter()
                .map(|columns| {
                    let mut block = vec![0.0; n * columns.len()];
                    if pass.is_over() {
                        return (Vec::new(), block);
                    }
                    gather(table, columns, &mut block);
                    (normalize(&part.steps, columns.len(), &mut block), block)
                })
                .collect();
            pass.complete("the computation of kernels")?;
            let wide: usize = blocks.iter().map(|b| b.len()).sum();
            if shared.is_none() {
                write(&mut z, first, &done);
            }
            first += wide;
            found.extend(done.into_iter().flat_map(|(found, _)| found));
        }
    }
    let named = |place: usize| &kernels[members[place]];
    check(&found, named)?;
    let notes = notes(&found, named);
    let norms = found.into_iter().map(|f| f.norms).collect();
    Ok(Fitted { z: shared.unwrap_or(z), norms, notes })
}

/// The features of new rows (or of support rows) for these kernels, by the statistics of training.
///
/// # Errors
/// As [`fit`].
pub(in crate::bank) fn transformed(
    views: &Views,
    kernels: &[Kernel],
    members: &[usize],
    norms: &[Vec<Norm>],
) -> Result<Matrix> {
    let (n, parts) = (views.n(), parts(kernels, members));
    if members.iter().all(|m| norms[*m].is_empty())
        && let Some(shared) = shared(views, kernels, &parts)?
    {
        return Ok(shared);
    }
    let mut z = room(n, members.len())?;
    let mut first = 0;
    for part in &parts {
        let table = table(views, kernels, part)?;
        let steps: Vec<Vec<Step>> =
            part.kernels.iter().map(|m| norms[*m].iter().filter_map(Step::of).collect()).collect();
        let width = (BLOCK / n.max(1)).clamp(8, 512);
        for (columns, steps) in part.columns.chunks(width).zip(steps.chunks(width)) {
            let mut block = vec![0.0; n * columns.len()];
            gather(table, columns, &mut block);
            for row in block.chunks_exact_mut(columns.len()) {
                for (x, steps) in row.iter_mut().zip(steps) {
                    *x = steps.iter().fold(*x, |x, step| step.apply(x));
                }
            }
            write(&mut z, first, &[((), block)]);
            first += columns.len();
        }
    }
    Ok(z)
}

fn room(n: usize, kernels: usize) -> Result<Matrix> {
    room_for::<f64>(n.checked_mul(kernels), || {
        format!("the features of {kernels} linear kernels over {n} instances, one each (use fewer)")
    })?;
    let z = Matrix::zeros(n, kernels);
    crate::bank::huge_pages(z.values());
    Ok(z)
}

/// The features themselves, where they are all columns of one dense view in order and are not normalised.
fn shared(views: &Views, kernels: &[Kernel], parts: &[Part]) -> Result<Option<Matrix>> {
    let [part] = parts else { return Ok(None) };
    let Table::Dense(m) = table(views, kernels, part)? else { return Ok(None) };
    let all =
        part.columns.len() == m.cols() && part.columns.iter().enumerate().all(|(k, c)| k == *c);
    Ok((all && part.steps.is_empty()).then(|| m.clone()))
}

fn table<'a>(views: &'a Views, kernels: &[Kernel], part: &Part) -> Result<&'a Table> {
    let table = &views.get(&part.view)?.table;
    if let Some(k) = part.columns.iter().position(|c| *c >= table.cols()) {
        let name = &kernels[part.kernels[k]].name;
        let found = format!("column {} in kernel '{name}'", part.columns[k]);
        return Err(Error::shape(
            format!("view '{}'", part.view),
            format!("below {}", table.cols()),
            found,
        ));
    }
    Ok(table)
}

/// Blocks of columns, side by side from column `first` on.
fn write<T: Sync>(z: &mut Matrix, first: usize, blocks: &[(T, Vec<f64>)]) {
    let (n, cols) = (z.rows(), z.cols());
    z.values_mut().par_chunks_mut(cols.max(1)).enumerate().for_each(|(i, row)| {
        let mut at = first;
        for (_, block) in blocks {
            let width = block.len() / n;
            row[at..at + width].copy_from_slice(&block[i * width..(i + 1) * width]);
            at += width;
        }
    });
}

/// Σ f(x) of each column of a block.
fn sums(width: usize, block: &[f64], f: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut sums = vec![0.0; width];
    for row in block.chunks_exact(width) {
        sums.iter_mut().zip(row).for_each(|(s, x)| *s += f(*x));
    }
    sums
}

fn largest(width: usize, block: &[f64]) -> Vec<f64> {
    let mut most = vec![0.0_f64; width];
    for row in block.chunks_exact(width) {
        most.iter_mut().zip(row).for_each(|(m, x)| *m = m.max(x.abs()));
    }
    most
}

/// Normalises the columns of a block in place.
fn normalize(steps: &[Normalization], width: usize, block: &mut [f64]) -> Vec<Found> {
    let n = (block.len() / width) as f64;
    let mut found: Vec<Found> = (0..width).map(|_| Found::default()).collect();
    let raw = largest(width, block);
    found.iter_mut().zip(&raw).for_each(|(f, r)| f.raw = *r);
    let mut most = raw;
    for step in super::super::norm::plain(steps) {
        match step {
            Normalization::Center => {
                let mut means: Vec<f64> = sums(width, block, |x| x).iter().map(|s| s / n).collect();
                // What rounding left of the mean.
                let mut rest = vec![0.0; width];
                for row in block.chunks_exact(width) {
                    let terms = rest.iter_mut().zip(row).zip(&means);
                    terms.for_each(|((s, x), m)| *s += x - m);
                }
                means.iter_mut().zip(&rest).for_each(|(m, r)| *m += r / n);
                for row in block.chunks_exact_mut(width) {
                    row.iter_mut().zip(&means).for_each(|(x, m)| *x -= m);
                }
                let left = largest(width, block);
                for (k, f) in found.iter_mut().enumerate() {
                    if left[k] <= NOTHING * most[k] {
                        block[k..].iter_mut().step_by(width).for_each(|x| *x = 0.0);
                    }
                    f.norms.push(Norm::CenterFeature { mean: means[k] });
                }
            }
            Normalization::UnitDiagonal => {
                block.iter_mut().for_each(|x| *x = Step::Sign.apply(*x));
                let zeros = sums(width, block, |x| f64::from(u8::from(x == 0.0)));
                for (f, zeros) in found.iter_mut().zip(zeros) {
                    f.without = f.without.max(zeros as usize);
                    f.norms.push(Norm::UnitDiagonal);
                }
            }
            _ => {
                let squares = sums(width, block, |x| x * x);
                let (what, by) = match step {
                    Normalization::UnitTrace => ("trace", 1.0),
                    Normalization::Frobenius => ("Frobenius norm", 1.0),
                    _ => ("variance", n),
                };
                let mut roots = vec![1.0; width];
                for ((f, square), root) in found.iter_mut().zip(squares).zip(&mut roots) {
                    let (size, mut factor) = (square / by, by / square);
                    if !(size > 0.0 && factor > 0.0 && factor.is_finite()) {
                        (f.undivided, factor) = (Some((what, size)), 1.0);
                    }
                    *root = factor.sqrt();
                    f.norms.push(Norm::Scale { factor });
                }
                for row in block.chunks_exact_mut(width) {
                    row.iter_mut().zip(&roots).for_each(|(x, r)| *x *= r);
                }
            }
        }
        most = largest(width, block);
    }
    look(n, width, block, &mut found);
    found.iter_mut().zip(&most).for_each(|(f, m)| f.largest = *m);
    found
}

/// What the entries z_i z_j of each kernel are like.
fn look(n: f64, width: usize, block: &[f64], found: &mut [Found]) {
    let plain = sums(width, block, |x| x);
    let (sizes, squares) = (sums(width, block, f64::abs), sums(width, block, |x| x * x));
    for (k, f) in found.iter_mut().enumerate() {
        let off = (sizes[k] * sizes[k] - squares[k]).max(0.0) / (n * (n - 1.0));
        f.identity = off / (squares[k] / n);
        let mean = (plain[k] / n) * (plain[k] / n);
        let square = (squares[k] / n) * (squares[k] / n);
        f.spread = (square - mean * mean).max(0.0).sqrt() / mean;
        if n < 3.0 {
            (f.identity, f.spread) = (f64::NAN, f64::NAN);
        }
    }
}

/// Refuses features whose products are beyond f64, before or after the normalisations.
fn check<'a>(found: &[Found], named: impl Fn(usize) -> &'a Kernel) -> Result<()> {
    for (place, f) in found.iter().enumerate() {
        let name = &named(place).name;
        if !(f.raw * f.raw).is_finite() {
            return Err(Error::Data(format!(
                "kernel '{name}': its feature is too large, up to {:e}, for products of it; scale the \
                 features first",
                f.raw
            )));
        }
        let value = f.largest * f.largest;
        let fits = RANGE.contains(&value) || f.largest == 0.0;
        if !fits || (f.raw > 0.0 && f.raw * f.raw < f64::MIN_POSITIVE) {
            let (size, what) =
                if value > 1.0 { ("large", "overflow") } else { ("small", "underflow") };
            return Err(Error::Data(format!(
                "kernel '{name}': its values are too {size}, up to {value:e}, so that squares of them {what}; \
                 scale the features first, or normalise the kernel (normalize=unit_diagonal)"
            )));
        }
    }
    Ok(())
}

/// One sentence for all kernels of which the same is to be said.
fn notes<'a>(found: &[Found], named: impl Fn(usize) -> &'a Kernel) -> Vec<String> {
    let names = |which: &dyn Fn(&Found) -> bool| -> Option<String> {
        let places: Vec<usize> = (0..found.len()).filter(|p| which(&found[*p])).collect();
        let list: Vec<String> =
            places.iter().take(NAMED).map(|p| format!("'{}'", named(*p).name)).collect();
        match places.len() {
            0 => None,
            1 => Some(format!("kernel {}", list[0])),
            all if all > NAMED => {
                Some(format!("{all} kernels ({} and {} more)", list.join(", "), all - NAMED))
            }
            all => Some(format!("{all} kernels ({})", list.join(", "))),
        }
    };
    let mut notes = Vec::new();
    if let Some(subject) = names(&|f| f.without > 0) {
        let most = found.iter().map(|f| f.without).max().unwrap_or(0);
        notes.push(format!(
            "{subject}: up to {most} instances have no positive self-similarity; unit_diagonal makes their \
             similarities 0"
        ));
    }
    for what in ["trace", "variance", "Frobenius norm"] {
        if let Some(subject) = names(&|f| f.undivided.is_some_and(|u| u.0 == what)) {
            notes.push(format!(
                "{subject}: a feature that is constant or too small has no {what} to divide by; it stays as it is"
            ));
        }
    }
    let (mut identity, mut constant) = (Said::default(), Said::default());
    for (place, f) in found.iter().enumerate() {
        if f.identity < 1e-3 {
            identity.add(&named(place).name, f.identity);
        } else if f.spread < 1e-3 {
            constant.add(&named(place).name, f.spread);
        }
    }
    notes.extend(identity.is_nearly_the_identity("scaled features"));
    notes.extend(constant.is_nearly_constant("scaled features"));
    notes
}
