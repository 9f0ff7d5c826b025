//! Splits that an experiment takes from files of `cokernel splits`: one for its data, or one for each by its label.

use super::Data;
use crate::file::{Content, File};
use crate::misuse::one_line;
use anyhow::{Context, Result};
use cokernel::eval::Splits;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// The key in `[protocol]`.
const KEY: &str = "splits";

/// Splits by the label of the data; one for all of it has no label.
pub struct Given {
    by_label: BTreeMap<Option<String>, Splits>,
    place: Range<usize>,
}

impl Given {
    /// Those that the protocol is read from.
    pub fn first(&self) -> Option<&Splits> {
        self.by_label.values().next()
    }
}

/// The files of splits, which all say the same protocol.
pub fn given(file: &File, content: &Content, base: &Path) -> Result<Option<Given>> {
    let Some(entry) = &content.protocol.splits else { return Ok(None) };
    let place = entry.span();
    let refuse =
        |e: anyhow::Error| file.refuse(Some(place.clone()), format!("{KEY}: {}", one_line(&e)));
    let mut by_label = BTreeMap::new();
    for (label, text) in named(entry.get_ref()).map_err(refuse)? {
        let splits = text_of(text, base).and_then(|t| Ok(Splits::from_json(&t)?));
        by_label.insert(label.map(str::to_string), splits.map_err(refuse)?);
    }
    let mut all = by_label.values();
    let first = all.next();
    let same = |s: &Splits| {
        first.is_some_and(|f| (f.protocol, f.transductive) == (s.protocol, s.transductive))
    };
    if first.is_none() || !all.all(same) {
        let problem =
            format!("{KEY}: expected files that were made in the same way, one for each data set");
        return Err(file.refuse(Some(place), problem));
    }
    Ok(Some(Given { by_label, place }))
}

/// Gives each data set its splits.
pub fn place(file: &File, content: &Content, given: Given, data: &mut [Data]) -> Result<()> {
    let Given { mut by_label, place } = given;
    let refuse = |problem: String| Err(file.refuse(Some(place.clone()), problem));
    let single = by_label.get(&None).cloned();
    for (one, entry) in data.iter_mut().zip(&content.data.0) {
        let own = by_label.remove(&Some(one.label.clone()));
        let Some(splits) = own.or_else(|| single.clone()) else {
            return refuse(format!("{KEY}: there is no file for data '{}'", one.label));
        };
        if one.sets > 1 {
            let at = entry.sets.as_ref().map(toml::Spanned::span);
            let problem = "sets: splits from a file are those of one data set; expected 1";
            return Err(file.refuse(at, format!("{problem}, found {}", one.sets)));
        }
        one.given = Some(splits);
    }
    match by_label.keys().flatten().next() {
        Some(label) => {
            let known = data.iter().map(|d| d.label.as_str());
            refuse(format!("{KEY}: {}", cokernel::Error::unknown("data", label, known)))
        }
        None => Ok(()),
    }
}

/// A file name, or one by each label.
fn named(entry: &toml::Value) -> Result<Vec<(Option<&str>, &str)>> {
    let found = match entry {
        toml::Value::String(one) => Some(vec![(None, one.as_str())]),
        toml::Value::Table(each) => {
            each.iter().map(|(label, v)| Some((Some(label.as_str()), v.as_str()?))).collect()
        }
        _ => None,
    };
    found.context("expected a file name in quotes, or a table of them by the label of the data")
}

/// The content of a file, or what was put in its place.
fn text_of(text: &str, base: &Path) -> Result<String> {
    if text.trim_start().starts_with('{') {
        return Ok(text.to_string());
    }
    let path = base.join(text);
    std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// The text of an experiment with the content of files of splits in place of their names, so that a store can be read
/// without them; nothing where there are none.
///
/// # Errors
/// A file cannot be read.
pub fn self_contained(text: &str, base: &Path) -> Result<Option<String>> {
    let mut content: toml::Table = toml::from_str(text)?;
    let Some(entry) = content.get_mut("protocol").and_then(|p| p.get_mut(KEY)) else {
        return Ok(None);
    };
    let put = |value: &mut toml::Value| -> Result<()> {
        if let toml::Value::String(text) = value {
            *text = text_of(text, base)?;
        }
        Ok(())
    };
    match entry {
        toml::Value::Table(each) => each.iter_mut().try_for_each(|(_, v)| put(v))?,
        one => put(one)?,
    }
    Ok(Some(toml::to_string(&content)?))
}
