//! What a comparison of clusterings does with prepared views, row by row.

use super::{ClusteringOptions, ClusteringRow, Found, LeftOut, StartScores, ViewAgreement};
use crate::eval::Stat;
use crate::eval::cluster_scores::{NmiNorm, nmi};
use crate::kernel::Kernel;
use crate::model::{MultiView, PreparedViews};
use crate::multiview::affinity::{NAME as DIAGONAL, ZERO};
use crate::multiview::{Clustering, Spectrum, agreement_matrix, spectra};
use crate::{Error, Event, Result, Run, Watch};
use std::collections::BTreeMap;

/// Normalised mutual information of two clusterings from which they count as the same.
const ALIKE: f64 = 0.9;

/// Where a row stands: single kernels come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A kernel tried alone; whether without the diagonal.
    Single(usize, bool),
    /// A method; whether a control without the diagonal.
    Method(usize, bool),
}

/// The view of a kernel, if it has no other; else the kernel.
fn short_name(kernels: &[Kernel], m: usize) -> String {
    let view = &kernels[m].view;
    let alone = kernels.iter().filter(|k| k.view == *view).count() == 1;
    if alone { view.clone() } else { kernels[m].name.clone() }
}

/// What a comparison has so far.
pub struct Work<'a> {
    pub k: usize,
    pub options: &'a ClusteringOptions,
    pub truth: Vec<(usize, u32)>,
    pub visit: &'a mut dyn FnMut(&Found<'_>) -> Result<()>,
    pub run: &'a Run,
    pub watch: Watch,
    pub rows: BTreeMap<Place, ClusteringRow>,
    pub left_out: Vec<LeftOut>,
    pub notes: Vec<String>,
    pub steps: u64,
}

impl Work<'_> {
    /// Notes that were not made yet.
    pub fn remark<'n>(&mut self, notes: impl IntoIterator<Item = &'n String>) {
        for note in notes {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
    }

    /// Notes that a method could not use the views.
    pub fn leave_out(&mut self, name: &str, error: &Error) {
        self.left_out.push(LeftOut { name: name.to_string(), reason: error.to_string() });
        self.notes.push(format!("{name} is left out: {error}"));
    }

    /// One row, and of a control also the same without the diagonal of its similarities, if that was
    /// asked for and gives other clusters.
    pub fn cluster(
        &mut self,
        place: Place,
        name: String,
        method: &MultiView,
        prepared: &PreparedViews,
    ) -> Result<()> {
        let found = self.found(method, prepared)?;
        let kept = found.assignments.clone();
        self.steps += 1;
        self.run.tell(Event::Step { done: self.steps, message: &name });
        self.record(place, name.clone(), method, prepared, found)?;
        let control = method.method().is_control() || matches!(place, Place::Single(..));
        let given = method.method().params.iter().any(|p| p.name == DIAGONAL)
            && method.params()?.text(DIAGONAL) != ZERO;
        if !(self.options.diagonals && control && given && self.k > 1)
            || self.watch.stop().is_some()
        {
            return Ok(());
        }
        let other = method.clone().param(DIAGONAL, ZERO);
        let (place, name) = match place {
            Place::Single(m, _) => (Place::Single(m, true), format!("{name}({DIAGONAL}={ZERO})")),
            Place::Method(c, _) => (Place::Method(c, true), other.name()),
        };
        match self.found(&other, prepared) {
            Ok(found) if nmi(&kept, &found.assignments, NmiNorm::Arithmetic)? < ALIKE => {
                self.record(place, name, &other, prepared, found)?;
            }
            Ok(_) => {}
            Err(Error::Stopped { .. }) => {}
            Err(e) => self.notes.push(format!("{name} is left out: {e}")),
        }
        Ok(())
    }

    fn found(&self, method: &MultiView, prepared: &PreparedViews) -> Result<Clustering> {
        let inner = self.run.remaining(&self.watch).quiet();
        method.cluster_prepared(prepared, self.k, &self.options.starts, &inner)
    }

    fn record(
        &mut self,
        place: Place,
        name: String,
        method: &MultiView,
        prepared: &PreparedViews,
        found: Clustering,
    ) -> Result<()> {
        let single = matches!(place, Place::Single(..));
        (self.visit)(&Found { method, single, prepared, clustering: &found })?;
        self.remark(&found.report.notes);
        let scores = match self.truth.is_empty() {
            true => None,
            false => Some(StartScores::new(&found.kmeans, &self.truth)?),
        };
        let mut sizes = vec![0; self.k];
        found.assignments.iter().for_each(|c| sizes[*c as usize] += 1);
        let control = method.method().is_control() || single;
        let row = ClusteringRow {
            name,
            method: method.method().id.to_string(),
            params: method.params()?,
            control,
            single,
            scores,
            inertia: found.kmeans.inertia,
            inertias: Stat::new(found.kmeans.inertias),
            sizes,
            assignments: found.assignments,
            agreement: found.embedding.agreement,
            eigenvalues: found.embedding.eigenvalues,
            gaps: found.embedding.gaps,
            embedding: found.embedding.rows,
            report: found.report,
        };
        self.rows.insert(place, row);
        Ok(())
    }

    /// Every kernel alone. A kernel that spectral clustering cannot use is left out.
    pub fn singles(&mut self, base: &MultiView, prepared: &PreparedViews) -> Result<()> {
        let kernels = prepared.bank.kernels();
        for (m, kernel) in kernels.iter().enumerate().filter(|_| self.options.singles) {
            if self.watch.stop().is_some() && m > 0 {
                return Ok(());
            }
            let name = format!("single:{}", short_name(kernels, m));
            let method = base.clone().param("view", kernel.name.as_str());
            match self.cluster(Place::Single(m, false), name.clone(), &method, prepared) {
                Err(Error::Stopped { .. }) => return Ok(()),
                Err(e) => self.leave_out(&name, &e),
                Ok(()) => {}
            }
        }
        Ok(())
    }

    /// Agreement and spectra, as far as they were asked for and the similarities allow.
    pub fn views(
        &mut self,
        prepared: &PreparedViews,
    ) -> Result<(Option<ViewAgreement>, Vec<Spectrum>)> {
        let (bank, k) = (&prepared.bank, self.k);
        let agreement = self.options.agreement && bank.len() > 1;
        if self.watch.stop().is_some() || (!agreement && self.options.spectrum == 0) {
            return Ok((None, Vec::new()));
        }
        let count = if agreement { self.options.spectrum.max(k) } else { self.options.spectrum };
        let found = match spectra(bank, count, &self.run.remaining(&self.watch).quiet()) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok((None, Vec::new())),
            Err(e) => {
                self.notes.push(format!("the views are not compared with each other: {e}"));
                return Ok((None, Vec::new()));
            }
        };
        let agreement = agreement.then(|| {
            let matrix = agreement_matrix(&found, k);
            let pairs: Vec<f64> = (0..matrix.len()).flat_map(|v| matrix[v][..v].to_vec()).collect();
            ViewAgreement {
                names: (0..found.len()).map(|m| short_name(bank.kernels(), m)).collect(),
                eigenvectors: k,
                mean: Stat::new(pairs).mean,
                matrix,
            }
        });
        Ok((agreement, if self.options.spectrum > 0 { found } else { Vec::new() }))
    }
}
