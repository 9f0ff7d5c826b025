//! Pegasos: projected stochastic sub-gradient steps for several λ side by side.

use super::classifier::PairClassifier;
use super::pairs::{Chunk, Part, Sampler, Stream};
use super::slope;
use crate::{Event, Report, Run, Watch};

/// Pegasos on fresh pairs of one part, in pieces between which the clock is looked at.
pub(super) struct Steps<'a> {
    stream: Stream<'a>,
    /// Pairs of one piece.
    piece: usize,
    batch: usize,
    chunk: Chunk,
    /// Examples of the current batch that are in the gradient already.
    open: usize,
    /// Steps taken.
    pub done: usize,
}

impl<'a> Steps<'a> {
    pub fn new(method: &PairClassifier, sampler: &'a Sampler<'a>, part: Part) -> Self {
        let (stream, piece) = (sampler.stream(part), sampler.piece());
        Steps { stream, piece, batch: method.batch, chunk: Chunk::default(), open: 0, done: 0 }
    }

    /// Goes on until `steps` are taken, for all λ of the learners.
    pub fn descend(
        &mut self,
        learners: &mut Learners,
        steps: usize,
        run: &Run,
        watch: &Watch,
        report: &mut Report,
    ) {
        while self.done < steps {
            if let Some(status) = watch.stop() {
                report.status = status;
                return;
            }
            let left = (steps - self.done).saturating_mul(self.batch) - self.open;
            let count = self.piece.min(left);
            self.stream.fetch(count, &mut self.chunk);
            let mut first = 0;
            while first < count {
                let some = (self.batch - self.open).min(count - first);
                learners.add(&self.chunk, first, some);
                first += some;
                self.open += some;
                if self.open == self.batch {
                    learners.step(self.batch);
                    self.open = 0;
                    self.done += 1;
                }
            }
            run.tell(Event::Step { done: self.done as u64, message: "" });
        }
    }
}

/// Columns that are worked on together.
pub(super) const LANES: usize = 8;

/// Pegasos for several λ at once.
pub(super) struct Learners {
    lambdas: Vec<f64>,
    /// M × `width`: a column for each λ, then columns of zeros.
    weights: Vec<f64>,
    gradient: Vec<f64>,
    /// L rounded up to whole lanes.
    width: usize,
    steps: u64,
}

impl Learners {
    pub fn new(kernels: usize, lambdas: Vec<f64>) -> Self {
        let width = lambdas.len().next_multiple_of(LANES);
        let zeros = vec![0.0; kernels * width];
        Learners { lambdas, weights: zeros.clone(), gradient: zeros, width, steps: 0 }
    }

    /// μ for one λ.
    pub fn column(&self, l: usize) -> Vec<f64> {
        self.weights[l..].iter().step_by(self.width).copied().collect()
    }

    /// Adds `count` examples of the chunk from `first` on to the sub-gradient of the next step.
    fn add(&mut self, chunk: &Chunk, first: usize, count: usize) {
        for from in (0..self.width).step_by(LANES) {
            slope::add(chunk, first, count, &self.weights, self.width, from, &mut self.gradient);
        }
    }

    /// One step by the sub-gradient of `count` examples.
    fn step(&mut self, count: usize) {
        self.steps += 1;
        let t = self.steps as f64;
        for (k, lambda) in self.lambdas.iter().enumerate() {
            let rate = 1.0 / (lambda * t * count as f64);
            let mut norm = 0.0;
            let columns = self.weights[k..].iter_mut().zip(&self.gradient[k..]);
            for (w, g) in columns.step_by(self.width) {
                *w = ((1.0 - 1.0 / t) * *w + rate * g).max(0.0);
                norm += *w * *w;
            }
            let shrink = 1.0 / (lambda * norm).sqrt();
            if shrink < 1.0 {
                self.weights[k..].iter_mut().step_by(self.width).for_each(|w| *w *= shrink);
            }
        }
        self.gradient.fill(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pegasos_steps_by_hand() {
        // z = (1, 2), t = +1, λ = ½. Step 1: rate 2, μ = (2, 4), ‖μ‖ = √20 > √2: shrunk by
        // √(2/20) to (0.632…, 1.264…). Step 2 on z = (3, 0), t = −1: margin −1.897 < 1, rate 1:
        // μ = ½(0.632, 1.264) − (3, 0) → (0, 0.632).
        let mut learner = Learners::new(2, vec![0.5]);
        let chunk = Chunk::of(2, vec![1.0, 2.0, 3.0, 0.0], vec![1.0, -1.0]);
        learner.add(&chunk, 0, 1);
        learner.step(1);
        let a = 2.0 * 0.1_f64.sqrt();
        assert!(
            (learner.column(0)[0] - a).abs() < 1e-15
                && (learner.column(0)[1] - 2.0 * a).abs() < 1e-15
        );
        learner.add(&chunk, 1, 1);
        learner.step(1);
        assert!(learner.column(0)[0] == 0.0 && (learner.column(0)[1] - a).abs() < 1e-15);
    }
}
