//! Readers of tables and labels: one file per format, chosen by the ending of the name.
//!
//! | ending | format | gives |
//! |---|---|---|
//! | `.csv` `.tsv` `.txt` `.dat` | fields between commas, tabs, semicolons or white space | dense |
//! | `.npy` `.npz` | NumPy arrays; SciPy's sparse `.npz` | dense, sparse |
//! | `.libsvm` `.svm` `.svmlight` | `label index:value …` | sparse with labels |
//! | `.mtx` `.mm` | MatrixMarket | sparse or dense |
//! | `.mat` | MATLAB 5 to 7.3 | dense or sparse |
//! | `.h5` `.hdf5` | HDF5 | dense |
//! | `.h5ad` `.h5mu` | AnnData, MuData | dense or sparse, with ids and labels |
//! | `.fasta` `.fa` `.faa` `.fna` | FASTA | sequences, with ids |
//!
//! Read as a similarity, a dense table is a [`Table::Similarity`], a sparse one a [`Table::Graph`].
//!
//! `.gz` after any of them means gzip. A size that a header declares is compared with the content
//! before memory is reserved for it, and what is compressed unpacks to no more than
//! [`ReadOptions::unpacked`]. Every error names the file and the place in it.

mod anndata;
mod csv;
mod fasta;
mod hdf5;
mod labels;
mod libsvm;
mod matlab;
mod matrix_market;
mod npy;
mod npz;
mod pairs;
#[cfg(test)]
mod robust;
#[cfg(test)]
mod samples;

pub use anndata::{parse_anndata, parse_mudata};
pub use csv::parse_csv;
pub use fasta::parse_fasta;
pub use hdf5::parse_hdf5;
pub use labels::{LabelFile, parse_labels, read_labels};
pub use libsvm::parse_libsvm;
pub use matlab::parse_mat;
pub use matrix_market::parse_matrix_market;
pub use npy::parse_npy;
pub use npz::parse_npz;
pub use pairs::{PairFile, PairLine, parse_pairs, read_pairs};

use super::{Csr, Matrix, Table, scan};
use crate::error::amount;
use crate::{Error, Result, Run};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Whether the first line of a text table names its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// It does if one of its fields, ids and labels apart, is not a number.
    #[default]
    Auto,
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// How a file is to be understood.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReadOptions {
    /// The column of a text table that names the instances: a column name, or a number from 1.
    pub id_column: Option<String>,
    /// The column that holds the labels: a column name, or a number from 1.
    pub label_column: Option<String>,
    /// The character between fields; `Some(b' ')` is any white space, `None` looks at the file.
    pub delimiter: Option<u8>,
    /// Whether the first line names the columns.
    pub header: Header,
    /// The entry of an `.npz`, `.mat` or HDF5 file; needed where there are several. In a `.mat` file it
    /// may lie in a cell array (`X{1}`) or a struct (`data.fou`), in an `.h5` file in a group (`views/fou`).
    /// In an `.h5ad` file `X` (without one), `layers/…`, `obsm/…`, `obsp/…` or `raw/X`; in an `.h5mu` file the
    /// same after the modality (`rna/obsm/X_pca`), or `obsm/…` and `obsp/…` of all.
    pub variable: Option<String>,
    /// The table holds similarities between instances, not features.
    pub similarity: bool,
    /// The table is a column of sequences; [`variable`](Self::variable) names it if a text table has several columns
    /// beside ids and labels.
    pub sequences: bool,
    /// A row of nothing but empty fields or NaN is an instance that lacks this view; so is, in a
    /// similarity, the column of such an instance. Otherwise it is an error.
    pub missing_rows: bool,
    /// The number of instances, if it is known: a matrix of a `.mat` file that has as many columns
    /// and another number of rows is turned.
    pub instances: Option<usize>,
    /// Bytes that compressed content may take once it is unpacked; `None` is the memory of
    /// [`Run::default`].
    pub unpacked: Option<usize>,
}

impl ReadOptions {
    /// Room for what is unpacked from one file.
    fn room(&self) -> Room {
        let limit = self.unpacked.unwrap_or_else(|| Run::default().memory);
        Room { limit, left: limit }
    }
}

/// How much may still be unpacked.
struct Room {
    limit: usize,
    left: usize,
}

impl Room {
    /// What a decompressor gives, if there is room for it; `damaged` says what its errors mean.
    fn unpack(
        &mut self,
        stream: impl Read,
        damaged: impl Fn(std::io::Error) -> String,
    ) -> Result<Vec<u8>, String> {
        let mut content = Vec::new();
        let read = stream.take(self.left as u64 + 1).read_to_end(&mut content);
        read.map_err(|e| match e.kind() {
            std::io::ErrorKind::OutOfMemory => format!(
                "there is no memory for the content, {} of which were unpacked; unpack the file first, or use a smaller part of it",
                amount(content.len() as f64)
            ),
            _ => damaged(e),
        })?;
        self.take(content.len())?;
        Ok(content)
    }

    /// Takes this many bytes, if there is room for them.
    fn take(&mut self, bytes: usize) -> Result<(), String> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            format!(
                "the content unpacks to more than {}; if it is meant to be that large, \
                 raise ReadOptions::unpacked, or unpack the file first",
                amount(self.limit as f64)
            )
        })?;
        Ok(())
    }
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct TableFile {
    /// Where it was read from.
    pub path: PathBuf,
    /// The values.
    pub table: Table,
    /// Names of the columns, where the file has them.
    pub columns: Option<Vec<String>>,
    /// Names of the instances, where an id column was asked for.
    pub ids: Option<Vec<String>>,
    /// Labels, from the label column or the first field of LIBSVM lines.
    pub labels: Option<Vec<String>>,
    /// Which rows hold values; `None` means all.
    pub present: Option<Vec<bool>>,
    /// Sentences about the file that a user should read.
    pub notes: Vec<String>,
}

/// Reads a table; the ending of the name says in which format.
///
/// # Errors
/// The file cannot be read, the ending is not known, or the content is not what the format asks
/// for: the error says where.
pub fn read_table(path: &Path, options: &ReadOptions) -> Result<TableFile> {
    let format = Format::of(path)?;
    if options.sequences && !matches!(format, Format::Text | Format::Fasta) {
        let problem = "this format holds numbers; sequences are read from text tables (csv, tsv) and fasta files";
        return Err(parse_error(path, (0, 0), problem));
    }
    match format.stored(path)? {
        Some(Stored::Variables { matlab }) => {
            let file = hdf5::File::open(path, options)?;
            matlab::read(&matlab::Source::Hdf5 { file: &file, matlab }, path, options)
        }
        Some(Stored::Annotated { several }) => {
            anndata::read(&hdf5::File::open(path, options)?, several, path, options)
        }
        None => format.parser()(&read_bytes(path, options)?, path, options),
    }
}

/// The views in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewsIn {
    /// For each view what its name has in addition to the name of the whole, and the variable to
    /// read (see [`ReadOptions::variable`]).
    pub variables: Vec<(String, Option<String>)>,
    /// Sentences about the choice that a user should read.
    pub notes: Vec<String>,
}

/// The views in a file, or in the variable of it that is asked for: the matrices of a cell array
/// or struct in a `.mat` file, of a group in an `.h5` file, slices of square matrices that are stacked
/// (n × n × M), the modalities of an `.h5mu` file; otherwise the one table. Vectors that are called like labels (y,
/// gt, truth, labels …) are no views.
///
/// # Errors
/// As [`read_table`]; or the matrices are of different numbers of instances.
pub fn views_in(path: &Path, options: &ReadOptions) -> Result<ViewsIn> {
    let format = Format::of(path)?;
    let (found, notes) = match format.stored(path)? {
        Some(Stored::Variables { matlab }) => {
            let file = hdf5::File::open(path, options)?;
            let source = matlab::Source::Hdf5 { file: &file, matlab };
            matlab::view_variables(&source, path, options)?
        }
        Some(Stored::Annotated { several }) => {
            let file = hdf5::File::open(path, options)?;
            (anndata::view_variables(&file, several, path, options)?, Vec::new())
        }
        None if format == Format::Matlab => {
            let bytes = read_bytes(path, options)?;
            matlab::view_variables(&matlab::Source::Bytes(&bytes), path, options)?
        }
        None => {
            let variables = vec![(String::new(), options.variable.clone())];
            return Ok(ViewsIn { variables, notes: Vec::new() });
        }
    };
    let variables = found.into_iter().map(|(suffix, path)| (suffix, Some(path))).collect();
    Ok(ViewsIn { variables, notes })
}

/// The formats by the ending of the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Text,
    Npy,
    Npz,
    Libsvm,
    MatrixMarket,
    Matlab,
    Hdf5,
    Anndata,
    Mudata,
    Fasta,
}

/// What an HDF5 file holds that is read where it lies, not as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stored {
    /// Arrays; `matlab`: those of MATLAB 7.3.
    Variables { matlab: bool },
    /// Observations; `several`: modalities.
    Annotated { several: bool },
}

impl Format {
    fn of(path: &Path) -> Result<Self> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let stem = name.strip_suffix(".gz").unwrap_or(&name);
        Ok(match stem.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "csv" | "tsv" | "txt" | "dat" => Format::Text,
            "npy" => Format::Npy,
            "npz" => Format::Npz,
            "libsvm" | "svm" | "svmlight" => Format::Libsvm,
            "mtx" | "mm" => Format::MatrixMarket,
            "mat" => Format::Matlab,
            "h5" | "hdf5" => Format::Hdf5,
            "h5ad" => Format::Anndata,
            "h5mu" => Format::Mudata,
            "fasta" | "fa" | "faa" | "fna" => Format::Fasta,
            other => {
                return Err(parse_error(
                    path,
                    (0, 0),
                    format!(
                        "the ending '{other}' is not that of a known format; known: csv, tsv, \
                         txt, dat, npy, npz, libsvm, svm, svmlight, mtx, mm, mat, h5, hdf5, \
                         h5ad, h5mu, fasta, fa, faa, fna, each also with .gz"
                    ),
                ));
            }
        })
    }

    /// What is in it, if it is an HDF5 file by its name, or by its first bytes if they are not compressed.
    fn stored(self, path: &Path) -> Result<Option<Stored>> {
        Ok(match self {
            Format::Matlab if !compressed(path) && hdf5::is_hdf5_file(path)? => {
                Some(Stored::Variables { matlab: true })
            }
            Format::Hdf5 => Some(Stored::Variables { matlab: false }),
            Format::Anndata => Some(Stored::Annotated { several: false }),
            Format::Mudata => Some(Stored::Annotated { several: true }),
            _ => None,
        })
    }

    fn parser(self) -> fn(&[u8], &Path, &ReadOptions) -> Result<TableFile> {
        match self {
            Format::Text => parse_csv,
            Format::Npy => parse_npy,
            Format::Npz => parse_npz,
            Format::Libsvm => parse_libsvm,
            Format::MatrixMarket => parse_matrix_market,
            Format::Matlab => parse_mat,
            Format::Hdf5 => parse_hdf5,
            Format::Anndata => parse_anndata,
            Format::Mudata => parse_mudata,
            Format::Fasta => parse_fasta,
        }
    }
}

/// Whether a file is compressed by gzip, by its name.
fn compressed(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"))
}

/// The content of a file, decompressed if its name ends in `.gz`.
fn read_bytes(path: &Path, options: &ReadOptions) -> Result<Vec<u8>> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let bytes = std::fs::read(path).map_err(io)?;
    let named = compressed(path);
    if bytes.starts_with(&[0x1f, 0x8b]) && !named {
        let problem = "the content is compressed by gzip; add .gz to the name".to_string();
        return Err(parse_error(path, (0, 0), problem));
    }
    if !named {
        return Ok(bytes);
    }
    let damaged = |e| format!("not a complete gzip file ({e})");
    let stream = flate2::read::MultiGzDecoder::new(bytes.as_slice());
    options.room().unpack(stream, damaged).map_err(|p| parse_error(path, (0, 0), p))
}

fn parse_error(path: &Path, place: (usize, usize), problem: impl Into<String>) -> Error {
    Error::Parse {
        path: path.to_path_buf(),
        line: place.0,
        column: place.1,
        problem: problem.into(),
    }
}

/// Text from the bytes of a file, without a byte order mark.
fn utf8<'a>(bytes: &'a [u8], path: &Path) -> Result<&'a str> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(parse_error(path, (1, 0), "the text is UTF-16; save it as UTF-8"));
    }
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = 1 + bytes[..e.valid_up_to()].iter().filter(|b| **b == b'\n').count();
        parse_error(path, (line, 0), "the text is not UTF-8")
    })?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

/// Memory that a header may claim without entries to show for it.
const FREE_CELLS: usize = 1 << 24;

/// Refuses a declared number of cells that the content does not bear out: more than 16 million
/// with fewer than one entry per 1,000 cells.
fn plausible(path: &Path, what: &str, cells: Option<usize>, entries: usize) -> Result<usize> {
    match cells {
        Some(cells) if cells <= FREE_CELLS.max(entries.saturating_mul(1000)) => Ok(cells),
        _ => Err(parse_error(
            path,
            (0, 0),
            format!(
                "the file declares {what}, but holds {entries} entries only; \
                 above {FREE_CELLS} cells at least one in 1,000 must be stored"
            ),
        )),
    }
}

/// A table of numbers in a binary format, row by row, after the checks that all of them share.
fn dense_table(
    rows: usize,
    cols: usize,
    values: Vec<f64>,
    path: &Path,
    options: &ReadOptions,
) -> Result<TableFile> {
    let finite = scan(&values).1;
    dense_table_of(rows, cols, (values, finite), path, options)
}

/// [`dense_table`] of numbers of which is known whether all are finite.
fn dense_table_of(
    rows: usize,
    cols: usize,
    (values, finite): (Vec<f64>, bool),
    path: &Path,
    options: &ReadOptions,
) -> Result<TableFile> {
    if rows == 0 || cols == 0 {
        let problem = format!("the table is {rows} × {cols}; there must be a row and a column");
        return Err(parse_error(path, (0, 0), problem));
    }
    no_text_options(path, options)?;
    let mut present = vec![true; rows];
    // New instances have no value for an instance that a similarity does not have; in training it lacks its row, too.
    let mut lacks = vec![options.missing_rows && options.similarity; cols];
    if lacks[0] {
        for row in values.chunks_exact(cols) {
            lacks.iter_mut().zip(row).for_each(|(l, x)| *l &= x.is_nan());
        }
    }
    for (i, row) in values.chunks_exact(cols).enumerate().filter(|_| !finite) {
        if options.missing_rows && row.iter().all(|x| x.is_nan()) {
            present[i] = false;
        } else if let Some(j) =
            (0..cols).find(|&j| !(row[j].is_finite() || row[j].is_nan() && lacks[j]))
        {
            let hint = if options.missing_rows {
                "; only a row that is NaN throughout counts as missing"
            } else {
                ""
            };
            return Err(parse_error(
                path,
                (0, 0),
                format!("row {}, column {}: {} is not a finite number{hint}", i + 1, j + 1, row[j]),
            ));
        }
    }
    let matrix = Matrix::new(rows, cols, values)?;
    let table = if options.similarity { Table::Similarity(matrix) } else { Table::Dense(matrix) };
    Ok(plain(path, table, present))
}

/// A sparse table after the checks that all sparse formats share; a graph if it is a similarity.
fn sparse_table(csr: Csr, path: &Path, options: &ReadOptions) -> Result<TableFile> {
    let finite = (0..csr.rows()).all(|i| scan(csr.row(i).1).1);
    sparse_table_of(csr, finite, path, options)
}

/// [`sparse_table`] of numbers of which is known whether all are finite.
fn sparse_table_of(
    csr: Csr,
    finite: bool,
    path: &Path,
    options: &ReadOptions,
) -> Result<TableFile> {
    let (rows, cols) = (csr.rows(), csr.cols());
    if rows == 0 || cols == 0 {
        let problem = format!("the table is {rows} × {cols}; there must be a row and a column");
        return Err(parse_error(path, (0, 0), problem));
    }
    for i in (0..rows).filter(|_| !finite) {
        let (columns, values) = csr.row(i);
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            let (column, x) = (columns[k] + 1, values[k]);
            let problem = format!("row {}, column {column}: {x} is not a finite number", i + 1);
            return Err(parse_error(path, (0, 0), problem));
        }
    }
    let present = vec![true; rows];
    let table = if options.similarity { Table::Graph(csr) } else { Table::Sparse(csr) };
    Ok(plain(path, table, present))
}

/// Binary and sparse formats have neither ids nor label columns: asking for them is a mistake
/// that must not pass silently.
fn no_text_options(path: &Path, options: &ReadOptions) -> Result<()> {
    let asked = match (&options.id_column, &options.label_column) {
        (Some(id), _) => format!("id column '{id}'"),
        (_, Some(label)) => format!("label column '{label}'"),
        _ => return Ok(()),
    };
    let problem = format!("this format has no named columns, so there is no {asked}");
    Err(parse_error(path, (0, 0), problem))
}

fn plain(path: &Path, table: Table, present: Vec<bool>) -> TableFile {
    TableFile {
        path: path.to_path_buf(),
        table,
        columns: None,
        ids: None,
        labels: None,
        present: present.contains(&false).then_some(present),
        notes: Vec::new(),
    }
}

/// The variable that was asked for, or the only one of a file.
fn choose(
    names: &[String],
    options: &ReadOptions,
    path: &Path,
    kind: &'static str,
) -> Result<String> {
    let problem = match (&options.variable, names) {
        (_, []) => format!("the file holds no {kind} of numbers"),
        (Some(name), _) if names.contains(name) => return Ok(name.clone()),
        (Some(name), _) => Error::unknown(kind, name, names).to_string(),
        (None, [one]) => return Ok(one.clone()),
        (None, _) => format!("the file holds several; name one of {}", names.join(", ")),
    };
    Err(parse_error(path, (0, 0), problem))
}

/// A sparse matrix from its columns: column j has the rows `rows[starts[j]..starts[j + 1]]`.
fn csr_from_columns(
    n_rows: usize,
    starts: &[usize],
    rows: &[usize],
    values: &[f64],
) -> Result<Csr, String> {
    let cols = starts.len().saturating_sub(1);
    if starts.first() != Some(&0) || starts.windows(2).any(|w| w[0] > w[1]) {
        return Err("the column starts do not rise from 0".to_string());
    }
    if starts[cols] != rows.len() || rows.len() != values.len() {
        let (end, found, v) = (starts[cols], rows.len(), values.len());
        return Err(format!("the columns end at entry {end}, found {found} rows and {v} values"));
    }
    if u32::try_from(cols).is_err() {
        return Err(format!("{cols} columns are too many"));
    }
    let mut row_starts = vec![0_usize; n_rows + 1];
    for &i in rows {
        if i >= n_rows {
            return Err(format!("row {} of {n_rows} rows is named", i.saturating_add(1)));
        }
        row_starts[i + 1] += 1;
    }
    for i in 0..n_rows {
        row_starts[i + 1] += row_starts[i];
    }
    let mut next = row_starts.clone();
    let (mut indices, mut out) = (vec![0_u32; rows.len()], vec![0.0; rows.len()]);
    for j in 0..cols {
        for k in starts[j]..starts[j + 1] {
            let place = &mut next[rows[k]];
            indices[*place] = j as u32;
            out[*place] = values[k];
            *place += 1;
        }
    }
    Csr::from_parts(cols, row_starts, indices, out).map_err(|e| e.to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// 1.6 MB of gzip once became 11.9 GB.
    #[test]
    fn what_is_unpacked_is_bounded() {
        use std::io::Write;
        let dir = tempfile::tempdir().unwrap();
        let (csv, archive) = (dir.path().join("a.csv.gz"), dir.path().join("a.npz"));
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gz.write_all("1,2\n".repeat(1_000).as_bytes()).unwrap();
        std::fs::write(&csv, gz.finish().unwrap()).unwrap();
        let array = samples::npy("|u1", false, "(4000,)", &[1; 4_000]);
        std::fs::write(&archive, samples::npz(&[("x", &array)])).unwrap();
        for path in [csv, archive] {
            let with = |unpacked: Option<usize>| {
                read_table(&path, &ReadOptions { unpacked, ..Default::default() })
            };
            assert!(with(None).is_ok() && with(Some(5_000)).is_ok());
            let e = with(Some(3_999)).unwrap_err().to_string();
            assert!(e.contains("raise ReadOptions::unpacked, or unpack the file first"), "{e}");
        }
    }

    #[test]
    fn the_ending_chooses_the_format() {
        let of = |name: &str| Format::of(Path::new(name));
        assert_eq!(of("a/b.c.CSV.gz").unwrap(), Format::Text);
        assert_eq!(of("x.npz").unwrap(), Format::Npz);
        assert_eq!(of("x.svm").unwrap(), Format::Libsvm);
        assert_eq!(of("x.mtx.gz").unwrap(), Format::MatrixMarket);
        let e = of("x.xls").unwrap_err().to_string();
        assert!(e.starts_with("x.xls: the ending 'xls' is not that of a known format"), "{e}");
        assert!(of("csv").is_err() && of("").is_err());
    }

    #[test]
    fn gzip_is_decompressed_and_checked() {
        use std::io::Write;
        let dir = tempfile::tempdir().unwrap();
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        gz.write_all(b"1,2\n3,4\n").unwrap();
        let gz = gz.finish().unwrap();
        let path = dir.path().join("a.csv.gz");
        std::fs::write(&path, &gz).unwrap();
        let table = read_table(&path, &ReadOptions::default()).unwrap().table;
        assert_eq!(table, Table::Dense(Matrix::new(2, 2, vec![1.0, 2.0, 3.0, 4.0]).unwrap()));
        std::fs::write(&path, &gz[..gz.len() - 3]).unwrap();
        let e = read_table(&path, &ReadOptions::default()).unwrap_err().to_string();
        assert!(e.contains("a.csv.gz: not a complete gzip file"), "{e}");
        let wrong = dir.path().join("a.csv");
        std::fs::write(&wrong, &gz).unwrap();
        let e = read_table(&wrong, &ReadOptions::default()).unwrap_err().to_string();
        assert!(e.ends_with("add .gz to the name"), "{e}");
    }
}
