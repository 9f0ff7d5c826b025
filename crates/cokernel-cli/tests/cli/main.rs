//! The program as a user runs it: files in, files and sentences out.

#![allow(clippy::unwrap_used)]

#[cfg(unix)]
mod browser;
mod cluster;
mod cluster_pairs;
mod compare;
mod demo;
mod embed;
mod evaluate;
mod files;
mod fit;
mod gates;
mod kernels;
mod machines;
#[cfg(unix)]
mod mapped;
mod methods;
mod missing;
#[cfg(unix)]
mod page;
mod pairs;
mod people;
mod predict;
mod probabilities;
mod project;
mod refusal;
mod reproduce;
mod run;
#[cfg(unix)]
mod sequences;
mod shards;
mod splits;
mod statistics;
mod stopped;
mod toy;
mod toy_files;
mod tuning;
mod workers;
