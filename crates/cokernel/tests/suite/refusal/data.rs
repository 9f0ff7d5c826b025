//! Files and tables with one thing wrong, and the sentence that comes back.

use cokernel::data::read::{parse_csv, parse_labels};
use cokernel::data::{
    AssembleOptions, Csr, Fill, Header, Labels, Matrix, Preparation, ReadOptions, Scale, Scaler,
    Table, TableFile, View, Views, assemble, read_labels, read_table, toy,
};
use cokernel::{Error, Result};
use std::path::Path;

fn sentence<T: std::fmt::Debug>(result: Result<T>) -> String {
    result.unwrap_err().to_string()
}

fn csv(text: &str, options: &ReadOptions) -> Result<TableFile> {
    parse_csv(text.as_bytes(), Path::new("a.csv"), options)
}

fn id_column(name: &str) -> ReadOptions {
    ReadOptions { id_column: Some(name.to_string()), ..Default::default() }
}

fn column(values: &[f64]) -> Matrix {
    Matrix::new(values.len(), 1, values.to_vec()).unwrap()
}

#[test]
fn text_tables() {
    let auto = ReadOptions::default();
    for (text, options, expected) in [
        ("", &auto, "a.csv: the file is empty"),
        ("\n \n", &auto, "a.csv: the file is empty"),
        ("a,b\n", &auto, "a.csv: there are no rows"),
        (
            "1,2\n3\n",
            &auto,
            "a.csv, line 2: number of fields: expected 2 like the first row, found 1",
        ),
        (
            "a,b\n1,2\n3,4,5\n",
            &auto,
            "a.csv, line 3: number of fields: expected 2 like the first row, found 3",
        ),
        ("1,2\n3,x\n", &auto, "a.csv, line 2, column 2: 'x' is not a number"),
        ("1,2\n3,inf\n", &auto, "a.csv, line 2, column 2: 'inf' is not a finite number"),
        ("1,2\n3,\n", &auto, "a.csv, line 2, column 2: the field is empty, expected a number"),
        (
            "1,2\n3,NaN\n",
            &auto,
            "a.csv, line 2, column 2: 'NaN' is a missing value, expected a number",
        ),
        (
            "1;2\n3;4,5\n",
            &auto,
            "a.csv, line 2, column 2: '4,5' is not a number; decimals are written with a point",
        ),
        (
            "a,b\np,1\n",
            &auto,
            "a.csv, line 2, column 1: 'p' is not a number; if this column names the instances, \
             give it as id column",
        ),
        ("1,2\n3,\0\n", &auto, "a.csv, line 2: a zero byte: this is not a text file"),
        (
            "name,a\np,1\n",
            &id_column("nane"),
            "a.csv: unknown id column 'nane' (did you mean 'name'?); known: name, a",
        ),
        (
            "1,2\n3,4\n",
            &id_column("name"),
            "a.csv: there is no header (the first line is like the others), so the id column 'name' must be a number from 1",
        ),
        ("1,2\n3,4\n", &id_column("3"), "a.csv: id column 3: there are columns 1 to 2"),
        (
            "a,a\n1,2\n",
            &id_column("a"),
            "a.csv, line 1: the header names 'a' twice; give its number from 1",
        ),
        ("id,x\np,1\n,2\n", &id_column("id"), "a.csv, line 3, column 1: the id is empty"),
        (
            "id,x\np,1\n\np,2\n",
            &id_column("id"),
            "a.csv, line 4, column 1: the id 'p' appears twice, first at line 2",
        ),
        ("p\nq\n", &id_column("1"), "a.csv: there are no columns besides ids and labels"),
    ] {
        assert_eq!(sentence(csv(text, options)), expected);
    }
    let utf16 = parse_csv(b"\xff\xfe1\0,\0", Path::new("a.csv"), &auto);
    assert_eq!(sentence(utf16), "a.csv, line 1: the text is UTF-16; save it as UTF-8");
    let latin = parse_csv(b"a,b\n1,\xe4\n", Path::new("a.csv"), &auto);
    assert_eq!(sentence(latin), "a.csv, line 2: the text is not UTF-8");
    let both = ReadOptions { label_column: Some("1".into()), ..id_column("1") };
    assert_eq!(sentence(csv("p,1\n", &both)), "a.csv: the same column is given for ids and labels");
}

#[test]
fn files() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(path(name), bytes).unwrap();
        path(name)
    };
    let auto = ReadOptions::default();
    let missing = read_table(&path("none.csv"), &auto).unwrap_err();
    assert!(matches!(&missing, Error::Io { path: p, .. } if *p == path("none.csv")), "{missing}");
    let e = sentence(read_table(&write("a.xlsx", b"PK"), &auto));
    let expected = format!(
        "{}: the ending 'xlsx' is not that of a known format; known: csv, tsv, txt, dat, npy, npz, \
         libsvm, svm, svmlight, mtx, mm, mat, h5, hdf5, h5ad, h5mu, fasta, fa, faa, fna, each also with .gz",
        path("a.xlsx").display()
    );
    assert_eq!(e, expected);
    let e = sentence(read_table(&write("a.npy", b"1,2\n"), &auto));
    assert_eq!(e, format!("{}: this is not a NumPy array (.npy)", path("a.npy").display()));
    let e = sentence(read_table(&write("a.svm", b"1 2:1 2:3\n"), &auto));
    let place = format!("{}, line 1, column 3", path("a.svm").display());
    assert_eq!(e, format!("{place}: index 2 appears twice"));
    let e = sentence(read_table(&write("b.svm", b"1 1:1\n"), &id_column("id")));
    let name = path("b.svm").display().to_string();
    let expected = "this format has no named columns, so there is no id column 'id'";
    assert_eq!(e, format!("{name}: {expected}"));
    let e = sentence(read_labels(&write("y.svm", b"1 1:1\n"), &auto));
    let expected =
        "labels are read from csv, tsv, txt, dat, npy, npz, mat, h5, hdf5, h5ad or h5mu files";
    assert_eq!(e, format!("{}: {expected}", path("y.svm").display()));
}

#[test]
fn labels() {
    let labels = |text: &str, options: &ReadOptions| {
        sentence(parse_labels(text.as_bytes(), Path::new("y.csv"), options))
    };
    let auto = ReadOptions::default();
    assert_eq!(labels("", &auto), "y.csv: the file is empty");
    assert_eq!(
        labels("a,b\nu,v\n", &auto),
        "y.csv: it is not clear which column holds the labels; name it (found 2 columns without \
         names)"
    );
    assert_eq!(
        labels("u\nv,w\n", &auto),
        "y.csv, line 2: number of fields: expected 1 like the first row, found 2"
    );
    let yes = ReadOptions { header: Header::Yes, ..auto };
    assert_eq!(labels("y\n", &yes), "y.csv: there are no labels below the header");

    let error = |labels: Labels| sentence(labels.classes());
    assert_eq!(
        error(Labels::from_texts(&["a", "?", "b"])),
        "labels: the label of row 1 is missing; keep the labelled instances only"
    );
    assert_eq!(
        error(Labels::from_texts(&["a", "a"])),
        "labels: every instance is in class 'a'; at least two classes are needed"
    );
    assert_eq!(error(Labels::Absent(3)), "labels: expected classes, found none; give a label file");
    assert_eq!(
        sentence(Labels::real_from_texts(&["1", "tall"])),
        "labels: expected a finite number in row 1, found 'tall'"
    );
}

#[test]
fn instances_that_do_not_match() {
    let by_id = id_column("id");
    let table = |name: &str, text: &str, options: &ReadOptions| {
        let path = format!("{name}.csv");
        (name.to_string(), parse_csv(text.as_bytes(), Path::new(&path), options).unwrap())
    };
    let auto = ReadOptions::default();
    let default = AssembleOptions::default();
    let a = || table("a", "id,x\np,1\nq,2\n", &by_id);
    let plain = |rows: &str| table("b", rows, &auto);

    assert_eq!(sentence(assemble(vec![], None, &default)), "no view is given");
    assert_eq!(
        sentence(assemble(vec![a(), plain("1\n2\n")], None, &default)),
        "view 'a' has instance ids, but view 'b' has none; give an id column for all of them, or \
         for none to match rows by position"
    );
    let other = table("b", "id,x\nr,1\nq,2\ns1,3\ns2,3\ns3,3\ns4,3\ns5,3\n", &by_id);
    assert_eq!(
        sentence(assemble(vec![a(), other], None, &default)),
        "the instances differ from those of view 'a': view 'b' lacks 'p'; view 'b' has in addition \
         'r', 's1', 's2', 's3', 's4' and 1 more; make the ids equal, or allow missing views"
    );
    let ids = |ids: [&str; 2]| {
        let (name, file) = table("b", "id,x\np,1\nq,2\n", &by_id);
        (name, TableFile { ids: Some(ids.map(String::from).to_vec()), ..file })
    };
    assert_eq!(
        sentence(assemble(vec![a(), ids(["p", "p"])], None, &default)),
        "view 'b': the id 'p' appears twice"
    );
    assert_eq!(
        sentence(assemble(vec![a(), ids(["p", ""])], None, &default)),
        "view 'b': the id of row 1 is empty"
    );
    let three = table("c", "1\n2\n3\n", &auto);
    assert_eq!(
        sentence(assemble(vec![plain("1\n2\n"), three], None, &default)),
        "view 'c' (c.csv) has 3 rows, but view 'b' (b.csv) has 2; rows are matched by position; is \
         a header read as a row?"
    );
    let labels = parse_labels(b"u\nv\nw\nx\n", Path::new("y.csv"), &auto).unwrap();
    assert_eq!(
        sentence(assemble(vec![plain("1\n2\n")], Some(labels), &default)),
        "the label file (y.csv) has 4 rows, but view 'b' (b.csv) has 2; rows are matched by position"
    );
    let labels = parse_labels(b"id,y\np,u\n", Path::new("y.csv"), &by_id).unwrap();
    assert_eq!(
        sentence(assemble(vec![a()], Some(labels), &default)),
        "the instances differ from those of view 'a': the label file lacks 'q'; make the ids equal, or \
         allow missing views"
    );
    let similarity = ReadOptions { similarity: true, ..auto.clone() };
    let wide = table("k", "1,2\n2,1\n3,3\n", &similarity);
    assert_eq!(
        sentence(assemble(vec![wide], None, &default)),
        "similarity view 'k': expected 3 × 3, one column for each instance, found 3 × 2"
    );
}

#[test]
fn views() {
    let views = || Views::new().dense("a", column(&[1.0, 2.0])).unwrap();
    assert_eq!(
        sentence(views().dense("a", column(&[1.0, 2.0]))),
        "view 'a' is given twice; view names must differ"
    );
    assert_eq!(sentence(views().dense("", column(&[1.0, 2.0]))), "a view must have a name");
    assert_eq!(
        sentence(views().dense("b", column(&[1.0]))),
        "view 'b': expected 2 rows like view 'a', found 1 rows"
    );
    assert_eq!(
        sentence(views().dense("b", column(&[1.0, f64::INFINITY]))),
        "view 'b', row 1, column 0: not a finite number; remove the row, or mark it as missing"
    );
    assert_eq!(
        sentence(views().get("aa").cloned()),
        "unknown view 'aa' (did you mean 'a'?); known: a"
    );
    let mut named = views();
    assert_eq!(sentence(named.set_ids(vec!["p".into(), "p".into()])), "id 'p' appears twice");
    let present = Some(vec![true, false]);
    let table = Table::Similarity(Matrix::zeros(2, 2));
    let view = View { name: "k".into(), table, columns: None, present };
    let mut views = views();
    views.push(view).unwrap();
    assert_eq!(
        sentence(views.fill_missing(Fill::Zero)),
        "view 'k' is a similarity and is missing for 1 instances; similarities cannot be filled: \
         keep the complete instances only, or estimate them from the other views"
    );
    assert_eq!(
        sentence(views.require_complete()),
        "view 'k' is missing for 1 of 2 instances (first: row 1); this method needs every view: \
         leave these instances out of all views, labels and weights (a view is missing where its row \
         has no number, or a mask says so)"
    );
}

#[test]
fn new_instances_that_differ_from_training() {
    let one = |name: &str, table: Table, columns: Option<[&str; 2]>| {
        let columns = columns.map(|c| c.map(String::from).to_vec());
        let mut views = Views::new();
        views.push(View { name: name.into(), table, columns, present: None }).unwrap();
        views
    };
    let dense = |cols| Table::Dense(Matrix::zeros(3, cols));
    let train = one("a", dense(2), Some(["x", "y"]));
    let p = Preparation::fit(&train, Scale::Standard, false).unwrap();
    let new = |views: Views| sentence(p.apply(&views));
    assert_eq!(
        new(one("b", dense(2), None)),
        "view 'a' is missing; training had the views a, found b"
    );
    assert_eq!(
        new(one("a", dense(3), None)),
        "view 'a': expected 2 columns as in training, found 3"
    );
    assert_eq!(
        new(one("a", dense(2), Some(["y", "x"]))),
        "view 'a': column 1 is 'y' but was 'x' in training; the columns must have the same order"
    );
    assert_eq!(
        new(one("a", Table::Similarity(Matrix::zeros(3, 2)), None)),
        "view 'a' is a similarity, but was a table of features in training"
    );
    // A sparse file does not tell how many columns there are: fewer are fine, more are not.
    let sparse = |cols| Table::Sparse(Csr::from_rows(cols, vec![vec![(0, 1.0)]]).unwrap());
    assert_eq!(p.apply(&one("a", sparse(1), None)).unwrap().get("a").unwrap().table.cols(), 2);
    assert_eq!(
        new(one("a", sparse(3), None)),
        "view 'a': expected 2 columns as in training, found 3"
    );
    let k = one("k", Table::Similarity(Matrix::zeros(3, 3)), None);
    assert_eq!(
        sentence(Preparation::fit(&k, Scale::None, true)),
        "view 'k' is a similarity and cannot be concatenated; give feature views only, or do not \
         concatenate"
    );
    let p = Preparation::fit(&k, Scale::Standard, false).unwrap();
    let new = one("k", Table::Similarity(Matrix::zeros(1, 4)), None);
    assert_eq!(
        sentence(p.apply(&new)),
        "view 'k': expected 3 columns, one for each training instance, found 4"
    );
}

#[test]
fn scaling_and_toys() {
    let fit = |values: &[f64]| Scaler::fit(&Table::Dense(column(values)), None, Scale::Standard);
    assert_eq!(
        sentence(fit(&[1e308, -1e308])),
        "column 1 holds values up to 1e308: too large to be scaled"
    );
    assert_eq!(
        sentence(Scale::from_id("standart")),
        "unknown scaling 'standart' (did you mean 'standard'?); known: none, standard, min_max"
    );
    let wide = Table::Sparse(Csr::from_rows(2_000_000_000, vec![vec![(1, 1.0)]]).unwrap());
    assert_eq!(
        sentence(Scaler::fit(&wide, None, Scale::MinMax)),
        "2000000000 columns cannot be scaled, the limit is 100000000; do not scale this view"
    );
    assert_eq!(
        sentence(toy::views(5, 2, &[], 0)),
        "parameter 'informativeness': expected one finite distance for each view"
    );
    assert_eq!(
        sentence(toy::two_circles(5, -1.0, 0)),
        "parameter 'noise': expected a finite number of at least 0, found -1"
    );
    for none in [
        sentence(toy::synthetic_1(0, 0)),
        sentence(toy::synthetic_2(0, 0)),
        sentence(toy::correlated(0, 0.0, 0)),
        sentence(toy::complementary_corruption(0, 1.0, 0)),
        sentence(toy::uninformative(0, toy::Uninformative::Ones, 0)),
        sentence(toy::contradictory(0)),
    ] {
        assert_eq!(none, "parameter 'n': expected at least 1");
    }
    for rho in [-1.01, 1.5, f64::NAN] {
        assert_eq!(
            sentence(toy::correlated(5, rho, 0)),
            format!("parameter 'rho': expected a correlation from -1 to 1, found {rho}")
        );
    }
    for alpha in [-0.5, f64::INFINITY, f64::NAN] {
        assert_eq!(
            sentence(toy::complementary_corruption(4, alpha, 0)),
            format!("parameter 'alpha': expected a finite number of at least 0, found {alpha}")
        );
    }
    let odd = "parameter 'n': expected a multiple of 2, found 7";
    assert_eq!(sentence(toy::complementary_corruption(7, 1.0, 0)), odd);
    assert_eq!(sentence(toy::uninformative(7, toy::Uninformative::Random, 0)), odd);
    assert_eq!(sentence(toy::contradictory(6)), "parameter 'n': expected a multiple of 4, found 6");
}
