//! The model file: safetensors, with everything that is not a table of numbers as JSON.
//!
//! ```text
//! 8 bytes      length of the header, little endian
//! header       JSON of safetensors; its `__metadata__` has one entry, `cokernel_model` for a
//!              classification model, `cokernel_embedding` for an embedding model and
//!              `cokernel_kernels` for kernels without a machine:
//!              {"format":3, "library":"0.1.0", "crc32":"5f1c20aa", "model":{…}, "support":[…]}
//! tensors      per view whose rows are kept: view.<i>.dense, or view.<i>.starts (u64),
//!              .indices (u32), .values; per centred kernel: norm.<kernel>.<step>.row_means;
//!              objective; and those of the kind of model: see `file/mkl.rs`,
//!              `file/embedding.rs`
//! ```
//!
//! Numbers are f64 unless said. The checksum covers the entry of the metadata (with the checksum
//! itself as 00000000) and the name, shape and bytes of every tensor. Any reader of safetensors
//! can open the file. Reading executes nothing, allocates nothing that the file does not back
//! with as many bytes, and checks every size before using it.

mod embedding;
mod kernels;
mod mkl;
mod read;

pub(super) use embedding::{
    from_bytes as embedding_from_bytes, load as load_embedding, save as save_embedding,
    to_bytes as embedding_to_bytes,
};
pub(super) use kernels::{from_bytes as kernels_from_bytes, to_bytes as kernels_to_bytes};
pub(super) use mkl::{from_bytes, load, save, to_bytes};
pub(super) use read::load_any;

use crate::calibrate::{Calibration, Curve};
use crate::data::{Matrix, Table, Views, atomic_write};
use crate::kernel::Norm;
use crate::{Error, Result, VERSION};
use safetensors::tensor::Dtype;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

/// The newest format that is written and read: classification models that name their machine. Format 2
/// said which instances were left out, where some were, and format 1 knew no such instances.
const FORMAT: u32 = 3;
/// The format of all other files.
const PLAIN: u32 = 1;
const HEADER_LIMIT: u64 = 100_000_000;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Classifier,
    Embedding,
    Kernels,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Classifier, Kind::Embedding, Kind::Kernels];

    /// The entry of the metadata.
    fn key(self) -> &'static str {
        match self {
            Kind::Classifier => "cokernel_model",
            Kind::Embedding => "cokernel_embedding",
            Kind::Kernels => "cokernel_kernels",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Kind::Classifier => "a classification model",
            Kind::Embedding => "an embedding model",
            Kind::Kernels => "fitted kernels",
        }
    }
}

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
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    sequences: bool,
    cols: usize,
}

/// Tensors to be written, by name.
type Tensors = BTreeMap<String, Out>;

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

fn flat(values: &[f64]) -> Out {
    f64s(vec![values.len()], values)
}

fn matrix(m: &Matrix) -> Out {
    f64s(vec![m.rows(), m.cols()], m.values())
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

/// Moves the points of isotonic curves into tensors.
fn put_calibration(calibration: &mut Option<Calibration>, tensors: &mut Tensors) {
    for (t, curve) in calibration.iter_mut().flat_map(|c| &mut c.curves).enumerate() {
        if let Curve::Isotonic { values, probabilities } = curve {
            let mut put = |what: &str, numbers: &mut Vec<f64>| {
                tensors.insert(format!("calibration.{t}.{what}"), flat(&std::mem::take(numbers)))
            };
            put("values", values);
            put("probabilities", probabilities);
        }
    }
}

fn crc_field(crc: &str) -> String {
    format!("\"crc32\":\"{crc}\"")
}

/// The path that errors name where there is no file.
fn in_memory() -> &'static Path {
    Path::new("in memory")
}

/// Writes the content of a file in one step.
fn put(path: &Path, bytes: Result<Vec<u8>>) -> Result<()> {
    let bytes = bytes.map_err(|e| match e {
        Error::Model { problem, .. } => Error::Model { path: path.to_path_buf(), problem },
        other => other,
    })?;
    atomic_write(path, |out| {
        out.write_all(&bytes).map_err(|source| Error::Io { path: path.to_path_buf(), source })
    })
}

/// The content of a file of this kind.
fn bytes<I: Serialize + DeserializeOwned + PartialEq>(
    (kind, format): (Kind, u32),
    info: &I,
    support: &[SupportView],
    tensors: &Tensors,
) -> Result<Vec<u8>> {
    let wrong = |problem: String| Error::Model { path: in_memory().to_path_buf(), problem };
    let none = "00000000".to_string();
    let library = VERSION.to_string();
    let envelope = Envelope { format, library, crc32: none.clone(), model: info, support };
    let text = serde_json::to_string(&envelope)
        .map_err(|e| wrong(format!("cannot be written as JSON: {e}")))?;
    let back: std::result::Result<Envelope<I, Vec<SupportView>>, _> = serde_json::from_str(&text);
    if back.map_or(true, |b| b.model != *info) {
        let problem = "the model holds a number that is not finite and cannot be written";
        return Err(wrong(problem.to_string()));
    }
    let list = tensors.iter().map(|(n, t)| (n.as_str(), t.shape.as_slice(), t.bytes.as_slice()));
    let crc = checksum(&text, list);
    let text = text.replacen(&crc_field(&none), &crc_field(&crc), 1);
    let metadata = [(kind.key().to_string(), text)].into();
    safetensors::serialize(tensors, Some(metadata))
        .map_err(|e| wrong(format!("cannot be written: {e}")))
}

/// Moves the row means of centred kernels into tensors.
fn put_norms(norms: &mut [Vec<Norm>], tensors: &mut Tensors) {
    for (m, norms) in norms.iter_mut().enumerate() {
        for (step, norm) in norms.iter_mut().enumerate() {
            if let Norm::Center { row_means, .. } = norm {
                let name = format!("norm.{m}.{step}.row_means");
                tensors.insert(name, flat(&std::mem::take(row_means)));
            }
        }
    }
}

/// Numbers of entries as a tensor.
fn u64s(values: &[usize]) -> Out {
    let bytes = values.iter().flat_map(|v| (*v as u64).to_le_bytes()).collect();
    Out { dtype: Dtype::U64, shape: vec![values.len()], bytes }
}

/// Puts the rows of views into tensors.
fn put_views(views: &Views, tensors: &mut Tensors) -> Vec<SupportView> {
    let mut support = Vec::new();
    for (i, view) in views.iter().enumerate() {
        let (sparse, cols) = (matches!(view.table, Table::Sparse(_)), view.table.cols());
        let sequences = matches!(view.table, Table::Sequences(_));
        support.push(SupportView { view: view.name.clone(), sparse, sequences, cols });
        match &view.table {
            Table::Dense(t) | Table::Similarity(t) => {
                tensors.insert(format!("view.{i}.dense"), matrix(t));
            }
            // Similarities come with the new instances and are never among the support.
            Table::Sparse(t) | Table::Graph(t) => {
                let mut starts: Vec<usize> = vec![0];
                for r in 0..t.rows() {
                    starts.push(starts[r] + t.row(r).0.len());
                }
                tensors.insert(format!("view.{i}.starts"), u64s(&starts));
                let (indices, values) = t.entries();
                tensors.insert(format!("view.{i}.indices"), u32s(indices));
                tensors.insert(format!("view.{i}.values"), flat(values));
            }
            Table::Sequences(s) => {
                tensors.insert(format!("view.{i}.starts"), u64s(s.starts()));
                let (shape, bytes) = (vec![s.letters().len()], s.letters().to_vec());
                let letters = Out { dtype: Dtype::U8, shape, bytes };
                tensors.insert(format!("view.{i}.letters"), letters);
            }
        }
    }
    support
}
