//! The table of cells of an experiment: one variant of one row on one split of one data set.

use super::plan::{Data, Experiment, Pick};
use super::source::{digest, hexadecimal};
use anyhow::Result;
use cokernel::VERSION;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::Path;

/// One computation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// A hash of everything that decides its result, and of nothing else.
    pub id: String,
    /// All that, as JSON.
    pub decided_by: String,
    /// Index of the data set's entry in the file.
    pub data: usize,
    /// Index of the value of the sweep, where it matters.
    pub at: Option<usize>,
    /// The data set among those with consecutive seeds.
    pub set: usize,
    /// Number of the split, from 0.
    pub split: usize,
    /// Index of the row.
    pub row: usize,
    /// Index of the variant of the row.
    pub variant: usize,
}

/// Cells with the same data and the same training instances can share kernels.
pub type Group = (usize, Option<usize>, usize, usize);

impl Experiment {
    /// Where kernels can be shared.
    pub fn group(&self, cell: &Cell) -> Group {
        let of_data = self.sweep.as_ref().is_some_and(|s| s.of_data);
        (cell.data, cell.at.filter(|_| of_data), cell.set, cell.split)
    }

    /// A value of the sweep over the data.
    pub fn swept_data(&self, cell: &Cell) -> Option<(&str, f64)> {
        let sweep = self.sweep.as_ref().filter(|s| s.of_data)?;
        Some((sweep.parameter.as_str(), sweep.values[cell.at?]))
    }

    /// A value of the sweep over the methods.
    pub fn swept_method(&self, cell: &Cell) -> Option<(&str, f64)> {
        let sweep = self.sweep.as_ref().filter(|s| !s.of_data)?;
        Some((sweep.parameter.as_str(), sweep.values[cell.at?]))
    }

    /// All cells, identified. Set i has seed `seed` + i. Files are read for their content, which
    /// decides about the results.
    pub fn cells(&self, folder: Option<&Path>, seed: u64) -> Result<Vec<Cell>> {
        let source = |data: &Data| -> Result<Value> {
            let mut identity = json!({ "source": data.source.identity(folder)? });
            if !data.selection.is_all() {
                let test = data.source.beside(data.selection.test.as_deref(), folder)?;
                let test = test.map(|path| digest(&path)).transpose()?;
                identity["selection"] = json!({ "what": data.selection, "test": test });
            }
            if let Some(given) = &data.given {
                let rows = serde_json::to_string(&given.splits)?;
                identity["splits"] = json!(hexadecimal(&Sha256::digest(rows)[..16]));
            }
            Ok(identity)
        };
        let sources = self.data.iter().map(source).collect::<Result<Vec<_>>>()?;
        let identified = |cell: Cell| {
            let source = &sources[cell.data];
            self.identified(cell, source, seed)
        };
        self.places().into_iter().map(identified).collect()
    }

    /// All cells without what identifies them, in the order of the file: data, value of a sweep
    /// over it, set, split, row, value of a sweep over methods, variant.
    pub fn places(&self) -> Vec<Cell> {
        let values = self.sweep.as_ref().map_or(0, |s| s.values.len());
        let steps = |swept: bool| -> Vec<Option<usize>> {
            if swept { (0..values).map(Some).collect() } else { vec![None] }
        };
        let of_data = self.sweep.as_ref().is_some_and(|s| s.of_data);
        let mut cells = Vec::new();
        let blank = |data, at, set, split| {
            let (id, decided_by) = (String::new(), String::new());
            Cell { id, decided_by, data, at, set, split, row: 0, variant: 0 }
        };
        for (d, data) in self.data.iter().enumerate() {
            for (at, set) in
                steps(of_data).into_iter().flat_map(|at| (0..data.sets).map(move |s| (at, s)))
            {
                for split in 0..self.protocol.splits() {
                    let first = blank(d, at, set, split);
                    self.rows_of(&first, &steps, &mut cells);
                }
            }
        }
        cells
    }

    /// The cells of all rows on one split.
    fn rows_of(
        &self,
        first: &Cell,
        steps: &dyn Fn(bool) -> Vec<Option<usize>>,
        cells: &mut Vec<Cell>,
    ) {
        for (r, row) in self.rows.iter().enumerate() {
            let swept = self.sweep.as_ref().is_some_and(|s| row.is_swept(s));
            for step in steps(swept) {
                for variant in 0..row.variants.len() {
                    let at = first.at.or(step);
                    cells.push(Cell { at, row: r, variant, ..first.clone() });
                }
            }
        }
    }

    /// The cell with what decides about its result.
    fn identified(&self, cell: Cell, source: &Value, seed: u64) -> Result<Cell> {
        let (data, row) = (&self.data[cell.data], &self.rows[cell.row]);
        let variant = &row.variants[cell.variant];
        let extra = self.swept_method(&cell);
        let (params, machine) = match self.protocol.learning() {
            Some(_) => {
                let mkl = variant.mkl(data, &self.machine, extra)?;
                (mkl.params()?, Some(serde_json::to_value(mkl.machine_spec().checked()?)?))
            }
            None => (variant.multi_view(data, extra)?.params()?, None),
        };
        let learning = self.protocol.learning().filter(|_| row.pick == Pick::Inner);
        let inner = learning.map(|l| l.inner_folds);
        let mut decided_by = json!({
            "version": VERSION,
            "source": source["source"],
            "views": data.views,
            "unit_rows": data.unit_rows,
            "lsa": data.lsa,
            "costs": data.costs,
            "swept_data": self.swept_data(&cell),
            "seed": seed.wrapping_add(cell.set as u64),
            "protocol": self.protocol.kind,
            "split": cell.split,
            "inner_folds": inner,
            "inner_score": inner.map(|_| self.protocol.pick_by),
            "method": variant.method.id,
            "params": params,
            "machine": machine,
            "scale": data.scale,
            "own_views": variant.views,
            "kernels": variant.kernels.as_ref().or(data.kernels.as_ref()),
            "memory": self.limits.memory,
        });
        // Cells without probabilities, on all instances, or on splits that are drawn keep their names.
        if let Some(selection) = source.get("selection") {
            decided_by["selection"] = selection.clone();
        }
        if let Some(splits) = source.get("splits") {
            decided_by["splits"] = splits.clone();
        }
        if let Some(how) = self.calibrating {
            decided_by["calibrating"] = json!(how);
        }
        let text = decided_by.to_string();
        Ok(Cell { id: id_of(&text), decided_by: text, ..cell })
    }
}

/// The name of a cell: a hash of what decides its result.
pub fn id_of(decided_by: &str) -> String {
    hexadecimal(&Sha256::digest(decided_by.as_bytes())[..16])
}

/// A cell in words, the same on all splits: `digits, SimpleMKL, c=10`.
pub fn label_of(plan: &Experiment, cell: &Cell) -> String {
    let row = &plan.rows[cell.row];
    let mut parts = vec![plan.data[cell.data].label.clone()];
    if let Some((name, value)) = plan.swept_data(cell).or_else(|| plan.swept_method(cell)) {
        parts.push(format!("{name}={value}"));
    }
    parts.push(row.label.clone());
    if row.variants.len() > 1 {
        parts.push(row.variants[cell.variant].label.clone());
    }
    parts.join(", ")
}

/// As [`label_of`], with data set and split where there are several: names one cell.
pub fn place_of(plan: &Experiment, cell: &Cell) -> String {
    let mut text = label_of(plan, cell);
    if plan.data[cell.data].sets > 1 {
        text.push_str(&format!(", set {}", cell.set));
    }
    if plan.protocol.splits() > 1 {
        text.push_str(&format!(", split {}", cell.split));
    }
    text
}
