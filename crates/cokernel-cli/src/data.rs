//! From files to views and labels.


use crate::session::Session;
use crate::settings::Settings;
use anyhow::Result;
use cokernel::data::{
    Labels, LabelFile, ReadOptions, TableFile, Views, read_labels, read_table,
};

/// What the files of a command hold.
pub struct Data {
    pub views: Views,
    pub labels: Labels,
}

/// Reads the views and labels to learn from.
pub fn load(settings: &Settings, session: &Session) -> Result<Data> {
    todo!()
}
pub fn load_new(settings: &Settings, session: &Session) -> Result<Data> {
    load(settings, session)
}
