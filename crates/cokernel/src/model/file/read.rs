//! Reading a model file and checking all of it.

use super::{Envelope, FORMAT, HEADER_LIMIT, Head, KEY, SupportView, checksum, crc_field};
use crate::data::{Csr, Matrix, Table, Views};
use crate::kernel::{Function, Norm};
use crate::mkl::Rule;
use crate::model::{Info, Model};
use crate::{Error, Result, VERSION};
use safetensors::tensor::{Dtype, Metadata, TensorView};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Reads a model; see [`Model::load`].
pub fn load(path: &Path) -> Result<Model> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let mut file = File::open(path).map_err(io)?;
    if file.metadata().map_err(io)?.is_dir() {
        return Err(io(std::io::Error::from(std::io::ErrorKind::IsADirectory)));
    }
    read(&mut file).map_err(|e| match e {
        Refusal::Io(source) => Error::Io { path: path.to_path_buf(), source },
        Refusal::Content(problem) => Error::Model { path: path.to_path_buf(), problem },
    })
}

/// Why a file is not read.
enum Refusal {
    Io(std::io::Error),
    Content(String),
}

/// What was read, or why not.
type Checked<T> = std::result::Result<T, Refusal>;

impl From<std::io::Error> for Refusal {
    fn from(e: std::io::Error) -> Self {
        Refusal::Io(e)
    }
}

fn refuse<T>(problem: impl Into<String>) -> Checked<T> {
    Err(Refusal::Content(problem.into()))
}

const NOT_A_MODEL: &str = "this is not a model file";
const TRUNCATED: &str = "the file is truncated: it ends before its last table; copy it again";

/// Reads at most `length` bytes; memory grows with what is there, not with what is claimed.
fn take(source: &mut impl Read, length: u64) -> Checked<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read(source: &mut impl Read) -> Checked<Model> {
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

fn verify(text: &str, tensors: &BTreeMap<String, TensorView<'_>>) -> Checked<()> {
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

impl Tables<'_> {
    /// The 8- or 4-byte items of a tensor; `shape` of `None` is any one-dimensional shape.
    fn items<const W: usize>(
        &self,
        name: &str,
        dtype: Dtype,
        shape: Option<&[usize]>,
    ) -> Checked<Vec<[u8; W]>> {
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

    fn reals(&self, name: &str, shape: Option<&[usize]>) -> Checked<Vec<f64>> {
        Ok(self.items(name, Dtype::F64, shape)?.into_iter().map(f64::from_le_bytes).collect())
    }

    fn finite(&self, name: &str, shape: Option<&[usize]>) -> Checked<Vec<f64>> {
        let values = self.reals(name, shape)?;
        match values.iter().all(|v| v.is_finite()) {
            true => Ok(values),
            false => refuse(format!("the table '{name}' holds a number that is not finite")),
        }
    }

    fn whole(&self, name: &str) -> Checked<Vec<u32>> {
        Ok(self.items(name, Dtype::U32, None)?.into_iter().map(u32::from_le_bytes).collect())
    }

    /// The kept rows of one view.
    fn table(&self, i: usize, view: &SupportView, kept: usize) -> Checked<Table> {
        if !view.sparse {
            let values = self.finite(&format!("view.{i}.dense"), Some(&[kept, view.cols]))?;
            return sized(Matrix::new(kept, view.cols, values)).map(Table::Dense);
        }
        let starts = self.items(&format!("view.{i}.starts"), Dtype::U64, Some(&[kept + 1]))?;
        let starts = starts.into_iter().map(|s| u64::from_le_bytes(s) as usize).collect();
        let indices = self.whole(&format!("view.{i}.indices"))?;
        let values = self.finite(&format!("view.{i}.values"), Some(&[indices.len()]))?;
        sized(Csr::from_parts(view.cols, starts, indices, values)).map(Table::Sparse)
    }
}

fn sized<T>(made: Result<T>) -> Checked<T> {
    made.or_else(|e| refuse(format!("its tables do not fit together ({e})")))
}

/// Puts a model together and checks that its parts fit.
fn assemble(mut info: Info, views: &[SupportView], tables: &Tables<'_>) -> Checked<Model> {
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
