//! Readers of tables and labels. The first byte of an input says how it is to be understood.

use crate::samples::{
    compressed, element, h5, h5ad, h5mu, mat, mat73, matrix, npy as array, npz as archive, small,
};
use cokernel::Result;
use cokernel::data::read::{
    parse_anndata, parse_csv, parse_fasta, parse_hdf5, parse_labels, parse_libsvm, parse_mat,
    parse_matrix_market, parse_mudata, parse_npy, parse_npz, parse_pairs,
};
use cokernel::data::{
    AssembleOptions, Header, Matrix, ReadOptions, TableFile, View, Views, assemble, read_labels,
    read_table,
};
use std::io::Write;
use std::path::Path;

/// Words of the formats.
pub const WORDS: &[&str] = &[
    "%%MatrixMarket matrix coordinate real general\n",
    "array",
    "integer",
    "pattern",
    "symmetric",
    "skew-symmetric",
    "hermitian",
    "complex",
    "'descr': '<f8'",
    "'>i2'",
    "'|b1'",
    "'<U3'",
    "'|S3'",
    "'<c16'",
    "'fortran_order': True",
    "'shape': (2,)",
    "(1, 2, 3)",
    "\u{feff}",
    "\r\n",
    "nan",
    "",
    "\"\"",
    "\",\"",
    "id",
    "class",
    "label",
    "inf",
    "\t",
    ";",
    "csr",
    "csc",
    "coo",
    "format.npy",
];

/// How an input is to be understood, by its first byte.
fn options(flags: u8) -> ReadOptions {
    let bit = |k: u8| flags >> k & 1 == 1;
    let header = match flags >> 5 & 3 {
        0 | 3 => Header::Auto,
        1 => Header::Yes,
        _ => Header::No,
    };
    ReadOptions {
        id_column: bit(0).then(|| "1".to_string()),
        label_column: bit(1).then(|| "2".to_string()),
        delimiter: bit(7).then_some(b' '),
        header,
        variable: bit(2).then(|| "x".to_string()),
        similarity: bit(3),
        sequences: bit(2) && bit(3),
        missing_rows: bit(4),
        ..ReadOptions::default()
    }
}

/// A file without flags and the same with some.
fn with_flags(flags: &[u8], content: &[u8]) -> Vec<Vec<u8>> {
    flags.iter().map(|f| [&[*f], content].concat()).collect()
}

/// What was read is a table in order; an error says something.
fn in_order(result: Result<TableFile>) -> Option<TableFile> {
    let file = match result {
        Ok(file) => file,
        Err(e) => {
            assert!(!e.to_string().is_empty());
            return None;
        }
    };
    let (rows, cols) = (file.table.rows(), file.table.cols());
    assert!(rows > 0 && cols > 0, "{rows} × {cols}");
    assert!(file.columns.as_ref().is_none_or(|c| c.len() == cols));
    assert!(file.ids.as_ref().is_none_or(|ids| ids.len() == rows));
    assert!(file.labels.as_ref().is_none_or(|labels| labels.len() == rows));
    let (table, columns, present) =
        (file.table.clone(), file.columns.clone(), file.present.clone());
    let view = View { name: "v".to_string(), table, columns, present };
    // The one thing that views refuse and files may hold: no row is present.
    let none = file.present.as_ref().is_some_and(|p| !p.contains(&true));
    assert!(Views::new().push(view).is_ok() || none);
    Some(file)
}

type Parser = fn(&[u8], &Path, &ReadOptions) -> Result<TableFile>;

fn parsed(bytes: &[u8], name: &str, parser: Parser) -> Option<TableFile> {
    let (flags, content) = bytes.split_first()?;
    in_order(parser(content, Path::new(name), &options(*flags)))
}

/// Text tables.
pub fn csv(bytes: &[u8]) -> bool {
    parsed(bytes, "a.csv", parse_csv).is_some()
}

/// FASTA files.
pub fn fasta(bytes: &[u8]) -> bool {
    parsed(bytes, "a.fasta", parse_fasta).is_some()
}

/// FASTA files that are accepted.
pub fn fasta_seeds() -> Vec<Vec<u8>> {
    let mut all = with_flags(&[0, 1], b">a one\nACGT\nAC\n;no\n>b\nGG*\n");
    all.extend(with_flags(&[0x10], b"\xef\xbb\xbf>p\r\n>q\r\nM K\r\n"));
    all
}

/// Text tables that are accepted.
pub fn csv_seeds() -> Vec<Vec<u8>> {
    let table: &[u8] = b"id,a,\"b,c\"\np,1,2\nq,3.5,-4e1\n\"r\",.5,1e-3\n";
    let mut all = with_flags(&[1, 3], table);
    all.extend(with_flags(&[0], b"1;2\n3;4\n"));
    all.extend(with_flags(&[0, 0x80], b"1 2\n3 4\n5 6\n"));
    all.extend(with_flags(&[0x10, 0x18], b"x\ty\n1\t2\nNaN\tnan\n"));
    all.extend(with_flags(&[0x0c, 0x1c], b"x,y\nACGT,1\nGG,2\n"));
    all.extend(with_flags(&[8], b"1,0.5,0\n0.5,1,0\n0,0,1\n"));
    all.extend(with_flags(&[0x40], b"\xef\xbb\xbf1,2\r\n3,4\r\n"));
    all
}

/// Label files as text.
pub fn labels(bytes: &[u8]) -> bool {
    let Some((flags, content)) = bytes.split_first() else { return false };
    match parse_labels(content, Path::new("y.csv"), &options(*flags)) {
        Ok(file) => {
            assert!(!file.texts.is_empty());
            assert!(file.ids.is_none_or(|ids| ids.len() == file.texts.len()));
            true
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            false
        }
    }
}

/// Labels that are accepted.
pub fn label_seeds() -> Vec<Vec<u8>> {
    let mut all = with_flags(&[1, 3], b"id,class\np,u\nq,v\nr,\"a,b\"\n");
    all.extend(with_flags(&[0], b"label\n1\n2\n?\n"));
    all.extend(with_flags(&[0, 0x40], b"1\n2\n-1\n"));
    all
}

/// Files of pairs as text, among instances with ids or without.
pub fn pairs(bytes: &[u8]) -> bool {
    let Some((flags, content)) = bytes.split_first() else { return false };
    let file = match parse_pairs(content, Path::new("p.csv"), &options(*flags)) {
        Ok(file) => file,
        Err(e) => {
            assert!(!e.to_string().is_empty());
            return false;
        }
    };
    assert!(!file.lines.is_empty());
    let Ok(mut views) = Views::new().dense("v", Matrix::zeros(4, 1)) else { return false };
    if flags & 1 == 1 && views.set_ids(["p", "q", "r", "s"].map(String::from).to_vec()).is_err() {
        return false;
    }
    match file.pairs(&views) {
        Ok(pairs) => {
            assert!(pairs.n() == 4 && pairs.len() <= 6 && !pairs.is_empty());
            true
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            false
        }
    }
}

/// Files of pairs that are accepted.
pub fn pair_seeds() -> Vec<Vec<u8>> {
    let mut all = with_flags(&[1], b"a,b,link\np,q,must\n\"r\",q,cannot\np,q,+1\n");
    all.extend(with_flags(&[0, 0x40, 0x80], b"0 1 must\n2 3 -1\n1 2 cannot_link\n"));
    all
}

/// LIBSVM lines.
pub fn libsvm(bytes: &[u8]) -> bool {
    parsed(bytes, "a.svm", parse_libsvm).is_some()
}

/// LIBSVM files that are accepted.
pub fn libsvm_seeds() -> Vec<Vec<u8>> {
    let mut all = with_flags(&[0], b"+1 1:0.5 7:2 # c\n-1 2:1e3\n\n3 1:-1\n");
    all.extend(with_flags(&[0], b"1 1000000:1\n2 1:1\n"));
    all
}

/// MatrixMarket.
pub fn matrix_market(bytes: &[u8]) -> bool {
    parsed(bytes, "a.mtx", parse_matrix_market).is_some()
}

/// MatrixMarket files that are accepted.
pub fn mtx_seeds() -> Vec<Vec<u8>> {
    let files: [(&[u8], &[u8]); 4] = [
        (&[0, 8], b"%%MatrixMarket matrix coordinate real symmetric\n% c\n2 2 2\n1 1 1.5\n2 1 2\n"),
        (&[0, 8], b"%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n"),
        (&[0], b"%%MatrixMarket matrix coordinate pattern general\n3 4 2\n1 4\n3 1\n"),
        (&[8], b"%%MatrixMarket matrix array real symmetric\n2 2\n1\n0.5\n1\n"),
    ];
    files.iter().flat_map(|(flags, content)| with_flags(flags, content)).collect()
}

/// A 2 × 2 array of doubles.
fn doubles() -> Vec<u8> {
    array("<f8", false, "(2, 2)", &[1.5_f64, 2.0, -3.0, 4.0].map(f64::to_le_bytes).concat())
}

/// NumPy arrays.
pub fn npy(bytes: &[u8]) -> bool {
    let read = parsed(bytes, "a.npy", parse_npy).is_some();
    // Labels are read from files only, which takes longer: some inputs.
    let said = bytes.split_first().is_some_and(|(f, c)| *f >= 0xf0 && of_file("y.npy", c, 0).1);
    read || said
}

/// NumPy arrays that are accepted.
pub fn npy_seeds() -> Vec<Vec<u8>> {
    let mut all = with_flags(&[0, 8, 0x10], &doubles());
    all.extend(with_flags(&[0], &array(">i2", true, "(2, 1)", &[0, 1, 0, 2])));
    all.extend(with_flags(&[0, 0xf0], &array("|b1", false, "(3,)", &[0, 1, 1])));
    all.extend(with_flags(&[0xf0], &array("<U2", false, "(2,)", b"a\0\0\0b\0\0\0c\0\0\0\0\0\0\0")));
    all
}

/// An archive of the pieces of an input, with right checksums: a piece is a length, then as much.
fn packed(content: &[u8]) -> Vec<u8> {
    const NAMES: [&str; 8] = ["x", "data", "indices", "indptr", "shape", "format", "row", "col"];
    let mut pieces: Vec<(&str, &[u8])> = Vec::new();
    let mut rest = content;
    while let Some((head, more)) = rest.split_first_chunk::<3>() {
        let name = NAMES[usize::from(head[0]) % NAMES.len()];
        let length = usize::from(u16::from_le_bytes([head[1], head[2]])).min(more.len());
        let (piece, after) = more.split_at(length);
        if !pieces.iter().any(|p| p.0 == name) {
            pieces.push((name, piece));
        }
        rest = after;
    }
    archive(&pieces)
}

/// Archives of arrays: as they are, and put together from pieces so that their checksums are right.
pub fn npz(bytes: &[u8]) -> bool {
    let Some((flags, content)) = bytes.split_first() else { return false };
    let path = Path::new("a.npz");
    let raw = in_order(parse_npz(content, path, &options(*flags)));
    raw.is_some() || in_order(parse_npz(&packed(content), path, &options(*flags))).is_some()
}

/// Archives that are accepted.
pub fn npz_seeds() -> Vec<Vec<u8>> {
    let u = |shape: &str, v: &[u8]| array("|u1", false, shape, v);
    let text = |t: &[u8]| array(&format!("|S{}", t.len()), false, "()", t);
    let sparse = [
        (5, text(b"csc")),
        (4, u("(2,)", &[2, 2])),
        (3, u("(3,)", &[0, 1, 2])),
        (2, u("(2,)", &[1, 0])),
        (1, u("(2,)", &[7, 8])),
    ];
    let pieces = |list: &[(u8, Vec<u8>)]| -> Vec<u8> {
        let piece = |(name, bytes): &(u8, Vec<u8>)| {
            [&[*name], &(bytes.len() as u16).to_le_bytes()[..], bytes].concat()
        };
        list.iter().flat_map(piece).collect()
    };
    let mut all = with_flags(&[0, 8], &pieces(&sparse));
    all.extend(with_flags(&[4], &pieces(&[(0, doubles()), (1, u("(2, 1)", &[1, 2]))])));
    all.extend(with_flags(&[0], &archive(&[("x", &doubles())])));
    all
}

/// MATLAB files: as they are, and with all elements compressed, so that their checksums are right.
pub fn matlab(bytes: &[u8]) -> bool {
    let raw = parsed(bytes, "a.mat", parse_mat).is_some();
    let Some((flags, content)) = bytes.split_first() else { return false };
    let Some((head, elements)) = content.split_at_checked(128) else { return raw };
    let again = [head, &compressed(elements)].concat();
    let path = Path::new("a.mat");
    let again = in_order(parse_mat(&again, path, &options(*flags))).is_some();
    let labels = *flags >= 0xf0 && of_file("y.mat", content, *flags & 4).1;
    raw || again || labels
}

/// MATLAB files that are accepted.
pub fn mat_seeds() -> Vec<Vec<u8>> {
    let double = element(9, &[1.5_f64, 2.0, -3.0, 4.0].map(f64::to_le_bytes).concat());
    let whole = |v: &[i32]| element(5, &v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    let x = matrix(6, "x", &[2, 2], std::slice::from_ref(&double));
    let s = matrix(5, "x", &[2, 3], &[whole(&[0, 1, 0, 1]), whole(&[0, 2, 3, 4]), double]);
    let y = matrix(8, "y", &[2, 1], &[small(1, &[3, 4])]);
    let text = matrix(4, "t", &[1, 2], &[element(4, &[b'a', 0, b'b', 0])]);
    let mut all = with_flags(&[0, 8], &mat(std::slice::from_ref(&x)));
    all.extend(with_flags(&[0], &mat(&[compressed(&x)])));
    all.extend(with_flags(&[0, 4], &mat(std::slice::from_ref(&s))));
    all.extend(with_flags(&[4], &mat(&[s, y.clone(), text])));
    all.extend(with_flags(&[0xf0], &mat(&[y])));
    all
}

/// What is read of HDF5 files: by the second byte of an input the reader and the variable.
const HDF5: [(&str, Parser, Option<&str>); 8] = [
    ("a.mat", parse_mat, Some("X{1}")),
    ("a.mat", parse_mat, Some("KH(:,:,2)")),
    ("a.mat", parse_mat, Some("s.a")),
    ("a.h5", parse_hdf5, Some("views/one")),
    ("a.h5ad", parse_anndata, None),
    ("a.h5ad", parse_anndata, Some("obsp/near")),
    ("a.h5mu", parse_mudata, Some("prot")),
    ("a.h5mu", parse_mudata, Some("rna/obsm/pca")),
];

/// HDF5 files: arrays, MATLAB 7.3, AnnData and MuData.
pub fn hdf5(bytes: &[u8]) -> bool {
    let Some((&[flags, kind], content)) = bytes.split_first_chunk::<2>() else { return false };
    let (name, parser, variable) = HDF5[usize::from(kind) % HDF5.len()];
    let options = ReadOptions {
        variable: variable.map(String::from),
        label_column: (flags & 2 == 2).then(|| "kind".to_string()),
        similarity: flags & 8 == 8,
        missing_rows: true,
        ..ReadOptions::default()
    };
    in_order(parser(content, Path::new(name), &options)).is_some()
}

/// HDF5 files that are accepted.
pub fn hdf5_seeds() -> Vec<Vec<u8>> {
    let of = |flags: u8, kind: u8, content: &[u8]| [&[flags, kind], content].concat();
    let (matlab, observed, several) = (mat73(), h5ad(), h5mu());
    vec![
        of(0, 0, &matlab),
        of(8, 1, &matlab),
        of(0, 2, &matlab),
        of(0, 3, &h5()),
        of(2, 4, &observed),
        of(8, 5, &observed),
        of(2, 6, &several),
        of(0, 7, &several),
    ]
}

/// Whether a file of this name and content is read as a table, and as labels.
fn of_file(name: &str, content: &[u8], flags: u8) -> (bool, bool) {
    let Ok(folder) = tempfile::tempdir() else { return (false, false) };
    let path = folder.path().join(name);
    if std::fs::write(&path, content).is_err() {
        return (false, false);
    }
    let table = in_order(read_table(&path, &options(flags))).is_some();
    (table, read_labels(&path, &options(flags)).is_ok())
}

/// Files as they lie on a disk, chosen by their ending, plain and compressed: the second byte of an
/// input chooses.
pub fn files(bytes: &[u8]) -> bool {
    const NAMES: [&str; 8] =
        ["a.csv", "a.npy", "a.npz", "a.svm", "a.mtx", "a.mat", "a.csv.gz", "a.mtx.gz"];
    let Some((&[flags, kind], content)) = bytes.split_first_chunk::<2>() else { return false };
    let name = NAMES[usize::from(kind) % NAMES.len()];
    let plain = of_file(name, content, flags);
    let again = of_file(&format!("{}.gz", name.trim_end_matches(".gz")), &gzip(content), flags);
    plain.0 || plain.1 || again.0 || again.1
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    // Nothing can fail in memory.
    let _ = gz.write_all(content);
    gz.finish().unwrap_or_default()
}

/// Files that are accepted.
pub fn file_seeds() -> Vec<Vec<u8>> {
    let of = |kind: u8, seeds: Vec<Vec<u8>>| -> Vec<Vec<u8>> {
        seeds.into_iter().map(|s| [&[s[0], kind], &s[1..]].concat()).collect()
    };
    let text = |kind: u8, content: &[u8]| vec![[&[0, kind], &gzip(content)[..]].concat()];
    [
        of(0, csv_seeds()),
        of(1, npy_seeds()),
        of(3, libsvm_seeds()),
        of(4, mtx_seeds()),
        of(5, mat_seeds()),
        text(6, b"a,b\n1,2\n"),
        text(7, b"%%MatrixMarket matrix array integer general\n1 2\n1\n2\n"),
    ]
    .concat()
}

/// Two text tables and labels put together; they stand one after the other, each after a zero byte.
pub fn assembled(bytes: &[u8]) -> bool {
    let Some((flags, content)) = bytes.split_first() else { return false };
    let mut parts = content.split(|b| *b == 0);
    let options = options(*flags & 0b0001_1001);
    let mut tables = Vec::new();
    for name in ["a", "b"] {
        let part = parts.next().unwrap_or_default();
        let Ok(file) = parse_csv(part, Path::new(name), &options) else { return false };
        tables.push((name.to_string(), file));
    }
    let labels = match parts.next() {
        None => None,
        Some(part) => match parse_labels(part, Path::new("y"), &options) {
            Ok(labels) => Some(labels),
            Err(_) => return false,
        },
    };
    let options = AssembleOptions {
        allow_missing: flags & 2 != 0,
        real_targets: flags & 4 != 0,
        new_instances: flags & 32 != 0,
    };
    match assemble(tables, labels, &options) {
        Ok(found) => {
            assert_eq!(found.labels.len(), found.views.n());
            assert!(found.views.iter().all(|v| v.table.rows() == found.views.n()));
            true
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            false
        }
    }
}

/// Tables and labels that fit together.
pub fn table_seeds() -> Vec<Vec<u8>> {
    let with_ids = b"id,a\np,1\nq,2\nr,3\n\0id,b\nq,1\np,2\nr,5\n\0id,y\nr,1\np,2\nq,1\n";
    let others = b"id,a\np,1\nq,2\n\0id,b\nq,1\nr,2\n\0id,y\nr,1\np,2\nq,1\n";
    let mut all = with_flags(&[1, 5], with_ids);
    all.extend(with_flags(&[3], others));
    all.extend(with_flags(&[0], b"1\n2\n\x003\n4\n\0u\nv\n"));
    all.extend(with_flags(&[8], b"1,2\n2,1\n\x001,0\n0,1\n"));
    all.extend(with_flags(&[0x18], b"1,nan\nnan,nan\n\x001,0\n0,1\n"));
    all
}
