//! The arrays of an HDF5 file as the variables of a MATLAB file: groups are structs.
//!
//! MATLAB 7.3 stores the sizes of an array in reverse order, a cell array as references to arrays
//! elsewhere, a sparse matrix as a group, and says in the attribute `MATLAB_class` what something is.
//! Other files have arrays row by row, in groups whose names `/` joins.

use super::super::matlab::{Class, Content, DEEPEST, MOST, Variable, stacked};
use super::file::{Dataset, File, Group, Kind, Node};

/// The variables of a file; `matlab`: one of MATLAB 7.3.
pub(in super::super) fn variables(
    file: &File,
    matlab: bool,
) -> Result<Vec<Variable<'static>>, String> {
    let mut reader = Reader { matlab, left: MOST };
    reader.members(file.root(), "", DEEPEST)
}

struct Reader {
    matlab: bool,
    /// Variables that may still come.
    left: usize,
}

impl Reader {
    fn count(&mut self, more: usize) -> Result<(), String> {
        self.left = self
            .left
            .checked_sub(more)
            .ok_or_else(|| format!("the file holds more than {MOST} variables and cells"))?;
        Ok(())
    }

    /// What a group holds.
    fn members(
        &mut self,
        group: Group,
        path: &str,
        depth: usize,
    ) -> Result<Vec<Variable<'static>>, String> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| format!("groups and cells are nested more than {DEEPEST} times"))?;
        let mut all = Vec::new();
        for name in group.names()? {
            // MATLAB's own.
            if self.matlab && name.starts_with('#') {
                continue;
            }
            let Some(node) = group.get(&name)? else { continue };
            let own = match path {
                "" => name,
                above if self.matlab => format!("{above}.{name}"),
                above => format!("{above}/{name}"),
            };
            all.push(self.variable(node, own, depth)?);
        }
        Ok(all)
    }

    fn variable(
        &mut self,
        node: Node,
        path: String,
        depth: usize,
    ) -> Result<Variable<'static>, String> {
        self.count(1)?;
        let class = if self.matlab { node.text("MATLAB_class") } else { None };
        let other = self.matlab && node.whole("MATLAB_object_decode").is_some();
        match node {
            _ if other => Ok(Variable::new(path, Class::Other)),
            Node::Group(group) => self.group(group, path, depth),
            Node::Dataset(dataset) => self.dataset(dataset, class.as_deref(), path, depth),
        }
    }

    fn group(
        &mut self,
        group: Group,
        path: String,
        depth: usize,
    ) -> Result<Variable<'static>, String> {
        let node = Node::Group(group);
        let rows = if self.matlab { node.whole("MATLAB_sparse") } else { None };
        let Node::Group(group) = node else { return Ok(Variable::new(path, Class::Other)) };
        if let Some(rows) = rows {
            let starts = group.dataset("jc")?.shape()?;
            let mut variable = Variable::new(path, Class::Sparse);
            let cols = starts.first().copied().unwrap_or(0).saturating_sub(1);
            variable.shape = vec![usize::try_from(rows).unwrap_or(usize::MAX), cols];
            variable.content = Content::Columns(std::rc::Rc::new(group));
            return Ok(variable);
        }
        let mut variable = Variable::new(path, Class::Struct);
        variable.parts = match self.structs(&group)? {
            Some(fields) => self.elements(fields, &variable.path, depth)?,
            None => self.members(group, &variable.path, depth)?,
        };
        Ok(variable)
    }

    /// The fields of an array of several structs: references without a class, as many for each.
    fn structs(&self, group: &Group) -> Result<Option<Vec<(String, Dataset)>>, String> {
        if !self.matlab {
            return Ok(None);
        }
        let mut fields = Vec::new();
        for name in group.names()? {
            match group.get(&name)? {
                Some(Node::Dataset(d))
                    if d.kind()? == Kind::Reference && d.text("MATLAB_class").is_none() =>
                {
                    fields.push((name, d));
                }
                _ => return Ok(None),
            }
        }
        Ok((!fields.is_empty()).then_some(fields))
    }

    /// What an array of structs holds, struct by struct.
    fn elements(
        &mut self,
        fields: Vec<(String, Dataset)>,
        path: &str,
        depth: usize,
    ) -> Result<Vec<Variable<'static>>, String> {
        let depth = depth.checked_sub(1).ok_or("structs are nested too often")?;
        let mut columns = Vec::new();
        for (name, field) in fields {
            let values = self.references(&field)?;
            columns.push((name, values.into_iter()));
        }
        let mut all = Vec::new();
        for k in 1.. {
            let before = all.len();
            for (name, values) in &mut columns {
                if let Some(node) = values.next() {
                    all.push(self.variable(node, format!("{path}({k}).{name}"), depth)?);
                }
            }
            if all.len() == before {
                break;
            }
        }
        Ok(all)
    }

    fn references(&mut self, dataset: &Dataset) -> Result<Vec<Node>, String> {
        let count = dataset.shape()?.iter().try_fold(1_usize, |n, d| n.checked_mul(*d));
        if count.is_none_or(|n| n > self.left) {
            self.count(MOST + 1)?;
        }
        dataset.references()
    }

    fn dataset(
        &mut self,
        dataset: Dataset,
        class: Option<&str>,
        path: String,
        depth: usize,
    ) -> Result<Variable<'static>, String> {
        let kind = dataset.kind()?;
        let mut variable = Variable::new(path, Class::Numeric);
        let node = Node::Dataset(dataset);
        if self.matlab && node.whole("MATLAB_empty") == Some(1) {
            if class == Some("char") {
                variable.class = Class::Text;
            }
            return Ok(variable);
        }
        let Node::Dataset(dataset) = node else { return Ok(variable) };
        variable.class = match (class, kind) {
            (Some("cell"), Kind::Reference) => Class::Cell,
            (Some("char"), _) | (_, Kind::Text) => Class::Text,
            (Some("function_handle"), _) | (_, Kind::Reference | Kind::Other) => Class::Other,
            _ => Class::Numeric,
        };
        variable.complex = kind == Kind::Complex;
        variable.logical = class == Some("logical") || kind == Kind::Bool;
        variable.shape = dataset.shape()?;
        match self.matlab {
            true => variable.shape.reverse(),
            false if variable.shape.len() < 2 => {
                variable.shape = vec![variable.shape.first().copied().unwrap_or(1), 1];
            }
            false => {}
        }
        if variable.class == Class::Cell {
            let depth = depth
                .checked_sub(1)
                .ok_or_else(|| format!("cells and structs are nested more than {DEEPEST} times"))?;
            for (k, node) in self.references(&dataset)?.into_iter().enumerate() {
                let own = format!("{}{{{}}}", variable.path, k + 1);
                variable.parts.push(self.variable(node, own, depth)?);
            }
            return Ok(variable);
        }
        let dataset = std::rc::Rc::new(dataset);
        variable.content = match self.matlab {
            true => Content::ByColumns(dataset, None),
            false => Content::ByRows(dataset, None),
        };
        stacked(&mut variable);
        self.count(variable.parts.len())?;
        Ok(variable)
    }
}
