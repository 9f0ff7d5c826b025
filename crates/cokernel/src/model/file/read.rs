//! Reading a model file and checking all of it.

use super::{Envelope, FORMAT, HEADER_LIMIT, Head, Kind, SupportView, checksum, crc_field};
use crate::bank::statistics_fit;
use crate::calibrate::{Calibration, Curve};
use crate::data::{Csr, Layout, Matrix, Preparation, Sequences, Table, Views};
use crate::kernel::{Kernel, Norm, ViewKind};
use crate::model::Saved;
use crate::{Error, Result, VERSION};
use safetensors::tensor::{Dtype, Metadata, TensorView};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Reads a model of any kind; see [`Saved::load`].
pub fn load_any(path: &Path) -> Result<Saved> {
    with_file(path, |file| {
        Ok(match file.kind {
            Kind::Classifier => Saved::Classifier(Box::new(super::mkl::assemble(file)?)),
            Kind::Embedding => Saved::Embedding(Box::new(super::embedding::assemble(file)?)),
            Kind::Kernels => return refuse("it holds fitted kernels, not a model"),
        })
    })
}

/// Opens and checks a file and makes something of it.
pub(super) fn with_file<T>(path: &Path, make: impl FnOnce(&Opened) -> Checked<T>) -> Result<T> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let mut file = File::open(path).map_err(io)?;
    if file.metadata().map_err(io)?.is_dir() {
        return Err(io(std::io::Error::from(std::io::ErrorKind::IsADirectory)));
    }
    checked(path, &mut file, make)
}

/// Checks the content of a file and makes something of it.
pub(super) fn with_bytes<T>(
    mut bytes: &[u8],
    make: impl FnOnce(&Opened) -> Checked<T>,
) -> Result<T> {
    checked(super::in_memory(), &mut bytes, make)
}

fn checked<T>(
    path: &Path,
    source: &mut impl Read,
    make: impl FnOnce(&Opened) -> Checked<T>,
) -> Result<T> {
    read(source).and_then(|opened| make(&opened)).map_err(|e| match e {
        Refusal::Io(source) => Error::Io { path: path.to_path_buf(), source },
        Refusal::Content(problem) => Error::Model { path: path.to_path_buf(), problem },
    })
}

/// Why a file is not read.
pub(super) enum Refusal {
    Io(std::io::Error),
    Content(String),
}

/// What was read, or why not.
pub(super) type Checked<T> = std::result::Result<T, Refusal>;

impl From<std::io::Error> for Refusal {
    fn from(e: std::io::Error) -> Self {
        Refusal::Io(e)
    }
}

pub(super) fn refuse<T>(problem: impl Into<String>) -> Checked<T> {
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

/// A file that is complete and has the checksum that it claims.
pub(super) struct Opened {
    kind: Kind,
    metadata: Metadata,
    data: Vec<u8>,
}

fn read(source: &mut impl Read) -> Checked<Opened> {
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
    let entries = metadata.metadata().as_ref();
    let has = |kind: &Kind| entries.is_some_and(|m| m.contains_key(kind.key()));
    let Some(kind) = Kind::ALL.into_iter().find(has) else {
        let keys = Kind::ALL.map(|k| format!("'{}'", k.key())).join(" or ");
        return refuse(format!("{NOT_A_MODEL} (a safetensors file without {keys})"));
    };
    let mut opened = Opened { kind, metadata, data: Vec::new() };
    let head: Head = match serde_json::from_str(opened.text()) {
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
    let expected = opened.metadata.data_len() as u64;
    opened.data = take(source, expected.saturating_add(1))?;
    if (opened.data.len() as u64) < expected {
        return refuse(TRUNCATED);
    }
    if opened.data.len() as u64 > expected {
        return refuse("there are bytes after the last table; the file is damaged");
    }
    verify(opened.text(), &opened.tables()?)?;
    Ok(opened)
}

impl Opened {
    /// The entry of the metadata.
    fn text(&self) -> &str {
        let entries = self.metadata.metadata().as_ref();
        entries.and_then(|m| m.get(self.kind.key())).map_or("", String::as_str)
    }

    /// Refuses a file of another kind.
    pub(super) fn expect(&self, kind: Kind) -> Checked<()> {
        if self.kind == kind {
            return Ok(());
        }
        refuse(format!("it holds {}, not {}", self.kind.words(), kind.words()))
    }

    /// What is not a table of numbers, and the views whose rows are kept.
    pub(super) fn envelope<I: DeserializeOwned>(&self) -> Checked<(I, Vec<SupportView>)> {
        match serde_json::from_str::<Envelope<I, Vec<SupportView>>>(self.text()) {
            Ok(envelope) => Ok((envelope.model, envelope.support)),
            Err(e) => refuse(format!("the header is damaged ({e})")),
        }
    }

    /// The tensors.
    pub(super) fn tables(&self) -> Checked<Tables<'_>> {
        let mut tensors = BTreeMap::new();
        for (name, info) in self.metadata.tensors() {
            let bytes = self.data.get(info.data_offsets.0..info.data_offsets.1);
            match bytes.map(|b| TensorView::new(info.dtype, info.shape.clone(), b)) {
                Some(Ok(view)) => tensors.insert(name, view),
                _ => return refuse("the header is damaged (a table has a wrong size)"),
            };
        }
        Ok(Tables(tensors))
    }
}

fn verify(text: &str, tables: &Tables<'_>) -> Checked<()> {
    #[derive(Deserialize)]
    struct Stored {
        crc32: String,
    }
    let Ok(Stored { crc32 }) = serde_json::from_str(text) else {
        return refuse("the header is damaged (no checksum)");
    };
    let text = text.replacen(&crc_field(&crc32), &crc_field("00000000"), 1);
    let found = checksum(&text, tables.0.iter().map(|(n, t)| (n.as_str(), t.shape(), t.data())));
    if found != crc32 {
        return refuse(format!(
            "the checksum is {found}, expected {crc32}: the file is damaged; copy it again or fit \
             the model again"
        ));
    }
    Ok(())
}

/// The tensors of a file, taken by name with a checked shape.
pub(super) struct Tables<'a>(BTreeMap<String, TensorView<'a>>);

impl Tables<'_> {
    /// Whether there is a tensor of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

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
        let mut items = Vec::new();
        if items.try_reserve_exact(t.data().len() / W).is_err() {
            let bytes = t.data().len();
            return refuse(format!("there is no memory for the {bytes} bytes of table '{name}'"));
        }
        items.extend(t.data().as_chunks::<W>().0);
        Ok(items)
    }

    pub(super) fn reals(&self, name: &str, shape: Option<&[usize]>) -> Checked<Vec<f64>> {
        Ok(self.items(name, Dtype::F64, shape)?.into_iter().map(f64::from_le_bytes).collect())
    }

    pub(super) fn finite(&self, name: &str, shape: Option<&[usize]>) -> Checked<Vec<f64>> {
        let values = self.reals(name, shape)?;
        match values.iter().all(|v| v.is_finite()) {
            true => Ok(values),
            false => refuse(format!("the table '{name}' holds a number that is not finite")),
        }
    }

    pub(super) fn whole(&self, name: &str) -> Checked<Vec<u32>> {
        Ok(self.items(name, Dtype::U32, None)?.into_iter().map(u32::from_le_bytes).collect())
    }

    /// The kept rows of one view.
    fn table(&self, i: usize, view: &SupportView, kept: usize) -> Checked<Table> {
        if !view.sparse && !view.sequences {
            let values = self.finite(&format!("view.{i}.dense"), Some(&[kept, view.cols]))?;
            return sized(Matrix::new(kept, view.cols, values)).map(Table::Dense);
        }
        let starts = self.items(&format!("view.{i}.starts"), Dtype::U64, Some(&[kept + 1]))?;
        let starts = starts.into_iter().map(|s| u64::from_le_bytes(s) as usize).collect();
        if view.sequences {
            let letters = self.items::<1>(&format!("view.{i}.letters"), Dtype::U8, None)?;
            let letters = letters.into_iter().map(|l| l[0]).collect();
            return sized(Sequences::from_parts(starts, letters)).map(Table::Sequences);
        }
        let indices = self.whole(&format!("view.{i}.indices"))?;
        let values = self.finite(&format!("view.{i}.values"), Some(&[indices.len()]))?;
        sized(Csr::from_parts(view.cols, starts, indices, values)).map(Table::Sparse)
    }

    /// A matrix of this size.
    pub(super) fn matrix(&self, name: &str, rows: usize, cols: usize) -> Checked<Matrix> {
        sized(Matrix::new(rows, cols, self.finite(name, Some(&[rows, cols]))?))
    }

    /// The kept rows of all views.
    pub(super) fn views(&self, views: &[SupportView], kept: usize) -> Checked<Views> {
        let mut support = Views::new();
        for (i, view) in views.iter().enumerate() {
            support = sized(support.with(view.view.clone(), self.table(i, view, kept)?))?;
        }
        Ok(support)
    }

    /// Puts the row means of the kept rows back into the normalisations of `kernels` kernels.
    pub(super) fn norms(
        &self,
        norms: &mut [Vec<Norm>],
        kernels: usize,
        kept: usize,
    ) -> Checked<()> {
        if norms.len() != kernels {
            return refuse("there are not as many normalisations as kernels");
        }
        for (m, norms) in norms.iter_mut().enumerate() {
            for (step, norm) in norms.iter_mut().enumerate() {
                if let Norm::Center { row_means, .. } = norm {
                    let name = format!("norm.{m}.{step}.row_means");
                    *row_means = self.finite(&name, Some(&[kept]))?;
                }
            }
        }
        Ok(())
    }
}

impl Tables<'_> {
    /// Puts the points of isotonic curves back.
    pub(super) fn calibration(&self, calibration: &mut Option<Calibration>) -> Checked<()> {
        for (t, curve) in calibration.iter_mut().flat_map(|c| &mut c.curves).enumerate() {
            if let Curve::Isotonic { values, probabilities } = curve {
                *values = self.finite(&format!("calibration.{t}.values"), None)?;
                let shape = [values.len()];
                *probabilities =
                    self.finite(&format!("calibration.{t}.probabilities"), Some(&shape))?;
            }
        }
        Ok(())
    }
}

pub(super) fn sized<T>(made: Result<T>) -> Checked<T> {
    made.or_else(|e| refuse(format!("its tables do not fit together ({e})")))
}

/// Whether kernels are features along random directions: all of them, or none.
pub(super) fn directions(kernels: &[Kernel]) -> Checked<bool> {
    match kernels.iter().filter(|k| k.function.is_wave()).count() {
        0 => Ok(false),
        count if count == kernels.len() => Ok(true),
        count => misfit(format!("random features of {count} of {} kernels", kernels.len())),
    }
}

/// A sentence about parts that contradict each other.
pub(super) fn misfit<T>(problem: impl Into<String>) -> Checked<T> {
    refuse(format!("its parts do not fit together: {}", problem.into()))
}

/// What comparing new rows with the training instances takes.
pub(super) struct Compared<'a> {
    pub(super) preparation: &'a Preparation,
    pub(super) kernels: &'a [Kernel],
    pub(super) norms: &'a [Vec<Norm>],
    /// Indices of the kernels that are evaluated.
    pub(super) active: &'a [usize],
    /// The rows that are kept of feature views.
    pub(super) support: &'a Views,
    pub(super) n_train: usize,
}

impl Compared<'_> {
    /// Refuses kernels that do not fit their views, columns, rows or statistics; gives the prepared
    /// views.
    pub(super) fn check(&self) -> Checked<Vec<Layout<'_>>> {
        let layout = self.preparation.layout().or_else(misfit)?;
        for &m in self.active {
            let Some(kernel) = self.kernels.get(m) else {
                return misfit(format!("kernel {m} of {}", self.kernels.len()));
            };
            let Some(view) = layout.iter().find(|l| l.name == kernel.view) else {
                return misfit(format!("kernel '{}' and view '{}'", kernel.name, kernel.view));
            };
            let norms = self.norms.get(m).map_or(&[][..], Vec::as_slice);
            if let Some(problem) = self.kernel(kernel, norms, view) {
                return misfit(format!("kernel '{}' {problem}", kernel.name));
            }
        }
        Ok(layout)
    }

    fn kernel(&self, kernel: &Kernel, norms: &[Norm], view: &Layout<'_>) -> Option<String> {
        let rows = self.support.get(view.name).ok().map(|v| &v.table);
        let fits = match (kernel.function, rows) {
            (function, rows) if function.takes() == ViewKind::Similarities => {
                view.similarity && view.cols == self.n_train && rows.is_none()
            }
            (_, Some(rows)) => !view.similarity && view.cols == rows.cols(),
            (_, None) => false,
        };
        if !fits {
            return Some(format!("and view '{}'", view.name));
        }
        if kernel.column.is_some_and(|c| view.similarity || c >= view.cols) {
            return Some("looks at a column that is not there".to_string());
        }
        if !statistics_fit(kernel, norms) {
            return Some("has not the statistics of its normalisations".to_string());
        }
        if view.similarity && norms.contains(&Norm::UnitDiagonal) {
            return Some("is a similarity with a unit diagonal".to_string());
        }
        None
    }
}
