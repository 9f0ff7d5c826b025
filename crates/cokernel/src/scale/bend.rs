//! How the objective bends with the weights, as the [sample](super::curvature) of the preconditioner tells.
//!
//! With S the covariance of the whitened features φ over the sample, A = κ S, E the weights η of the coordinates and, at the best v
//! for given weights, u_m = v_m/η_m (of kernels without a weight R_mᵀC_mᵀc) and U the matrix with u_m in the part of kernel m as
//! its column m, the Hessian of J in η is Uᵀ(A⁻¹ + E)⁻¹U: in numbers Uᵀ A U − (E^½ A U)ᵀ (I + E^½ A E^½)⁻¹ (E^½ A U).
//! Where η changes by δ the best v changes by w − E^½ (I + E^½ A E^½)⁻¹ E^½ A w, w = U δ.
//!
//! Of kernels whose covariances are not computed (they have no weight) one number for each instance of the sample and head is
//! looked at, g_m = u_m·φ_m, and its covariances with the features of the others.
//!
//! Cost, for each head: r operations for each kernel and coordinate that has a factor, and the square of the latter for each ten kernels;
//! for the others a pass over the sample, with as many operations again for each of them.

use super::curvature::{Curvature, Factor};
use super::passes::Problem;
use crate::Result;
use cokernel_dense::{Slice, add_product_tn, product_nn, simd};
use rayon::prelude::*;
use std::ops::Range;

/// Sides for which a factor is read once.
const SIDES: usize = 10;

/// Instances of the sample of which sums are made by one task. A constant: sums are cut at it.
const ROWS: usize = 1_024;

/// Products with the features of a part of the sample that are kept at once, unless one head has more.
const PRODUCTS: usize = 1 << 22;

/// Of one head at a point.
pub(crate) struct Bend {
    /// κ S U e_k in the coordinates of the factor.
    bent: Vec<Vec<f64>>,
    /// The mean of u_k·φ_k.
    means: Vec<f64>,
}

/// Sums over the sample for the kernels whose covariances are not computed, head after head.
#[derive(Default)]
struct Unseen {
    kernels: Vec<usize>,
    /// Of each head and kernel its covariances with all coordinates, known ones.
    towards: Vec<Vec<f64>>,
    /// Of each head the covariances among them.
    among: Vec<f64>,
    means: Vec<f64>,
}

/// The Hessian of J in η, of these heads, added to `hessian`, and how each bends; `u` has the u of one head after the other.
pub(crate) fn bends(
    (curvature, factor): (&Curvature, &Factor),
    problem: &Problem<'_>,
    u: &[f64],
    hessian: &mut [f64],
) -> Result<Vec<Bend>> {
    let size = problem.space.size().max(1);
    let mut found = Vec::with_capacity(u.len() / size);
    for some in u.chunks(size * Unseen::heads_at_once(curvature, problem)) {
        let unseen = Unseen::of(curvature, problem, some)?;
        for (head, u) in some.chunks(size).enumerate() {
            found.push(bend((curvature, factor), problem, (head, u, &unseen), hessian));
        }
    }
    Ok(found)
}

fn bend(
    (curvature, factor): (&Curvature, &Factor),
    problem: &Problem<'_>,
    (head, u, unseen): (usize, &[f64], &Unseen),
    hessian: &mut [f64],
) -> Bend {
    let (space, kappa) = (problem.space, factor.kappa);
    let (m, kernels, others) = (factor.weights.len(), space.kernels(), unseen.kernels.len());
    // What is factored view by view knows of nothing between views.
    let whole = factor.blocks.len() <= 1;
    let known = |k: usize, l: usize| whole || kernels[k].view == kernels[l].view;
    let seen = &curvature.sample.kernels;
    let place = |k: usize| unseen.kernels.binary_search(&k).ok();
    // Row k is κ S U e_k.
    let bent: Vec<Vec<f64>> = (0..m)
        .into_par_iter()
        .map(|k| {
            let mut bent = vec![0.0; space.size()];
            let coordinates = || seen.iter().filter(|l| known(k, **l)).flat_map(|l| space.part(*l));
            if let Some(a) = place(k) {
                let towards = &unseen.towards[head * others + a];
                coordinates().for_each(|j| bent[j] = kappa * towards[j]);
                return bent;
            }
            let part = space.part(k);
            let (columns, own) = (curvature.columns(&part), &u[part]);
            for j in coordinates() {
                bent[j] = kappa * simd::dot(&curvature.line(j)[columns.clone()], own);
            }
            bent
        })
        .collect();
    let among = |a: usize, b: usize| unseen.among[(head * others + a) * others + b];
    // The lower triangle of this head's part.
    let mut own = vec![0.0; m * m];
    for k in 0..m {
        for l in (0..=k).filter(|l| known(k, *l)) {
            let along = |bent: &[f64], l: usize| simd::dot(&bent[space.part(l)], &u[space.part(l)]);
            own[k * m + l] = match (place(k), place(l)) {
                (Some(a), Some(b)) => kappa * among(a, b),
                (None, Some(_)) => along(&bent[l], k),
                _ => along(&bent[k], l),
            };
        }
    }
    explain(
        factor,
        (m, &bent),
        &|range| {
            let j = factor.coordinates.get(range.start)?;
            let of = (0..m).find(|l| space.part(*l).contains(j))?;
            Some((0..m).filter(|k| known(*k, of)).collect())
        },
        &mut own,
    );
    for k in 0..m {
        for l in 0..=k {
            hessian[k * m + l] += own[k * m + l];
            if l < k {
                hessian[l * m + k] += own[k * m + l];
            }
        }
    }
    let mean = |k: usize| match place(k) {
        Some(a) => unseen.means[head * others + a],
        None => simd::dot(&curvature.mean[space.part(k)], &u[space.part(k)]),
    };
    let kept = |bent: Vec<f64>| factor.coordinates.iter().map(|j| bent[*j]).collect();
    Bend { bent: bent.into_iter().map(kept).collect(), means: (0..m).map(mean).collect() }
}

/// Takes (E^½ A U)ᵀ (I + E^½ A E^½)⁻¹ (E^½ A U) from the lower triangle of a matrix; `of` has the kernels that a range of the
/// factor knows of.
fn explain(
    factor: &Factor,
    (m, bent): (usize, &[Vec<f64>]),
    of: &dyn Fn(&Range<usize>) -> Option<Vec<usize>>,
    own: &mut [f64],
) {
    let lists: Vec<Vec<usize>> =
        factor.blocks.iter().map(|(range, _)| of(range).unwrap_or_default()).collect();
    let some = |(b, list): (usize, &Vec<usize>)| -> Vec<(usize, Vec<usize>)> {
        list.chunks(SIDES).map(|some| (b, some.to_vec())).collect()
    };
    let tasks: Vec<(usize, Vec<usize>)> = lists.iter().enumerate().flat_map(some).collect();
    let solved: Vec<Vec<f64>> = tasks
        .par_iter()
        .map(|(b, some)| {
            let (range, cholesky) = &factor.blocks[*b];
            let (coordinates, roots) =
                (&factor.coordinates[range.clone()], &factor.roots[range.clone()]);
            let mut sides = Vec::with_capacity(some.len() * range.len());
            for k in some {
                sides.extend(coordinates.iter().zip(roots).map(|(j, root)| root * bent[*k][*j]));
            }
            cholesky.forward(&mut sides, some.len());
            sides
        })
        .collect();
    for (b, list) in lists.iter().enumerate() {
        let size = factor.blocks[b].0.len().max(1);
        let parts = tasks.iter().zip(&solved).filter(|((of, _), _)| *of == b);
        let sides: Vec<&[f64]> = parts.flat_map(|(_, sides)| sides.chunks(size)).collect();
        for (a, k) in list.iter().enumerate() {
            for (c, l) in list[..=a].iter().enumerate() {
                own[k * m + l] -= simd::dot(sides[a], sides[c]);
            }
        }
    }
}

impl Bend {
    /// How the best v and bias of this head change where the weights do by `moved`.
    pub fn response(
        &self,
        (curvature, factor): (&Curvature, &Factor),
        problem: &Problem<'_>,
        (u, moved): (&[f64], &[f64]),
    ) -> (Vec<f64>, f64) {
        let mut found = vec![0.0; u.len()];
        let (mut side, mut bias) = (vec![0.0; factor.coordinates.len()], 0.0);
        for (k, change) in moved.iter().enumerate().filter(|(_, change)| **change != 0.0) {
            problem.space.part(k).for_each(|j| found[j] = change * u[j]);
            side.iter_mut().zip(&self.bent[k]).for_each(|(s, b)| *s += change * b);
            bias -= change * self.means[k];
        }
        side.iter_mut().zip(&factor.roots).for_each(|(s, root)| *s *= root);
        factor.solve(&mut side);
        for ((j, root), s) in factor.coordinates.iter().zip(&factor.roots).zip(&side) {
            found[*j] -= root * s;
            bias += curvature.mean[*j] * root * s;
        }
        (found, bias)
    }
}

impl Unseen {
    /// Heads whose products have no more than [`PRODUCTS`] numbers together.
    fn heads_at_once(curvature: &Curvature, problem: &Problem<'_>) -> usize {
        let (seen, all) = (curvature.sample.kernels.len(), problem.space.kernels().len());
        let own = seen * problem.space.basis().len() * (all - seen);
        (PRODUCTS / own.max(1)).max(1)
    }

    fn of(curvature: &Curvature, problem: &Problem<'_>, u: &[f64]) -> Result<Unseen> {
        let (space, sample) = (problem.space, &curvature.sample);
        let (size, r) = (space.size().max(1), space.basis().len());
        let all: Vec<usize> = (0..space.kernels().len()).collect();
        let kernels: Vec<usize> =
            all.iter().copied().filter(|m| sample.kernels.binary_search(m).is_err()).collect();
        let (heads, others) = (u.len() / size, kernels.len());
        let columns = heads * others;
        if columns == 0 {
            return Ok(Unseen::default());
        }
        let coefs = space.coefficients(&kernels, u, heads);
        let total: f64 = sample.weights.iter().sum();
        // Of a part of the sample: products of the g with the features of the others, with each other, and with 1.
        let part = |(rows, weights): (&[usize], &[f64])| -> Result<[Vec<f64>; 3]> {
            let seen = sample.kernels.len();
            let mut products = vec![0.0; seen * columns * r];
            let (mut among, mut means) = (vec![0.0; columns * others], vec![0.0; columns]);
            let (mut g, mut own) = (Vec::new(), Vec::new());
            space.visit(problem.views, rows, &all, |first, count, values| {
                let stride = all.len() * r;
                let of =
                    |m: usize| Slice { values: &values[m * r..], rows: count, cols: r, stride };
                g.resize(count * columns, 0.0);
                own.resize(count * heads, 0.0);
                for (a, m) in kernels.iter().enumerate() {
                    let coefs = &coefs[a * r * heads..(a + 1) * r * heads];
                    product_nn(of(*m), Slice::new(coefs, r, heads), &mut own);
                    for (g, own) in g.chunks_mut(columns).zip(own.chunks(heads)) {
                        own.iter().enumerate().for_each(|(h, v)| g[h * others + a] = *v);
                    }
                }
                let weighed: Vec<f64> = g
                    .chunks(columns)
                    .zip(&weights[first..])
                    .flat_map(|(g, w)| g.iter().map(move |v| v * w / total))
                    .collect();
                for row in weighed.chunks(columns) {
                    means.iter_mut().zip(row).for_each(|(m, v)| *m += v);
                }
                for (h, among) in among.chunks_mut(others * others).enumerate() {
                    let at = h * others;
                    let slice =
                        |values| Slice { values, rows: count, cols: others, stride: columns };
                    add_product_tn(slice(&weighed[at..]), slice(&g[at..]), among);
                }
                for (products, m) in products.chunks_mut(columns * r).zip(&sample.kernels) {
                    add_product_tn(Slice::new(&weighed, count, columns), of(*m), products);
                }
            })?;
            Ok([products, among, means])
        };
        let mut sums: Option<[Vec<f64>; 3]> = None;
        // Added one after the other, whatever the threads.
        let wave = ROWS * rayon::current_num_threads();
        for (rows, weights) in sample.rows.chunks(wave).zip(sample.weights.chunks(wave)) {
            let each: Vec<Result<[Vec<f64>; 3]>> =
                rows.par_chunks(ROWS).zip(weights.par_chunks(ROWS)).map(part).collect();
            for part in each {
                let part = part?;
                match &mut sums {
                    None => sums = Some(part),
                    Some(sums) => sums.iter_mut().zip(&part).for_each(|(sum, part)| {
                        sum.iter_mut().zip(part).for_each(|(s, p)| *s += p);
                    }),
                }
            }
        }
        let [products, mut among, means] = sums.unwrap_or_default();
        for (h, among) in among.chunks_mut(others * others).enumerate() {
            let means = &means[h * others..(h + 1) * others];
            for (row, mean) in among.chunks_mut(others).zip(means) {
                row.iter_mut().zip(means).for_each(|(v, other)| *v -= mean * other);
            }
        }
        let towards = |c: usize| {
            let of = |products: &[f64]| products[c * r..(c + 1) * r].to_vec();
            let row: Vec<f64> = products.chunks(columns * r).flat_map(of).collect();
            let mut towards = space.gathered(&sample.kernels, &row);
            towards.iter_mut().zip(&curvature.mean).for_each(|(t, mean)| *t -= means[c] * mean);
            towards
        };
        let towards = (0..columns).into_par_iter().map(towards).collect();
        Ok(Unseen { kernels, towards, among, means })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Run;
    use crate::bank::LowRank;
    use crate::data::toy;
    use crate::kernel::KernelSpec;
    use crate::scale::instances::Labels;
    use crate::scale::state::Drawn;
    use crate::scale::{Loss, Space};
    use cokernel_dense::Lu;

    /// Uᵀ(A⁻¹ + E)⁻¹U = Uᵀ(I + AE)⁻¹AU and E(I + AE)⁻¹AUδ, by Gaussian elimination; the same whether the covariances of a kernel
    /// without a weight are there or not.
    #[test]
    fn the_hessian_is_that_of_the_formula_whatever_is_known() {
        let (views, _) = toy::views(60, 3, &[4.0, 3.0], 1).unwrap();
        let run = Run::default();
        let kernels = KernelSpec::gaussian().gamma([0.05, 0.2]).resolve(&views, &run).unwrap();
        let how = LowRank { rank: 6, ..LowRank::default() };
        let (space, _) = Space::new(&views, kernels, how, &run).unwrap();
        let (n, size, m) = (60, space.size(), space.kernels().len());
        let (values, costs) = (vec![0.0; n], vec![1.0; n]);
        let problem = Problem {
            space: &space,
            views: &views,
            labels: Labels::Values(&values),
            loss: Loss::Squared,
            costs: &costs,
            rows: (0..n).collect(),
            factor: 1.0,
            watch: &run.watch(),
            away: None,
        };
        let (weights, kappa) = (vec![0.5, 0.0, 2.0, 0.0], 3.0);
        let sample = |kernels: &[usize]| Drawn {
            rows: (0..n).filter(|i| i % 7 != 0).collect(),
            weights: (0..n).filter(|i| i % 7 != 0).map(|i| 1.0 + (i % 3) as f64).collect(),
            kernels: kernels.to_vec(),
            whole: true,
        };
        // Two heads.
        let u: Vec<f64> = (0..2 * size).map(|j| (j as f64 * 0.7).sin()).collect();
        let moved = [0.1, 0.3, -0.2, 0.05];
        let all = Curvature::of(&problem, sample(&[0, 1, 2, 3])).unwrap();
        let mut system = vec![0.0; size * size];
        let root = |j: usize| weights[(0..m).find(|k| space.part(*k).contains(&j)).unwrap()];
        for i in 0..size {
            for j in 0..size {
                let unit = f64::from(u8::from(i == j));
                system[i * size + j] = unit + kappa * all.line(i)[j] * root(j);
            }
        }
        let solver = Lu::new(size, system).unwrap();
        let mut wanted = vec![0.0; m * m];
        for u in u.chunks(size) {
            for k in 0..m {
                let own =
                    |i: usize| kappa * simd::dot(&all.line(i)[space.part(k)], &u[space.part(k)]);
                let mut side: Vec<f64> = (0..size).map(own).collect();
                solver.solve(&mut side, 1);
                for l in 0..m {
                    wanted[k * m + l] += simd::dot(&side[space.part(l)], &u[space.part(l)]);
                }
            }
        }
        let mut responses = Vec::new();
        for known in [vec![0, 1, 2, 3], vec![0, 2], vec![0, 2, 3]] {
            let curvature = Curvature::of(&problem, sample(&known)).unwrap();
            assert!(curvature.covers(&weights));
            let factor = curvature.factor(&space, &weights, kappa);
            let mut hessian = vec![0.0; m * m];
            let bends = bends((&curvature, &factor), &problem, &u, &mut hessian).unwrap();
            let scale = wanted.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
            for (found, wanted) in hessian.iter().zip(&wanted) {
                assert!((found - wanted).abs() < 1e-11 * scale, "{known:?}: {found} {wanted}");
            }
            let each = bends.iter().zip(u.chunks(size));
            let of = |(bend, u): (&Bend, &[f64])| {
                bend.response((&curvature, &factor), &problem, (u, &moved))
            };
            responses.push(each.map(of).collect::<Vec<_>>());
        }
        for (head, u) in u.chunks(size).enumerate() {
            let along: Vec<f64> = (0..m)
                .flat_map(|k| space.part(k).map(move |j| (k, j)))
                .map(|(k, j)| moved[k] * u[j])
                .collect();
            let mut side: Vec<f64> =
                (0..size).map(|i| kappa * simd::dot(all.line(i), &along)).collect();
            solver.solve(&mut side, 1);
            let wanted: Vec<f64> = (0..size).map(|j| along[j] - root(j) * side[j]).collect();
            let shift = -simd::dot(&all.mean, &wanted);
            for found in &responses {
                let (v, bias) = &found[head];
                let near = |a: f64, b: f64| (a - b).abs() < 1e-11;
                assert!(v.iter().zip(&wanted).all(|(a, b)| near(*a, *b)));
                assert!(near(*bias, shift), "{bias} {shift}");
            }
        }
    }
}
