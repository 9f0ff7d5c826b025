//! One file per command.

pub mod cluster;
pub mod compare;
pub mod demo;
pub mod embed;
pub mod evaluate;
pub mod fit;
pub mod inspect;
pub mod kernels;
pub mod merge;
pub mod methods;
pub mod predict;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod splits;
pub mod statistics;
pub mod status;
pub mod toy;
pub mod worker;
