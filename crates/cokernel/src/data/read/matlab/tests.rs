//! Small files made by hand.

#![allow(clippy::unwrap_used)]

use super::super::samples::{compressed, element, mat, matrix, small};
use super::tree::{COMPLEX, LOGICAL};
use super::*;
use crate::data::{Matrix, Table};

fn read(file: &[u8], variable: Option<&str>) -> Result<Table> {
    let options = ReadOptions { variable: variable.map(String::from), ..Default::default() };
    parse_mat(file, Path::new("a.mat"), &options).map(|f| f.table)
}

fn dense(rows: usize, cols: usize, values: &[f64]) -> Table {
    Table::Dense(Matrix::new(rows, cols, values.to_vec()).unwrap())
}

fn double(values: &[f64]) -> Vec<u8> {
    element(9, &values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
}

fn whole(values: &[i32]) -> Vec<u8> {
    element(5, &values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>())
}

#[test]
fn dense_matrices_plain_and_compressed() {
    let x = matrix(6, "x", &[2, 3], &[double(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])]);
    let y = matrix(6, "yy", &[3, 1], &[small(2, &[7, 8, 255])]);
    let file = mat(&[x.clone(), compressed(&y)]);
    let expected = dense(2, 3, &[1.0, 3.0, 5.0, 2.0, 4.0, 6.0]);
    assert_eq!(read(&file, Some("x")).unwrap(), expected);
    assert_eq!(read(&file, Some("yy")).unwrap(), dense(3, 1, &[7.0, 8.0, 255.0]));
    assert_eq!(read(&mat(&[x]), None).unwrap(), expected);
    let e = read(&file, None).unwrap_err().to_string();
    assert_eq!(e, "a.mat: the file holds several; name one of x, yy");
    let e = read(&file, Some("z")).unwrap_err().to_string();
    assert!(e.starts_with("a.mat: unknown matrix 'z'"), "{e}");
    let y = label_array(
        &Source::Bytes(&file),
        Path::new("a.mat"),
        &ReadOptions { variable: Some("yy".into()), ..Default::default() },
    );
    assert_eq!(y.unwrap().texts, ["7", "8", "255"]);
}

#[test]
fn a_wrong_check_sum_is_seen() {
    let x = compressed(&matrix(6, "x", &[1, 2], &[double(&[1.0, 2.0])]));
    let mut file = mat(&[x]);
    assert!(read(&file, None).is_ok());
    if let Some(last) = file.last_mut() {
        *last ^= 1;
    }
    let e = read(&file, None).unwrap_err().to_string();
    assert!(e.starts_with("a.mat: a compressed variable is damaged"), "{e}");
}

#[test]
fn sparse_matrices() {
    let parts = [whole(&[0, 2, 0, 0]), whole(&[0, 1, 2, 3]), double(&[1.0, 3.0, 2.0])];
    let file = mat(&[matrix(5, "s", &[3, 3], &parts)]);
    let rows = vec![vec![(0, 1.0), (2, 2.0)], vec![], vec![(1, 3.0)]];
    assert_eq!(read(&file, None).unwrap(), Table::Sparse(Csr::from_rows(3, rows).unwrap()));
    // Truth values as MATLAB writes them.
    let parts = [whole(&[0, 2]), whole(&[0, 1, 1, 2]), element(9, &[1, 1])];
    let file = mat(&[matrix(5 | LOGICAL, "s", &[3, 3], &parts)]);
    let rows = vec![vec![(0, 1.0)], vec![], vec![(2, 1.0)]];
    assert_eq!(read(&file, None).unwrap(), Table::Sparse(Csr::from_rows(3, rows).unwrap()));
    let parts = [whole(&[9]), whole(&[0, 1, 1, 1]), double(&[1.0])];
    let e = read(&mat(&[matrix(5, "s", &[3, 3], &parts)]), None).unwrap_err().to_string();
    assert_eq!(e, "a.mat: variable 's': row 10 of 3 rows is named");
    let parts = [whole(&[0]), whole(&[0, 1]), double(&[1.0])];
    let file = mat(&[matrix(5, "s", &[2_000_000_000, 1], &parts)]);
    let e = read(&file, None).unwrap_err().to_string();
    assert!(e.starts_with("a.mat: the file declares 2000000000 rows, but holds 1"), "{e}");
}

#[test]
fn refusals() {
    let text = element(4, &[65, 0]);
    let x = || double(&[1.0, 2.0]);
    for (file, expected) in [
        (b"MATLAB 7.3 MAT-file".to_vec(), "this is MATLAB version 7.3, but no HDF5 file follows"),
        (vec![0; 200], "this is not a MATLAB file of version 5 to 7.3"),
        (mat(&[]), "the file holds no matrix of numbers"),
        (mat(&[matrix(4, "t", &[1, 1], &[text])]), "the file holds no matrix of numbers"),
        (mat(&[matrix(6, "x", &[2, 2], &[x()])]), "2 × 2 is declared, 2 numbers follow"),
        (mat(&[matrix(6, "x", &[1, 2, 1], &[x()])]), "the array has 3 dimensions"),
        (mat(&[matrix(6 | COMPLEX, "x", &[1, 2], &[x(), x()])]), "the numbers are complex"),
        (mat(&[matrix(6, "x", &[1, 1], &[double(&[f64::NAN])])]), "row 1, column 1: NaN is not"),
        (mat(&[compressed(b"\x0e\0\0\0\xff\xff\xff\xff")]), "declares 4294967295 bytes and has 0"),
    ] {
        let e = read(&file, None).unwrap_err().to_string();
        assert!(e.starts_with("a.mat: ") && e.contains(expected), "{e} / {expected}");
    }
    let cell = mat(&[matrix(1, "c", &[1, 1], &[])]);
    let e = read(&cell, Some("c")).unwrap_err().to_string();
    assert!(e.contains("'c' declares 1 parts and has 0"), "{e}");
}

/// A cell array of matrices, each without a name.
fn cell(name: &str, shape: &[i32], parts: &[Vec<u8>]) -> Vec<u8> {
    matrix(1, name, shape, parts)
}

/// A struct with fields of these names.
fn structure(name: &str, shape: &[i32], fields: &[&str], parts: &[Vec<u8>]) -> Vec<u8> {
    let mut names = Vec::new();
    for field in fields {
        names.extend(field.as_bytes());
        names.resize(names.len().next_multiple_of(32), 0);
    }
    let head = [small(5, &32_i32.to_le_bytes()), element(1, &names)];
    matrix(2, name, shape, &[head.concat(), parts.concat()])
}

/// rows × cols, with the entries 1, 2, 3 … from column to column.
fn counting(name: &str, rows: usize, cols: usize) -> Vec<u8> {
    let values: Vec<f64> = (1..=rows * cols).map(|v| v as f64).collect();
    matrix(6, name, &[rows as i32, cols as i32], &[double(&values)])
}

fn views(file: &[u8], variable: Option<&str>) -> Result<Expanded> {
    let options = ReadOptions { variable: variable.map(String::from), ..Default::default() };
    view_variables(&Source::Bytes(file), Path::new("a.mat"), &options)
}

fn names(file: &[u8], variable: Option<&str>) -> Vec<(String, String)> {
    views(file, variable).unwrap().0
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect()
}

/// The layout of public multi-view data. It used to be read as its labels: cells were skipped, and
/// `y` was the only matrix left.
#[test]
fn cell_arrays_are_views_and_labels_are_none() {
    let parts = [counting("", 4, 2), counting("", 4, 3)];
    for compress in [false, true] {
        let elements = [cell("X", &[2, 1], &parts), counting("y", 4, 1)];
        let file = mat(&elements.map(|e| if compress { compressed(&e) } else { e }));
        let (found, notes) = views(&file, None).unwrap();
        assert_eq!(found, pairs(&[("1", "X{1}"), ("2", "X{2}")]));
        let note = "X{1}, X{2} are read as views; y is taken for labels and left out";
        assert_eq!(notes, [note]);
        assert_eq!(names(&file, Some("X")), found);
        assert_eq!(names(&file, Some("X{2}")), pairs(&[("", "X{2}")]));
        let two = dense(4, 2, &[1.0, 5.0, 2.0, 6.0, 3.0, 7.0, 4.0, 8.0]);
        assert_eq!(read(&file, Some("X{1}")).unwrap(), two);
        assert_eq!(read(&file, Some("y")).unwrap(), dense(4, 1, &[1.0, 2.0, 3.0, 4.0]));
        let e = read(&file, None).unwrap_err().to_string();
        assert_eq!(e, "a.mat: the file holds several; name one of X{1}, X{2}");
        let e = read(&file, Some("X")).unwrap_err().to_string();
        assert_eq!(e, "a.mat: 'X' is a cell array; name one of X{1}, X{2}");
        let e = read(&file, Some("X{3}")).unwrap_err().to_string();
        assert!(e.starts_with("a.mat: unknown matrix 'X{3}'"), "{e}");
        let labels =
            label_array(&Source::Bytes(&file), Path::new("a.mat"), &ReadOptions::default())
                .unwrap();
        assert_eq!(labels.texts, ["1", "2", "3", "4"]);
    }
    // Nothing is taken because it alone is left.
    let text = matrix(4, "", &[1, 1], &[element(4, &[65, 0])]);
    let file = mat(&[cell("X", &[1, 1], std::slice::from_ref(&text)), counting("y", 4, 1)]);
    for e in [read(&file, None).unwrap_err(), views(&file, None).unwrap_err()] {
        assert!(e.to_string().contains("no matrix of numbers besides what is called like"), "{e}");
    }
    // An empty cell array or struct, an empty matrix, or nothing: once the labels were the view.
    for empty in [
        Some(cell("X", &[0, 0], &[])),
        Some(structure("X", &[0, 0], &["f"], &[])),
        Some(structure("X", &[1, 1], &[], &[])),
        Some(cell("X", &[1, 1], &[matrix(6, "", &[0, 0], &[double(&[])])])),
        Some(matrix(6, "X", &[0, 0], &[double(&[])])),
        None,
    ] {
        let file = mat(&Vec::from_iter(empty.into_iter().chain([counting("gt", 4, 1)])));
        for e in [read(&file, None).unwrap_err(), views(&file, None).unwrap_err()] {
            let want = "no matrix of numbers besides what is called like labels (gt)";
            assert!(e.to_string().contains(want), "{e}");
        }
        assert!(read(&file, Some("gt")).is_ok());
        assert!(
            label_array(&Source::Bytes(&file), Path::new("a.mat"), &ReadOptions::default()).is_ok()
        );
    }
    let file = mat(&[matrix(3, "object", &[1, 1], &[]), counting("x", 4, 2)]);
    for e in [read(&file, None).unwrap_err(), views(&file, None).unwrap_err()] {
        assert!(e.to_string().contains("'object' cannot be read"), "{e}");
    }
    assert!(read(&file, Some("x")).is_ok());
    // One matrix and labels; several matrices and no cell array.
    let file = mat(&[counting("fea", 4, 2), counting("gnd", 4, 1)]);
    assert_eq!(names(&file, None), pairs(&[("", "fea")]));
    let file = mat(&[counting("a", 4, 2), cell("b", &[1, 1], &[counting("", 4, 2)])]);
    let e = views(&file, None).unwrap_err().to_string();
    assert_eq!(e, "a.mat: the file holds several; name one of a, b");
}

/// Empty and text cells were left out without a word, and labels that are text refused without a
/// way out.
#[test]
fn what_is_left_out_is_said() {
    let text = |name: &str| matrix(4, name, &[1, 1], &[element(4, &[65, 0])]);
    let empty = || matrix(6, "", &[0, 0], &[double(&[])]);
    let parts = [counting("", 4, 2), text(""), counting("", 4, 3), empty(), Vec::new()];
    let parts = parts.map(|p| if p.is_empty() { element(14, &[]) } else { p });
    let file = mat(&[cell("X", &[5, 1], &parts)]);
    let note = "X{1}, X{3} are read as views; X{2} is left out (text); X{4}, X{5} are left out \
                (empty)";
    assert_eq!(views(&file, None).unwrap().1, [note]);
    let file = mat(&[cell("X", &[2, 1], &parts[..2])]);
    let (found, notes) = views(&file, None).unwrap();
    assert_eq!(found, pairs(&[("", "X{1}")]));
    assert_eq!(notes, ["X{1} is read; X{2} is left out (text)"]);
    let labels = |file: &[u8], variable: Option<&str>| {
        let options = ReadOptions { variable: variable.map(String::from), ..Default::default() };
        label_array(&Source::Bytes(file), Path::new("a.mat"), &options).err().unwrap().to_string()
    };
    let want = "a.mat: 'Y' holds text, and labels of a MAT file are numbers; save one number for \
                each class, or give the labels as a text file with one label on each line";
    for y in [text("Y"), cell("Y", &[2, 1], &[text(""), text("")])] {
        let file = mat(&[cell("X", &[1, 1], &parts[..1]), y]);
        assert_eq!(labels(&file, None), want);
        assert_eq!(labels(&file, Some("Y")), want);
        assert_eq!(views(&file, None).unwrap().1, Vec::<String>::new());
    }
}

#[test]
fn structs_and_nested_cells() {
    let fields = [counting("", 4, 2), counting("", 4, 3), counting("", 4, 1)];
    let file = mat(&[structure("data", &[1, 1], &["fou", "fac", "Y"], &fields)]);
    let expected = pairs(&[(".fou", "data.fou"), (".fac", "data.fac")]);
    assert_eq!(names(&file, None), expected);
    assert_eq!(read(&file, Some("data.Y")).unwrap(), dense(4, 1, &[1.0, 2.0, 3.0, 4.0]));
    let labels =
        label_array(&Source::Bytes(&file), Path::new("a.mat"), &ReadOptions::default()).unwrap();
    assert_eq!(labels.texts.len(), 4);
    let views = cell("", &[2, 1], &fields[..2]);
    let file = mat(&[structure("data", &[1, 1], &["X", "gt"], &[views, fields[2].clone()])]);
    assert_eq!(names(&file, None), pairs(&[("1", "data.X{1}"), ("2", "data.X{2}")]));
    let file = mat(&[structure("s", &[1, 2], &["x"], &fields[..2])]);
    assert_eq!(names(&file, None), pairs(&[("1.x", "s(1).x"), ("2.x", "s(2).x")]));
    // Labels given once for each view.
    let y = || matrix(6, "", &[3, 1], &[double(&[5.0, 5.0, 6.0])]);
    let other = matrix(6, "", &[1, 3], &[double(&[5.0, 6.0, 6.0])]);
    let of = |file: &[u8]| {
        label_array(&Source::Bytes(file), Path::new("a.mat"), &ReadOptions::default())
    };
    let file = mat(&[cell("truelabel", &[1, 2], &[y(), y()])]);
    assert_eq!(of(&file).unwrap().texts, ["5", "5", "6"]);
    let file = mat(&[cell("truelabel", &[1, 2], &[y(), other])]);
    let e = of(&file).err().unwrap().to_string();
    assert_eq!(e, "a.mat: the labels 'truelabel{1}' and 'truelabel{2}' differ; name one of them");
    // Damage and depth.
    let file = mat(&[cell("X", &[3, 1], &fields[..2])]);
    let e = read(&file, None).unwrap_err().to_string();
    assert_eq!(e, "a.mat: 'X' declares 3 parts and has 2");
    let nested = (0..40).fold(counting("", 2, 2), |inside, _| cell("", &[1, 1], &[inside]));
    let e = read(&mat(&[cell("X", &[1, 1], &[nested])]), None).unwrap_err().to_string();
    assert!(e.contains("nested more than"), "{e}");
}

/// Labels of public data are matrices with a column, or a row, for each class.
#[test]
fn indicators_of_classes_are_labels() {
    let views = cell("X", &[2, 1], &[counting("", 4, 3), counting("", 4, 2)]);
    let indicators =
        |name: &str, shape: [i32; 2], values: &[f64]| matrix(6, name, &shape, &[double(values)]);
    let by_rows = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0];
    let by_columns = [-1.0, 1.0, 1.0, -1.0, -1.0, 1.0, -1.0, 1.0];
    for (shape, values) in [([4, 2], &by_rows), ([2, 4], &by_columns)] {
        let file = mat(&[views.clone(), indicators("Y", shape, values)]);
        let found = label_array(&Source::Bytes(&file), Path::new("a.mat"), &ReadOptions::default());
        assert_eq!(found.unwrap().texts, ["2", "1", "2", "2"]);
        assert_eq!(names(&file, None), pairs(&[("1", "X{1}"), ("2", "X{2}")]));
    }
    // Sparse: columns 2, 1, 2, 2 of four rows.
    let parts = [whole(&[1, 0, 2, 3]), whole(&[0, 1, 4]), double(&[1.0; 4])];
    let file = mat(&[views.clone(), matrix(5, "Y", &[4, 2], &parts)]);
    let found = label_array(&Source::Bytes(&file), Path::new("a.mat"), &ReadOptions::default());
    assert_eq!(found.unwrap().texts, ["2", "1", "2", "2"]);
    assert_eq!(names(&file, None), pairs(&[("1", "X{1}"), ("2", "X{2}")]));
    // Two ones in a row, and two matrices beside each other, of which one is called y.
    let file = mat(&[views, indicators("Y", [4, 2], &[0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0])]);
    let found = label_array(&Source::Bytes(&file), Path::new("a.mat"), &ReadOptions::default());
    assert_eq!(found.unwrap().shape, [4, 2]);
    let e = read(&mat(&[counting("x", 4, 3), counting("y", 4, 2)]), None).unwrap_err().to_string();
    assert_eq!(e, "a.mat: the file holds several; name one of x, y");
}

#[test]
fn columns_may_be_the_instances() {
    let of = |file: &[u8], variable: &str, instances: Option<usize>| {
        let variable = Some(variable.to_string());
        let options = ReadOptions { variable, instances, ..Default::default() };
        parse_mat(file, Path::new("a.mat"), &options).unwrap()
    };
    let turned = dense(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    // By labels in the file, by their number alone, by what the matrices have in common.
    let both = [counting("", 2, 3), counting("", 3, 3), counting("", 3, 2)];
    let with_labels = mat(&[cell("X", &[3, 1], &both), counting("gt", 1, 3)]);
    let file = of(&with_labels, "X{1}", None);
    assert_eq!(file.table, turned);
    let note = "'X{1}' is 2 × 3: its columns are taken for the instances, because 'gt' holds 3 \
                labels";
    assert_eq!(file.notes, [note]);
    assert!(of(&with_labels, "X{2}", None).notes.is_empty());
    assert_eq!(of(&with_labels, "X{3}", None).table.rows(), 3);
    let alone = mat(&[cell("X", &[3, 1], &both)]);
    assert_eq!(of(&alone, "X{1}", Some(3)).table, turned);
    let e = views(&alone, None).unwrap_err().to_string();
    assert!(e.contains("agree neither in their rows nor in their columns (X{1} is 2 × 3"), "{e}");
    let columns = mat(&[cell("X", &[2, 1], &both[..2])]);
    assert_eq!(of(&columns, "X{1}", None).table, turned);
    assert_eq!(names(&columns, None).len(), 2);
    // A square one lies as the others, if these lie one way only.
    let square = of(&columns, "X{2}", None);
    let Table::Dense(m) = &square.table else { panic!("dense") };
    assert_eq!(m.row(0), [1.0, 2.0, 3.0]);
    let note = "'X{2}' is 3 × 3: its columns are taken for the instances, because those of the others are (";
    assert!(square.notes[0].starts_with(note), "{:?}", square.notes);
    let e = views(&mat(&[cell("X", &[2, 1], &both[..2]), counting("y", 7, 1)]), None);
    assert!(e.unwrap_err().to_string().contains("'X{1}' is 2 × 3, but 'y' holds 7 labels"));
    // A matrix of its own is turned by labels only, a sparse one too.
    assert_eq!(of(&mat(&[counting("x", 2, 3), counting("y", 3, 1)]), "x", None).table, turned);
    assert_eq!(of(&mat(&[counting("x", 2, 3)]), "x", None).table.rows(), 2);
    let parts = [whole(&[0, 2]), whole(&[0, 1, 1, 2]), double(&[1.0, 2.0])];
    let sparse = of(&mat(&[matrix(5, "s", &[4, 3], &parts)]), "s", Some(3)).table;
    let rows = vec![vec![(0, 1.0)], vec![], vec![(2, 2.0)]];
    assert_eq!(sparse, Table::Sparse(Csr::from_rows(4, rows).unwrap()));
}

/// 1.6 MB of gzip once became 11.9 GB.
#[test]
fn what_unpacks_without_end_is_refused() {
    let file = mat(&[compressed(&counting("x", 200, 100))]);
    let options = ReadOptions { unpacked: Some(1_000), ..Default::default() };
    let e = parse_mat(&file, Path::new("a.mat"), &options).unwrap_err().to_string();
    assert!(e.contains("unpacks to more than") && e.contains("ReadOptions::unpacked"), "{e}");
    let enough = ReadOptions { unpacked: Some(200 * 100 * 8 + 200), ..Default::default() };
    assert!(parse_mat(&file, Path::new("a.mat"), &enough).is_ok());
}
