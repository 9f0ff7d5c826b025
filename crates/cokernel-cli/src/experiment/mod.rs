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
    "lms-3.1"
    "lms-3.2"
    "lms-3.3"
    "lms-3.4"
    "lms-3.5"
    "lms-4.1-synthetic-1"
    "lms-4.1-synthetic-2"
    "lms-4.1-handwritten"
    "lms-4.1-lambda"
    "crsc-1-handwritten"
    "lms-fig-3.2"
    "lms-fig-3.3"
    "lms-3.3.3-uninformative"
    "lms-3.3.3-uninformative-random"
    "lms-3.3.3-contradictory"
    "lms-fig-3.4"
    "lms-fig-3.5"
    "lms-fig-4.2"
};

#[cfg(test)]
mod tests;
