//! From files to views and labels.

use crate::misuse::misuse;
use crate::session::Session;
use crate::settings::Settings;
use crate::table::count;
use anyhow::Result;
use cokernel::data::{
    AssembleOptions, Labels, ReadOptions, Table, Views, assemble, read_labels, read_table,
};

/// What the files of a command hold.
pub struct Data {
    pub views: Views,
    pub labels: Labels,
}

/// Reads views and labels to learn from; there must be labels.
pub fn load_labelled(settings: &Settings, session: &Session) -> Result<Data> {
    let data = load(settings, session)?;
    if let Labels::Absent(_) = data.labels {
        return Err(misuse("no labels are given; add --labels FILE"));
    }
    Ok(data)
}

/// Reads the instances to learn from, with labels if there are any.
pub fn load(settings: &Settings, session: &Session) -> Result<Data> {
    read(settings, session, false)
}

/// Reads instances to be compared with those of a model.
pub fn load_new(settings: &Settings, session: &Session) -> Result<Data> {
    read(settings, session, true)
}

fn read(settings: &Settings, session: &Session, new_instances: bool) -> Result<Data> {
    if settings.views.is_empty() {
        return Err(misuse("no view is given; add --view NAME=FILE, or write a cokernel.toml"));
    }
    let own_labels = settings.labels.is_none();
    let mut tables = Vec::new();
    for view in &settings.views {
        let options = ReadOptions {
            id_column: settings.id.clone(),
            label_column: settings.label_column.clone().filter(|_| own_labels),
            variable: view.variable.clone(),
            similarity: view.similarity,
            missing_rows: settings.drop_incomplete,
            ..ReadOptions::default()
        };
        tables.push((view.name.clone(), read_table(&view.path, &options)?));
    }
    let label_options = ReadOptions {
        id_column: settings.id.clone(),
        label_column: settings.label_column.clone(),
        ..ReadOptions::default()
    };
    let labels = settings.labels.as_ref().map(|p| read_labels(p, &label_options)).transpose()?;
    let options = AssembleOptions {
        allow_missing: settings.drop_incomplete,
        new_instances,
        ..AssembleOptions::default()
    };
    let assembled = assemble(tables, labels, &options)?;
    session.notes(&assembled.notes);
    let data = Data { views: assembled.views, labels: assembled.labels };
    if settings.drop_incomplete { Ok(complete(data, session, new_instances)) } else { Ok(data) }
}

/// The instances that have every view.
fn complete(data: Data, session: &Session, new_instances: bool) -> Data {
    let (n, rows) = (data.views.n(), data.views.complete_rows());
    if rows.len() == n {
        return data;
    }
    let dropped = count(n - rows.len(), "instance", "instances");
    session.notes([format!("{dropped} of {n} left out: not every view is there")]);
    let views = if new_instances {
        let similarity = data.views.iter().find(|v| matches!(v.table, Table::Similarity(_)));
        let training: Vec<usize> = (0..similarity.map_or(0, |v| v.table.cols())).collect();
        data.views.select_new(&rows, &training)
    } else {
        data.views.select(&rows)
    };
    Data { views, labels: data.labels.select(&rows) }
}
