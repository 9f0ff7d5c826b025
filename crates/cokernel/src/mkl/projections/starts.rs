//! Where searches begin.

use super::source::Source;
use super::{First, Projections};
use crate::data::Matrix;
use crate::mkl::localized_mkl::first_gates;
use crate::solve::dense::principal_axes;
use crate::solve::eigen::orient;
use crate::{Result, Run};
use rand::{Rng, RngExt};

impl Projections<'_> {
    /// Start k: the first as the settings say, with equal projections in all regions and gates as those of copies of a
    /// kernel; those after it random.
    pub(super) fn start(&self, k: usize, run: &Run) -> Result<Vec<f64>> {
        let mut rng = run.rng(&format!("{} start {k}", self.settings.id));
        let first = if k == 0 { self.settings.first } else { First::Random };
        let fixed = self.sources.iter().map(|s| s.fixed(first, &mut rng));
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
            let (shape, features) = (looking.shape, &looking.seen.features);
            parameters.extend(first_gates(
                shape,
                features,
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
    fn fixed(&self, first: First, rng: &mut dyn Rng) -> Result<Option<Matrix>> {
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
        let centred =
            Matrix::from_fn(n, d, |i, j| (self.features.get(i, j) - self.means[j]) / self.unit);
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
}
