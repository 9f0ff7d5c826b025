//! Views from R: a list of lists with `name`, `kind`, `data`, and, where they are known, `columns` and `present`.

use crate::values::{entry, from_columns, reals, text, texts, to_r};
use cokernel::data::{Csr, Sequences, Table, View, Views};
use extendr_api::prelude::*;
use extendr_api::{Error, Result};

/// The views of such a list.
pub fn views(given: &List) -> Result<Views> {
    let mut all = Views::new();
    for (_, one) in given.iter() {
        let one = one.as_list().ok_or_else(|| Error::Other("views: expected lists".to_string()))?;
        all.push(view(&one)?).map_err(to_r)?;
    }
    Ok(all)
}

fn view(given: &List) -> Result<View> {
    let name = text(given, "name")?;
    let what = format!("view '{name}'");
    let data = entry(given, "data").ok_or_else(|| Error::Other(format!("{what}: no data")))?;
    let table = match text(given, "kind")?.as_str() {
        "similarity" => Table::Similarity(from_columns(&data, &what)?),
        "sequences" => {
            let texts = data.as_string_vector();
            let texts = texts.ok_or_else(|| Error::Other(format!("{what}: expected texts")))?;
            Table::Sequences(Sequences::new(texts).map_err(to_r)?)
        }
        "sparse" => Table::Sparse(sparse(&data, &what)?),
        "graph" => Table::Graph(sparse(&data, &what)?),
        _ => Table::Dense(from_columns(&data, &what)?),
    };
    let present = entry(given, "present").and_then(|p| p.as_logical_vector());
    let present = present.map(|p| p.iter().map(|v| v.is_true()).collect());
    Ok(View { name, table, columns: texts(given, "columns")?, present })
}

/// A matrix by columns (slots p, i, x and Dim of a dgCMatrix): the rows of its transpose, transposed.
fn sparse(data: &Robj, what: &str) -> Result<Csr> {
    let wrong = || Error::Other(format!("{what}: expected a sparse matrix (dgCMatrix)"));
    let list = data.as_list().ok_or_else(wrong)?;
    let whole = |name: &str| -> Result<Vec<usize>> {
        let found = entry(&list, name).and_then(|v| reals(&v)).ok_or_else(wrong)?;
        Ok(found.into_iter().map(|v| v as usize).collect())
    };
    let (starts, rows) = (whole("p")?, whole("i")?);
    let numbers = entry(&list, "x").and_then(|v| reals(&v)).ok_or_else(wrong)?;
    let height = whole("dim")?.first().copied().ok_or_else(wrong)?;
    let rows = rows.into_iter().map(|i| i as u32).collect();
    Csr::from_parts(height, starts, rows, numbers).map(|m| m.transposed()).map_err(to_r)
}
