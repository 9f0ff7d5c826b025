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

use super::{Info, Model};
use crate::data::{Csr, Matrix, Table, Views, atomic_write};
use crate::kernel::{Function, Norm};
use crate::mkl::Rule;
use crate::{Error, Result, VERSION};
use safetensors::tensor::{Dtype, Metadata, TensorView};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
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
    let bytes = safetensors::serialize(tensors.iter().map(|(n, t)| (n, t)), Some(metadata))
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
            Table::Sparse(t) => {
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

/// Reads a model; see [`Model::load`].
pub(super) fn load(path: &Path) -> Result<Model> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let mut file = File::open(path).map_err(io)?;
    if file.metadata().map_err(io)?.is_dir() {
        return Err(io(std::io::Error::from(std::io::ErrorKind::IsADirectory)));
    }
    let read = read(&mut file).map_err(|e| match e {
        Refusal::Io(source) => Error::Io { path: path.to_path_buf(), source },
        Refusal::Content(problem) => Error::Model { path: path.to_path_buf(), problem },
    });
    read
}

/// Why a file is not read.
enum Refusal {
    Io(std::io::Error),
    Content(String),
}

impl From<std::io::Error> for Refusal {
    fn from(e: std::io::Error) -> Self {
        Refusal::Io(e)
    }
}

fn refuse<T>(problem: impl Into<String>) -> std::result::Result<T, Refusal> {
    Err(Refusal::Content(problem.into()))
}

const NOT_A_MODEL: &str = "this is not a model file";
const TRUNCATED: &str = "the file is truncated: it ends before its last table; copy it again";

/// Reads at most `length` bytes; memory grows with what is there, not with what is claimed.
fn take(source: &mut impl Read, length: u64) -> std::result::Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    source.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read(source: &mut impl Read) -> std::result::Result<Model, Refusal> {
    let length: [u8; 8] = match take(source, 8)?.try_into() {
        Ok(bytes) => bytes,
        Err(_) => return refuse(NOT_A_MODEL),
    };
    let length = u64::from_le_bytes(length);
    if !(2..=HEADER_LIMIT).contains(&length) {
        return refuse(NOT_A_MODEL);
    }
    let header = take(source, length)?;
    if header.first() != Some(&b'{') {
        return refuse(NOT_A_MODEL);
    }
    if header.len() as u64 != length {
        return refuse(TRUNCATED);
    }
    let metadata: Metadata = match serde_json::from_slice(&header) {
        Ok(metadata) => metadata,
        Err(e) => return refuse(format!("the header is damaged ({e})")),
    };
    let Some(text) = metadata.metadata().as_ref().and_then(|m| m.get(KEY)) else {
        return refuse(format!("{NOT_A_MODEL} (a safetensors file without '{KEY}')"));
    };
    let head: Head = match serde_json::from_str(text) {
        Ok(head) => head,
        Err(e) => return refuse(format!("the header is damaged ({e})")),
    };
    if head.format > FORMAT {
        return refuse(format!(
            "it has format {}, written by version {} of the library; version {VERSION} reads \
             formats up to {FORMAT}: use a newer version",
            head.format, head.library
        ));
    }
    let expected = metadata.data_len() as u64;
    let data = take(source, expected.saturating_add(1))?;
    if (data.len() as u64) < expected {
        return refuse(TRUNCATED);
    }
    if data.len() as u64 > expected {
        return refuse("there are bytes after the last table; the file is damaged");
    }
    let mut tensors = BTreeMap::new();
    for (name, info) in metadata.tensors() {
        let bytes = data.get(info.data_offsets.0..info.data_offsets.1);
        match bytes.map(|b| TensorView::new(info.dtype, info.shape.clone(), b)) {
            Some(Ok(view)) => tensors.insert(name, view),
            _ => return refuse("the header is damaged (a table has a wrong size)"),
        };
    }
    verify(text, &tensors)?;
    match serde_json::from_str::<Envelope<Info, Vec<SupportView>>>(text) {
        Ok(envelope) => assemble(envelope.model, &envelope.support, &Tables(tensors)),
        Err(e) => refuse(format!("the header is damaged ({e})")),
    }
}

fn verify(
    text: &str,
    tensors: &BTreeMap<String, TensorView<'_>>,
) -> std::result::Result<(), Refusal> {
    #[derive(Deserialize)]
    struct Stored {
        crc32: String,
    }
    let Ok(Stored { crc32 }) = serde_json::from_str(text) else {
        return refuse("the header is damaged (no checksum)");
    };
    let text = text.replacen(&crc_field(&crc32), &crc_field("00000000"), 1);
    let found = checksum(&text, tensors.iter().map(|(n, t)| (n.as_str(), t.shape(), t.data())));
    if found != crc32 {
        return refuse(format!(
            "the checksum is {found}, expected {crc32}: the file is damaged; copy it again or fit \
             the model again"
        ));
    }
    Ok(())
}

/// The tensors of a file, taken by name with a checked shape.
struct Tables<'a>(BTreeMap<String, TensorView<'a>>);

type Read1<T> = std::result::Result<T, Refusal>;

impl Tables<'_> {
    /// The 8- or 4-byte items of a tensor; `shape` of `None` is any one-dimensional shape.
    fn items<const W: usize>(
        &self,
        name: &str,
        dtype: Dtype,
        shape: Option<&[usize]>,
    ) -> Read1<Vec<[u8; W]>> {
        let Some(t) = self.0.get(name) else {
            return refuse(format!("the table '{name}' is missing"));
        };
        let fits = match shape {
            Some(shape) => t.shape() == shape,
            None => t.shape().len() == 1,
        };
        if t.dtype() != dtype || !fits || t.data().len() % W != 0 {
            return refuse(format!(
                "the table '{name}' is {:?} {:?}, expected {dtype:?} {}",
                t.dtype(),
                t.shape(),
                shape.map_or("in one dimension".to_string(), |s| format!("{s:?}")),
            ));
        }
        let item = |c: &[u8]| {
            let mut item = [0; W];
            item.copy_from_slice(c);
            item
        };
        Ok(t.data().chunks_exact(W).map(item).collect())
    }

    fn reals(&self, name: &str, shape: Option<&[usize]>) -> Read1<Vec<f64>> {
        Ok(self.items(name, Dtype::F64, shape)?.into_iter().map(f64::from_le_bytes).collect())
    }

    fn finite(&self, name: &str, shape: Option<&[usize]>) -> Read1<Vec<f64>> {
        let values = self.reals(name, shape)?;
        match values.iter().all(|v| v.is_finite()) {
            true => Ok(values),
            false => refuse(format!("the table '{name}' holds a number that is not finite")),
        }
    }

    fn whole(&self, name: &str) -> Read1<Vec<u32>> {
        Ok(self.items(name, Dtype::U32, None)?.into_iter().map(u32::from_le_bytes).collect())
    }

    /// The kept rows of one view.
    fn table(&self, i: usize, view: &SupportView, kept: usize) -> Read1<Table> {
        if !view.sparse {
            let values = self.finite(&format!("view.{i}.dense"), Some(&[kept, view.cols]))?;
            return sized(Matrix::new(kept, view.cols, values)).map(Table::Dense);
        }
        let rows = kept.checked_add(1).map_or(0, |r| r);
        let starts = self.items(&format!("view.{i}.starts"), Dtype::U64, Some(&[rows]))?;
        let starts = starts.into_iter().map(|s| u64::from_le_bytes(s) as usize).collect();
        let indices = self.whole(&format!("view.{i}.indices"))?;
        let values = self.finite(&format!("view.{i}.values"), Some(&[indices.len()]))?;
        sized(Csr::from_parts(view.cols, starts, indices, values)).map(Table::Sparse)
    }
}

fn sized<T>(made: Result<T>) -> Read1<T> {
    made.or_else(|e| refuse(format!("its tables do not fit together ({e})")))
}

/// Puts a model together and checks that its parts fit.
fn assemble(mut info: Info, views: &[SupportView], tables: &Tables<'_>) -> Read1<Model> {
    let kept = tables.whole("kept")?;
    let (s, t) = (kept.len(), info.machines.len());
    if kept.windows(2).any(|w| w[0] >= w[1]) || kept.iter().any(|i| *i as usize >= info.n_train) {
        return refuse("the kept instances are not increasing row numbers");
    }
    let coef = sized(Matrix::new(t, s, tables.finite("coef", Some(&[t, s]))?))?;
    let bias = tables.finite("bias", Some(&[t]))?;
    let gaps = tables.reals("machine_gaps", Some(&[t]))?;
    info.machines.iter_mut().zip(gaps).for_each(|(m, gap)| m.gap = gap);
    info.report.objective = tables.reals("objective", None)?;
    if info.norms.len() != info.kernels.len() {
        return refuse("there are not as many normalisations as kernels");
    }
    for (m, norms) in info.norms.iter_mut().enumerate() {
        for (step, norm) in norms.iter_mut().enumerate() {
            if let Norm::Center { row_means, .. } = norm {
                *row_means = tables.finite(&format!("norm.{m}.{step}.row_means"), Some(&[s]))?;
            }
        }
    }
    let mut support = Views::new();
    for (i, view) in views.iter().enumerate() {
        let table = tables.table(i, view, s)?;
        support = sized(support.with(view.view.clone(), table))?;
    }
    let model = Model { info, kept, support, coef, bias };
    match inconsistency(&model) {
        Some(problem) => refuse(format!("its parts do not fit together: {problem}")),
        None => Ok(model),
    }
}

/// What contradicts what, if anything does.
fn inconsistency(model: &Model) -> Option<String> {
    let info = &model.info;
    let k = info.classes.len();
    if k < 2 {
        return Some(format!("{k} classes, expected at least 2"));
    }
    let pairs: Vec<_> = info.machines.iter().map(|m| (m.positive, m.negative)).collect();
    let count = match info.svc.decomposition {
        _ if k == 2 => 1,
        crate::machine::Decomposition::OneVsRest => k,
        crate::machine::Decomposition::OneVsOne => k * (k - 1) / 2,
    };
    if pairs.len() != count || pairs != info.svc.decomposition.pairs(k) {
        return Some(format!("{} machines for {k} classes", pairs.len()));
    }
    if let Rule::Linear { weights } = &info.rule
        && weights.len() != info.kernels.len()
    {
        return Some(format!("{} weights for {} kernels", weights.len(), info.kernels.len()));
    }
    for m in model.active() {
        let kernel = &info.kernels[m];
        let precomputed = matches!(kernel.function, Function::Precomputed);
        let cols = match model.support.get(&kernel.view) {
            Ok(view) if !precomputed => view.table.cols(),
            Err(_) if precomputed => info.n_train,
            _ => return Some(format!("kernel '{}' and view '{}'", kernel.name, kernel.view)),
        };
        if kernel.column.is_some_and(|c| c >= cols) {
            return Some(format!("kernel '{}' looks at a column that is not there", kernel.name));
        }
    }
    None
}
