//! Graphs in place of the features of views, for [`MultiView`](super::MultiView).

use crate::data::{Csr, Preparation, Table, View, Views};
use crate::kernel::{Family, GraphSpec, KernelSpec};
use crate::{Error, Result, bank};

/// Which view becomes which graph.
pub(super) type Assigned = Vec<(String, GraphSpec)>;

/// The graph of each view: one that names it goes before one for every feature view.
///
/// # Errors
/// Unknown views, a view that is a similarity, several graphs for a view.
pub(super) fn assign(specs: &[GraphSpec], views: &Views) -> Result<Assigned> {
    let mut assigned: Assigned = Vec::new();
    for spec in specs {
        spec.check()?;
        let Some(name) = &spec.view else { continue };
        let table = &views.get(name)?.table;
        if !table.is_features() {
            return Err(Error::Data(format!(
                "graph '{spec}': view '{name}' is {}{}; a graph of neighbours is built from features",
                table.words(),
                if table.is_similarity() { " already" } else { "" }
            )));
        }
        if let Some((_, other)) = assigned.iter().find(|a| a.0 == *name) {
            return Err(several(name, other, spec));
        }
        assigned.push((name.clone(), spec.clone()));
    }
    let mut general: Option<&GraphSpec> = None;
    for spec in specs.iter().filter(|s| s.view.is_none()) {
        if let Some(other) = general.replace(spec) {
            return Err(several("every view", other, spec));
        }
        let free =
            |v: &&View| v.table.is_features() && !assigned.iter().any(|(name, _)| *name == v.name);
        let names: Vec<String> = views.iter().filter(free).map(|v| v.name.clone()).collect();
        if names.is_empty() && assigned.is_empty() {
            return Err(Error::Data(format!("graph '{spec}': there is no feature view")));
        }
        assigned.extend(names.into_iter().map(|name| (name, spec.clone())));
    }
    Ok(assigned)
}

fn several(view: &str, a: &GraphSpec, b: &GraphSpec) -> Error {
    Error::Data(format!(
        "'{a}' and '{b}' are both graphs of {view}; to use two, give the view twice under two names"
    ))
}

/// The views as kernels see them: graphs, still without edges, in place of features.
pub(super) fn announced(views: &Views, graphs: &Assigned) -> Result<Views> {
    let mut seen = Views::new();
    for view in views.iter() {
        if graphs.iter().any(|(name, _)| *name == view.name) {
            let empty = Csr::from_rows(views.n(), vec![Vec::new(); views.n()])?;
            seen = seen.with(view.name.clone(), Table::Graph(empty))?;
        } else {
            seen.push(view.clone())?;
        }
    }
    Ok(seen)
}

/// The given kernels, and every graph as it is unless a kernel on it is among them.
///
/// # Errors
/// A kernel function on a view that becomes a graph.
pub(super) fn with_graphs(
    mut specs: Vec<KernelSpec>,
    graphs: &Assigned,
) -> Result<Vec<KernelSpec>> {
    for (name, graph) in graphs {
        let on_it = |s: &&KernelSpec| s.view.as_ref() == Some(name);
        if let Some(other) = specs.iter().filter(on_it).find(|s| s.family != Family::Precomputed) {
            return Err(Error::Data(format!(
                "view '{name}' becomes the graph '{graph}', so that the kernel '{other}' finds no \
                 features; to use both, give the view twice under two names"
            )));
        }
        let serves = |s: &KernelSpec| {
            s.family == Family::Precomputed && s.view.as_ref().is_none_or(|v| v == name)
        };
        if !specs.iter().any(serves) {
            specs.push(KernelSpec::precomputed().view(name));
        }
    }
    Ok(specs)
}

/// The graphs of views side by side: the first graph, on all columns.
pub(super) fn of_concatenation(graphs: &Assigned) -> Assigned {
    let first = graphs.first().map(|(_, spec)| GraphSpec { view: None, ..spec.clone() });
    first.map(|spec| (Preparation::CONCAT.to_string(), spec)).into_iter().collect()
}

/// The same views with their graphs.
pub(super) fn built(views: &Views, graphs: &Assigned) -> Result<Views> {
    let mut all = Views::new();
    for view in views.iter() {
        match graphs.iter().find(|(name, _)| *name == view.name) {
            Some((_, spec)) => all.push(bank::build_graph(view, spec)?)?,
            None => all.push(view.clone())?,
        }
    }
    if let Some(ids) = views.ids() {
        all.set_ids(ids.to_vec())?;
    }
    Ok(all)
}
