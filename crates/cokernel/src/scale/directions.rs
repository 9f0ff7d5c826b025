//! Random features of kernels of a difference, k(x, z) = κ(x − z) with κ(0) = 1.
//!
//! Such a kernel is the mean of cos ω·(x − z) over directions ω drawn from its spectral density (Bochner), so that with s
//! directions
//!
//! ```text
//! k(x, z) ≈ 1/s Σ_j [cos(ω_j·x) cos(ω_j·z) + sin(ω_j·x) sin(ω_j·z)]
//! ```
//!
//! (Rahimi and Recht, *Random features for large-scale kernel machines*, NIPS 2007; with a cosine and a sine for each direction, which for
//! Gaussian kernels are nearer than one cosine with a random phase: Sutherland and Schneider, UAI 2015). 2s = r features
//! stand for the kernel; the diagonal is exactly 1.
//!
//! | kernel | ω |
//! |---|---|
//! | exp(−γ‖x − z‖²) | √(2γ) g, g normal |
//! | exp(−γ‖x − z‖) | γ g/\|h\|, h normal: Cauchy in all directions |
//! | exp(−γ Σ_k \|x_k − z_k\|) | γ c, c_k Cauchy |
//!
//! With `orthogonal` the g of as many directions as there are columns are orthogonal, with lengths as independent ones have
//! (Yu, Suresh, Choromanski, Holtmann-Rice and Kumar, *Orthogonal random features*, NIPS 2016): the estimate stays unbiased, its variance is
//! smaller. The third kind is always independent. One set of directions for each view and kind serves all widths, which are factors on ω·x.
//!
//! Cost: r/2 directions of d numbers for each view and kind, and 2 r·d·min(r/2, d) operations to make them orthogonal.

use crate::bank::{Landmarks, LowRank};
use crate::data::{Matrix, Table, Views};
use crate::error::room_for;
use crate::kernel::{Function, Kernel, Metric};
use crate::solve::draws::normal;
use crate::solve::orthonormal;
use crate::{Error, Result, Run};
use rand_xoshiro::Xoshiro256PlusPlus;

/// The laws of directions, in the order of their rows.
const LAWS: [Metric; 3] = [Metric::SquaredEuclidean, Metric::Euclidean, Metric::Manhattan];

/// What was drawn for some kernels.
pub(super) struct Drawn {
    /// The directions, in the place of the rows of views.
    pub rows: Views,
    /// What of a view and a direction is the feature of each kernel.
    pub waves: Vec<Kernel>,
    /// For each kernel the first of the rows that are its own, of which there are as many as the rank.
    pub own: Vec<usize>,
}

/// Directions for all kernels.
///
/// # Errors
/// A kernel is not one of a difference; there is no memory for the directions.
pub(super) fn draw(views: &Views, exact: &[Kernel], how: LowRank, run: &Run) -> Result<Drawn> {
    let laws: Vec<Metric> =
        exact.iter().map(|k| law(k).map(|(law, _)| law)).collect::<Result<_>>()?;
    let kinds: Vec<Metric> = LAWS.into_iter().filter(|l| laws.contains(l)).collect();
    let mut rows = Views::new();
    for view in views.iter().filter(|v| exact.iter().any(|k| k.view == v.name)) {
        let (r, d) = (kinds.len().checked_mul(how.rank), view.table.cols());
        room_for::<f64>(r.and_then(|r| r.checked_mul(d)), || {
            let each = how.rank / 2;
            format!(
                "the {each} random directions of {d} numbers of each kind for view '{}'",
                view.name
            )
        })?;
        let r = kinds.len() * how.rank;
        let mut values = Vec::with_capacity(r * d);
        for kind in &kinds {
            let mut rng = run.rng(&format!("directions {kind:?} {}", view.name));
            let orthogonal = how.landmarks == Landmarks::Orthogonal && *kind != Metric::Manhattan;
            let all = directions(*kind, how.rank / 2, d, orthogonal, &mut rng);
            // One for the cosine, one for the sine.
            (0..all.rows()).for_each(|j| (0..2).for_each(|_| values.extend_from_slice(all.row(j))));
        }
        rows = rows.with(view.name.clone(), Table::Dense(Matrix::new(r, d, values)?))?;
    }
    let place = |law: &Metric| kinds.iter().take_while(|k| *k != law).count() * how.rank;
    let wave = |kernel: &Kernel| -> Result<Kernel> {
        // A unit diagonal is there already.
        let (function, normalize) = (Function::Wave { factor: law(kernel)?.1 }, Vec::new());
        Ok(Kernel { function, normalize, ..kernel.clone() })
    };
    let waves = exact.iter().map(wave).collect::<Result<_>>()?;
    Ok(Drawn { rows, waves, own: laws.iter().map(place).collect() })
}

/// The distance whose exponential a kernel is, and the factor on directions.
fn law(kernel: &Kernel) -> Result<(Metric, f64)> {
    match kernel.function {
        Function::Exponential { metric: Metric::SquaredEuclidean, gamma } => {
            Ok((Metric::SquaredEuclidean, (2.0 * gamma).sqrt()))
        }
        Function::Exponential { metric, gamma } if LAWS.contains(&metric) => Ok((metric, gamma)),
        _ => Err(Error::parameter(
            "storage",
            format!(
                "kernel '{}' is not one of a difference of features, which random features are for (gaussian, laplacian and \
                 exponential of a Euclidean or Manhattan distance); storage nystroem:rank=… takes it",
                kernel.name
            ),
        )),
    }
}

/// s directions of d numbers.
fn directions(
    kind: Metric,
    s: usize,
    d: usize,
    orthogonal: bool,
    rng: &mut Xoshiro256PlusPlus,
) -> Matrix {
    if kind == Metric::Manhattan {
        return Matrix::from_fn(s, d, |_, _| {
            normal(rng) / normal(rng).abs().max(f64::MIN_POSITIVE)
        });
    }
    let mut all = Matrix::zeros(s, d);
    for first in (0..s).step_by(if orthogonal { d.max(1) } else { s }) {
        let count = if orthogonal { d.min(s - first) } else { s };
        let mut block = Matrix::from_fn(count, d, |_, _| normal(rng));
        if orthogonal {
            let lengths: Vec<f64> = (0..count).map(|j| length(block.row(j))).collect();
            // Lengths that do not depend on where the directions point are those of others.
            let (_, unit) =
                orthonormal::orthonormal(&Matrix::from_fn(count, d, |_, _| normal(rng)));
            if unit.rows() == count {
                block = Matrix::from_fn(count, d, |j, k| lengths[j] * unit.get(j, k));
            }
        }
        (0..count).for_each(|j| all.row_mut(first + j).copy_from_slice(block.row(j)));
    }
    if kind == Metric::Euclidean {
        for j in 0..s {
            let h = normal(rng).abs().max(f64::MIN_POSITIVE);
            all.row_mut(j).iter_mut().for_each(|v| *v /= h);
        }
    }
    all
}

fn length(row: &[f64]) -> f64 {
    row.iter().map(|v| v * v).sum::<f64>().sqrt()
}
