//! What a spectral method carries along while it computes: clock, counts, notes, status.

use super::affinity::Affinities;
use super::embedding::cut_short;
use super::laplacian;
use crate::bank::Bank;
use crate::data::Matrix;
use crate::solve::eigen::{Eigenpairs, top_eigenpairs};
use crate::{Counts, Error, Report, Result, Run, Status, Watch};

/// See the [module](self).
pub(super) struct Work<'a> {
    bank: &'a Bank,
    pub(super) run: &'a Run,
    pub(super) watch: Watch,
    pub(super) counts: Counts,
    pub(super) notes: Vec<String>,
    /// Time limit or interrupted, once one of them has ended a computation.
    pub(super) status: Option<Status>,
    /// Of each similarity its name and how many eigenvectors it has, and how many were asked for.
    determined: (Vec<(String, usize)>, usize),
}

impl<'a> Work<'a> {
    /// Starts the clock; the notes are those of the bank.
    pub(super) fn new(bank: &'a Bank, run: &'a Run) -> Self {
        let (watch, notes, counts) = (run.watch(), bank.notes().to_vec(), Counts::default());
        Work { bank, run, watch, counts, notes, status: None, determined: (Vec::new(), 0) }
    }

    pub(super) fn bank(&self) -> &'a Bank {
        self.bank
    }

    /// The number of instances.
    pub(super) fn n(&self) -> usize {
        self.bank.n()
    }

    /// What is asked before a long step of a method that has no result without it.
    ///
    /// # Errors
    /// A stop.
    pub(super) fn go_on(&self) -> Result<()> {
        let stopped = |status| Error::Stopped { status, what: laplacian::EMBEDDING.to_string() };
        self.watch.stop().map_or(Ok(()), |status| Err(stopped(status)))
    }

    /// The r leading eigenpairs of an n × n operator.
    pub(super) fn top(
        &mut self,
        n: usize,
        r: usize,
        apply: &dyn Fn(&Matrix) -> Matrix,
    ) -> Result<Eigenpairs> {
        let (options, counts) = (laplacian::precise(), &mut self.counts);
        let pairs = top_eigenpairs(n, r, apply, None, &options, self.run, &self.watch, counts)?;
        self.ended(&pairs);
        Ok(pairs)
    }

    /// Keeps the status of a search that was stopped, and notes what else it did not reach.
    pub(super) fn ended(&mut self, pairs: &Eigenpairs) {
        let cut = cut_short(pairs.status, &pairs.residuals, &mut self.notes);
        self.status = self.status.or(cut);
    }

    /// Those of the pairs of `whose` that are no matter of rounding; what is left out is noted.
    pub(super) fn determined(&mut self, pairs: Eigenpairs, whose: &str) -> Eigenpairs {
        let asked = pairs.values.len();
        let pairs = laplacian::determined(self.bank, pairs);
        // Eigenvalues of a search that was stopped say nothing of the kernel.
        if self.status.is_none() {
            self.determined.0.push((whose.to_string(), pairs.values.len()));
            self.determined.1 = asked;
        }
        pairs
    }

    /// The (up to) r leading eigenpairs of D^{-1/2} K D^{-1/2} and the diagonal of D^{-1/2}, for the
    /// product `multiply` with the similarity K of this name and its row sums.
    pub(super) fn normalized(
        &mut self,
        whose: &str,
        degrees: &[f64],
        r: usize,
        multiply: impl Fn(&Matrix) -> Matrix,
    ) -> Result<(Eigenpairs, Vec<f64>)> {
        let s = laplacian::scaling(degrees);
        let pairs = self.top(s.len(), r, &|x| laplacian::apply(x, &s, &multiply))?;
        Ok((self.determined(pairs, whose), s))
    }

    /// The same for the graph of kernel m, which is decomposed where that costs less than products with it.
    pub(super) fn of_graph(
        &mut self,
        graphs: &Affinities<'_>,
        m: usize,
        whose: &str,
        degrees: &[f64],
        r: usize,
    ) -> Result<(Eigenpairs, Vec<f64>)> {
        let s = laplacian::scaling(degrees);
        let pairs = graphs.top(m, &s, r, self.run, &mut self.counts)?;
        self.ended(&pairs);
        Ok((self.determined(pairs, whose), s))
    }

    /// Rows of unit length; instances that no eigenvector reaches are noted.
    pub(super) fn unit_rows(&mut self, u: &Matrix, whose: &str) -> Matrix {
        let (rows, zero) = laplacian::unit_rows(u);
        if self.status.is_none() {
            self.notes.extend(laplacian::unreached(&zero, u.cols(), whose));
        }
        rows
    }

    /// How it went, for methods without an outer iteration.
    pub(super) fn report(mut self) -> Report {
        self.notes.extend(laplacian::left_out(&self.determined.0, self.determined.1));
        let closed = Report::closed_form(self.run);
        let status = self.status.unwrap_or(closed.status);
        let seconds = self.watch.seconds();
        Report { status, counts: self.counts, notes: self.notes, seconds, ..closed }
    }
}
