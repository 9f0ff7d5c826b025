//! Whatever the bytes, a reader answers with a table or with an error.

#![allow(clippy::unwrap_used)]

use super::samples::{compressed, element, mat, matrix, npy, npz, small};
use super::*;
use proptest::prelude::*;

type Parser = fn(&[u8], &Path, &ReadOptions) -> Result<TableFile>;

fn labels(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    let file = parse_labels(bytes, path, options)?;
    assert!(!file.texts.is_empty());
    Err(Error::Data("labels are no table".to_string()))
}

const PARSERS: [(&str, Parser); 7] = [
    ("a.csv", parse_csv),
    ("a.npy", parse_npy),
    ("a.npz", parse_npz),
    ("a.svm", parse_libsvm),
    ("a.mtx", parse_matrix_market),
    ("a.mat", parse_mat),
    ("y.csv", labels),
];

/// Parses with several options; a table must be in order, an error must say something.
fn check((name, parse): (&str, Parser), bytes: &[u8]) {
    let id = |id_column: Option<&str>, similarity| ReadOptions {
        id_column: id_column.map(String::from),
        similarity,
        missing_rows: similarity,
        ..Default::default()
    };
    for options in [id(None, false), id(None, true), id(Some("1"), false)] {
        match parse(bytes, Path::new(name), &options) {
            Ok(file) => {
                let rows = file.table.rows();
                assert!(rows > 0 && file.table.cols() > 0);
                assert!(file.columns.is_none_or(|c| c.len() == file.table.cols()));
                assert!(file.ids.is_none_or(|ids| ids.len() == rows));
                assert!(file.labels.is_none_or(|labels| labels.len() == rows));
                let columns = None;
                let present = file.present.clone();
                let view =
                    super::super::View { name: "v".into(), table: file.table, columns, present };
                let pushed = super::super::Views::new().push(view);
                // The one thing left that views refuse: no row is present.
                assert!(pushed.is_ok() || file.present.is_some_and(|p| !p.contains(&true)));
            }
            Err(e) => assert!(!e.to_string().is_empty()),
        }
    }
}

/// A valid small file of every kind.
fn files() -> Vec<((&'static str, Parser), Vec<u8>)> {
    let double = element(9, &[1.5_f64, 2.0, -3.0, 4.0].map(f64::to_le_bytes).concat());
    let whole = |v: &[i32]| element(5, &v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>());
    let x = matrix(6, "x", &[2, 2], std::slice::from_ref(&double));
    let s = matrix(5, "s", &[2, 3], &[whole(&[0, 1, 0, 1]), whole(&[0, 2, 3, 4]), double.clone()]);
    let n = npy("<f8", false, "(2, 2)", &[1.5_f64, 2.0, -3.0, 4.0].map(f64::to_le_bytes).concat());
    let u = |shape: &str, v: &[u8]| npy("|u1", false, shape, v);
    let sparse = npz(&[
        ("format", &npy("|S3", false, "()", b"csc")),
        ("shape", &u("(2,)", &[2, 2])),
        ("indptr", &u("(3,)", &[0, 1, 2])),
        ("indices", &u("(2,)", &[1, 0])),
        ("data", &u("(2,)", &[7, 8])),
    ]);
    let y = matrix(8, "y", &[2, 1], &[small(1, &[3, 4])]);
    let texts: [(usize, &str); 8] = [
        (0, "id,a,\"b\"\np,1,2\nq,3.5,-4e1\n"),
        (0, "1 2\n3 4\n"),
        (0, "x;y\n1;2\n\n;\n"),
        (3, "+1 1:0.5 7:2 # c\n-1 2:1e3\n"),
        (4, "%%MatrixMarket matrix coordinate real symmetric\n% c\n2 2 2\n1 1 1.5\n2 1 2\n"),
        (4, "%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n"),
        (6, "id,class\np,u\nq,v\n"),
        (6, "1\n2\n"),
    ];
    let mut all: Vec<_> =
        texts.iter().map(|(p, text)| (PARSERS[*p], text.as_bytes().to_vec())).collect();
    all.push((PARSERS[1], n.clone()));
    all.push((PARSERS[1], npy(">i2", true, "(2, 1)", &[0, 1, 0, 2])));
    all.push((PARSERS[2], npz(&[("x", &n)])));
    all.push((PARSERS[2], sparse));
    let inside = matrix(6, "", &[2, 2], std::slice::from_ref(&double));
    let cell = matrix(1, "X", &[1, 1], std::slice::from_ref(&inside));
    let names = [small(5, &[4, 0, 0, 0]), element(1, b"fou\0")].concat();
    let field = matrix(2, "s", &[1, 1], &[names, inside]);
    all.push((PARSERS[5], mat(std::slice::from_ref(&cell))));
    all.push((PARSERS[5], mat(&[compressed(&cell)])));
    all.push((PARSERS[5], mat(&[field])));
    for elements in
        [vec![x.clone()], vec![s.clone()], vec![compressed(&x)], vec![compressed(&s), y]]
    {
        all.push((PARSERS[5], mat(&elements)));
    }
    all
}

#[test]
fn every_truncation_of_a_valid_file() {
    for (parser, bytes) in files() {
        for end in 0..bytes.len() {
            check(parser, &bytes[..end]);
        }
    }
}

#[test]
fn valid_files_are_read() {
    for ((name, parse), bytes) in files() {
        let variable = (name == "a.mat" && bytes.ends_with(&[3, 4, 0, 0])).then(|| "y".to_string());
        let options = ReadOptions { variable, missing_rows: true, ..Default::default() };
        let options = match bytes.starts_with(b"id,a") {
            true => ReadOptions { id_column: Some("id".into()), ..options },
            false => options,
        };
        let result = parse(&bytes, Path::new(name), &options);
        if name == "y.csv" {
            assert_eq!(result.unwrap_err().to_string(), "labels are no table");
        } else {
            assert_eq!(result.unwrap_or_else(|e| panic!("{e}")).table.rows(), 2, "{name}");
        }
    }
}

#[test]
fn every_changed_byte_of_a_valid_file() {
    for (parser, mut bytes) in files() {
        for place in 0..bytes.len() {
            let kept = bytes[place];
            for change in [0x01, 0x80, 0xff, kept, kept ^ b'9', kept ^ b'\n', kept ^ b'"'] {
                bytes[place] = kept ^ change;
                check(parser, &bytes);
            }
            bytes[place] = kept;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for parser in PARSERS {
            check(parser, &bytes);
        }
    }

    #[test]
    fn arbitrary_text(text in "[-0-9a-z,; \t\r\n\"#%:.+?]{0,80}") {
        for parser in PARSERS {
            check(parser, text.as_bytes());
        }
    }

    #[test]
    fn changed_files(
        which in 0_usize..16,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
        add in prop::collection::vec(any::<u8>(), 0..12),
    ) {
        let all = files();
        let (parser, mut bytes) = all[which % all.len()].clone();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        check(parser, &bytes);
        bytes.splice(cut.index(bytes.len())..cut.index(bytes.len()), add);
        check(parser, &bytes);
    }
}

proptest! {
    // Few cases: each waits for the disk.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn what_is_written_is_read_back(
        values in prop::collection::vec(prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL, 6),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.csv");
        let rows = values.chunks(3).map(|row| row.iter().map(f64::to_string));
        super::super::write_csv(&path, &["a", "b,", "\"c"], rows).unwrap();
        let file = read_table(&path, &ReadOptions::default()).unwrap();
        prop_assert_eq!(file.table, Table::Dense(Matrix::new(2, 3, values).unwrap()));
        prop_assert_eq!(file.columns.unwrap(), ["a", "b,", "\"c"]);
    }
}
