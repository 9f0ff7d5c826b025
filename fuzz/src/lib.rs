//! Fuzz targets: functions of bytes that must not panic, abort, hang, or take memory that their
//! input does not justify.
//!
//! `cargo xtask fuzz` runs each for a minute, `cargo test -p cokernel-fuzz` each for a moment with
//! fixed seeds. See the README of this folder.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod cluster;
pub mod decode;
pub mod drive;
pub mod grams;
pub mod learn;
pub mod limit;
pub mod models;
pub mod mutate;
pub mod readers;
pub mod repair;
/// Small valid files: those of the readers' own tests.
#[allow(dead_code)]
#[path = "../../crates/cokernel/src/data/read/samples.rs"]
mod samples;
pub mod texts;

use mutate::Rng;

/// Something that reads bytes.
#[derive(Clone, Copy)]
pub struct Target {
    /// As in `cargo xtask fuzz NAME`.
    pub name: &'static str,
    /// Inputs that are accepted, all made by this program.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words that are put into inputs.
    pub words: &'static [&'static str],
    /// Changes an input in its own way, beside the general changes; whether it did.
    pub change: fn(&mut Vec<u8>, &mut Rng) -> bool,
    /// Reads the input and checks what came of it; whether it was accepted. Panics on a fault.
    pub run: fn(&[u8]) -> bool,
    /// How many inputs the short form tries.
    pub short: usize,
}

impl Target {
    const fn new(
        name: &'static str,
        short: usize,
        seeds: fn() -> Vec<Vec<u8>>,
        run: fn(&[u8]) -> bool,
    ) -> Self {
        Target { name, seeds, words: &[], change: |_, _| false, run, short }
    }

    const fn words(mut self, words: &'static [&'static str]) -> Self {
        self.words = words;
        self
    }

    const fn change(mut self, change: fn(&mut Vec<u8>, &mut Rng) -> bool) -> Self {
        self.change = change;
        self
    }
}

/// All targets. Those of experiments are in the program that reads them.
pub static TARGETS: &[Target] = &[
    Target::new("csv", 3000, readers::csv_seeds, readers::csv).words(readers::WORDS),
    Target::new("fasta", 3000, readers::fasta_seeds, readers::fasta),
    Target::new("labels", 3000, readers::label_seeds, readers::labels).words(readers::WORDS),
    Target::new("pairs", 3000, readers::pair_seeds, readers::pairs).words(readers::WORDS),
    Target::new("libsvm", 3000, readers::libsvm_seeds, readers::libsvm),
    Target::new("matrix_market", 3000, readers::mtx_seeds, readers::matrix_market)
        .words(readers::WORDS),
    Target::new("npy", 3000, readers::npy_seeds, readers::npy).words(readers::WORDS),
    Target::new("npz", 1000, readers::npz_seeds, readers::npz).words(readers::WORDS),
    Target::new("matlab", 2000, readers::mat_seeds, readers::matlab),
    Target::new("hdf5", 1000, readers::hdf5_seeds, readers::hdf5),
    Target::new("files", 200, readers::file_seeds, readers::files).words(readers::WORDS),
    Target::new("assemble", 1000, readers::table_seeds, readers::assembled).words(readers::WORDS),
    Target::new("kernels", 3000, texts::kernel_seeds, texts::kernels).words(texts::WORDS),
    Target::new("graphs", 3000, texts::graph_seeds, texts::graphs).words(texts::WORDS),
    Target::new("classifier", 400, models::classifier_seeds, models::classifier)
        .change(repair::change),
    Target::new("embedding", 400, models::embedding_seeds, models::embedding)
        .change(repair::change),
    Target::new("fitted_kernels", 400, models::kernel_seeds, models::fitted_kernels)
        .change(repair::change),
    Target::new("grams", 200, grams::seeds, grams::grams),
    Target::new("learn", 60, learn::seeds, learn::learn),
    Target::new("cluster", 60, cluster::seeds, cluster::cluster),
];

/// The target with this name.
///
/// # Errors
/// There is none; the sentence lists all.
pub fn find(name: &str) -> Result<&'static Target, String> {
    let names = || TARGETS.iter().map(|t| t.name).collect::<Vec<_>>().join(", ");
    let found = TARGETS.iter().find(|t| t.name == name);
    found.ok_or_else(|| format!("no target '{name}'; known: {}", names()))
}
