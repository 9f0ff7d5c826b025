//! The tests of the crate, apart from it: with tests inside it would be compiled twice, with all of faer's instances.

mod cholesky;
mod eigen;
mod few;
mod loops;
mod lu;
mod pivots;
mod rows;
mod shifted;
mod symmetric;
mod tiles;
mod tridiagonal;
mod waves;
