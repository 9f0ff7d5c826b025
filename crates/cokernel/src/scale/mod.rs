//! Learning in time and memory proportional to the number of instances.
//!
//! Above some ten thousand instances kernels between all of them are neither kept nor computed. With
//! [`Storage::LowRank`](crate::bank::Storage::LowRank) (`nystroem:rank=200` in texts) a few instances, the landmarks, stand
//! for all: kernel m becomes the features C_m(x) = k_m(x, Z) towards them ([`Space`]), in which the machine and the weights of
//! the kernels are learned:
//!
//! ```text
//! min over η ∈ S, v, b   ½ Σ_m ‖v_m‖²/η_m + Ω(η) + Σ_i L_i(Σ_m C_m(x_i) R_m v_m + b),     R_m R_mᵀ ≙ W_m⁺
//! ```
//!
//! This is the problem of the method and its machine with k̃_m = C_m W_m⁺ C_mᵀ in place of k_m: the sets S, the conjugates
//! that make the bounds and the steps of the weights are those of [`mkl`](crate::mkl), losses those of the
//! [machines](crate::machine).
//!
//! | file | what it holds |
//! |---|---|
//! | `landmarks` | which instances |
//! | `directions` | random features in their place |
//! | `basis` | landmarks or directions |
//! | `features` | C_m(x), computed where it is needed and never kept |
//! | `space` | landmarks, C_m and R_m |
//! | `root` | R_m |
//! | `tiles` | sums whose bits do not depend on threads or partitions |
//! | `loss` | losses and what the dual knows of them |
//! | `passes` | what goes over the instances: P numbers out, P numbers back |
//! | `instances` | what a tile of them does in a pass |
//! | `workers`, `away` | passes computed by other processes and machines |
//! | `scratch`, `parcel` | the folder from which these learn what they are asked |
//! | `state` | from which a fit that was killed goes on |
//! | `processes` | worker processes on this machine |
//! | `curvature`, `covariance` | the preconditioner, and what it is made of |
//! | `bend` | how J bends with the weights |
//! | `factors` | the kernels towards landmarks between all instances, as factors, for spectral methods |
//! | `newton` | Newton's method with conjugate gradients at given weights |
//! | `bias` | where the bias is best, where losses have kinks |
//!
//! A model keeps the landmarks and Σ_m r numbers for each decision function: coefficients R_m v_m of their own for every
//! kernel ([`Each`](crate::rule::Each)).
//!
//! Cost: P = M r features for each instance and pass, 10 to 60 passes for n instances; P² numbers twice for the
//! preconditioner, P³/3 operations to factor it; n numbers for each decision function. The method of optimisation is in
//! the spirit of FALKON (Rudi, Carratino and Rosasco, NIPS 2017), for several kernels, other losses and with a certificate.

pub(crate) mod away;
mod basis;
pub(crate) mod bend;
pub(crate) mod bias;
mod covariance;
pub(crate) mod curvature;
mod directions;
mod factors;
pub(crate) mod features;
pub(crate) mod instances;
mod landmarks;
pub(crate) mod loss;
pub(crate) mod newton;
mod parcel;
pub(crate) mod passes;
mod processes;
pub(crate) mod root;
pub(crate) mod scratch;
mod space;
pub(crate) mod state;
mod tiles;
mod workers;

pub use basis::Basis;
pub(crate) use curvature::room_for_learning;
pub(crate) use landmarks::some_of;
pub use loss::Loss;
pub use processes::{Processes, serve};
pub use space::Space;
pub(crate) use space::rows_of;
pub use workers::{Executor, Workers, answer};
