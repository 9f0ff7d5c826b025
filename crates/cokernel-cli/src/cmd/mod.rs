//! One file per command.

pub mod cluster;
pub mod compare;
pub mod demo;
pub mod embed;
pub mod evaluate;
pub mod fit;
pub mod inspect;
pub mod methods;
pub mod predict;
pub mod reproduce;
pub mod toy;
