#![allow(clippy::unwrap_used)]

use super::super::samples::{h5, h5ad, h5mu, mat73};
use super::super::{
    parse_anndata, parse_hdf5, parse_mat, parse_mudata, read_labels, read_table, views_in,
};
use super::*;
use crate::data::{Csr, Matrix, Table};
use hdf5_pure::FileBuilder;

fn asked(variable: Option<&str>) -> ReadOptions {
    ReadOptions { variable: variable.map(String::from), ..Default::default() }
}

fn dense(rows: usize, cols: usize, values: &[f64]) -> Table {
    Table::Dense(Matrix::new(rows, cols, values.to_vec()).unwrap())
}

fn saved(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// From a file on a disk, and from bytes.
#[test]
fn matlab_files_of_version_7_3() {
    let (_folder, path) = saved("a.mat", &mat73());
    let read = |variable: &str, similarity: bool| {
        let options = ReadOptions { similarity, ..asked(Some(variable)) };
        let table = read_table(&path, &options).unwrap().table;
        assert_eq!(parse_mat(&mat73(), &path, &options).unwrap().table, table);
        table
    };
    assert_eq!(read("X{1}", false), dense(3, 2, &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
    let second = [0.0, 3.0, 6.0, 9.0, 1.0, 4.0, 7.0, 10.0, 2.0, 5.0, 8.0, 11.0];
    assert_eq!(read("X{2}", false), dense(3, 4, &second));
    let first = vec![2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0];
    let similar = |values| Table::Similarity(Matrix::new(3, 3, values).unwrap());
    assert_eq!(read("KH(:,:,1)", true), similar(first));
    assert_eq!(read("KH(:,:,2)", true), similar(vec![1.0; 9]));
    let sparse = Csr::from_rows(2, vec![vec![(0, 7.0)], vec![], vec![(1, 8.0)]]).unwrap();
    assert_eq!(read("s.a", false), Table::Sparse(sparse));
    let names = |variable: &str| {
        let found = views_in(&path, &asked(Some(variable))).unwrap().variables;
        found.into_iter().map(|(suffix, v)| (suffix, v.unwrap())).collect::<Vec<_>>()
    };
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    assert_eq!(names("X"), [pair("1", "X{1}"), pair("2", "X{2}")]);
    assert_eq!(names("KH"), [pair("1", "KH(:,:,1)"), pair("2", "KH(:,:,2)")]);
    assert_eq!(read_labels(&path, &asked(None)).unwrap().texts, ["1", "2", "1"]);
    let refused = |variable: &str| {
        parse_mat(&mat73(), Path::new("a.mat"), &asked(Some(variable))).unwrap_err().to_string()
    };
    assert!(
        refused("X").contains("'X' is a cell array; name one of X{1}, X{2}"),
        "{}",
        refused("X")
    );
    assert!(refused("KH").contains("is a stack of matrices"), "{}", refused("KH"));
    assert!(
        refused("t").contains("expected a matrix of numbers, found a text"),
        "{}",
        refused("t")
    );
}

#[test]
fn arrays_by_their_paths() {
    let (_folder, path) = saved("a.h5", &h5());
    let read = |variable: &str| read_table(&path, &asked(Some(variable))).unwrap().table;
    assert_eq!(read("views/one"), dense(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    assert_eq!(read("views/two"), dense(3, 1, &[1.0, -2.0, 3.0]));
    let found = views_in(&path, &asked(None)).unwrap().variables;
    let names: Vec<&str> = found.iter().map(|(suffix, _)| suffix.as_str()).collect();
    assert_eq!(names, [".one", ".two"]);
    assert_eq!(read_labels(&path, &asked(None)).unwrap().texts, ["u", "vv", "u"]);
    let e = parse_hdf5(&h5(), Path::new("a.h5"), &asked(None)).unwrap_err().to_string();
    assert_eq!(e, "a.h5: the file holds several; name one of views/one, views/two");
    let e = parse_hdf5(b"1,2", Path::new("a.h5"), &asked(None)).unwrap_err().to_string();
    assert_eq!(e, "a.h5: this is no HDF5 file");
}

/// Every form of chunks gives what was written, whole and in part; LZF and Fletcher32 come from the library.
#[test]
fn chunks_of_all_forms() {
    let values: Vec<f64> = (0..7 * 5 * 4).map(|i| f64::from(i) - 30.0).collect();
    for form in 0..7 {
        let mut file = FileBuilder::new();
        let d = file.create_dataset("x");
        match form {
            5 => d.with_i32_data(&values.iter().map(|x| *x as i32).collect::<Vec<_>>()),
            6 => d.with_f32_data(&values.iter().map(|x| *x as f32).collect::<Vec<_>>()),
            _ => d.with_f64_data(&values),
        };
        d.with_shape(&[7, 5, 4]);
        match form {
            0 => d,
            1 => d.with_chunks(&[3, 2, 3]),
            2 | 5 | 6 => d.with_chunks(&[2, 5, 3]).with_shuffle().with_deflate(6),
            3 => d.with_chunks(&[7, 1, 4]).with_lzf(),
            _ => d.with_chunks(&[3, 3, 3]).with_deflate(1).with_fletcher32(),
        };
        let file = File::of(file.finish().unwrap(), Path::new("a.h5")).unwrap();
        let x = file.root().dataset("x").unwrap();
        let room = || ReadOptions::default().room();
        assert_eq!(x.numbers::<f64>(&mut room()).unwrap(), values, "form {form}");
        for rows in [0..7, 2..5, 3..4, 6..7, 4..4] {
            let part = x.numbers_of::<f64>(rows.clone(), &mut room()).unwrap();
            assert_eq!(part, values[rows.start * 20..rows.end * 20], "form {form}");
        }
        let e = x.numbers::<usize>(&mut room()).unwrap_err();
        assert!(e.starts_with("dataset '/x': a number is negative"), "{e}");
    }
}

#[test]
fn observations_and_their_matrices() {
    let path = Path::new("a.h5ad");
    let read = |variable: Option<&str>, similarity: bool, column: Option<&str>| {
        let label_column = column.map(String::from);
        let options = ReadOptions { similarity, label_column, ..asked(variable) };
        parse_anndata(&h5ad(), path, &options)
    };
    let file = read(None, false, Some("kind")).unwrap();
    let rows = [(0, 1.0), (1, 2.0), (2, 3.0), (0, 4.0)].map(|entry| vec![entry]).to_vec();
    assert_eq!(file.table, Table::Sparse(Csr::from_rows(3, rows).unwrap()));
    assert_eq!(file.ids.unwrap(), ["p", "q", "r", "s"]);
    assert_eq!(file.labels.unwrap(), ["u", "v", "u", ""]);
    let file = read(Some("obsm/pca"), false, Some("age")).unwrap();
    assert_eq!(file.table, dense(4, 2, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]));
    assert_eq!(file.labels.unwrap(), ["0.5", "1.5", "2.5", "3.5"]);
    // The only similarity is meant where one is.
    assert!(matches!(read(None, true, None).unwrap().table, Table::Graph(m) if m.stored() == 4));
    let sentence = |variable, column| read(variable, false, column).unwrap_err().to_string();
    let e = sentence(Some("obsm/umap"), None);
    assert!(e.contains("unknown matrix 'obsm/umap'") && e.contains("obsm/pca"), "{e}");
    let e = sentence(None, Some("knd"));
    assert!(e.starts_with("a.h5ad: unknown label column 'knd' (did you mean 'kind'?)"), "{e}");
    assert!(sentence(Some("obsp/near"), None).contains("read it as a similarity"));
}

#[test]
fn modalities_that_instances_lack() {
    let (_folder, path) = saved("a.h5mu", &h5mu());
    let options = |variable: Option<&str>, similarity: bool| ReadOptions {
        missing_rows: true,
        similarity,
        label_column: Some("kind".to_string()),
        ..asked(variable)
    };
    let found = views_in(&path, &asked(None)).unwrap().variables;
    assert_eq!(found.iter().map(|v| v.0.as_str()).collect::<Vec<_>>(), [".prot", ".rna"]);
    let file = read_table(&path, &options(Some("prot/obsm/pca"), false)).unwrap();
    assert_eq!(file.ids.unwrap(), ["p", "q", "r", "s"]);
    assert_eq!(file.present.unwrap(), [false, true, false, true]);
    assert_eq!(file.labels.unwrap(), ["u", "v", "u", ""]);
    let Table::Dense(m) = file.table else { panic!("dense") };
    assert_eq!((m.row(1), m.row(3)), (&[2.0, 3.0][..], &[0.0, 1.0][..]));
    assert!(m.row(0).iter().all(|x| x.is_nan()));
    let file = read_table(&path, &options(Some("prot/obsp/near"), true)).unwrap();
    let rows = vec![vec![], vec![(1, 2.0)], vec![], vec![(3, 1.0)]];
    assert_eq!(file.table, Table::Graph(Csr::from_rows(4, rows).unwrap()));
    assert!(read_table(&path, &options(Some("rna"), false)).unwrap().present.is_none());
    let refused = |variable| {
        parse_mudata(&h5mu(), Path::new("a.h5mu"), &asked(variable)).unwrap_err().to_string()
    };
    let e = refused(Some("prot"));
    assert!(e.contains("2 of 4 instances lack modality 'prot', the first is 'p'"), "{e}");
    assert!(refused(None).contains("several modalities; name one of prot, rna"));
    assert!(
        refused(Some("rnb")).contains("unknown modality or matrix 'rnb' (did you mean 'rna'?)")
    );
    let labels = read_labels(&path, &options(None, false)).unwrap();
    assert_eq!(
        (labels.texts, labels.ids.unwrap().len()),
        (vec!["u".into(), "v".into(), "u".into(), String::new()], 4)
    );
}

/// What is declared, and what unpacks, is bounded by what is there.
#[test]
fn sizes_are_not_believed() {
    let mut file = FileBuilder::new();
    let zeros = vec![0.0; 200_000];
    file.create_dataset("x")
        .with_f64_data(&zeros)
        .with_shape(&[400, 500])
        .with_chunks(&[400, 500])
        .with_deflate(9);
    let bytes = file.finish().unwrap();
    let options = ReadOptions { unpacked: Some(1_000_000), ..asked(None) };
    let e = parse_hdf5(&bytes, Path::new("a.h5"), &options).unwrap_err().to_string();
    assert!(e.contains("dataset '/x'") && e.contains("unpacks to more than"), "{e}");
    assert!(parse_hdf5(&bytes, Path::new("a.h5"), &asked(None)).is_ok());
    // Sizes of a contiguous array, changed in its header: 3 × 2 become 3 × 2^40.
    let mut bytes = h5();
    let shape = [3_u64.to_le_bytes(), 2_u64.to_le_bytes()].concat();
    let at = bytes.windows(16).position(|w| w == shape).unwrap();
    bytes[at + 8..at + 16].copy_from_slice(&(1_u64 << 40).to_le_bytes());
    assert!(parse_hdf5(&bytes, Path::new("a.h5"), &asked(Some("views/one"))).is_err());
    // Cut off anywhere: what is still there, or an error.
    for (whole, variable) in [(h5(), "views/one"), (mat73(), "#refs#/a")] {
        let read = |part: &[u8]| parse_hdf5(part, Path::new("a.h5"), &asked(Some(variable)));
        let table = read(&whole).unwrap().table;
        let mut refused = 0;
        for length in (0..whole.len()).step_by(97) {
            match read(&whole[..length]) {
                Ok(file) => assert_eq!(file.table, table, "{length}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > 0);
    }
}
