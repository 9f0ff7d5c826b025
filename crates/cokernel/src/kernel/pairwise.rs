//! Kernels between pairs of objects, from one between objects.
//!
//! ```text
//! k({a, b}, {c, d}) = k(a, c) k(b, d) + k(a, d) k(b, c)
//! ```
//!
//! (Ben-Hur and Noble 2005; LMKA §2.1.) The order within a pair does not matter, and k is positive semi-definite
//! with the kernel of the objects. Instances are then pairs (of proteins that interact or do not, say), and
//! the matrix is a similarity as any other. Several kernels are combined in two ways: each is made a kernel
//! of pairs, and a method combines those; or the kernel of pairs of their sum is taken, which also compares a
//! with c by one kernel and b with d by another.

use crate::data::Matrix;
use crate::{Error, Result};

/// The kernel between pairs and other pairs, pairs × others. Row and column indices of `objects` are those
/// of the objects of the pairs and of the others: the same objects while learning, new ones and those
/// that were learned from for prediction. Cost: two products for each entry.
///
/// # Errors
/// A pair of an object that is not there, with its place.
pub fn pairwise(
    objects: &Matrix,
    pairs: &[(usize, usize)],
    others: &[(usize, usize)],
) -> Result<Matrix> {
    for (what, list, count) in
        [("pairs", pairs, objects.rows()), ("others", others, objects.cols())]
    {
        if let Some(i) = list.iter().position(|(a, b)| *a.max(b) >= count) {
            let (a, b) = list[i];
            let problem =
                format!("row {i} is ({a}, {b}); expected two of 0 to {}", count as i64 - 1);
            return Err(Error::parameter(what, problem));
        }
    }
    let entry = |i: usize, j: usize| {
        let ((a, b), (c, d)) = (pairs[i], others[j]);
        objects.get(a, c) * objects.get(b, d) + objects.get(a, d) * objects.get(b, c)
    };
    Ok(Matrix::from_fn(pairs.len(), others.len(), entry))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn hand_computed() {
        let objects =
            Matrix::new(3, 3, vec![1.0, 2.0, 3.0, 2.0, 5.0, 7.0, 3.0, 7.0, 11.0]).unwrap();
        let found = pairwise(&objects, &[(0, 1), (2, 1)], &[(1, 2), (0, 0)]).unwrap();
        // {0, 1} and {1, 2}: 2·7 + 3·5; and {0, 0}: 1·2 twice.
        assert_eq!(found.values(), [29.0, 4.0, 7.0 * 7.0 + 11.0 * 5.0, 12.0]);
        let e = pairwise(&objects, &[(0, 1)], &[(1, 3)]).unwrap_err().to_string();
        assert_eq!(e, "parameter 'others': row 0 is (1, 3); expected two of 0 to 2");
    }

    /// ⟨x_a ⊗ x_b + x_b ⊗ x_a, x_c ⊗ x_d + x_d ⊗ x_c⟩ / 2, for linear kernels.
    #[test]
    fn it_is_the_product_of_symmetric_tensors() {
        let x = Matrix::from_fn(5, 3, |i, j| ((i * 3 + j) as f64 * 0.7).sin());
        let dot =
            |i: usize, j: usize| -> f64 { x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum() };
        let objects = Matrix::from_fn(5, 5, dot);
        let pairs = [(0, 1), (2, 2), (4, 3), (1, 0)];
        let tensor = |(a, b): (usize, usize)| -> Vec<f64> {
            let one = |p: usize, q: usize| x.get(a, p) * x.get(b, q) + x.get(b, p) * x.get(a, q);
            (0..9).map(|k| one(k / 3, k % 3)).collect()
        };
        let found = pairwise(&objects, &pairs, &pairs).unwrap();
        for i in 0..4 {
            for j in 0..4 {
                let (a, b) = (tensor(pairs[i]), tensor(pairs[j]));
                let want: f64 = 0.5 * a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>();
                assert!((found.get(i, j) - want).abs() < 1e-12);
            }
        }
    }
}
