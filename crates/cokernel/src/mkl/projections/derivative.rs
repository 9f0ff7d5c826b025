//! ∂J/∂θ by the table of the [module](super).

use super::Projections;
use crate::Watch;
use crate::data::Matrix;
use crate::kernel::Function;
use crate::machine::Solution;
use crate::solve::dense::{gram_tn, product};
use cokernel_dense::simd;
use rayon::prelude::*;

/// `None` after a stop.
pub(super) fn of(
    inside: &Projections<'_>,
    parameters: &[f64],
    machines: &Solution,
    watch: &Watch,
) -> Option<Vec<f64>> {
    let coefs = machines.coefs();
    let (n, kernels, regions) = (inside.problem.bank.n(), inside.of.len(), inside.regions);
    let gates = inside.gates(parameters).ok()?;
    let touched = |i: &usize| coefs.iter().any(|c| c[*i] != 0.0);
    let rows: Vec<usize> = (0..n).filter(touched).collect();
    let mut slopes = vec![0.0; parameters.len()];
    let mut energies = Matrix::zeros(n, kernels * regions);
    for (at, source) in inside.sources.iter().enumerate() {
        let x = source.features.select_rows(&rows);
        for region in 0..regions {
            let (direction, size) = inside.direction(parameters, region, at);
            let z = product((&x).into(), (&direction).into());
            let mut pull = Matrix::zeros(rows.len(), source.dimensions);
            for m in (0..kernels).filter(|m| inside.of[*m] == at) {
                if watch.stop().is_some() {
                    return None;
                }
                let g = m * regions + region;
                let gate = |i: usize| match &gates {
                    Some((_, values)) => values.get(i, g),
                    None => (kernels as f64).sqrt().recip(),
                };
                let u = Matrix::from_fn(rows.len(), coefs.len(), |k, u| {
                    coefs[u][rows[k]] * gate(rows[k])
                });
                let function = inside.problem.bank.kernels()[m].function;
                let energy = add(function, &z, &u, &mut pull);
                rows.iter().zip(energy).for_each(|(i, e)| energies.set(*i, g, e));
            }
            let slope = gram_tn((&x).into(), (&pull).into());
            let out = &mut slopes[inside.offset(region, at)..][..slope.values().len()];
            out.copy_from_slice(slope.values());
            if let Some(size) = size {
                along_sphere(out, direction.values(), size);
            }
        }
    }
    if let (Some((gate, values)), Some(looking)) = (&gates, &inside.gates) {
        let own = gate.slopes(&looking.seen.features, values, &energies);
        slopes[inside.offset(regions, 0)..].copy_from_slice(&own);
    }
    Some(slopes)
}

/// The derivative by v of a function of θ = ρ v/‖v‖, from that by θ; `size` is ‖v‖.
fn along_sphere(slope: &mut [f64], direction: &[f64], size: f64) {
    let square: f64 = direction.iter().map(|v| v * v).sum();
    let along = slope.iter().zip(direction).map(|(s, d)| s * d).sum::<f64>() / square;
    let scale = square.sqrt() / size;
    slope.iter_mut().zip(direction).for_each(|(s, d)| *s = scale * (*s - along * d));
}

/// Adds ∂J/∂Z of a kernel to `pull` and gives Σ_j G_ij k_ij, for G = U Uᵀ (one row of `u` for each row of `z`).
fn add(function: Function, z: &Matrix, u: &Matrix, pull: &mut Matrix) -> Vec<f64> {
    let n = z.rows();
    let mut energies = vec![0.0; n];
    if function == Function::Linear {
        // Σ_j u_j z_j, one row for each head.
        let sums = gram_tn(u.into(), z.into());
        let own = product(u.into(), (&sums).into());
        for i in 0..n {
            energies[i] = simd::dot(own.row(i), z.row(i));
            pull.row_mut(i).iter_mut().zip(own.row(i)).for_each(|(p, o)| *p -= o);
        }
        return energies;
    }
    let r = z.cols();
    let lines = pull.values_mut().par_chunks_mut(r).zip(energies.par_iter_mut()).enumerate();
    lines.for_each(|(i, (pull, energy))| {
        let (zi, ui) = (z.row(i), u.row(i));
        let (mut total, mut sums) = (0.0, vec![0.0; r]);
        for j in 0..n {
            let g = simd::dot(ui, u.row(j));
            if g == 0.0 {
                continue;
            }
            let (value, slope) = match function {
                Function::Polynomial { degree, gamma, coef0 } => {
                    let base = gamma * simd::dot(zi, z.row(j)) + coef0;
                    let power = base.powi(degree as i32 - 1);
                    (power * base, -gamma * f64::from(degree) * power)
                }
                Function::Exponential { gamma, .. } => {
                    let value = (-gamma * simd::squared_distance(zi, z.row(j))).exp();
                    (value, -2.0 * gamma * value)
                }
                // No others are projected.
                _ => (0.0, 0.0),
            };
            *energy += g * value;
            total += g * slope;
            sums.iter_mut().zip(z.row(j)).for_each(|(s, z)| *s += g * slope * z);
        }
        let shift = matches!(function, Function::Exponential { .. });
        for ((p, s), z) in pull.iter_mut().zip(&sums).zip(zi) {
            *p += if shift { s - total * z } else { *s };
        }
    });
    energies
}
