//! MEDFC, SimpleMKL and the mean of view classifiers on given matrices: `simple_mkl` with the id and the parameters of the
//! method.

#[path = "simple_mkl.rs"]
mod one_stage;

fn main() {
    one_stage::main();
}
