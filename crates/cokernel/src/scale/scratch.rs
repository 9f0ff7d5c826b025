//! A folder from which workers learn what a problem is: views, kernels, landmarks and labels, once for all passes.
//!
//! | file | what |
//! |---|---|
//! | `problem.json` | [`Facts`]; written last, so that a folder that has it is whole |
//! | `view-V.*` | rows of view V: numbers of 8 bytes one row after the other; starts, indices and values of a sparse view; starts and letters of sequences |
//! | `labels`, `costs` | of all instances |
//! | `roots` | what makes features to coordinates, kernel after kernel |
//! | `rows-…` | instances of a start from fewer, or of a sample; for its time |
//! | `ask-…`, `values-…`, `strips-…` | what a pass asks, decision values, and covariances; for a moment |
//! | `state` | what a killed run goes on from |
//! | `lock` | held while a program works on the fit |
//!
//! The folder has the name of a digest of all that it holds and of what is asked, so that every fit has its own. A tile is a range of
//! rows in it: a worker reads the rows that it needs, and keeps none.

use super::basis::Basis;
use super::features::{Features, Source};
use super::instances::Labels;
use super::loss::Loss;
use super::parcel::unwritten;
use super::root::{Root, Shape, Values};
use super::space::Space;
use crate::bank::{add_bytes, add_text, add_view, place};
use crate::data::{Csr, Matrix, Sequences, Table, View, Views};
use crate::kernel::Kernel;
use crate::{Error, Result, Run};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

const FORMAT: u32 = 4;

/// The file of the roots.
const ROOTS: &str = "roots";

/// How the rows of a view are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Dense,
    Sparse,
    Sequences,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ViewFacts {
    name: String,
    kind: Kind,
    cols: usize,
}

/// Name, bytes and CRC-32 of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Part {
    name: String,
    bytes: u64,
    crc32: u32,
}

/// What is known of a problem beside its tables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Facts {
    format: u32,
    library: String,
    digest: String,
    n: usize,
    views: Vec<ViewFacts>,
    parts: Vec<Part>,
    kernels: Vec<Kernel>,
    /// Instances; of random features none.
    landmarks: Vec<usize>,
    /// Views for which there are tables of directions, and how many directions.
    directions: Vec<(ViewFacts, usize)>,
    roots: Vec<Shape>,
    /// For each head the label of each class; `None` where labels are numbers.
    signs: Option<Vec<Vec<f64>>>,
    loss: Loss,
}

/// What is to be learned.
#[derive(Clone, Copy)]
pub(crate) struct Content<'a> {
    pub space: &'a Space,
    pub views: &'a Views,
    pub labels: Labels<'a>,
    pub costs: &'a [f64],
    pub loss: Loss,
}

impl Content<'_> {
    /// SHA-256 of all that the passes depend on, in hexadecimal digits.
    pub fn digest(&self) -> Result<String> {
        let mut sum = Sha256::new();
        let mut text = |value: std::result::Result<String, serde_json::Error>| -> Result<()> {
            let wrong = |e| Error::Data(format!("the problem cannot be written for workers: {e}"));
            add_text(&mut sum, &value.map_err(wrong)?);
            Ok(())
        };
        text(Ok(format!("{FORMAT} {}", crate::VERSION)))?;
        text(serde_json::to_string(self.space.kernels()))?;
        text(serde_json::to_string(self.space.basis().instances()))?;
        text(serde_json::to_string(&self.loss))?;
        if let Labels::Classes { signs, .. } = self.labels {
            text(serde_json::to_string(signs))?;
        }
        // Side by side: those of 80 MB take half a second.
        let views: Vec<&View> = self.needed().chain(self.directions()).collect();
        let own = |view: &&View| {
            let mut sum = Sha256::new();
            add_view(&mut sum, view);
            sum.finalize()
        };
        let sums: Vec<_> = views.par_iter().map(own).collect();
        sums.iter().for_each(|own| add_bytes(&mut sum, own));
        self.roots().for_each(|numbers| add_bytes(&mut sum, bytemuck::cast_slice(numbers)));
        add_bytes(&mut sum, self.labels.bytes());
        add_bytes(&mut sum, bytemuck::cast_slice(self.costs));
        Ok(sum.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    fn needed(&self) -> impl Iterator<Item = &View> {
        self.views.iter().filter(|v| self.space.kernels().iter().any(|k| k.view == v.name))
    }

    /// The directions of random features, in the place of the rows of views.
    fn directions(&self) -> impl Iterator<Item = &View> {
        let rows = match self.space.basis() {
            Basis::Directions { rows, .. } => Some(rows),
            Basis::Instances(_) => None,
        };
        rows.into_iter().flat_map(|rows| rows.iter())
    }

    /// The numbers of the roots that have some.
    fn roots(&self) -> impl Iterator<Item = &[f64]> {
        self.space.roots.iter().filter_map(|root| match &root.values {
            Values::All(numbers) => Some(numbers.as_slice()),
            Values::Own(..) => None,
        })
    }

    /// Writes the tables into a folder, then the facts.
    fn write(&self, folder: &Path, digest: &str) -> Result<()> {
        let mut parts = Vec::new();
        let mut views = Vec::new();
        for (v, view) in self.needed().enumerate() {
            let mut put = |what: &str, bytes: &[u8]| -> Result<()> {
                parts.push(part(folder, &format!("view-{v}.{what}"), bytes)?);
                Ok(())
            };
            let kind = match &view.table {
                Table::Dense(m) | Table::Similarity(m) => {
                    put("dense", bytemuck::cast_slice(m.values()))?;
                    Kind::Dense
                }
                Table::Sparse(m) | Table::Graph(m) => {
                    let mut starts: Vec<u64> = vec![0];
                    (0..m.rows()).for_each(|i| starts.push(starts[i] + m.row(i).0.len() as u64));
                    let (indices, values) = m.entries();
                    put("starts", bytemuck::cast_slice(&starts))?;
                    put("indices", bytemuck::cast_slice(indices))?;
                    put("values", bytemuck::cast_slice(values))?;
                    Kind::Sparse
                }
                Table::Sequences(s) => {
                    let starts: Vec<u64> = s.starts().iter().map(|s| *s as u64).collect();
                    put("starts", bytemuck::cast_slice(&starts))?;
                    put("letters", s.letters())?;
                    Kind::Sequences
                }
            };
            views.push(ViewFacts { name: view.name.clone(), kind, cols: view.table.cols() });
        }
        let mut directions = Vec::new();
        for (v, view) in self.directions().enumerate() {
            let Table::Dense(m) = &view.table else { continue };
            let bytes = bytemuck::cast_slice(m.values());
            parts.push(part(folder, &format!("directions-{v}"), bytes)?);
            let facts = ViewFacts { name: view.name.clone(), kind: Kind::Dense, cols: m.cols() };
            directions.push((facts, m.rows()));
        }
        let roots: Vec<f64> = self.roots().flatten().copied().collect();
        parts.push(part(folder, ROOTS, bytemuck::cast_slice(&roots))?);
        parts.push(part(folder, "labels", self.labels.bytes())?);
        parts.push(part(folder, "costs", bytemuck::cast_slice(self.costs))?);
        let signs = match self.labels {
            Labels::Classes { signs, .. } => Some(signs.to_vec()),
            Labels::Values(_) => None,
        };
        let facts = Facts {
            format: FORMAT,
            library: crate::VERSION.to_string(),
            digest: digest.to_string(),
            n: self.views.n(),
            views,
            parts,
            kernels: self.space.kernels().to_vec(),
            landmarks: self.space.basis().instances().to_vec(),
            directions,
            roots: self.space.roots.iter().map(Shape::of).collect(),
            signs,
            loss: self.loss,
        };
        let text = serde_json::to_vec(&facts)
            .map_err(|e| Error::Data(format!("the problem cannot be written for workers: {e}")))?;
        part(folder, "problem.json", &text).map(drop)
    }

    /// Sees that a folder has the tables of this problem: one that is whole stays, another is made anew.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn put(&self, folder: &Path, digest: &str) -> Result<()> {
        if is_whole(folder, digest) {
            return Ok(());
        }
        let problem = folder.join("problem.json");
        if problem.exists() {
            std::fs::remove_file(&problem).map_err(|source| Error::Io { path: problem, source })?;
        }
        self.write(folder, digest)
    }
}

fn part(folder: &Path, name: &str, bytes: &[u8]) -> Result<Part> {
    let path = folder.join(name);
    let io = |source| unwritten(&path, source);
    let mut out = BufWriter::new(File::create(&path).map_err(io)?);
    out.write_all(bytes).map_err(io)?;
    // Not waited for: what a machine that goes down loses is seen by its checksum, and made anew.
    out.into_inner().map_err(|e| io(e.into_error()))?;
    let crc32 = crc32fast::hash(bytes);
    Ok(Part { name: name.to_string(), bytes: bytes.len() as u64, crc32 })
}

fn facts(folder: &Path, digest: &str) -> Option<Facts> {
    let text = std::fs::read(folder.join("problem.json")).ok()?;
    let facts: Facts = serde_json::from_slice(&text).ok()?;
    let same = facts.format == FORMAT && facts.digest == digest;
    (same && facts.library == crate::VERSION).then_some(facts)
}

/// Whether the folder has all files with the bytes that were written.
fn is_whole(folder: &Path, digest: &str) -> bool {
    facts(folder, digest).is_some_and(|facts| facts.parts.iter().all(|p| p.is_as_written(folder)))
}

impl Part {
    fn is_as_written(&self, folder: &Path) -> bool {
        let same = || -> std::io::Result<bool> {
            let file = File::open(folder.join(&self.name))?;
            if file.metadata()?.len() != self.bytes {
                return Ok(false);
            }
            let (mut sum, mut at) = (crc32fast::Hasher::new(), 0);
            let mut room = vec![0; (1 << 20).min(self.bytes as usize)];
            while at < self.bytes {
                let count = room.len().min((self.bytes - at) as usize);
                place::read(&file, &mut room[..count], at)?;
                sum.update(&room[..count]);
                at += count as u64;
            }
            Ok(sum.finalize() == self.crc32)
        };
        same().unwrap_or(false)
    }
}

/// A file with its name, for messages.
#[derive(Debug)]
struct Named {
    file: File,
    path: PathBuf,
}

impl Named {
    fn open(folder: &Path, name: &str) -> Result<Self> {
        let path = folder.join(name);
        match File::open(&path) {
            Ok(file) => Ok(Named { file, path }),
            Err(source) => Err(Error::Io { path, source }),
        }
    }

    /// Items from this one on.
    fn items<T: bytemuck::Pod>(&self, first: usize, count: usize) -> Result<Vec<T>> {
        let mut items = vec![T::zeroed(); count];
        let at = (first * size_of::<T>()) as u64;
        place::read(&self.file, bytemuck::cast_slice_mut(&mut items), at)
            .map_err(|source| Error::Io { path: self.path.clone(), source })?;
        Ok(items)
    }
}

impl Named {
    /// How many items it has.
    fn length<T>(&self) -> Result<usize> {
        let io = |source| Error::Io { path: self.path.clone(), source };
        Ok(self.file.metadata().map_err(io)?.len() as usize / size_of::<T>())
    }

    /// Places that rise, up to `most`.
    fn rising(&self, first: usize, count: usize, most: usize) -> Result<Vec<usize>> {
        let places: Vec<u64> = self.items(first, count)?;
        let rise = places.is_sorted() && places.last().is_none_or(|last| *last <= most as u64);
        if !rise {
            let problem = format!("{}: is damaged; remove its folder", self.path.display());
            return Err(Error::Data(problem));
        }
        Ok(places.into_iter().map(|place| place as usize).collect())
    }
}

/// The tables of a view.
#[derive(Debug)]
enum Rows {
    Dense(Named),
    Sparse([Named; 3]),
    Sequences([Named; 2]),
}

/// Views in a folder.
#[derive(Debug)]
struct InFolder<'a>(Vec<(&'a ViewFacts, Rows)>);

/// Ranges of items that are read at once for increasing rows: near ones together.
fn stretches(rows: &[usize]) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    for (k, row) in rows.iter().enumerate() {
        match found.last_mut() {
            Some(last) if rows[last.end - 1] <= *row && row - rows[last.end - 1] <= 8 => {
                last.end = k + 1;
            }
            _ => found.push(k..k + 1),
        }
    }
    found
}

impl<'a> InFolder<'a> {
    fn open(folder: &Path, views: &'a [ViewFacts]) -> Result<Self> {
        let each = |(v, view): (usize, &'a ViewFacts)| {
            let open = |what: &str| Named::open(folder, &format!("view-{v}.{what}"));
            let rows = match view.kind {
                Kind::Dense => Rows::Dense(open("dense")?),
                Kind::Sparse => Rows::Sparse([open("starts")?, open("indices")?, open("values")?]),
                Kind::Sequences => Rows::Sequences([open("starts")?, open("letters")?]),
            };
            Ok((view, rows))
        };
        views.iter().enumerate().map(each).collect::<Result<_>>().map(InFolder)
    }

    fn table(facts: &ViewFacts, of: &Rows, rows: &[usize]) -> Result<Table> {
        let stretches = stretches(rows);
        let span = |own: &[usize]| (own[0], own[own.len() - 1] - own[0] + 1);
        match of {
            Rows::Dense(file) => {
                let d = facts.cols;
                let mut values = Vec::with_capacity(rows.len() * d);
                for own in stretches.into_iter().map(|s| &rows[s]) {
                    let (first, count) = span(own);
                    let read: Vec<f64> = file.items(first * d, count * d)?;
                    let row = |i: &usize| &read[(i - first) * d..(i - first + 1) * d];
                    own.iter().for_each(|i| values.extend_from_slice(row(i)));
                }
                Matrix::new(rows.len(), d, values).map(Table::Dense)
            }
            Rows::Sparse([starts, indices, values]) => {
                let (mut ends, mut columns, mut numbers) = (vec![0], Vec::new(), Vec::new());
                for own in stretches.into_iter().map(|s| &rows[s]) {
                    let (first, count) = span(own);
                    let at = starts.rising(first, count + 1, indices.length::<u32>()?)?;
                    let (from, to) = (at[0], at[count]);
                    let there: Vec<u32> = indices.items(from, to - from)?;
                    let known: Vec<f64> = values.items(from, to - from)?;
                    for i in own {
                        let range = at[i - first] - from..at[i - first + 1] - from;
                        columns.extend_from_slice(&there[range.clone()]);
                        numbers.extend_from_slice(&known[range]);
                        ends.push(columns.len());
                    }
                }
                Csr::from_parts(facts.cols, ends, columns, numbers).map(Table::Sparse)
            }
            Rows::Sequences([starts, letters]) => {
                let (mut ends, mut all) = (vec![0], Vec::new());
                for own in stretches.into_iter().map(|s| &rows[s]) {
                    let (first, count) = span(own);
                    let at = starts.rising(first, count + 1, letters.length::<u8>()?)?;
                    let from = at[0];
                    let known: Vec<u8> = letters.items(from, at[count] - from)?;
                    for i in own {
                        let range = at[i - first] - from..at[i - first + 1] - from;
                        all.extend_from_slice(&known[range]);
                        ends.push(all.len());
                    }
                }
                Sequences::from_parts(ends, all).map(Table::Sequences)
            }
        }
    }
}

impl Source for InFolder<'_> {
    fn select(&self, rows: &[usize], wanted: &dyn Fn(&str) -> bool) -> Result<Views> {
        let mut some = Views::new();
        for (facts, of) in self.0.iter().filter(|(facts, _)| wanted(&facts.name)) {
            some = some.with(facts.name.clone(), Self::table(facts, of, rows)?)?;
        }
        Ok(some)
    }
}

/// Labels that are not borrowed.
#[derive(Debug)]
enum Known {
    Classes(Vec<u32>, Vec<Vec<f64>>),
    Values(Vec<f64>),
}

/// A problem in a folder, opened by a worker.
#[derive(Debug)]
pub(super) struct Opened {
    pub folder: PathBuf,
    pub digest: String,
    pub features: Features,
    views: Vec<ViewFacts>,
    roots: Vec<Shape>,
    of_roots: Option<Part>,
    labels: Known,
    pub costs: Vec<f64>,
    pub loss: Loss,
    pub n: usize,
}

impl Opened {
    /// # Errors
    /// The folder is not there, of another problem or version, or its files have not the size that they should have.
    pub fn new(folder: &Path, digest: &str) -> Result<Self> {
        let wrong = |why: &str| Error::Data(format!("{}: {why}", folder.display()));
        let facts = facts(folder, digest).ok_or_else(|| {
            wrong(
                "this folder does not hold the problem that is worked on; workers need the same folder under the same name, \
                 and the same version of the library",
            )
        })?;
        for part in &facts.parts {
            let path = folder.join(&part.name);
            let found = std::fs::metadata(&path)
                .map_err(|source| Error::Io { path: path.clone(), source })?
                .len();
            if found != part.bytes {
                let problem = format!("'{}' has {found} of {} bytes", part.name, part.bytes);
                return Err(wrong(&problem));
            }
        }
        let n = facts.n;
        let source = InFolder::open(folder, &facts.views)?;
        let features = if facts.directions.is_empty() {
            let own = source.select(&facts.landmarks, &|_| true)?;
            Features::new(&own, facts.kernels, &Run::default())?.0
        } else {
            let mut own = Views::new();
            for (v, (view, rows)) in facts.directions.iter().enumerate() {
                let numbers = rows.checked_mul(view.cols).ok_or_else(|| wrong("it has no size"))?;
                let values = Named::open(folder, &format!("directions-{v}"))?.items(0, numbers)?;
                own = own.dense(view.name.clone(), Matrix::new(*rows, view.cols, values)?)?;
            }
            Features::of_directions(&own, facts.kernels)?
        };
        let labels = Named::open(folder, "labels")?;
        let labels = match facts.signs {
            Some(signs) => Known::Classes(labels.items(0, n)?, signs),
            None => Known::Values(labels.items(0, n)?),
        };
        let costs = Named::open(folder, "costs")?.items(0, n)?;
        let (folder, digest) = (folder.to_path_buf(), digest.to_string());
        if facts.roots.len() != features.kernels().len() {
            return Err(wrong("its kernels are not those of its landmarks"));
        }
        let (views, roots, loss) = (facts.views, facts.roots, facts.loss);
        let of_roots = facts.parts.into_iter().find(|p| p.name == ROOTS);
        Ok(Opened { folder, digest, features, views, roots, of_roots, labels, costs, loss, n })
    }

    /// The roots, with the numbers of these kernels.
    pub fn roots(&self, kernels: &[usize]) -> Result<Vec<Root>> {
        let file = Named::open(&self.folder, ROOTS)?;
        if self.of_roots.as_ref().is_some_and(|part| !part.is_as_written(&self.folder)) {
            return Err(Error::Data(format!(
                "{}: is not what was written there; the same fit makes it anew",
                self.folder.join(ROOTS).display()
            )));
        }
        let (mut at, mut first) = (0, 0);
        let mut root = |(m, shape): (usize, &Shape)| -> Result<Root> {
            let count = shape.numbers(self.features.landmarks());
            let wanted = if kernels.contains(&m) { count } else { 0 };
            let root = shape.with(file.items(at, wanted)?, first);
            (at, first) = (at + count, first + shape.rank);
            Ok(root)
        };
        self.roots.iter().enumerate().map(&mut root).collect()
    }

    /// The rows of the views, opened for a task: nothing stays open, so that what the fit removes is gone.
    pub fn source(&self) -> Result<impl Source> {
        InFolder::open(&self.folder, &self.views)
    }

    pub fn labels(&self) -> Labels<'_> {
        match &self.labels {
            Known::Classes(codes, signs) => Labels::Classes { codes, signs },
            Known::Values(values) => Labels::Values(values),
        }
    }
}
