use crate::toy::{Toy, cells};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// 70 cells of a few milliseconds.
pub const LEARN: &str = r#"
title = "Two noisy views"
notes = ["A remark with <b>letters</b> & signs."]

[data]
kind = "toy"
generator = "gaussian_classes"
n = 120
params = { distance = 2.0 }
costs = { view0 = 2.0 }

[protocol]
folds = 5
repeats = 2
inner_folds = 2
scores = ["accuracy", "macro_f1"]
seed = 3

[machine]
c = 1.0

[[rows]]
label = "view 0"
method = "mean"
views = ["view0"]

[[rows]]
label = "SimpleMKL"
method = "simple_mkl"
kernels = ["gaussian:sigma=median", "linear"]
grid = { c = [0.1, 1.0, 10] }

[[rows]]
label = "Mean | chosen"
method = "mean"
pick = "inner"
grid = { c = [0.1, 1.0, 10.0] }
"#;

/// Three data sets, clustered.
pub const CLUSTER: &str = r#"
title = "Clusterings"

[[data]]
kind = "toy"
generator = "gaussian_classes"
n = 60
sets = 3
params = { distance = 3.0 }

[[data]]
label = "files"
kind = "files"
files = { a = "a.csv", b = { path = "b.csv" } }
labels = "y.csv"

[protocol]
clusters = 3
starts = { seeding = "plus_plus", starts = 2 }
scores = ["nmi", "entropy"]

[tests]
baseline = "mean kernel"

[[rows]]
label = "mean kernel"
method = "spectral"

[[rows]]
label = "pairwise"
method = "co_regularized"
grid = { lambda = [0.01, 0.1] }
pick = "best"
published = { nmi = [0.9, 0.1] }

[[rows]]
label = "embeddings"
method = "concat_embeddings"
"#;

/// The tables that must not depend on how the cells were computed.
pub const TABLES: [&str; 5] = ["table.csv", "cells.csv", "table.md", "table.tex", "results.json"];

pub fn tables(toy: &Toy, store: &str) -> Vec<String> {
    toy.output(&format!("report {store} -o {store}-report"));
    TABLES.map(|name| toy.read(&format!("{store}-report/{name}"))).to_vec()
}

pub fn ask(toy: &Toy, store: &str, sql: &str) -> i64 {
    let connection = Connection::open(toy.path(store)).unwrap();
    connection.query_row(sql, [], |r| r.get(0)).unwrap()
}

#[test]
fn classes_are_learned_cell_by_cell() {
    let toy = Toy::new();
    toy.write("exp.toml", LEARN.as_bytes());
    let said = toy.output("run exp.toml");
    assert!(said.contains("70 cells: 70 done\nstore exp.sqlite"), "{said}");
    assert!(said.contains("Mean | chosen: the best accuracy in an inner cross-validation: c="));
    assert!(said.contains("2 × 5-fold cross-validation, seed 3"), "{said}");
    let again = toy.output("run exp.toml");
    assert!(again.contains("70 cells: 70 done (70 ended before)"), "{again}");
    assert_eq!(ask(&toy, "exp.sqlite", "SELECT max(claims) FROM cells"), 1);
    // Everything is there that tells how a result came about.
    let sql = "SELECT count(*) FROM results WHERE seed = 3 AND version <> '' AND seconds > 0 \
               AND json_extract(decided_by, '$.method') <> '' \
               AND json_extract(scores, '$.accuracy[0]') > 0.3";
    assert_eq!(ask(&toy, "exp.sqlite", sql), 70);
    let sql = "SELECT count(*) FROM results WHERE json_array_length(weights, '$.weights') = 4 \
               AND json_array_length(trace, '$.gaps') = json_array_length(trace, '$.objective')";
    assert_eq!(ask(&toy, "exp.sqlite", sql), 30);
    let status = toy.output("status exp.sqlite");
    assert!(status.contains("Mean | chosen") && status.contains("30 of 30"), "{status}");
    let json = toy.json("status exp.sqlite");
    assert_eq!((&json["cells"]["done"], &json["workers"]), (&70.into(), &0.into()));

    let table = tables(&toy, "exp.sqlite");
    let rows = cells(&table[0]);
    let of = |row: &str, column: usize| -> f64 {
        rows.iter().find(|r| r[2] == row && r[3] == "accuracy").unwrap()[column].parse().unwrap()
    };
    // One kernel of cost 2, times the support vectors of 96 training instances.
    let support = of("view 0", 11) / 100.0 * 96.0;
    assert!((of("view 0", 12) - 2.0 * support).abs() < 1e-9);
    assert_eq!(rows.len(), 1 + 5 * 2);
}

#[test]
fn scores_are_those_of_a_cross_validation() {
    let toy = Toy::new();
    let data = "kind = \"files\"\nfiles = { a = \"a.csv\", b = \"b.npy\" }\nlabels = \"y.csv\"";
    let start = LEARN.find("kind = ").unwrap();
    let end = LEARN.find("\n[protocol]").unwrap();
    let text = format!("{}{data}\n{}", &LEARN[..start], &LEARN[end..]).replace("view0", "a");
    std::fs::create_dir(toy.path("other")).unwrap();
    toy.write("exp.toml", text.as_bytes());
    // Paths are relative to the folder of the file.
    let mut elsewhere = toy.command("run ../exp.toml --json");
    let done = elsewhere.current_dir(toy.path("other")).assert().success();
    let json: serde_json::Value = serde_json::from_slice(&done.get_output().stdout).unwrap();
    for (row, views, more) in [
        ("view 0", "--view a=a.csv", "--method mean"),
        (
            "SimpleMKL, c=10",
            "--view a=a.csv --view b=b.npy",
            "--method simple_mkl --c 10 --kernel gaussian:sigma=median --kernel linear",
        ),
    ] {
        let flags = format!("{views} --labels y.csv {more} --folds 5 --repeats 2 --seed 3");
        let expected = toy.json(&format!("evaluate {flags}"));
        let rows = json["results"][0]["rows"].as_array().unwrap();
        let found = rows.iter().find(|r| r["label"] == row).unwrap();
        for score in ["accuracy", "macro_f1"] {
            let values = &found["scores"][score]["ours"]["values"];
            assert_eq!(values, &expected[score]["values"], "{row}, {score}");
        }
    }
}

#[test]
fn clusterings_of_several_data_sets_are_compared() {
    let toy = Toy::new();
    toy.write("exp.toml", CLUSTER.as_bytes());
    let said = toy.output("run exp.toml --workers 2 --store two.sqlite");
    // Three drawn sets and the files: 4 × (1 + 2 + 1).
    assert!(said.contains("16 cells: 16 done"), "{said}");
    assert!(said.contains("Clusterings: gaussian_classes") && said.contains("Clusterings: files"));
    toy.output("run exp.toml");
    assert_eq!(tables(&toy, "two.sqlite"), tables(&toy, "exp.sqlite"));
    let json = toy.read_json("exp.sqlite-report/results.json");
    assert_eq!(json["ranking"]["blocks"], 4, "{}", json["ranking"]);
    assert!(toy.path("exp.sqlite-report/critical-difference.svg").is_file());
    let page = toy.read("exp.sqlite-report/index.html");
    assert!(page.contains("over 4 data sets"), "{page}");
    let markdown = toy.read("exp.sqlite-report/table.md");
    assert!(markdown.contains("## files") && markdown.contains("0.900 ± 0.100"), "{markdown}");
    assert!(markdown.contains("fewer than six data sets"), "{markdown}");
    // The content of a file decides; its name and time do not.
    let y = toy.read("y.csv");
    toy.write("y.csv", y.as_bytes());
    assert!(toy.output("run exp.toml").contains("16 ended before"));
    let mut lines: Vec<&str> = y.lines().collect();
    lines[1..].rotate_left(1);
    toy.write("y.csv", (lines.join("\n") + "\n").as_bytes());
    let said = toy.refusal("run exp.toml", 2);
    assert!(said.contains("results of another specification: the data differ"), "{said}");
}

#[test]
fn killed_at_fifty_moments_the_tables_are_the_same_bytes() {
    let toy = Toy::new();
    toy.write("exp.toml", LEARN.replace("repeats = 2", "repeats = 1").as_bytes());
    let clock = Instant::now();
    toy.output("run exp.toml --store undisturbed.sqlite");
    let whole = clock.elapsed();
    let expected = tables(&toy, "undisturbed.sqlite");
    let (mut kills, mut rounds, mut state) = (0, 0, 88172645463325252_u64);
    while kills < 50 {
        let store = format!("killed-{rounds}.sqlite");
        rounds += 1;
        assert!(rounds <= 200, "{kills} kills in {rounds} rounds");
        // Later and later, so that every round ends, however busy the machine is.
        let mut latest = whole;
        loop {
            latest += whole / 5;
            let mut command = Command::new(assert_cmd::cargo::cargo_bin!("cokernel"));
            let workers = if rounds % 4 == 0 { "2" } else { "1" };
            command.current_dir(toy.path("")).args(["run", "exp.toml", "--quiet", "--store"]);
            command.args([&store, "--workers", workers, "--threads", "1"]);
            let mut child = command.stdout(Stdio::null()).spawn().unwrap();
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            std::thread::sleep(latest.mul_f64((state % 1000) as f64 / 1000.0));
            child.kill().unwrap();
            match child.wait().unwrap().code() {
                Some(0) => break,
                None => kills += 1,
                Some(other) => panic!("exit code {other} in round {rounds}"),
            }
        }
        assert_eq!(tables(&toy, &store), expected, "round {rounds}");
        // What was done was not done again: as many claims too many as there were kills, at most.
        let sql = "SELECT sum(claims) FROM cells";
        assert!(ask(&toy, &store, sql) <= 35 + 2 * kills, "round {rounds}");
    }
}

#[test]
fn two_workers_never_do_a_cell_twice() {
    let toy = Toy::new();
    toy.write("exp.toml", LEARN.as_bytes());
    toy.output("run exp.toml --store one.sqlite");
    // Two runs of two workers each, on one store.
    let start = || {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("cokernel"));
        command.current_dir(toy.path("")).args(["run", "exp.toml", "--workers", "2", "--json"]);
        command.args(["--store", "many.sqlite"]).stdout(Stdio::piped()).spawn().unwrap()
    };
    let runs = [start(), start()];
    for run in runs {
        let done = run.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let json: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!(json["cells"]["done"], 70);
    }
    assert_eq!(ask(&toy, "many.sqlite", "SELECT sum(claims) FROM cells"), 70);
    assert_eq!(ask(&toy, "many.sqlite", "SELECT count(*) FROM workers"), 0);
    assert_eq!(tables(&toy, "many.sqlite"), tables(&toy, "one.sqlite"));
}

#[test]
fn a_changed_specification_is_never_mixed() {
    let toy = Toy::new();
    toy.write("exp.toml", LEARN.as_bytes());
    toy.output("run exp.toml");
    let before = tables(&toy, "exp.sqlite");
    // Words may change.
    toy.write("exp.toml", LEARN.replace("Two noisy views", "Another title").as_bytes());
    assert!(toy.output("run exp.toml").contains("70 done (70 ended before)"));
    assert!(toy.output("status exp.sqlite").contains("Another title"));
    // What decides may not, unless it is asked for; then only what is new is computed.
    let more = LEARN.replace("[0.1, 1.0, 10]", "[0.1, 1.0, 100]");
    toy.write("exp.toml", more.as_bytes());
    let said = toy.refusal("run exp.toml", 2);
    let expected = "error: store exp.sqlite holds results of another specification: line ";
    assert!(said.starts_with(expected) && said.contains("--update"), "{said}");
    let said = toy.refusal("run exp.toml --seed 9", 2);
    assert!(said.contains("they have seed 3, not 9"), "{said}");
    let said = toy.output("run exp.toml --update");
    assert!(said.contains("70 cells: 70 done (60 ended before)"), "{said}");
    toy.output("run exp.toml --store fresh.sqlite");
    assert_eq!(tables(&toy, "exp.sqlite"), tables(&toy, "fresh.sqlite"));
    // Back again: the old results are still there, for their own cells.
    toy.write("exp.toml", LEARN.as_bytes());
    assert!(toy.output("run exp.toml --update").contains("70 done (70 ended before)"));
    assert_eq!(tables(&toy, "exp.sqlite"), before);
}

#[test]
fn a_damaged_store_is_reported_and_left_alone() {
    let toy = Toy::new();
    toy.write("exp.toml", LEARN.as_bytes());
    toy.output("run exp.toml");
    let whole = std::fs::read(toy.path("exp.sqlite")).unwrap();
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 8192].fill(0x5a);
    let cut = whole[..whole.len() / 3].to_vec();
    let mut head = whole.clone();
    head[..16].fill(0);
    for bytes in [damaged, cut, head, b"not a store, and not empty".to_vec(), Vec::new()] {
        toy.write("exp.sqlite", &bytes);
        for command in ["run exp.toml", "run exp.toml --update", "status exp.sqlite"] {
            let assert = toy.command(command).assert().failure();
            let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
            assert!(said.contains("left as it is"), "{command}: {said}");
            assert_eq!(said.lines().count(), 1, "{said}");
        }
        assert!(std::fs::read(toy.path("exp.sqlite")).unwrap() == bytes, "it was written to");
    }
    // A result that was changed behind its back.
    toy.write("exp.sqlite", &whole);
    let connection = Connection::open(toy.path("exp.sqlite")).unwrap();
    let sql = "UPDATE results SET result = replace(result, '\"status\":\"c', '\"status\":\" c') \
               WHERE cell = (SELECT min(cell) FROM results)";
    assert_eq!(connection.execute(sql, []).unwrap(), 1);
    drop(connection);
    let said = toy.refusal("report exp.sqlite -o r", 1);
    assert!(said.contains("is not as it was written: gaussian_classes, "), "{said}");
    let said = toy.output("status exp.sqlite");
    assert!(said.contains(": damaged: the result is not as it was written"), "{said}");
    let mut again = toy.command("run exp.toml");
    let told = again.assert().success().get_output().stderr.clone();
    let told = String::from_utf8(told).unwrap();
    assert!(
        told.starts_with("note: gaussian_classes, ") && told.contains("computed again"),
        "{told}"
    );
    assert!(toy.output("run exp.toml").contains("70 done (70 ended before)"));
    // The database of another program.
    let other = Connection::open(toy.path("other.sqlite")).unwrap();
    other.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
    drop(other);
    let said = toy.refusal("run exp.toml --store other.sqlite", 2);
    assert_eq!(said, "error: other.sqlite is a database of another program");
    let said = toy.refusal("status nothing.sqlite", 2);
    assert_eq!(said, "error: there is no store nothing.sqlite");
}

/// 20 of each class, 16 in a training set: with 17 folds inside it, every cell of "inner" failed, after
/// those of the other row had run.
#[test]
fn folds_that_files_do_not_suffice_for_are_refused_before_any_cell() {
    let toy = Toy::new();
    let text = r#"
title = "Files"
data = { kind = "files", files = { a = "a.csv", b = "b.csv" }, labels = "y.csv" }

[protocol]
folds = 5
inner_folds = 17
scores = ["accuracy"]

[[rows]]
label = "mean"
method = "mean"

[[rows]]
label = "inner"
method = "mean"
pick = "inner"
grid = { c = [0.1, 1.0] }
"#;
    let needs = "of each class; use fewer folds";
    let (inner, outer) = ("inner_folds = 17", "folds = 5");
    let mut given: Vec<(&str, String, String)> = Vec::new();
    let said = |line: usize, key: &str, class: usize, folds: usize| {
        format!(
            "error: exp.toml, line {line}: {key}: data 'a+b': labels: class 'blue' has {class} labelled \
             instances, but {folds}-fold cross-validation needs at least {folds} {needs}"
        )
    };
    given.push(("inner_folds", text.to_string(), said(7, "inner_folds", 16, 17)));
    given.push(("folds", text.replace(outer, "folds = 21"), said(6, "folds", 20, 21)));
    // The default of inner folds, in training sets of 4 of each class.
    let small = text.replace(inner, "").replace(outer, "test_fraction = 0.8");
    given.push(("default", small, said(6, "inner_folds", 4, 5)));
    for (what, text, said) in given {
        toy.write("exp.toml", text.as_bytes());
        assert_eq!(toy.refusal("run exp.toml", 2), said, "{what}");
        assert_eq!(toy.refusal("reproduce exp.toml", 2), said, "{what}");
        assert!(!toy.path("exp.sqlite").exists(), "{what}");
    }
    toy.write("exp.toml", text.replace(inner, "inner_folds = 16").as_bytes());
    assert!(toy.output("run exp.toml").contains("15 done"));
}

#[test]
fn cells_that_fail_or_do_not_fit_are_told_and_the_rest_goes_on() {
    let toy = Toy::new();
    let text = LEARN.replace("views = [\"view0\"]", "views = [\"view9\"]");
    toy.write("exp.toml", text.as_bytes());
    let assert = toy.command("run exp.toml").assert().code(1);
    let said = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(said.contains("70 cells: 60 done, 10 failed"), "{said}");
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(told.contains("view 0: exp, row 'view 0': unknown view 'view9'"), "{told}");
    let status = toy.output("status exp.sqlite");
    assert!(status.contains("failed: exp, row 'view 0'"), "{status}");
    toy.command("run exp.toml --retry").assert().code(1);
    assert_eq!(ask(&toy, "exp.sqlite", "SELECT max(claims) FROM cells"), 2);
    toy.output("report exp.sqlite -o r");
    let page = toy.read("r/index.html");
    assert!(page.contains("10 cells of 70 have no result") && page.contains("view9"), "{page}");
    assert_eq!(cells(&toy.read("r/table.csv")).len(), 1 + 4 * 2);

    toy.write("small.toml", format!("{LEARN}\n[limits]\nmemory = \"100kB\"\n").as_bytes());
    let assert = toy.command("run small.toml").assert().code(1);
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    let expected = " MB beside the kernels, but the limit of a cell is 0.1 MB; use fewer";
    assert!(told.contains("96 instances need 0.") && told.contains(expected), "{told}");
    let status = toy.json("status small.sqlite");
    assert_eq!(status["cells"]["refused"], 70);

    toy.write("slow.toml", format!("{LEARN}\n[limits]\nseconds = 1e-9\n").as_bytes());
    let assert = toy.command("run slow.toml").assert().code(1);
    let told = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(told.contains("not complete after 0.000000001 s, the limit of a cell"), "{told}");
}

#[test]
fn a_run_that_is_stopped_ends_cleanly_and_continues() {
    let toy = Toy::new();
    // Long enough to be stopped in the middle.
    let text = LEARN.replace("n = 120", "n = 400").replace("repeats = 2", "repeats = 40");
    toy.write("exp.toml", text.as_bytes());
    for workers in ["1", "2"] {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("cokernel"));
        command.current_dir(toy.path("")).args(["run", "exp.toml", "--workers", workers]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(interrupt.unwrap().success());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(130), "{}", String::from_utf8_lossy(&done.stderr));
        let json = toy.json("status exp.sqlite");
        assert_eq!((&json["cells"]["running"], &json["cells"]["failed"]), (&0.into(), &0.into()));
        assert!(json["cells"]["waiting"].as_u64().unwrap() > 0, "{json}");
        assert_eq!(json["workers"], 0);
        if json["cells"]["done"].as_u64().unwrap() > 0 {
            assert!(json["seconds_left"].as_f64().unwrap() > 0.0);
        }
    }
    // A report of what there is.
    toy.output("report exp.sqlite -o r");
    assert!(toy.read("r/index.html").contains("have no result"));
    let claims = ask(&toy, "exp.sqlite", "SELECT count(*) FROM cells WHERE claims > 3");
    assert_eq!(claims, 0);
}

#[test]
fn wrong_calls_are_refused() {
    let toy = Toy::new();
    toy.write("exp.toml", LEARN.as_bytes());
    let said = toy.refusal("run exp.toml --workers 0", 2);
    assert_eq!(said, "error: --workers: expected at least 1, found 0");
    let said = toy.refusal("run exp.toml --workers 100000", 2);
    assert_eq!(said, "error: --workers: expected at most 256, found 100000");
    let mut threads = toy.command("run exp.toml");
    let assert = threads.env("RAYON_NUM_THREADS", "1000000000000").assert().code(2);
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(
        said.starts_with("error: $RAYON_NUM_THREADS: expected at most 1024, found 1"),
        "{said}"
    );
    let said = toy.refusal("run lms-3.33", 2);
    assert!(said.starts_with("error: unknown experiment 'lms-3.33' (did you mean 'lms-3.3'"));
    toy.write("exp.toml", LEARN.replace("folds = 5", "fods = 5").as_bytes());
    let said = toy.refusal("run exp.toml", 2);
    assert!(said.contains("unknown key 'fods' (did you mean 'folds'?)"), "{said}");
    let said = toy.refusal("run exp.toml --store no/s.sqlite", 2);
    assert!(said.contains("unknown key"), "{said}");
    toy.write("exp.toml", LEARN.as_bytes());
    let said = toy.refusal("run exp.toml --store no/s.sqlite", 1);
    assert!(said.contains("cannot make the store no/s.sqlite"), "{said}");
    let names: BTreeSet<String> = std::fs::read_dir(toy.path(""))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.contains("sqlite"))
        .collect();
    assert!(names.is_empty(), "{names:?}");
}
