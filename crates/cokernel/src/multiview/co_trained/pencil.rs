//! The leading eigenvectors of a graph from Gram matrices alone, without an orthonormal basis: with
//! Z = D^{-1/2} [αC H/α √−m 1] and the matrix S that has ½ I beside the diagonal for C and H and 1 for the last
//! column, the normalised graph is Z S Zᵀ. From ZᵀZ = RᵀR and R S Rᵀ y = θ y,
//!
//! u = Z S Rᵀ y / θ,   Zᵀu = Rᵀ y,
//!
//! are an eigenvector of the same eigenvalue θ, of length 1, and its products. R is multiplied with and never
//! inverted: what its factorisation loses is as small as the rounding of ZᵀZ, also where Z has nearly dependent
//! columns. α makes C and H equally long.
//!
//! What is small beside θ only through S is lost: u is as orthonormal as ‖ZᵀZ‖/θ leaves it. That is measured,
//! and where it is not enough, as where eigenvalues are near rounding, [`Graph::leading`] takes the longer way.
//!
//! Cost for w = 2c + 1 columns: n w² for the Gram matrix, w³/3 for its factor, 4/3 w³ for the reduction of
//! R S Rᵀ, 2 n w r for u.

use super::graph::{Graph, Leading, dot};
use crate::Result;
use crate::data::Matrix;
use crate::multiview::laplacian::NOTHING;
use crate::solve::dense::{self, Slice};
use cokernel_dense::{Cholesky, gram_above, simd};

/// Entries of UᵀU − I, beside which the precision of eigenvectors is an angle of 10⁻¹⁰.
const ORTHONORMAL: f64 = 1e-11;

/// [`Graph::leading`] in this way; `None` where it is not precise enough.
///
/// # Errors
/// Numbers that are too large for floating point.
pub(super) fn leading(graph: &Graph, count: usize) -> Result<Option<Leading>> {
    let (n, c) = (graph.c.rows(), graph.c.cols());
    let (root, w) = ((-graph.low).sqrt(), 2 * c + usize::from(graph.low < 0.0));
    if w >= n || count >= w {
        return Ok(None);
    }
    let lengths = [&graph.c, &graph.h].map(|x| {
        (0..n).map(|i| graph.scaling[i].powi(2) * dot(x.row(i), x.row(i))).sum::<f64>().sqrt()
    });
    let alpha = (lengths[1] / lengths[0]).sqrt();
    if !alpha.is_normal() {
        return Ok(None);
    }
    let mut z = Vec::with_capacity(n * w);
    for (i, s) in graph.scaling.iter().enumerate() {
        let (of_c, of_h) = (alpha * s, s / alpha);
        for (row, factor) in [(graph.c.row(i), of_c), (graph.h.row(i), of_h)] {
            let from = z.len();
            z.extend_from_slice(row);
            simd::multiply(&mut z[from..], factor);
        }
        z.extend((w > 2 * c).then_some(root * s));
    }
    let z = Slice::new(&z, n, w);
    let mut gram = vec![0.0; w * w];
    gram_above(z, &mut gram);
    let Some(factor) = Cholesky::new(w, gram) else { return Ok(None) };
    let r = factor.upper();
    let pairs = dense::leading_of_upper(w, reduced(&r, w, c), count)?;
    let Some((found, y)) = pairs else { return Ok(None) };
    let floor =
        NOTHING * (lengths[0] * lengths[1] - graph.low * dot(&graph.scaling, &graph.scaling));
    if found[count - 1] <= floor {
        return Ok(None);
    }
    let values = found[..count].to_vec();
    let mut shares = dense::gram_tn(Slice::new(&r, w, w), Slice::of(&y));
    for i in 0..w {
        shares.row_mut(i).iter_mut().zip(&values).for_each(|(s, v)| *s /= v);
    }
    // S Rᵀ y / θ.
    let turned = Matrix::from_fn(w, count, |i, j| match i {
        i if i < c => 0.5 * shares.get(i + c, j),
        i if i < 2 * c => 0.5 * shares.get(i - c, j),
        _ => shares.get(i, j),
    });
    let vectors = dense::product(z, Slice::of(&turned));
    let inner = dense::gram_tn(Slice::of(&vectors), Slice::of(&vectors));
    let identity = |i: usize, j: usize| f64::from(u8::from(i == j));
    let apart = (0..count).flat_map(|i| (0..count).map(move |j| (i, j)));
    let sure = |(i, j): (usize, usize)| (inner.get(i, j) - identity(i, j)).abs() <= ORTHONORMAL;
    if !apart.clone().all(sure) {
        return Ok(None);
    }
    let scaled = |first: usize, factor: f64| {
        Matrix::from_fn(c, count, |i, j| factor * shares.get(first + i, j))
    };
    let one = match w > 2 * c {
        true => Matrix::from_fn(1, count, |_, j| shares.get(2 * c, j) / root),
        false => Matrix::from_fn(1, count, |_, j| {
            (0..n).map(|i| graph.scaling[i] * vectors.get(i, j)).sum::<f64>() / values[j]
        }),
    };
    let shares = [scaled(0, 1.0 / alpha), scaled(c, alpha), one];
    Ok(Some(Leading { next: Some(found[count].max(0.0)), values, vectors, shares }))
}

/// R S Rᵀ, row-major, with zeros below the diagonal.
fn reduced(r: &[f64], w: usize, c: usize) -> Vec<f64> {
    // R has c rows that reach the columns of C, and 2c that reach those of H.
    let left = Slice { values: r, rows: c, cols: c, stride: w };
    let right = Slice { values: &r[c..], rows: 2 * c, cols: c, stride: w };
    let mut products = vec![0.0; 2 * c * c];
    dense::product_nt(left, right, &mut products);
    let last: Vec<f64> = (0..w).map(|i| if w > 2 * c { r[i * w + 2 * c] } else { 0.0 }).collect();
    let mut t = vec![0.0; w * w];
    for (i, own) in t.chunks_exact_mut(w).enumerate() {
        let own = &mut own[i..];
        own.iter_mut().zip(&last[i..]).for_each(|(t, other)| *t = last[i] * other);
        if i < c {
            let row = &products[i * 2 * c..(i + 1) * 2 * c];
            own.iter_mut().zip(&row[i..]).for_each(|(t, v)| *t += 0.5 * v);
            (i..c).for_each(|j| own[j - i] += 0.5 * products[j * 2 * c + i]);
        }
    }
    t
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn same(a: &Matrix, b: &Matrix, tolerance: f64) {
        let largest = b.values().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        for (x, y) in a.values().iter().zip(b.values()) {
            assert!((x - y).abs() <= tolerance * largest, "{x} and {y}");
        }
    }

    /// As the longer way, with and without a shift, and for kernels of any size: values, the projector on the
    /// vectors and what new rows need.
    #[test]
    fn on_equals_off() {
        let n = 90;
        let place = |i: usize| (i % 9) as f64 + 0.3 * ((i * i) as f64 * 0.37).sin();
        for (scale, shift) in [(1.0, 0.0), (1.0, 0.4), (1e12, 0.4), (1e-12, 0.0)] {
            let kernel =
                Matrix::from_fn(n, n, |i, j| scale * (-3.0 * (place(i) - place(j)).powi(2)).exp());
            // Without a shift no entry is negative.
            let lift = f64::from(u8::from(shift == 0.0));
            let c = Matrix::from_fn(n, 18, |i, j| {
                let own = f64::from(u8::from(i % 9 == j % 9));
                own * (1.0 + (j / 9) as f64 * (lift + (i as f64).cos()))
                    + (0.01 + shift) * (lift + ((i * (j + 1)) as f64).sin())
            });
            let h = dense::product(Slice::of(&kernel), Slice::of(&c));
            let graph = Graph::new(c, h, true).unwrap();
            assert_eq!(graph.low < 0.0, shift > 0.0);
            for count in [1, 5, 9] {
                let got = leading(&graph, count).unwrap().unwrap();
                let want = graph.leading_by_rows(count).unwrap();
                for (x, y) in got.values.iter().zip(&want.values) {
                    assert!((x - y).abs() < 1e-12, "{x} and {y}");
                }
                assert!((got.next.unwrap() - want.next.unwrap()).abs() < 1e-12);
                let outer = |a: &Matrix, b: &Matrix| {
                    dense::product(Slice::of(a), Slice::of(&b.transposed()))
                };
                let projector = outer(&want.vectors, &want.vectors);
                same(&outer(&got.vectors, &got.vectors), &projector, 1e-10);
                for (a, b) in got.shares.iter().zip(&want.shares) {
                    same(&outer(&got.vectors, a), &outer(&want.vectors, b), 1e-9);
                }
            }
        }
    }

    /// Columns that depend on others, and eigenvalues near rounding.
    #[test]
    fn is_left_where_it_is_not_precise() {
        let n = 40;
        let c = Matrix::from_fn(n, 4, |i, j| f64::from(u8::from(i % 2 == j % 2)));
        let graph = Graph::new(c.clone(), c, true).unwrap();
        assert!(leading(&graph, 4).unwrap().is_none());
        assert_eq!(graph.leading(4).unwrap().values.len(), 2);
    }
}
