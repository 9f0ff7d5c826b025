//! Which file gives what: label columns, headers, variables, and outputs that would be inputs.

use crate::toy::{DATA, Toy, csv, labels, view_a, view_b};

/// The toy files, and `ay.csv`: view a with ids and the labels as its last column.
fn toy() -> Toy {
    let toy = Toy::new();
    let mut text = "x1,x2,class\n".to_string();
    for (row, label) in view_a().iter().zip(labels()) {
        text.push_str(&format!("{},{},{label}\n", row[0], row[1]));
    }
    toy.write("ay.csv", text.as_bytes());
    toy
}

#[test]
fn the_label_column_is_that_of_the_view_that_has_it() {
    let toy = toy();
    let expected = toy.json(&format!("fit {DATA}"))["model"]["weights"].clone();
    for b in ["b.npy", "b.csv"] {
        let json = toy.json(&format!("fit --view a=ay.csv --view b={b} --label-column class"));
        assert_eq!(json["model"]["weights"], expected);
        assert_eq!(json["model"]["views"][0]["columns"], serde_json::json!(["x1", "x2"]));
    }
    let said = toy.refusal("fit --view a=a.csv --view b=b.npy --label-column class", 2);
    assert_eq!(
        said,
        "error: no view has the label column 'class': a.csv: unknown label column 'class'; \
         known: x1, x2"
    );
    let said = toy.refusal("fit --view b=b.npy --label-column class", 2);
    assert_eq!(
        said,
        "error: no view has the label column 'class': no file is a text table, .h5ad or .h5mu"
    );
    let said = toy.refusal("fit --view a=ay.csv --view b=b.csv --label-column 3", 2);
    assert_eq!(
        said,
        "error: label column 3: with 2 text tables it is not clear which of them is meant; name \
         the column by its header, or give the labels as a file of their own"
    );
    toy.write("other.csv", toy.read("ay.csv").replacen("red", "green", 1).as_bytes());
    let said = toy.refusal("fit --view a=ay.csv --view b=other.csv --label-column class", 1);
    assert_eq!(said, "error: the label of row 0 is 'red' in view 'a' but 'green' in view 'b'");
    // New instances need no labels.
    let run = toy.run("predict model.ck --view a=a.csv --view b=b.npy --label-column class");
    let said = String::from_utf8(run.success().get_output().stderr.clone()).unwrap();
    assert_eq!(said, "note: no view has the label column 'class': nothing is scored\n");
}

#[test]
fn rows_of_binary_files_have_no_ids() {
    let toy = toy();
    let said = toy.refusal(&format!("fit {DATA} --id x1"), 2);
    assert_eq!(
        said,
        "error: view 'b': b.npy has no column 'x1', because this format holds numbers only; write \
         it as CSV with that column, or give no id column to match all rows by position"
    );
}

#[test]
fn a_blank_line_is_named_where_labels_are_too_few() {
    let toy = toy();
    let labels = toy.read("y.csv");
    let lines: Vec<&str> = labels.lines().collect();
    let blank = |k: usize| {
        let mut all = lines.clone();
        all[k] = "";
        toy.write("blank.csv", format!("{}\n", all.join("\n")).as_bytes());
        toy.refusal("fit --view a=a.csv --view b=b.npy --labels blank.csv", 1)
    };
    for k in [7, 30] {
        let said =
            format!("; line {} of the label file is blank, which is no row: a missing", k + 1);
        assert!(blank(k).contains(&said), "{}", blank(k));
    }
    // Blank lines at the end are none too few.
    toy.write("end.csv", format!("{labels}\n\n").as_bytes());
    toy.output("fit --view a=a.csv --view b=b.npy --labels end.csv");
}

#[test]
fn a_header_of_numbers_can_be_named() {
    let toy = toy();
    toy.write("years.csv", csv("2001,2002,2003", &view_b()).as_bytes());
    let said = toy.refusal("fit --view b=years.csv --labels y.csv", 1);
    assert!(said.ends_with("; is a header read as a row?"), "{said}");
    let json = toy.json("fit --view b=years.csv --labels y.csv --header yes");
    assert_eq!(json["model"]["n_train"], 60);
    let project = "labels = \"y.csv\"\n[views]\nb = { path = \"years.csv\", header = \"yes\" }\n";
    toy.write("cokernel.toml", project.as_bytes());
    assert_eq!(toy.json("fit")["model"]["n_train"], 60);
    toy.write("cokernel.toml", project.replace("\"yes\"", "\"yess\"").as_bytes());
    assert_eq!(
        toy.refusal("fit", 2),
        "error: cokernel.toml, line 3: view 'b': unknown word 'yess' (did you mean 'yes'?); \
         known: auto, yes, no"
    );
}

#[test]
fn a_variable_is_of_a_known_view() {
    let toy = toy();
    let said = toy.refusal(&format!("fit {DATA} --variable c=X"), 2);
    assert!(said.starts_with("error: --variable: unknown view 'c'"), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --variable X"), 2);
    assert_eq!(said, "error: --variable: expected VIEW=VARIABLE, as fac=X, found 'X'");
}

#[test]
fn files_that_are_read_are_not_written() {
    let toy = toy();
    let before = toy.read("a.csv");
    let lost = "it is one of the files to read; name another file";
    let said = toy.refusal(&format!("fit {DATA} -o ./a.csv"), 2);
    assert_eq!(said, format!("error: cannot write ./a.csv: {lost}"));
    let said = toy.refusal(&format!("compare {DATA} --methods mean --csv y.csv"), 2);
    assert_eq!(said, format!("error: cannot write y.csv: {lost}"));
    toy.output(&format!("fit {DATA} --method mean"));
    let said = toy.refusal("predict model.ck --view a=a.csv --view b=b.npy -o model.ck", 2);
    assert_eq!(said, format!("error: cannot write model.ck: {lost}"));
    assert_eq!(toy.read("a.csv"), before);
}

#[test]
fn folders_are_not_files() {
    let toy = toy();
    std::fs::create_dir(toy.path("d")).unwrap();
    let expected = "error: d is a folder; name a file";
    assert_eq!(toy.refusal("fit --view a=d --labels y.csv", 2), expected);
    assert_eq!(toy.refusal("fit --view a=a.csv --labels d", 2), expected);
}

#[test]
fn instances_that_differ_point_to_the_flag() {
    let toy = toy();
    toy.write("p.csv", b"id,x\np,1\nq,2\n");
    toy.write("q.csv", b"id,x\nq,2\n");
    toy.write("z.csv", b"id,class\np,no\nq,yes\n");
    let data = "--view p=p.csv --view q=q.csv --labels z.csv --label-column class --id id";
    let said = toy.refusal(&format!("fit {data} --missing refuse"), 1);
    assert_eq!(
        said,
        "error: the instances differ from those of view 'p': view 'q' lacks 'p'; make the ids \
         equal, or leave out instances that lack a view by --drop-incomplete"
    );
}

/// Names that are not UTF-8 are written to; the JSON beside them was a panic.
#[cfg(target_os = "linux")]
#[test]
fn names_need_not_be_utf8() {
    use std::os::unix::ffi::OsStrExt;
    let toy = Toy::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.ck");
    let views = "--view a=a.csv --view b=b.npy";
    for (command, flag) in [
        (format!("fit {DATA} --json"), "-o"),
        (format!("cluster {views} --clusters 3 --json"), "-o"),
        (format!("cluster {views} --clusters 3 --json"), "--model"),
        (format!("embed {views} --clusters 3 --json"), "-o"),
        (format!("embed {views} --clusters 3 --json"), "--model"),
        ("toy two_circles --n 8 --json".to_string(), "--out"),
    ] {
        let mut run = toy.command(&command);
        let output = run.arg(flag).arg(name).assert().success().get_output().clone();
        let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(json.to_string().contains("caf\u{fffd}.ck"), "{command} {flag}: {json}");
        let path = toy.path("").join(name);
        assert!(path.exists(), "{command} {flag}");
        let _ = std::fs::remove_file(path);
    }
}

/// An element of a MATLAB file, padded to 8 bytes.
fn element(kind: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = [kind.to_le_bytes(), (content.len() as u32).to_le_bytes()].concat();
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// A variable of a MATLAB file: 1 is a cell array, 6 a matrix of doubles.
fn variable(class: u32, name: &str, shape: [usize; 2], content: &[u8]) -> Vec<u8> {
    let shape = shape.map(|d| (d as u32).to_le_bytes()).concat();
    let flags = [class.to_le_bytes(), [0; 4]].concat();
    let head = [element(6, &flags), element(5, &shape), element(1, name.as_bytes())].concat();
    element(14, &[&head, content].concat())
}

/// n × d of these entries, or d × n.
fn matrix(
    name: &str,
    n: usize,
    d: usize,
    turned: bool,
    entry: impl Fn(usize, usize) -> f64,
) -> Vec<u8> {
    let bytes = |i: usize, j: usize| entry(i, j).to_le_bytes();
    let content: Vec<u8> = match turned {
        false => (0..d).flat_map(|j| (0..n).flat_map(move |i| bytes(i, j))).collect(),
        true => (0..n).flat_map(|i| (0..d).flat_map(move |j| bytes(i, j))).collect(),
    };
    variable(6, name, if turned { [d, n] } else { [n, d] }, &element(9, &content))
}

/// The layout of public multi-view data: it used to be read as its labels, with a perfect score.
#[test]
fn the_cells_of_a_matlab_file_are_views() {
    let toy = toy();
    let (a, b, y) = (view_a(), view_b(), labels());
    let n = a.len();
    let code = |i: usize, _| if y[i] == y[0] { 1.0 } else { 2.0 };
    for turned in [false, true] {
        let parts = [
            matrix("", n, a[0].len(), turned, |i, j| a[i][j]),
            matrix("", n, b[0].len(), false, |i, j| b[i][j]),
        ];
        let header = [vec![b' '; 116], vec![0; 8], vec![0, 1, b'I', b'M']].concat();
        let cell = variable(1, "X", [2, 1], &parts.concat());
        let file = [header, cell, matrix("gt", n, 1, false, code)].concat();
        toy.write("views.mat", &file);
        let json = toy.json("cluster -k 2 --view v=views.mat --labels views.mat");
        let plain = toy.json("cluster -k 2 --view v1=a.csv --view v2=b.npy");
        let clusters =
            |json: &serde_json::Value| json["clustering"]["rows"][0]["assignments"].clone();
        assert_eq!(clusters(&json), clusters(&plain));
        let run = toy.run("fit --view v=views.mat --labels views.mat -o m.ck");
        let said = String::from_utf8(run.success().get_output().stderr.clone()).unwrap();
        let note = "view 'v': X{1}, X{2} are read as views; gt is taken for labels and left out";
        assert!(said.contains(note), "{said}");
        assert_eq!(said.contains("its columns are taken for the instances"), turned, "{said}");
        toy.run("predict m.ck --view v=views.mat").success();
        toy.run("cluster -k 2 --view v=views.mat --variable v=X{2}").success();
    }
    let said = toy.refusal("cluster -k 2 --view v=views.mat --variable v=X{3}", 1);
    assert!(said.starts_with("error: views.mat: unknown matrix 'X{3}'"), "{said}");
    let said = toy.refusal("fit --view v=a.csv --unpack much", 2);
    assert_eq!(said, "error: --unpack: expected a size such as 500MB or 8GiB, found 'much'");
}

#[test]
fn views_with_colons_in_their_names() {
    let toy = toy();
    toy.run("cluster -k 2 --view a:1=a.csv --view b=b.npy").success();
    toy.run("cluster -k 2 --view a:1=a.csv --kernel gaussian@\"a:1\":sigma=median").success();
}
