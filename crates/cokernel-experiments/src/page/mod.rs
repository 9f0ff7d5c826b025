//! The report of an experiment: a page, tables and pictures.

mod figures;
mod html;
mod markup;
mod ranking;
mod rows;
mod tables;

use crate::files::{write, write_json};
use crate::store::{Counts, Kept, Trouble};
use crate::{Cell, Collected, Experiment, Specification};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Everything a report is made of.
pub struct Material<'a> {
    /// The experiment.
    pub plan: &'a Experiment,
    /// Its text.
    pub spec: &'a Specification,
    /// Seed of the first data set.
    pub seed: u64,
    /// All cells.
    pub cells: &'a [Cell],
    /// By index of the cell.
    pub kept: &'a BTreeMap<usize, Kept>,
    /// One for each data set.
    pub collected: &'a [Collected],
    /// How far it is.
    pub counts: Counts,
    /// Cells without a result, and why.
    pub troubles: &'a [Trouble],
    /// As it was called, for the command that runs it again.
    pub store: String,
}

/// The tables for programs, as CSV.
#[derive(Debug, Clone)]
pub struct Tables {
    /// One line for each row and score.
    pub rows: String,
    /// One line for each cell.
    pub cells: String,
}

impl Tables {
    /// The tables of what is there.
    ///
    /// # Errors
    /// A test between rows cannot be computed.
    pub fn of(material: &Material<'_>) -> Result<Self> {
        let compared = rows::compared(material)?;
        Ok(Tables { rows: tables::csv(material, &compared), cells: tables::cells(material) })
    }
}

/// Writes all files into a folder that is there; their names.
pub fn write_all(material: &Material<'_>, folder: &Path) -> Result<Vec<String>> {
    let compared = rows::compared(material)?;
    let ranking = ranking::ranking(material)?;
    let figures = figures::all(material, &compared, ranking.as_ref())?;
    let mut names = Vec::new();
    let mut put = |name: &str, content: &[u8]| -> Result<()> {
        names.push(name.to_string());
        write(&folder.join(name), content)
    };
    put("table.csv", tables::csv(material, &compared).as_bytes())?;
    put("cells.csv", tables::cells(material).as_bytes())?;
    put("table.md", tables::markdown(material, &compared).as_bytes())?;
    put("table.tex", tables::latex(material, &compared).as_bytes())?;
    put("timings.csv", tables::timings(material).as_bytes())?;
    put("specification.toml", material.spec.text.as_bytes())?;
    for figure in &figures {
        let drawing = || format!("drawing {}", figure.name);
        let (panels, columns) = (&figure.panels, figure.columns);
        let svg = cokernel_plot::svg(panels, columns).with_context(drawing)?;
        put(&format!("{}.svg", figure.name), svg.as_bytes())?;
        let png = cokernel_plot::png(panels, columns).with_context(drawing)?;
        put(&format!("{}.png", figure.name), &png)?;
    }
    let page = html::page(material, &compared, ranking.as_ref(), &figures)?;
    put("index.html", page.as_bytes())?;
    write_json(
        &folder.join("results.json"),
        &tables::json(material, &compared, ranking.as_ref())?,
    )?;
    names.push("results.json".to_string());
    Ok(names)
}
