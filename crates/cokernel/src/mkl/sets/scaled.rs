//! A set whose weights are those of another set, each divided by a factor: Σ_m f_m η_m = 1 is the simplex in
//! s_m = f_m η_m, which are the weights of the kernels K_m/f_m.

use crate::mkl::outer::{Proposal, Set};

/// The weights η with (f_m η_m) of `set`.
#[derive(Debug)]
pub(in crate::mkl) struct Scaled<S> {
    pub set: S,
    /// f, positive.
    pub factors: Vec<f64>,
}

impl<S: Set> Scaled<S> {
    fn inside(&self, weights: &[f64]) -> Vec<f64> {
        weights.iter().zip(&self.factors).map(|(w, f)| w * f).collect()
    }

    fn outside(&self, weights: &[f64]) -> Vec<f64> {
        weights.iter().zip(&self.factors).map(|(w, f)| w / f).collect()
    }

    fn proposed(&self, found: Proposal) -> Proposal {
        Proposal { weights: self.outside(&found.weights), ..found }
    }
}

impl<S: Set + Copy + 'static> Set for Scaled<S> {
    fn first(&self, kernels: usize) -> Vec<f64> {
        self.outside(&self.set.first(kernels))
    }

    fn onto(&self, weights: &[f64]) -> Vec<f64> {
        self.outside(&self.set.onto(&self.inside(weights)))
    }

    fn penalty(&self, weights: &[f64]) -> f64 {
        self.set.penalty(&self.inside(weights))
    }

    fn conjugate(&self, half_forms: &[f64]) -> f64 {
        self.set.conjugate(&self.outside(half_forms))
    }

    fn slope(&self, weights: &[f64], gradient: &[f64], direction: &[f64]) -> f64 {
        let (weights, direction) = (self.inside(weights), self.inside(direction));
        self.set.slope(&weights, &self.outside(gradient), &direction)
    }

    fn second_order(&self, weights: &[f64], gradient: &[f64], hessian: &[f64]) -> Proposal {
        let (weights, gradient) = (self.inside(weights), self.outside(gradient));
        let lines = hessian.chunks(weights.len()).zip(&self.factors);
        let hessian: Vec<f64> = lines
            .flat_map(|(line, f)| line.iter().zip(&self.factors).map(move |(h, e)| h / (f * e)))
            .collect();
        self.proposed(self.set.second_order(&weights, &gradient, &hessian))
    }

    fn majorised(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        self.proposed(self.set.majorised(&self.inside(weights), &self.outside(gradient)))
    }

    fn first_order(&self, weights: &[f64], gradient: &[f64]) -> Proposal {
        self.proposed(self.set.first_order(&self.inside(weights), &self.outside(gradient)))
    }

    fn unit(&self, kernel: usize) -> f64 {
        self.set.unit(kernel) / self.factors[kernel]
    }

    fn size(&self, weights: &[f64]) -> f64 {
        self.set.size(&self.inside(weights))
    }

    fn drops(&self) -> bool {
        self.set.drops()
    }

    fn bowl(&self, kernels: usize) -> Option<(Vec<f64>, Vec<f64>)> {
        let (mut linear, mut square) = self.set.bowl(kernels)?;
        linear.iter_mut().zip(&self.factors).for_each(|(v, f)| *v *= f);
        square.iter_mut().zip(&self.factors).for_each(|(s, f)| *s *= f * f);
        Some((linear, square))
    }

    /// Where the inner set is the same for any number of kernels.
    fn restricted(&self, kernels: &[usize]) -> Option<Box<dyn Set>> {
        self.set.restricted(kernels)?;
        let factors = kernels.iter().map(|m| self.factors[*m]).collect();
        Some(Box::new(Scaled { set: self.set, factors }))
    }

    fn worth(&self, kernel: usize, half_form: f64) -> f64 {
        half_form / self.factors[kernel]
    }
}
