//! Registry, kernels as matrices, files, data.

use crate::learn::specs;
use crate::values::{matrix, text, to_r, told};
use crate::views::views;
use crate::work::work;
use cokernel::bank::{Bank, Storage};
use cokernel::catalogue;
use cokernel::data::{self, Labels, Table, Views};
use cokernel::method::Method;
use cokernel::model::{EmbeddingModel, Model, Saved};
use extendr_api::prelude::*;
use extendr_api::{Error, Result};

/// Methods or machines, column by column.
fn listed(all: &[&'static Method]) -> List {
    let texts = |of: &dyn Fn(&Method) -> String| all.iter().map(|m| of(m)).collect::<Vec<String>>();
    let tasks = |m: &Method| m.tasks.iter().map(|t| t.id()).collect::<Vec<_>>().join(", ");
    let params = |m: &Method| m.params.iter().map(|p| p.name).collect::<Vec<_>>().join(", ");
    list!(
        id = texts(&|m| m.id.to_string()),
        title = texts(&|m| m.title.to_string()),
        tasks = texts(&tasks),
        parameters = texts(&params),
        source = texts(&|m| m.source.to_string()),
        summary = texts(&|m| m.summary.to_string())
    )
}

/// All methods.
#[extendr]
fn ck_methods() -> List {
    listed(&catalogue::methods().collect::<Vec<_>>())
}

/// All machines.
#[extendr]
fn ck_machines() -> List {
    listed(&catalogue::machines().collect::<Vec<_>>())
}

/// Names, defaults, ranges and sentences of the parameters of a method or machine.
#[extendr]
fn ck_parameters(id: &str) -> Result<List> {
    let mut all = catalogue::methods().chain(catalogue::machines());
    let known = || catalogue::methods().chain(catalogue::machines()).map(|m| m.id);
    let found = all.find(|m| m.id == id);
    let found = found.ok_or_else(|| to_r(cokernel::Error::unknown("method", id, known())))?;
    let column = |of: &dyn Fn(&cokernel::params::Param) -> String| -> Vec<String> {
        found.params.iter().map(of).collect()
    };
    Ok(list!(
        name = column(&|p| p.name.to_string()),
        default = column(&|p| p.default().to_string()),
        range = column(&|p| p.range_text()),
        doc = column(&|p| p.doc.to_string())
    ))
}

/// The machine that is meant for a task where none is named.
#[extendr]
fn ck_machine_of(task: &str) -> Result<String> {
    let found = catalogue::machines()
        .find(|m| m.recommended && m.tasks.iter().any(|t| t.id() == task))
        .map(|m| m.id.to_string());
    found.ok_or_else(|| {
        Error::Other(format!("task: expected classify, regress or detect, found '{task}'"))
    })
}

/// Kernel matrices between instances, by the names of the kernels.
#[extendr]
fn ck_kernels(given_views: List, kernels: Vec<String>, run: List) -> Result<List> {
    let views = views(&given_views)?;
    let specs = specs(&kernels)?;
    let found = work(&run, move |run| {
        let bank = Bank::build(&views, &specs, Storage::Resident, run)?;
        let one = |m: usize| {
            let mut weights = vec![0.0; bank.len()];
            weights[m] = 1.0;
            Ok((bank.kernels()[m].name.clone(), bank.combine(&weights)?.into_matrix()?))
        };
        (0..bank.len()).map(one).collect::<cokernel::Result<Vec<_>>>()
    })?;
    let names: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
    List::from_names_and_values(names, found.iter().map(|(_, m)| matrix(m)))
}

/// Writes the content of a model's file, all of it or nothing.
#[extendr]
fn ck_save(bytes: Raw, kind: &str, path: &str) -> Result<()> {
    match kind {
        "embedding" => EmbeddingModel::from_bytes(bytes.as_slice()).and_then(|m| m.save(path)),
        _ => Model::from_bytes(bytes.as_slice()).and_then(|m| m.save(path)),
    }
    .map_err(to_r)
}

/// The content of a model's file, and which kind it is.
#[extendr]
fn ck_load(path: &str) -> Result<List> {
    let (kind, bytes) = match Saved::load(path).map_err(to_r)? {
        Saved::Classifier(model) => ("model", model.to_bytes().map_err(to_r)?),
        Saved::Embedding(model) => ("embedding", model.to_bytes().map_err(to_r)?),
    };
    Ok(list!(kind = kind, bytes = Raw::from_bytes(&bytes)))
}

/// A data set that comes with the library: the digits, or a toy by name.
#[extendr]
fn ck_data(spec: List) -> Result<List> {
    let number = |name: &str| crate::values::number(&spec, name).map(|v| v.unwrap_or(0.0));
    let (n, seed) = (number("n")?.max(0.0) as usize, number("seed")?.max(0.0) as u64);
    let made = match text(&spec, "name")?.as_str() {
        "digits" => data::digits(),
        "two_circles" => data::toy::two_circles(n, 0.1, seed),
        "synthetic_1" => data::toy::synthetic_1(n, seed),
        "synthetic_2" => data::toy::synthetic_2(n, seed),
        other => {
            let known = ["digits", "two_circles", "synthetic_1", "synthetic_2"];
            Err(cokernel::Error::unknown("data set", other, known))
        }
    };
    let (views, labels): (Views, Labels) = made.map_err(to_r)?;
    let tables = views.iter().filter_map(|v| match &v.table {
        Table::Dense(m) => Some((v.name.as_str(), matrix(m))),
        _ => None,
    });
    let tables = List::from_pairs(tables.collect::<Vec<_>>());
    let classes = labels.classes().map_err(to_r)?;
    let of: Vec<String> =
        classes.codes.iter().map(|c| classes.names[*c as usize].clone()).collect();
    Ok(list!(views = tables, classes = of))
}

/// The version of the library.
#[extendr]
fn ck_version() -> Result<Robj> {
    told(&cokernel::VERSION)
}

extendr_module! {
    mod tell;
    fn ck_methods;
    fn ck_machines;
    fn ck_parameters;
    fn ck_machine_of;
    fn ck_kernels;
    fn ck_save;
    fn ck_load;
    fn ck_data;
    fn ck_version;
}
