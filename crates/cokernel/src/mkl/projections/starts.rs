//! Where searches begin.

use super::source::Source;
use super::{First, Projections};
use crate::data::{Classes, Matrix, Target};
use crate::mkl::localized_mkl::first_gates;
use crate::solve::conjugate::conjugate_gradients;
use crate::solve::dense::{leading_eigen, principal_axes};
use crate::solve::eigen::orient;
use crate::{Error, Result, Run};
use cokernel_dense::simd;
use rand::{Rng, RngExt};

/// ρ, beside the scatter of a column.
const RIDGE: f64 = 1e-3;

impl Projections<'_> {
    /// Start k: the first as the settings say, with equal projections in all regions and gates as those of copies of a
    /// kernel; those after it random.
    pub(super) fn start(&self, k: usize, run: &Run) -> Result<Vec<f64>> {
        let first = if k == 0 { self.settings.first } else { First::Random };
        self.start_at(first, k, run)
    }

    /// The same from projections of this kind.
    pub(super) fn start_at(&self, first: First, k: usize, run: &Run) -> Result<Vec<f64>> {
        let mut rng = run.rng(&format!("{} start {k}", self.settings.id));
        let target = self.problem.target;
        let fixed = self.sources.iter().map(|s| s.fixed(first, target, &mut rng));
        let fixed: Vec<Option<Matrix>> = fixed.collect::<Result<_>>()?;
        let mut parameters = Vec::with_capacity(self.offset(self.regions, 0));
        for _ in 0..self.regions {
            for (source, fixed) in self.sources.iter().zip(&fixed) {
                match fixed {
                    Some(one) => parameters.extend_from_slice(one.values()),
                    None => parameters.extend(source.random(&mut rng).into_values()),
                }
            }
        }
        if let Some(looking) = &self.gates {
            parameters.extend(first_gates(
                looking.shape,
                &looking.seen,
                &(0..self.of.len()).collect::<Vec<_>>(),
                self.regions,
                k > 0,
                &mut rng,
            ));
        }
        Ok(parameters)
    }
}

impl Source {
    /// θ that does not depend on chance, of length √R; `None` for a random start.
    fn fixed(&self, first: First, target: &Target, rng: &mut dyn Rng) -> Result<Option<Matrix>> {
        let (d, r) = (self.factors.len(), self.dimensions);
        match first {
            First::Random => Ok(None),
            First::Identity => {
                // f θ = 1 on the diagonal.
                let one =
                    |j: usize| if self.factors[j] > 0.0 { 1.0 / self.factors[j] } else { 0.0 };
                Ok(Some(Matrix::from_fn(d, r, |j, l| if j == l { one(j) } else { 0.0 })))
            }
            First::Components => self.components(rng).map(Some),
            First::Discriminant => match target.classes() {
                Ok(classes) => self.discriminants(classes, rng).map(Some),
                Err(_) => {
                    let problem =
                        "fda looks at classes, and there are none; choose pca, identity or random";
                    Err(Error::parameter("start", problem))
                }
            },
        }
    }

    /// Entries between −1 and 1 for columns that vary, brought to length √R together.
    fn random(&self, rng: &mut dyn Rng) -> Matrix {
        let (d, r) = (self.factors.len(), self.dimensions);
        // A column that does not vary draws nothing: without it everything is the same.
        let mut out = Matrix::zeros(d, r);
        for j in (0..d).filter(|j| self.factors[*j] != 0.0) {
            out.row_mut(j).iter_mut().for_each(|v| *v = rng.random_range(-1.0..1.0));
        }
        let size = out.values().iter().map(|v| v * v).sum::<f64>().sqrt();
        out.values_mut().iter_mut().for_each(|v| *v *= (r as f64).sqrt() / size);
        out
    }

    /// The leading principal components of the standardised columns, each of length 1; random ones where there are not
    /// as many.
    fn components(&self, rng: &mut dyn Rng) -> Result<Matrix> {
        let (n, d, r) = (self.features.rows(), self.factors.len(), self.dimensions);
        let centred = self.centred();
        let k = r.min(n);
        let (values, axes) = principal_axes(&centred, k)?;
        let mut vectors = Matrix::from_fn(d, r, |j, l| if l < k { axes.get(j, l) } else { 0.0 });
        orient(&mut vectors);
        let largest = values.first().copied().unwrap_or(0.0);
        let others = self.random(rng);
        for l in 0..r {
            if values.get(l).copied().unwrap_or(0.0) > 1e-10 * largest {
                continue;
            }
            let column = others.col(l);
            let size = column.iter().map(|v| v * v).sum::<f64>().sqrt();
            column.iter().enumerate().for_each(|(j, v)| vectors.set(j, l, v / size));
        }
        Ok(vectors)
    }

    /// The standardised columns.
    fn centred(&self) -> Matrix {
        let (n, d) = (self.features.rows(), self.factors.len());
        Matrix::from_fn(n, d, |i, j| (self.features.get(i, j) - self.means[j]) / self.unit)
    }

    /// Fisher's directions, each of length 1: the leading w of B Bᵀw = θ (S + ρI)w, where S is the scatter of the standardised
    /// columns within the classes, B has √n_c times the mean of class c, and ρ is `RIDGE` times the scatter of a column.
    /// There is one less than there are classes; principal components after them.
    fn discriminants(&self, classes: &Classes, rng: &mut dyn Rng) -> Result<Matrix> {
        let mut within = self.centred();
        let (n, d, count) = (within.rows(), within.cols(), classes.n_classes());
        let mut sides = Matrix::zeros(count, d);
        let mut sizes = vec![0.0_f64; count];
        for (i, code) in classes.codes.iter().enumerate() {
            let side = sides.row_mut(*code as usize).iter_mut();
            side.zip(within.row(i)).for_each(|(s, x)| *s += x);
            sizes[*code as usize] += 1.0;
        }
        for (i, code) in classes.codes.iter().enumerate() {
            let (sum, size) = (sides.row(*code as usize), sizes[*code as usize]);
            within.row_mut(i).iter_mut().zip(sum).for_each(|(x, s)| *x -= s / size);
        }
        for (c, size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0.0) {
            sides.row_mut(c).iter_mut().for_each(|s| *s /= size.sqrt());
        }
        let ridge = RIDGE * n as f64;
        let mut scatter = vec![ridge; d];
        for i in 0..n {
            scatter.iter_mut().zip(within.row(i)).for_each(|(s, x)| *s += x * x);
        }
        let times = |v: &[f64]| {
            let mut out: Vec<f64> = v.iter().map(|v| ridge * v).collect();
            for i in 0..n {
                simd::subtract(&mut out, -simd::dot(within.row(i), v), within.row(i));
            }
            Some(out)
        };
        let divided = |v: &[f64]| v.iter().zip(&scatter).map(|(v, s)| v / s).collect();
        let solved = (0..count).map(|c| conjugate_gradients(&times, &divided, sides.row(c)));
        let solved: Option<Vec<Vec<f64>>> = solved.collect();
        let mut vectors = self.components(rng)?;
        let Some(solved) = solved else { return Ok(vectors) };
        let ratio = |c: usize, e: usize| simd::dot(sides.row(c), &solved[e]);
        let ratios = Matrix::from_fn(count, count, |c, e| 0.5 * (ratio(c, e) + ratio(e, c)));
        let wanted = self.dimensions.min(count.saturating_sub(1));
        if wanted == 0 {
            return Ok(vectors);
        }
        let (values, shares) = leading_eigen(&ratios, wanted)?;
        for l in (0..wanted).filter(|l| values[*l] > 1e-10 * values[0]) {
            let entry = |j: usize| (0..count).map(|c| shares.get(c, l) * solved[c][j]).sum::<f64>();
            let mut column: Vec<f64> = (0..d).map(entry).collect();
            let size = simd::dot(&column, &column).sqrt();
            column.iter_mut().for_each(|v| *v /= size);
            column.iter().enumerate().for_each(|(j, v)| vectors.set(j, l, *v));
        }
        Ok(vectors)
    }
}
