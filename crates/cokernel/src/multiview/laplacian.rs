//! What the spectral methods share: similarities that are checked and normalised,
//! L = D^{-1/2} K D^{-1/2} with D_ii = Σ_j K_ij, and rows of unit length.
//!
//! The diagonal of K is kept. Nothing of size n² is stored: L is applied as three scalings and
//! one product of the bank.
//!
//! Eigenvectors of eigenvalue 0 are any vectors of a null space: another order of the instances gives
//! others, and new rows have none. All methods leave them out ([`determined`]) and say so
//! ([`left_out`]).

use crate::bank::Bank;
use crate::data::Matrix;
use crate::run::Pass;
use crate::solve::eigen::{Eigenpairs, Options};
use crate::{Error, Result, Watch, brief};
use cokernel_dense::simd::row_sum;
use rayon::prelude::*;

/// Negative similarities down to this share of the largest diagonal entry are rounding.
const ROUNDING: f64 = 1e-12;

/// Rows whose length is below this share of the longest row's are 0 up to the accuracy of the
/// eigenvectors, and stay 0.
const NOWHERE: f64 = 1e-7;

/// What a stop leaves without a result.
pub(super) const EMBEDDING: &str = "the embedding";

/// Eigenvalues up to this share of the largest (those of a difference, of its terms) are 0 up to
/// rounding.
pub(super) const NOTHING: f64 = 1e-12;

/// The same where kernels are kept in single precision: entries that are off by 6e-8 of themselves
/// move eigenvalues by less than this.
const NOTHING_F32: f64 = 1e-7;

/// Similarities that a sentence names.
const LISTED: usize = 3;

/// Eigenvectors so exact that an embedding is off by less than 1e-8, although rows are scaled up by
/// √(n/k) and more: their span to an angle of 1e-10, or residuals of 1e-12 where gaps are too
/// small for that.
pub(super) fn precise() -> Options {
    Options { tol: 1e-12, angle: 1e-10, ..Options::default() }
}

/// What to do about sums that are not positive towards landmarks, or in random features.
pub(super) const MORE_LANDMARKS: &str = "take a larger rank (storage nystroem:rank=… or fourier:rank=…), other landmarks (landmarks=…), or a wider kernel";

/// Row sums of kernel m.
///
/// # Errors
/// A negative similarity; a row sum that is 0. Both name kernel and instances. A stop before all
/// were summed.
pub(super) fn degrees(bank: &Bank, m: usize, watch: &Watch) -> Result<Vec<f64>> {
    let name = format!("kernel '{}'", bank.kernels()[m].name);
    let largest = bank.diagonal(m).iter().fold(0.0_f64, |a, d| a.max(d.abs()));
    if !bank.is_sparse(m) {
        let pass = Pass::under(watch);
        let (degrees, least) = bank.row_sums_in(m, &pass);
        pass.complete(EMBEDDING)?;
        if let Some(i) = degrees.iter().position(|d| bank.is_low_rank() && *d <= 0.0) {
            return Err(Error::Data(format!(
                "{name}: as it is approximated (storage nystroem or fourier) the similarities of instance {i} sum to {}, and only a \
                 positive sum can be normalised; {MORE_LANDMARKS}",
                brief(degrees[i])
            )));
        }
        return checked(&name, largest, degrees, least);
    }
    let row = |values: &mut Vec<f64>, i| {
        let columns = bank.sparse_row(m, i, values).unwrap_or_default();
        let pairs = columns.iter().zip(values.iter());
        let least = pairs.fold((f64::INFINITY, i, 0), |least, (j, v)| {
            if *v < least.0 { (*v, i, *j as usize) } else { least }
        });
        (values.iter().sum(), least)
    };
    gathered(&name, largest, (0..bank.n()).into_par_iter().map_init(Vec::new, row).collect())
}

/// A row sum, and the least entry of the row with its place.
type Sum = (f64, (f64, usize, usize));

/// Row sums of the similarity `name`, whose row i `fill` gives and whose diagonal has entries up
/// to `largest`.
///
/// # Errors
/// As [`degrees`].
pub(super) fn degrees_of(
    n: usize,
    name: &str,
    largest: f64,
    watch: &Watch,
    fill: impl Fn(usize, &mut [f64]) + Sync,
) -> Result<Vec<f64>> {
    let pass = Pass::under(watch);
    let rows: Vec<Sum> = (0..n)
        .into_par_iter()
        .map_init(
            || vec![0.0; n],
            |row, i| {
                if pass.is_over() {
                    return (0.0, (0.0, i, i));
                }
                fill(i, row);
                let (sum, least) = row_sum(row, 0, &mut []);
                // Where it is matters where it is an error.
                let place = row.iter().position(|v| least < 0.0 && *v == least);
                (sum, (least, i, place.unwrap_or(0)))
            },
        )
        .collect();
    pass.complete(EMBEDDING)?;
    gathered(name, largest, rows)
}

fn gathered(name: &str, largest: f64, rows: Vec<Sum>) -> Result<Vec<f64>> {
    let least = rows.iter().map(|r| r.1).reduce(|a, b| if b.0 < a.0 { b } else { a });
    let degrees = rows.iter().map(|r| r.0).collect();
    checked(name, largest, degrees, least.unwrap_or((0.0, 0, 0)))
}

/// The degrees, unless the least similarity or one of them forbids it.
fn checked(
    name: &str,
    largest: f64,
    degrees: Vec<f64>,
    (least, i, j): (f64, usize, usize),
) -> Result<Vec<f64>> {
    if least < -ROUNDING * largest {
        return Err(Error::Data(format!(
            "{name}: the similarity of instances {i} and {j} is {}; spectral clustering needs \
             similarities of at least 0: use a kernel that has no negative values, such as a \
             Gaussian, and do not centre it",
            brief(least)
        )));
    }
    match degrees.iter().position(|d| *d <= 0.0) {
        Some(i) => Err(Error::Data(format!(
            "{name}: instance {i} has no similarity to any instance, itself included, so that it \
             belongs to no cluster; leave it out, or use a kernel that is positive on the diagonal"
        ))),
        None => Ok(degrees),
    }
}

/// D^{-1/2} as a vector.
pub(super) fn scaling(degrees: &[f64]) -> Vec<f64> {
    degrees.iter().map(|d| 1.0 / d.sqrt()).collect()
}

/// Row i times `s[i]`.
pub(super) fn scale_rows(block: &mut Matrix, s: &[f64]) {
    for (i, factor) in s.iter().enumerate() {
        block.row_mut(i).iter_mut().for_each(|v| *v *= factor);
    }
}

/// L v for the kernel of `multiply` and the scaling `s`.
pub(super) fn apply(block: &Matrix, s: &[f64], multiply: impl FnOnce(&Matrix) -> Matrix) -> Matrix {
    let mut scaled = block.clone();
    scale_rows(&mut scaled, s);
    let mut image = multiply(&scaled);
    scale_rows(&mut image, s);
    image
}

/// The pairs whose eigenvalue is not 0 up to the rounding of the kernels.
pub(super) fn determined(bank: &Bank, mut pairs: Eigenpairs) -> Eigenpairs {
    let share = if bank.storage().is_single() { NOTHING_F32 } else { NOTHING };
    let count = pairs.values.len();
    let floor = share * pairs.values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let kept: Vec<usize> = (0..count).filter(|j| pairs.values[*j].abs() > floor).collect();
    let Some(last) = kept.last().filter(|_| kept.len() < count) else { return pairs };
    if last + 1 < count {
        pairs.next = Some(0.0);
    }
    pairs.vectors = pairs.vectors.select_cols(&kept);
    pairs.residuals = kept.iter().map(|j| pairs.residuals[*j]).collect();
    pairs.values = kept.iter().map(|j| pairs.values[*j]).collect();
    pairs
}

/// The sentence about eigenvectors that [`determined`] has left out, if there are any: of each
/// similarity its name, and how many of `count` eigenvectors it has.
pub(super) fn left_out(kept: &[(String, usize)], count: usize) -> Option<String> {
    let fewer: Vec<_> = kept.iter().filter(|k| k.1 < count).collect();
    let each = fewer.iter().take(LISTED).map(|(name, kept)| format!("{name}: {kept} of {count}"));
    let others = match fewer.len() {
        0 => return None,
        n if n > LISTED => format!(", and fewer than all of {} others", n - LISTED),
        _ => String::new(),
    };
    Some(format!(
        "{}{others} eigenvalues are above rounding; eigenvectors of the others would be arbitrary and \
         are left out",
        each.collect::<Vec<_>>().join(", ")
    ))
}

/// Rows of unit length, and the instances whose row is 0 (no eigenvector reaches them).
pub(super) fn unit_rows(u: &Matrix) -> (Matrix, Vec<usize>) {
    let lengths: Vec<f64> =
        (0..u.rows()).map(|i| u.row(i).iter().map(|v| v * v).sum::<f64>().sqrt()).collect();
    let limit = NOWHERE * lengths.iter().fold(0.0_f64, |a, l| a.max(*l));
    let zero: Vec<usize> = (0..u.rows()).filter(|i| lengths[*i] <= limit).collect();
    let rows = Matrix::from_fn(u.rows(), u.cols(), |i, j| {
        if lengths[i] <= limit { 0.0 } else { u.get(i, j) / lengths[i] }
    });
    (rows, zero)
}

/// The sentence about instances that no eigenvector reaches, if there are any.
pub(super) fn unreached(zero: &[usize], eigenvectors: usize, whose: &str) -> Option<String> {
    let first = zero.first()?;
    Some(format!(
        "{} of the instances (the first is {first}) have no part in the {eigenvectors} leading \
         eigenvectors of {whose}: its graph has more connected components than that; their rows \
         of the embedding are 0",
        zero.len()
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::bank::Storage;

    #[test]
    fn eigenvectors_of_nothing_are_left_out() {
        let kernel = Matrix::from_fn(4, 4, |i, j| f64::from(u8::from(i == j)));
        let pairs = |values: [f64; 4], next| Eigenpairs {
            values: values.to_vec(),
            vectors: kernel.clone(),
            residuals: vec![0.0; 4],
            next,
            products: 4,
            status: crate::Status::Converged,
        };
        let bank =
            |storage| Bank::from_matrices(vec![("k".into(), kernel.clone())], storage).unwrap();
        let cut = |storage, values, next| determined(&bank(storage), pairs(values, next));
        let all = pairs([1.0, 0.5, 1e-11, 2e-12], Some(1e-16));
        assert_eq!(cut(Storage::Resident, [1.0, 0.5, 1e-11, 2e-12], Some(1e-16)), all);
        let two = cut(Storage::ResidentF32, [1.0, 0.5, 1e-11, 2e-12], Some(1e-16));
        assert_eq!((two.values, two.next), (vec![1.0, 0.5], Some(0.0)));
        assert_eq!((two.vectors.cols(), two.vectors.get(1, 1), two.residuals.len()), (2, 1.0, 2));
        // Negative eigenvalues have eigenvectors of their own.
        let found = cut(Storage::Resident, [1.0, 1e-16, -1e-17, -0.3], Some(-0.4));
        assert_eq!((found.values, found.next), (vec![1.0, -0.3], Some(-0.4)));
        assert_eq!(found.vectors.get(3, 1), 1.0);
        let list = |kept: &[usize]| {
            let named: Vec<_> = kept.iter().map(|k| (format!("kernel '{k}'"), *k)).collect();
            left_out(&named, 5)
        };
        assert_eq!(list(&[5, 5]), None);
        assert!(list(&[5, 3]).unwrap().starts_with("kernel '3': 3 of 5 eigenvalues are above"));
        let many = list(&[1, 2, 5, 3, 4, 2]).unwrap();
        let start =
            "kernel '1': 1 of 5, kernel '2': 2 of 5, kernel '3': 3 of 5, and fewer than all of 2";
        assert!(many.starts_with(start), "{many}");
    }

    #[test]
    fn rows_that_are_only_rounding_stay_zero() {
        let u = Matrix::new(3, 2, vec![3.0, -4.0, 1e-9, 1e-9, 0.0, 0.5]).unwrap();
        let (rows, zero) = unit_rows(&u);
        assert_eq!(rows.values(), [0.6, -0.8, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(zero, [1]);
        let note = unreached(&zero, 2, "kernel 'a'").unwrap();
        assert!(note.starts_with("1 of the instances (the first is 1) have no part in the 2"));
        assert_eq!(unreached(&[], 2, "kernel 'a'"), None);
        assert_eq!(unit_rows(&Matrix::zeros(2, 1)).1, [0, 1]);
    }
}
