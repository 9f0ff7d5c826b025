//! The native half of the R package `cokernel`: a thin layer over the library. What R gives comes in as lists and
//! matrices, results go out as lists; a model is the content of its file, so that R can keep it in its own files, too. All
//! work happens in threads of its own and can be interrupted.
//!
//! Private: users meet the functions of `r/R`. Without the feature `r`, which needs R, the crate is empty.

#![cfg(feature = "r")]
// Functions that the macros make have no words.
#![allow(missing_docs)]

mod cluster;
mod learn;
mod tell;
mod values;
mod views;
mod work;

use extendr_api::prelude::*;

extendr_module! {
    mod cokernel;
    use cluster;
    use learn;
    use tell;
}
