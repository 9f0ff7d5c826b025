//! Experiments: published tables and figures as files, what they mean, and what running them gives.

mod file;
mod outcome;
mod plan;
pub mod print;
mod runner;
mod score;
mod source;

pub use file::EXAMPLE;
pub use outcome::Outcome;
pub use plan::Experiment;
pub use runner::run;
pub use source::{DATA_VARIABLE, Source, data_folder};

macro_rules! shipped {
    ($($id:literal)*) => {
        &[$(($id, include_str!(concat!("../../../../experiments/", $id, ".toml")))),*]
    };
}

/// The files that come with the program, by id: one line each.
pub static SHIPPED: &[(&str, &str)] = shipped! {
    "lms-4.1-lambda"
};

#[cfg(test)]
mod tests;
