//! Where the data of an experiment comes from: shipped, generated, or a folder that may be absent.

use super::generator::{N, Param, Toy};
use crate::input::{Input, Loaded, ViewSource, read_files};
use crate::misuse::misuse;
use anyhow::Result;
use cokernel::data::{self, AssembleOptions, Labels, ReadOptions, Table, Views, assemble};
use cokernel::multiview::lsa;
use cokernel::{Error, Run};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The environment variable that names the data folder.
pub const DATA_VARIABLE: &str = "COKERNEL_DATA";

/// Shipped, generated, or in a folder.
#[derive(Debug)]
pub enum Source {
    /// The handwritten digits that come with the library.
    Digits,
    /// Drawn from a generator.
    Toy(Toy),
    /// A folder below the data folder.
    Folder(Folder),
    /// Files of the user's own.
    Files(Input),
}

/// Views with their classes.
pub type Labelled = (Views, Labels);

/// A folder below the data folder.
#[derive(Debug)]
pub struct Folder {
    pub name: String,
    pub views: Vec<String>,
}

/// Names that a sweep over the data can have.
pub fn parameters(source: &Source) -> Vec<&'static str> {
    match source {
        Source::Toy(toy) => {
            std::iter::once(N.name).chain(toy.generator.params.iter().map(|p| p.name)).collect()
        }
        _ => Vec::new(),
    }
}

/// The data folder: the flag, else the environment variable.
pub fn data_folder(flag: Option<&PathBuf>) -> Option<PathBuf> {
    let variable = || std::env::var_os(DATA_VARIABLE).filter(|v| !v.is_empty());
    flag.cloned().or_else(|| variable().map(PathBuf::from))
}

impl Folder {
    /// Where it is, or the reason why the experiment cannot be run.
    pub fn find(&self, data: Option<&Path>) -> Result<PathBuf, String> {
        let name = &self.name;
        let Some(data) = data else {
            return Err(format!(
                "it needs the data set '{name}', which does not come with the program: name the \
                 folder that holds it with --data DIR or ${DATA_VARIABLE}"
            ));
        };
        let folder = data.join(name);
        match folder.is_dir() {
            true => Ok(folder),
            false => Err(format!(
                "it needs the data set '{name}': there is no folder {}",
                folder.display()
            )),
        }
    }

    /// Views and labels, in this order.
    fn paths(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let view = |view: &String| {
            let names =
                ["mtx.gz", "csv.gz", "mtx", "csv", "npz", "npy"].map(|e| format!("{view}.{e}"));
            let path = names.iter().map(|name| folder.join(name)).find(|p| p.is_file());
            path.ok_or_else(|| {
                misuse(format!("{}: there is no {}", folder.display(), names.join(", ")))
            })
        };
        let labels = std::iter::once(Ok(folder.join("labels.csv")));
        self.views.iter().map(view).chain(labels).collect()
    }

    fn read(&self, folder: &Path, real: bool) -> Result<Labelled> {
        let mut paths = self.paths(folder)?;
        let labels = paths.pop().unwrap_or_default();
        let mut tables = Vec::new();
        for (view, path) in self.views.iter().zip(paths) {
            tables.push((view.clone(), data::read_table(&path, &ReadOptions::default())?));
        }
        let labels = data::read_labels(&labels, &ReadOptions::default())?;
        let options = AssembleOptions { real_targets: real, ..AssembleOptions::default() };
        let assembled = assemble(tables, Some(labels), &options)?;
        Ok((assembled.views, assembled.labels))
    }
}

/// The first half of the SHA-256 of a file, in hexadecimal digits.
pub fn digest(path: &Path) -> Result<String> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let mut file = std::fs::File::open(path).map_err(io)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0_u8; 1 << 16];
    loop {
        match file.read(&mut buffer).map_err(io)? {
            0 => return Ok(hexadecimal(&hash.finalize()[..16])),
            n => hash.update(&buffer[..n]),
        }
    }
}

/// Two digits a byte.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

impl Source {
    /// What decides about the data, but for seed and sweep: names and parameters, and the content
    /// of files.
    pub fn identity(&self, folder: Option<&Path>) -> Result<Value> {
        Ok(match self {
            Source::Digits => json!("digits"),
            Source::Toy(toy) => {
                json!({ "toy": toy.generator.id, "n": toy.n, "params": toy.params })
            }
            Source::Folder(f) => {
                let paths = f.paths(&f.find(folder).map_err(misuse)?)?;
                let digests = paths.iter().map(|p| digest(p)).collect::<Result<Vec<_>>>()?;
                json!({ "views": f.views, "digests": digests })
            }
            Source::Files(f) => {
                let view = |v: &ViewSource| -> Result<Value> {
                    let header = format!("{:?}", v.header);
                    Ok(json!([v.name, digest(&v.path)?, v.similarity, v.variable, header]))
                };
                let views = f.views.iter().map(view).collect::<Result<Vec<_>>>()?;
                let labels = f.labels.as_ref().map(|l| digest(l)).transpose()?;
                json!({ "files": views, "labels": labels, "column": f.label_column, "id": f.id })
            }
        })
    }

    /// The path of a file beside the views of a folder.
    ///
    /// # Errors
    /// The data is no folder, or there is none.
    pub fn beside(&self, name: Option<&str>, folder: Option<&Path>) -> Result<Option<PathBuf>> {
        match (self, name) {
            (_, None) => Ok(None),
            (Source::Folder(f), Some(name)) => Ok(Some(f.find(folder).map_err(misuse)?.join(name))),
            (other, Some(name)) => {
                let of = other.name();
                Err(misuse(format!(
                    "test: '{name}' stands beside the views of a folder; '{of}' is none"
                )))
            }
        }
    }

    /// A short name.
    pub fn name(&self) -> String {
        match self {
            Source::Digits => "digits".to_string(),
            Source::Toy(toy) => toy.generator.id.to_string(),
            Source::Folder(folder) => folder.name.clone(),
            Source::Files(files) => {
                let names: Vec<&str> = files.views.iter().map(|v| v.name.as_str()).collect();
                names.join("+")
            }
        }
    }

    /// Reads or draws one data set; of files the labels are numbers if they are `real`.
    pub fn load(
        &self,
        folder: Option<&Path>,
        swept: Option<(&str, f64)>,
        seed: u64,
        real: bool,
    ) -> Result<Labelled> {
        match self {
            Source::Digits => Ok(data::digits()?),
            Source::Toy(toy) => Ok(toy.make(swept, seed)?),
            Source::Folder(f) => f.read(&f.find(folder).map_err(misuse)?, real),
            Source::Files(input) => {
                let (Loaded { views, labels, .. }, _) = read_files(input, false, false, real)?;
                Ok((views, labels))
            }
        }
    }

    /// `the digits that come with the program`, for people.
    pub fn describe(&self) -> String {
        match self {
            Source::Digits => "the digits that come with the program".to_string(),
            Source::Toy(toy) => {
                let params = toy.generator.params.iter();
                let value = |p: &Param| toy.params.get(p.name).copied().unwrap_or(p.default);
                let params: Vec<String> =
                    params.map(|p| format!(", {} = {}", p.name, value(p))).collect();
                format!("generator {}, n = {}{}", toy.generator.id, toy.n, params.concat())
            }
            Source::Folder(folder) => format!("folder {}", folder.name),
            Source::Files(_) => format!("files {}", self.name()),
        }
    }

    /// The generator, if the data are drawn.
    pub fn toy(&self) -> Option<&Toy> {
        match self {
            Source::Toy(toy) => Some(toy),
            _ => None,
        }
    }

    /// Whether another seed gives other data.
    pub fn is_drawn(&self) -> bool {
        matches!(self, Source::Toy(_))
    }
}

/// Every row of every feature view divided by its length; rows of zeros stay.
pub fn unit_rows(views: &Views) -> Result<Views, Error> {
    let scale = |row: &mut [f64]| {
        let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|v| *v /= length);
        }
    };
    let mut all = Views::new();
    for view in views.iter() {
        let mut view = view.clone();
        match &mut view.table {
            Table::Dense(m) => (0..m.rows()).for_each(|i| scale(m.row_mut(i))),
            Table::Sparse(m) => {
                let counts: Vec<usize> = (0..m.rows()).map(|i| m.row(i).0.len()).collect();
                let mut rest = m.values_mut();
                for count in counts {
                    let (row, after) = rest.split_at_mut(count);
                    scale(row);
                    rest = after;
                }
            }
            Table::Similarity(_) | Table::Graph(_) => {
                let problem = "unit_rows: expected features, found similarities";
                return Err(Error::Data(format!("view '{}': {problem}", view.name)));
            }
            Table::Sequences(_) => {
                let problem = "unit_rows: expected features, found sequences";
                return Err(Error::Data(format!("view '{}': {problem}", view.name)));
            }
        }
        all.push(view)?;
    }
    Ok(all)
}

/// Every view brought to at most this many columns by latent semantic analysis.
pub fn reduced(views: &Views, columns: usize, run: &Run) -> Result<Views, Error> {
    let mut all = Views::new();
    for view in views.iter() {
        all = all.dense(view.name.clone(), lsa(&view.table, columns, run)?)?;
    }
    Ok(all)
}

/// The views with these names, in this order.
pub fn subset(views: &Views, names: &[String]) -> Result<Views, Error> {
    let mut chosen = Views::new();
    for name in names {
        chosen.push(views.get(name)?.clone())?;
    }
    if let Some(ids) = views.ids() {
        chosen.set_ids(ids.to_vec())?;
    }
    Ok(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cokernel::data::Csr;

    #[test]
    fn rows_get_unit_length_dense_or_sparse() {
        let rows = vec![vec![(0, 3.0), (2, 4.0)], vec![], vec![(1, -2.0)]];
        let sparse = Table::Sparse(Csr::from_rows(3, rows).unwrap());
        let Table::Sparse(csr) = &sparse else { panic!("sparse") };
        let dense = Table::Dense(csr.to_dense());
        let views = Views::new().with("s", sparse.clone()).unwrap().with("d", dense).unwrap();
        let unit = unit_rows(&views).unwrap();
        let Table::Dense(d) = &unit.get("d").unwrap().table else { panic!("dense") };
        assert_eq!(d.values(), [0.6, 0.0, 0.8, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0]);
        let Table::Sparse(s) = &unit.get("s").unwrap().table else { panic!("sparse") };
        assert_eq!(s.to_dense(), *d);
    }

    #[test]
    fn absent_folders_give_a_reason() {
        let folder = Folder { name: "bbc".into(), views: vec!["a".into()] };
        assert!(folder.find(None).unwrap_err().contains("--data DIR or $COKERNEL_DATA"));
        let said = folder.find(Some(Path::new("/nowhere"))).unwrap_err();
        assert!(said.ends_with("there is no folder /nowhere/bbc"), "{said}");
    }
}
