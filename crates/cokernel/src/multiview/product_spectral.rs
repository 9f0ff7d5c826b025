//! Spectral embedding of the elementwise product of the bank's kernels: max tr(UᵀLU) subject to
//! UᵀU = I for U ∈ R^{n×r}, L = D^{-1/2} K D^{-1/2}, K_ij = Π_m (K_m)_ij, D_ii = Σ_j K_ij; the
//! embedding is the rows of U, each divided by its length.
//!
//! Source: the kernel-product baseline of Kumar's thesis (LMS) §3.4.
//!
//! | symbol | name |
//! |---|---|
//! | K | `Product` |
//! | D^{-1/2} | `scaling` |
//! | r | `eigenvectors`, by default k |
//!
//! Two instances are similar only if they are similar in every view, so K is sharper than any of
//! its factors, and many views make it nearly the identity. For Gaussian kernels it is the
//! Gaussian kernel of the concatenated features, each view divided by its own width.
//!
//! Deviations: the diagonal of K is kept unless `diagonal` is `zero`, as in
//! [`spectral`](super::spectral); here it weighs most.
//!
//! New rows: the Nyström extension with the degrees of the training instances.
//!
//! Cost: a few dozen products K·(n × r). K is formed once (8 n² bytes) if twice that fits into
//! [`Run::memory`]; else its rows are formed anew from those of all kernels for every product,
//! which keeps nothing of size n² and is much slower.

use super::affinity::{self, DIAGONAL};
use super::embedding::EIGENVECTORS;
use super::extension::{Extension, Source, Stage, divided};
use super::kmeans::check_clusters;
use super::work::Work;
use super::{Embedder, Embedding, Problem, laplacian};
use crate::bank::{Bank, Gram};
use crate::data::Matrix;
use crate::method::{Certificate, Entry, Group, Method, Task, WeightSet};
use crate::params::Params;
use crate::run::Pass;
use crate::solve::dense::{self, Slice};
use crate::{Event, Result, Run, Watch};
use rayon::prelude::*;

/// The registry entry.
pub static ENTRY: Entry<dyn Embedder> =
    Entry { method: &METHOD, build: |p| Box::new(ProductSpectral::new(p)) };

static METHOD: Method = Method {
    id: "product_spectral",
    title: "spectral clustering of the kernel product",
    source: "Kumar 2013, §3.4",
    summary: "Leading eigenvectors of the normalised elementwise product of all kernels, rows of \
              unit length: instances are together only if every view puts them together. Good \
              with a few reliable views. Needs similarities of at least 0 and n² numbers of \
              memory once.",
    tasks: &[Task::Cluster],
    group: Group::Controls,
    certificate: Certificate::Formula,
    recommended: false,
    weights: WeightSet::NONE,
    params: &[EIGENVECTORS, DIAGONAL],
};

/// See the [module](self).
#[derive(Debug, Clone)]
pub struct ProductSpectral {
    /// r, or 0 for k.
    pub eigenvectors: usize,
    /// Whether the diagonal is left out.
    pub zero_diagonal: bool,
}

impl ProductSpectral {
    fn new(p: &Params) -> Self {
        ProductSpectral {
            eigenvectors: p.count("eigenvectors"),
            zero_diagonal: affinity::is_zero(p),
        }
    }
}

/// K, formed or not.
struct Product<'a> {
    bank: &'a Bank,
    formed: Option<Gram>,
    watch: &'a Watch,
}

/// Rows that are formed together where K is not kept.
const STRIP: usize = 32;

impl Product<'_> {
    fn row(&self, i: usize, out: &mut [f64]) {
        if let Some(k) = &self.formed {
            return out.copy_from_slice(k.row(i));
        }
        let mut factor = vec![0.0; out.len()];
        self.bank.row(0, i, out);
        for m in 1..self.bank.len() {
            self.bank.row(m, i, &mut factor);
            out.iter_mut().zip(&factor).for_each(|(o, f)| *o *= f);
        }
    }

    fn multiply(&self, block: &Matrix) -> Matrix {
        let (n, b) = (block.rows(), block.cols());
        if let Some(k) = &self.formed {
            return dense::product(Slice::new(k.values(), n, n), Slice::of(block));
        }
        let mut out = Matrix::zeros(n, b);
        let pass = Pass::under(self.watch);
        out.values_mut().par_chunks_mut(STRIP * b).enumerate().for_each(|(c, out)| {
            if pass.is_over() {
                return;
            }
            let rows = out.len() / b;
            let mut strip = vec![0.0; rows * n];
            for (r, row) in strip.chunks_mut(n).enumerate() {
                self.row(c * STRIP + r, row);
            }
            let part = dense::product(Slice::new(&strip, rows, n), Slice::of(block));
            out.copy_from_slice(part.values());
        });
        out
    }
}

impl Embedder for ProductSpectral {
    fn embed(&self, problem: &Problem<'_>, k: usize, run: &Run) -> Result<Embedding> {
        let bank = problem.bank;
        let n = bank.n();
        check_clusters(k, n)?;
        let mut work = Work::new(bank, run);
        let r = if self.eigenvectors == 0 { k } else { self.eigenvectors };
        run.tell(Event::Begin { stage: "spectral embedding of the product", total: None });
        let all: Vec<usize> = (0..bank.len()).collect();
        let fits = n.saturating_mul(n).saturating_mul(16) <= run.memory;
        let watch = work.watch.clone();
        let pass = Pass::under(&watch);
        let formed = fits.then(|| bank.product_in(&all, &pass)).transpose()?;
        pass.complete(laplacian::EMBEDDING)?;
        let product = Product { bank, formed, watch: &watch };
        work.counts.combines += u64::from(fits);
        let own = |i: usize| all.iter().map(|m| bank.own(*m, i)).product::<f64>();
        let diagonal: Vec<f64> = (0..n).map(own).collect();
        let largest = diagonal.iter().fold(0.0_f64, |a, d| a.max(d.abs()));
        let mut degrees =
            laplacian::degrees_of(n, "the product of the kernels", largest, &watch, |i, row| {
                product.row(i, row);
            })?;
        if self.zero_diagonal {
            affinity::without(&mut degrees, &diagonal, "the product of the kernels")?;
        }
        let whose = "the product of the kernels";
        let (pairs, s) = work.normalized(whose, &degrees, r, |x| {
            let mut image = product.multiply(x);
            if self.zero_diagonal {
                affinity::subtract(&diagonal, x, &mut image);
            }
            image
        })?;
        run.tell(Event::End);
        let rows = work.unit_rows(&pairs.vectors, whose);
        let stage = Stage::normalized(Source::Product, &s, &divided(&pairs.vectors, &pairs.values));
        Ok(Embedding {
            rows,
            gaps: vec![pairs.gap()],
            eigenvalues: vec![pairs.values],
            eigenvectors: vec![pairs.vectors],
            agreement: Vec::new(),
            extension: Some(Extension::single(stage)),
            report: work.report(),
        })
    }
}
