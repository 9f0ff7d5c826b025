//! The table of observations: names and columns.

use super::super::Room;
use super::super::hdf5::{Dataset, Group, Kind, Node};
use crate::Error;

/// The group `obs`.
pub(super) struct Frame(Group);

impl Frame {
    pub(super) fn of(within: &Group) -> Result<Self, String> {
        match within.get("obs")? {
            Some(Node::Group(group)) => Ok(Frame(group)),
            Some(Node::Dataset(_)) => {
                Err("obs is one array, as anndata wrote it before version 0.7; read the \
                                           file with a newer anndata and write it again"
                    .to_string())
            }
            None => Err("there is no obs: this is no AnnData or MuData file".to_string()),
        }
    }

    /// The names of the columns.
    pub(super) fn columns(&self) -> Result<Vec<String>, String> {
        let index = self.index_name();
        let mut names = self.0.names()?;
        names.retain(|name| *name != index && name != "__categories");
        Ok(names)
    }

    fn index_name(&self) -> String {
        self.0.text("_index").unwrap_or_else(|| "_index".to_string())
    }

    /// The number of observations.
    pub(super) fn len(&self) -> Result<usize, String> {
        let shape = match self.node(&self.index_name())? {
            Node::Dataset(dataset) => dataset.shape()?,
            Node::Group(group) => group
                .dataset(if group.get("codes")?.is_some() { "codes" } else { "values" })?
                .shape()?,
        };
        match shape[..] {
            [n] => Ok(n),
            _ => Err(format!("the index of obs has the shape {shape:?}; expected one list")),
        }
    }

    /// The names of the observations.
    pub(super) fn names(&self, room: &mut Room) -> Result<Vec<String>, String> {
        let name = self.index_name();
        column(&self.0, &name, self.node(&name)?, room)
    }

    fn node(&self, name: &str) -> Result<Node, String> {
        let found = self.0.get(name)?;
        found.ok_or_else(|| format!("there is no '{name}' in '/{}'", self.0.path))
    }

    /// A column, one text for each observation; empty where a value is missing.
    pub(super) fn column(&self, name: &str, room: &mut Room) -> Result<Vec<String>, String> {
        let known = self.columns()?;
        if !known.iter().any(|c| c == name) {
            return Err(Error::unknown("label column", name, &known).to_string());
        }
        let texts = column(&self.0, name, self.node(name)?, room)?;
        let n = self.len()?;
        match texts.len() == n {
            true => Ok(texts),
            false => {
                Err(format!("column '{name}' of obs has {} entries; expected {n}", texts.len()))
            }
        }
    }
}

fn column(frame: &Group, name: &str, node: Node, room: &mut Room) -> Result<Vec<String>, String> {
    let group = match node {
        Node::Dataset(codes) => {
            // Before anndata 0.8 categories were kept apart.
            let apart = frame.group("__categories")?;
            return match apart.map(|g| g.get(name)).transpose()?.flatten() {
                Some(Node::Dataset(categories)) => coded(&codes, texts(&categories, room)?, room),
                _ => texts(&codes, room),
            };
        }
        Node::Group(group) => group,
    };
    let kind = group.text("encoding-type").unwrap_or_default();
    match kind.as_str() {
        "categorical" => {
            let categories = match group.get("categories")? {
                Some(Node::Dataset(categories)) => texts(&categories, room)?,
                Some(Node::Group(nullable)) => masked(&nullable, room)?,
                None => return Err(format!("column '{name}' of obs has no categories")),
            };
            coded(&group.dataset("codes")?, categories, room)
        }
        "nullable-integer" | "nullable-boolean" | "nullable-string-array" => masked(&group, room),
        other => Err(format!(
            "column '{name}' of obs is of the type '{other}'; expected categories, text, numbers or \
             truth values"
        )),
    }
}

/// Texts by their numbers from 0; a negative one is missing.
fn coded(codes: &Dataset, texts: Vec<String>, room: &mut Room) -> Result<Vec<String>, String> {
    let text = |code: f64| match code {
        c if c < 0.0 => Ok(String::new()),
        c => texts.get(c as usize).cloned().ok_or_else(|| {
            format!("'/{}' has the code {c}, of {} categories", codes.path, texts.len())
        }),
    };
    let codes = codes.numbers::<f64>(room)?;
    let letters = texts.iter().map(|t| t.len() + size_of::<String>()).max().unwrap_or(0);
    room.take(codes.len().saturating_mul(letters))?;
    codes.into_iter().map(text).collect()
}

/// Values of which some are masked: those are missing.
fn masked(group: &Group, room: &mut Room) -> Result<Vec<String>, String> {
    let values = texts(&group.dataset("values")?, room)?;
    let mask = group.dataset("mask")?.numbers::<f64>(room)?;
    if mask.len() != values.len() {
        return Err(format!("the mask of '/{}' is of another length", group.path));
    }
    Ok(values
        .into_iter()
        .zip(mask)
        .map(|(v, m)| if m == 0.0 { v } else { String::new() })
        .collect())
}

/// Each value as text; a number that is NaN is missing.
fn texts(dataset: &Dataset, room: &mut Room) -> Result<Vec<String>, String> {
    match dataset.kind()? {
        Kind::Text => dataset.texts(room),
        kind => {
            let numbers = dataset.numbers::<f64>(room)?;
            room.take(numbers.len().saturating_mul(size_of::<String>() + 8))?;
            let text = |x: f64| match (kind, x) {
                (Kind::Bool, 0.0) => "False".to_string(),
                (Kind::Bool, _) => "True".to_string(),
                (_, x) if x.is_nan() => String::new(),
                (_, x) => x.to_string(),
            };
            Ok(numbers.into_iter().map(text).collect())
        }
    }
}

/// The names of the variables, where there are as many.
pub(super) fn variable_names(within: &Group, count: usize, room: &mut Room) -> Option<Vec<String>> {
    let frame = Frame(within.group("var").ok()??);
    let names = frame.names(room).ok()?;
    (names.len() == count).then_some(names)
}
