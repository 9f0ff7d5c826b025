//! Conjugate gradients (Hestenes and Stiefel 1952) for systems of equations whose matrix is only known by its
//! products.
//!
//! ```text
//! A x = b,      A positive definite, near a matrix whose inverse is cheap (its diagonal, for example)
//! ```
//!
//! In exact arithmetic as many steps are needed as A times that inverse has different eigenvalues; each is one product
//! with A and one with the inverse.

/// Most steps, and the part of the residual, measured by the inverse, at which they end.
const STEPS: usize = 30;
const REST: f64 = 1e-3;

/// The x with A x = b, to a thousandth of b or 30 steps, for A given by `product` and what its near inverse makes of a
/// vector by `divided`. `None` where A turns out not to be positive definite, or a product was not had.
pub fn conjugate_gradients(
    product: &dyn Fn(&[f64]) -> Option<Vec<f64>>,
    divided: &dyn Fn(&[f64]) -> Vec<f64>,
    side: &[f64],
) -> Option<Vec<f64>> {
    let (mut x, mut rest) = (vec![0.0; side.len()], side.to_vec());
    let mut direction = divided(&rest);
    let mut size = dot(&rest, &direction);
    let enough = REST * REST * size;
    for _ in 0..STEPS {
        if size <= enough || size == 0.0 {
            break;
        }
        let image = product(&direction)?;
        let step = size / dot(&direction, &image);
        if !(step > 0.0 && step.is_finite()) {
            return None;
        }
        x.iter_mut().zip(&direction).for_each(|(x, d)| *x += step * d);
        rest.iter_mut().zip(&image).for_each(|(r, i)| *r -= step * i);
        let scaled = divided(&rest);
        let next = dot(&rest, &scaled);
        let turn = next / size;
        direction.iter_mut().zip(&scaled).for_each(|(d, s)| *d = s + turn * *d);
        size = next;
    }
    Some(x)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use cokernel_dense::Cholesky;
    use rand::RngExt;

    /// A of size m: a diagonal over six decades and, on it scaled alike, a matrix of rank `rank`.
    fn system(m: usize, rank: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let mut rng = crate::Run::with_seed(5).rng("conjugate tests");
        let diagonal: Vec<f64> =
            (0..m).map(|_| 10.0_f64.powf(rng.random_range(-3.0..3.0))).collect();
        let mut a = vec![0.0; m * m];
        (0..m).for_each(|k| a[k * m + k] = diagonal[k]);
        for _ in 0..rank {
            let v: Vec<f64> =
                diagonal.iter().map(|d| d.sqrt() * rng.random_range(-1.0..1.0)).collect();
            for i in 0..m {
                for j in 0..m {
                    a[i * m + j] += v[i] * v[j];
                }
            }
        }
        let side = diagonal.iter().map(|d| d.sqrt() * rng.random_range(-1.0..1.0)).collect();
        (a, diagonal, side)
    }

    fn solved(a: &[f64], diagonal: &[f64], side: &[f64]) -> Option<Vec<f64>> {
        let m = side.len();
        let product = |x: &[f64]| Some((0..m).map(|i| dot(&a[i * m..(i + 1) * m], x)).collect());
        let divided = |r: &[f64]| r.iter().zip(diagonal).map(|(r, d)| r / d).collect();
        conjugate_gradients(&product, &divided, side)
    }

    /// Four different eigenvalues: exact after four steps. Ten: to the thousandth asked for, in the norm of A.
    #[test]
    fn a_cholesky_solve_says_the_same() {
        for (rank, within) in [(0, 1e-12), (3, 1e-9), (9, 3e-3)] {
            let (a, diagonal, side) = system(40, rank);
            let found = solved(&a, &diagonal, &side).unwrap();
            let mut exact = side.clone();
            Cholesky::new(40, a.clone()).unwrap().solve(&mut exact, 1);
            let size = |v: &[f64]| -> f64 {
                (0..40).map(|i| v[i] * dot(&a[i * 40..(i + 1) * 40], v)).sum::<f64>().sqrt()
            };
            let apart: Vec<f64> = found.iter().zip(&exact).map(|(f, e)| f - e).collect();
            assert!(
                size(&apart) <= within * size(&exact),
                "{rank}: {}",
                size(&apart) / size(&exact)
            );
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        assert_eq!(solved(&[-1.0], &[1.0], &[1.0]), None);
        assert_eq!(conjugate_gradients(&|_| None, &|r| r.to_vec(), &[1.0]), None);
        // Nothing to solve.
        assert_eq!(solved(&[2.0], &[1.0], &[0.0]), Some(vec![0.0]));
    }
}
