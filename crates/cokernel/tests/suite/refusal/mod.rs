//! Wrong arguments and the sentences that come back.

mod bank;
mod controls;
mod data;
mod embeddings;
mod mkl;
mod model;
mod multiview;
mod svc;
