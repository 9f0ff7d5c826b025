//! The model file: safetensors, with everything that is not a table of numbers as JSON.
//!
//! ```text
//! 8 bytes      length of the header, little endian
//! header       JSON of safetensors; its `__metadata__` has one entry `cokernel_model`:
//!              {"format":1, "library":"0.1.0", "crc32":"5f1c20aa", "model":{…}}
//! tensors      kept (u32), coef, bias, machine_gaps, objective (f64), and per view that an active
//!              kernel looks at: view.<i>.dense, or view.<i>.starts (u64), .indices (u32), .values;
//!              per centred kernel: norm.<kernel>.<step>.row_means
//! ```
//!
//! `kept` are the training instances that prediction compares with; coef has one row per machine
//! and one column per kept instance, and so on. The checksum covers the entry `cokernel_model`
//! (with the checksum itself as 00000000) and the name, shape and bytes of every tensor. Any
//! reader of safetensors can open the file. Reading executes nothing, allocates nothing that the
//! file does not back with as many bytes, and checks every size before using it.

mod read;

pub(super) use read::load;

use super::{Info, Model};
use crate::data::{Table, atomic_write};
use crate::kernel::Norm;
use crate::{Error, Result, VERSION};
use safetensors::tensor::Dtype;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// The newest format that is written and read.
const FORMAT: u32 = 1;
const KEY: &str = "cokernel_model";
const HEADER_LIMIT: u64 = 100_000_000;

/// What every version of the format can read.
#[derive(Deserialize)]
struct Head {
    format: u32,
    library: String,
}

#[derive(Serialize, Deserialize)]
struct Envelope<I, S> {
    format: u32,
    library: String,
    crc32: String,
    model: I,
    support: S,
}

/// A view whose rows are kept.
#[derive(Serialize, Deserialize)]
struct SupportView {
    view: String,
    sparse: bool,
    cols: usize,
}

/// A tensor to be written.
struct Out {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl safetensors::View for &Out {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(&self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

fn f64s(shape: Vec<usize>, values: &[f64]) -> Out {
    let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Out { dtype: Dtype::F64, shape, bytes }
}

fn u32s(values: &[u32]) -> Out {
    let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    Out { dtype: Dtype::U32, shape: vec![values.len()], bytes }
}

/// The checksum of the text (with its own place as zeros) and of named, shaped bytes in the order
/// of their names.
pub(super) fn checksum<'a>(
    text: &str,
    tensors: impl IntoIterator<Item = (&'a str, &'a [usize], &'a [u8])>,
) -> String {
    let mut crc = crc32fast::Hasher::new();
    crc.update(text.as_bytes());
    for (name, shape, bytes) in tensors {
        crc.update(name.as_bytes());
        for d in shape {
            crc.update(&(*d as u64).to_le_bytes());
        }
        crc.update(bytes);
    }
    format!("{:08x}", crc.finalize())
}

fn crc_field(crc: &str) -> String {
    format!("\"crc32\":\"{crc}\"")
}

/// Writes `model`; see [`Model::save`].
pub(super) fn save(model: &Model, path: &Path) -> Result<()> {
    let wrong = |problem: String| Error::Model { path: path.to_path_buf(), problem };
    let (info, tensors, support) = parts(model);
    let none = "00000000".to_string();
    let (library, format) = (VERSION.to_string(), FORMAT);
    let envelope = Envelope { format, library, crc32: none.clone(), model: &info, support };
    let text = serde_json::to_string(&envelope)
        .map_err(|e| wrong(format!("cannot be written as JSON: {e}")))?;
    let back: std::result::Result<Envelope<Info, Vec<SupportView>>, _> =
        serde_json::from_str(&text);
    if back.map_or(true, |b| b.model != info) {
        let problem = "the model holds a number that is not finite and cannot be written";
        return Err(wrong(problem.to_string()));
    }
    let list = tensors.iter().map(|(n, t)| (n.as_str(), t.shape.as_slice(), t.bytes.as_slice()));
    let crc = checksum(&text, list);
    let text = text.replacen(&crc_field(&none), &crc_field(&crc), 1);
    let metadata = [(KEY.to_string(), text)].into();
    let bytes = safetensors::serialize(&tensors, Some(metadata))
        .map_err(|e| wrong(format!("cannot be written: {e}")))?;
    atomic_write(path, |out| {
        out.write_all(&bytes).map_err(|source| Error::Io { path: path.to_path_buf(), source })
    })
}

/// The model taken apart: what goes into the JSON, and the tensors by name.
fn parts(model: &Model) -> (Info, BTreeMap<String, Out>, Vec<SupportView>) {
    let mut info = model.info.clone();
    let mut tensors = BTreeMap::new();
    let flat = |v: &[f64]| f64s(vec![v.len()], v);
    tensors.insert("kept".to_string(), u32s(&model.kept));
    let shape = vec![model.coef.rows(), model.coef.cols()];
    tensors.insert("coef".to_string(), f64s(shape, model.coef.values()));
    tensors.insert("bias".to_string(), flat(&model.bias));
    let gaps: Vec<f64> = info.machines.iter().map(|m| m.gap).collect();
    tensors.insert("machine_gaps".to_string(), flat(&gaps));
    info.machines.iter_mut().for_each(|m| m.gap = 0.0);
    tensors.insert("objective".to_string(), flat(&std::mem::take(&mut info.report.objective)));
    for (m, norms) in info.norms.iter_mut().enumerate() {
        for (step, norm) in norms.iter_mut().enumerate() {
            if let Norm::Center { row_means, .. } = norm {
                let name = format!("norm.{m}.{step}.row_means");
                tensors.insert(name, flat(&std::mem::take(row_means)));
            }
        }
    }
    let mut support = Vec::new();
    for (i, view) in model.support.iter().enumerate() {
        let (sparse, cols) = (matches!(view.table, Table::Sparse(_)), view.table.cols());
        support.push(SupportView { view: view.name.clone(), sparse, cols });
        match &view.table {
            Table::Dense(t) | Table::Similarity(t) => {
                let dense = f64s(vec![t.rows(), t.cols()], t.values());
                tensors.insert(format!("view.{i}.dense"), dense);
            }
            // Similarities come with the new instances and are never among the support.
            Table::Sparse(t) | Table::Graph(t) => {
                let mut starts: Vec<u64> = vec![0];
                for r in 0..t.rows() {
                    starts.push(starts[r] + t.row(r).0.len() as u64);
                }
                let bytes = starts.iter().flat_map(|v| v.to_le_bytes()).collect();
                let shape = vec![starts.len()];
                let starts = Out { dtype: Dtype::U64, shape, bytes };
                tensors.insert(format!("view.{i}.starts"), starts);
                let (indices, values) = t.entries();
                tensors.insert(format!("view.{i}.indices"), u32s(indices));
                tensors.insert(format!("view.{i}.values"), flat(values));
            }
        }
    }
    (info, tensors, support)
}
