use crate::toy::{Toy, cells};

/// Three classes so far apart that every start finds them, or views of nothing but noise.
const TABLE: &str = r#"
title = "Three classes"
notes = ["A remark."]
reason = "said for rows without a reason"

[source]
paper = "Nobody"
table = "Table 0"

[data]
kind = "toy"
generator = "gaussian_classes"
n = 60
sets = 3
params = { distance = 40.0 }

[protocol]
clusters = 3
starts = { seeding = "plus_plus", starts = 4 }
seed = 5
scores = ["nmi", "entropy"]
reach = { nmi = 0.02 }

[[rows]]
label = "both"
method = "spectral"
published = { nmi = 1.0, entropy = [0.0, 0.1] }

[[rows]]
label = "one"
method = "spectral"
pick = "best"
variants = [{ params = { view = "view0" } }, { params = { view = "view1" } }]
published = { nmi = [0.5, 0.1] }
reason = "the figure is made up"

[[claims]]
above = "both"
"#;

fn toy() -> Toy {
    let toy = Toy::new();
    toy.write("my.toml", TABLE.as_bytes());
    toy
}

#[test]
fn a_table_shows_ours_beside_theirs() {
    let toy = toy();
    let said = toy.output("reproduce my.toml -o out");
    assert!(said.starts_with("my: Nobody Table 0, Three classes\n60 instances"), "{said}");
    for line in [
        "both  1.000 ± 0.000          1.000      +0.000      –  within reach 0.02",
        "one   1.000 ± 0.000  0.500 ± 0.100      +0.500   +5.0  differs (reach 0.02)",
        "one: the best NMI against the classes: view=view0 in 3 of 3",
        "both    one   nmi              0 of 3     3  1.000, 0.500",
        "one: the figure is made up",
        "A remark.",
        "2 of 3 published figures within reach; cokernel ",
        "over 3 data sets (seeds 5 to 7), of each the mean over 4 starts of k-means from k-means++",
        "written to out: result.json, table.csv, table.md",
    ] {
        assert!(said.contains(line), "{line}\nin\n{said}");
    }
    assert!(!said.contains("said for rows"), "only the row with a reason differs: {said}");
    let json = toy.read_json("out/result.json");
    assert_eq!(json["first_seed"], 5);
    assert_eq!(json["seeds"], 3);
    assert_eq!(json["rows"][1]["scores"]["nmi"]["ours"]["values"].as_array().unwrap().len(), 3);
    assert_eq!(json["library_version"], env!("CARGO_PKG_VERSION"));
    let csv = toy.read("out/table.csv");
    let rows = cells(&csv);
    assert_eq!(rows.len(), 1 + 2 * 2);
    assert_eq!(rows[0][..5], ["row", "at", "score", "mean", "sd"]);
    let one = rows.iter().find(|r| r[0] == "one" && r[2] == "nmi").unwrap();
    assert_eq!((one[3], one[6], one[8]), ("1", "0.5", "0.5"));
    let md = toy.read("out/table.md");
    assert!(md.contains("| one | 1.000 ± 0.000 | 0.500 ± 0.100 | +0.500 | +5.0 |"), "{md}");
}

#[test]
fn a_store_and_a_page_hold_the_same_figures() {
    let toy = toy();
    let plain = toy.json("reproduce my.toml");
    let kept = toy.json("reproduce my.toml --store kept --page page.md");
    assert_eq!(kept["claims"], plain["claims"]);
    for (a, b) in kept["rows"].as_array().unwrap().iter().zip(plain["rows"].as_array().unwrap()) {
        assert_eq!(
            (&a["label"], &a["scores"], &a["picked"]),
            (&b["label"], &b["scores"], &b["picked"])
        );
    }
    let page = toy.read("page.md");
    for line in [
        "**Nobody**: 3 figures re-run, 2 within reach, 0 not to be had.",
        "| [my](#my) | Table 0 | Three classes | 3 | 2 | 0 of 3 |",
        "| one | nmi | 1.000 ± 0.000 | 0.500 ± 0.100 | +0.500 | +5.0 | differs (reach 0.02) |",
        "- one: the figure is made up",
        "- A remark.",
        "| both | one | nmi | 0 of 3 | 3 | 1.000, 0.500 |",
        "2 of 3 published figures within reach; cokernel ",
    ] {
        assert!(page.contains(line), "{line}\nin\n{page}");
    }
    // Made again from the store: nothing is computed, and the bytes are the same.
    toy.output("reproduce my.toml --store kept --page again.md");
    assert_eq!(toy.read("again.md"), page);
    let status = toy.json("status kept/my.sqlite");
    assert_eq!(status["cells"]["done"], 3 * 3);
    // Two processes, with numbers of their own, which stand in the store alone.
    for (folder, workers) in [("alone", 1), ("together", 2)] {
        let call = format!("reproduce my.toml --sets 2 --store {folder} --workers {workers}");
        let rows = toy.json(&call)["rows"].clone();
        assert_eq!(rows[0]["scores"]["nmi"]["ours"]["values"].as_array().unwrap().len(), 2);
        let status = toy.json(&format!("status {folder}/my.sqlite"));
        assert_eq!(status["cells"]["done"], 2 * 3);
        toy.output(&format!("report {folder}/my.sqlite -o {folder}-page"));
    }
    assert_eq!(toy.read("together-page/table.csv"), toy.read("alone-page/table.csv"));
    // A shortened run stands beside it, without verdicts.
    let short = toy.output("reproduce my.toml --quick --store kept --page quick.md --workers 2");
    assert!(
        short.contains("2 data sets (seeds 5 to 6), of each the mean over 3 starts"),
        "{short}"
    );
    let page = toy.read("quick.md");
    assert!(page.contains("**A quick run**") && !page.contains("differs"), "{page}");
    assert!(page.contains("| Three classes (shortened) | – | – |"), "{page}");
    assert_eq!(toy.json("status kept/my.sqlite")["cells"]["done"], 3 * 3);
    assert_eq!(toy.json("status kept/my-quick.sqlite")["cells"]["done"], 2 * 3);
    toy.output("report kept/my.sqlite -o r");
    assert!(toy.read("r/table.md").contains("differs (reach 0.02)"));
}

/// What several processes could not compute is told as by one, and tried again where that is asked for.
#[test]
fn a_cell_without_a_result_is_told_with_the_way_out() {
    let toy = toy();
    let wrong = TABLE.replace("view = \"view1\"", "view = \"view9\"");
    toy.write("wrong.toml", wrong.as_bytes());
    for workers in [1, 2] {
        let call = format!("reproduce wrong.toml --store kept{workers} --workers {workers}");
        let said = toy.refusal(&call, 1);
        assert!(said.contains("view9"), "{said}");
        assert!(said.contains("`cokernel run --retry` tries it again"), "{said}");
    }
    toy.command("reproduce my.toml --workers 2").assert().code(2);
    for workers in ["0", "257"] {
        toy.refusal(&format!("reproduce my.toml --store kept --workers {workers}"), 2);
    }
}

/// A store of fewer sets or repetitions than the file says was once refused by `status` and `report`.
#[test]
fn a_store_holds_the_numbers_that_were_asked_for() {
    let toy = toy();
    let learn = TABLE
        .replace("clusters = 3\nstarts = { seeding = \"plus_plus\", starts = 4 }", "folds = 2")
        .replace("[\"nmi\", \"entropy\"]", "[\"accuracy\"]")
        .replace("reach = { nmi = 0.02 }", "reach = { accuracy = 0.02 }")
        .replace("method = \"spectral\"\npick = \"best\"\nvariants = [{ params = { view = \"view0\" } }, { params = { view = \"view1\" } }]\npublished = { nmi = [0.5, 0.1] }", "method = \"sum\"\npublished = { accuracy = 0.5 }")
        .replace("method = \"spectral\"\npublished = { nmi = 1.0, entropy = [0.0, 0.1] }", "method = \"mean\"\npublished = { accuracy = 1.0 }");
    toy.write("learn.toml", learn.as_bytes());
    for (name, flags, cells) in [
        ("my", "--sets 2", 2 * 3),
        ("learn", "--repeats 3", 3 * 3 * 2 * 2),
        ("learn", "--sets 1 --repeats 2", 2 * 2 * 2),
        ("learn", "", 3 * 2 * 2),
    ] {
        let found = toy.json(&format!("reproduce {name}.toml {flags} --store kept"));
        let status = toy.json(&format!("status kept/{name}.sqlite"));
        assert_eq!(status["cells"]["done"], cells, "{name} {flags}: {status}");
        toy.output(&format!("report kept/{name}.sqlite -o r"));
        let again = toy.json(&format!("reproduce {name}.toml {flags} --store kept"));
        assert_eq!(again["rows"], found["rows"]);
    }
}

#[test]
fn results_repeat_and_follow_the_seed() {
    let toy = toy();
    toy.write("my.toml", TABLE.replace("distance = 40.0", "distance = 1.0").as_bytes());
    let nmi = |flags: &str| {
        let json = toy.json(&format!("reproduce my.toml {flags}"));
        json["rows"][0]["scores"]["nmi"]["ours"]["values"].clone()
    };
    let first = nmi("");
    assert_eq!(nmi("--threads 1"), first);
    assert_ne!(nmi("--seed 6"), first);
    // Set i has seed 5 + i, whatever the number of sets.
    let (first, next) = (first.as_array().unwrap(), nmi("--seed 6 --sets 2"));
    assert_eq!(next.as_array().unwrap()[..], first[1..]);
    // The mean over sets of means over starts.
    assert!(first.iter().all(|v| (0.0..0.9).contains(&v.as_f64().unwrap())), "{first:?}");
}

#[test]
fn a_figure_has_curves() {
    let toy = toy();
    let sweep = "\n[sweep]\nparameter = \"distance\"\nvalues = [0, 40]\nlabel = \"d\"\n\n[[rows]]";
    let text = TABLE.replacen("\n[[rows]]", sweep, 1);
    let text = text.replace(
        "published = { nmi = 1.0, entropy = [0.0, 0.1] }",
        "points = [{ at = 40, nmi = 1.0 }]",
    );
    let text = text.replace("published = { nmi = [0.5, 0.1] }", "");
    toy.write("my.toml", text.as_bytes());
    let said = toy.output("reproduce my.toml -o out");
    let line = said.lines().find(|l| l.trim_start().starts_with("40  1.000")).unwrap();
    assert!(line.ends_with("1.000 ± 0.000"), "{said}");
    assert!(said.contains("NMI, published at single values"), "{said}");
    assert!(said.contains("both  40  1.000 ± 0.000   1.000      +0.000      –  within"), "{said}");
    assert!(said.contains("holds in points") && said.contains("of 6"), "{said}");
    let json = toy.read_json("out/result.json");
    let at = |x: f64| json["rows"].as_array().unwrap().iter().find(|r| r["at"] == x).unwrap();
    assert!(at(0.0)["scores"]["nmi"]["ours"]["mean"].as_f64().unwrap() < 0.3, "{json}");
    let svg = toy.read("out/curves.svg");
    assert!(svg.starts_with("<svg") && svg.contains("Three classes"));
    let png = std::fs::read(toy.path("out/curves.png")).unwrap();
    assert_eq!(&png[..4], b"\x89PNG");
}

#[test]
fn experiments_are_listed_shown_and_explained() {
    let toy = Toy::new();
    let list = toy.output("reproduce --list");
    assert_eq!(list, toy.output("reproduce"));
    let json = toy.json("reproduce");
    let ids: Vec<&str> =
        json.as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"lms-4.1-lambda") && ids.iter().all(|id| list.contains(id)), "{list}");
    let shown = toy.output("reproduce lms-4.1-lambda --show");
    assert!(shown.contains("id = \"lms-4.1-lambda\""), "{shown}");
    let example = toy.output("reproduce --example");
    toy.write("example.toml", example.as_bytes());
    assert_eq!(toy.output("reproduce example.toml --show"), example);
}

#[test]
fn wrong_calls_are_refused() {
    let toy = toy();
    let said = toy.refusal("reproduce lms-4.1-lamda", 2);
    let expected = "error: unknown experiment 'lms-4.1-lamda' (did you mean 'lms-4.1-lambda'?)";
    assert!(said.starts_with(expected), "{said}");
    toy.write("my.toml", TABLE.replace("starts =", "start =").as_bytes());
    let said = toy.refusal("reproduce my.toml", 2);
    let expected = "error: my.toml, line 19: unknown key 'start' (did you mean 'starts'?); known: ";
    assert!(said.starts_with(expected), "{said}");
    assert_eq!(
        toy.refusal("reproduce my.toml --sets 0", 2),
        "error: --sets: expected at least 1, found 0"
    );
    assert_eq!(
        toy.refusal("reproduce my.toml --repeats 0", 2),
        "error: --repeats: expected at least 1, found 0"
    );
    toy.write("my.toml", TABLE.replace("view = \"view1\"", "view = \"view9\"").as_bytes());
    let said = toy.refusal("reproduce my.toml", 2);
    assert!(said.starts_with("error: my, row 'one': unknown embedding 'view9'"), "{said}");
    let said = toy.refusal("reproduce my.toml -o no/out", 2);
    assert!(said.starts_with("error: cannot make the folder no/out"), "{said}");
}

#[test]
fn data_that_is_absent_is_said() {
    let toy = toy();
    let text = TABLE.replace(
        "kind = \"toy\"\ngenerator = \"gaussian_classes\"\nn = 60\nsets = 3\nparams = { distance = 40.0 }",
        "kind = \"folder\"\nname = \"mine\"\nviews = [\"view0\", \"view1\"]",
    );
    toy.write("my.toml", text.as_bytes());
    let mut without = toy.command("reproduce my.toml");
    let said = without.env_remove("COKERNEL_DATA").assert().code(2);
    let said = String::from_utf8(said.get_output().stderr.clone()).unwrap();
    let expected = "error: my cannot be run: it needs the data set 'mine', which does not come";
    assert!(said.starts_with(expected), "{said}");
    let said = toy.refusal("reproduce my.toml --data .", 2);
    assert!(said.ends_with("there is no folder ./mine"), "{said}");
    // There it is: two copies of a view with a class label per row.
    std::fs::create_dir(toy.path("mine")).unwrap();
    let rows: String = (0..30).map(|i| format!("{},{}\n", 50 * (i % 3), i % 2)).collect();
    toy.write("mine/view0.csv", rows.as_bytes());
    toy.write("mine/view1.csv", rows.as_bytes());
    let labels: String = (0..30).map(|i| format!("{}\n", i % 3)).collect();
    toy.write("mine/labels.csv", labels.as_bytes());
    let mut with = toy.command("reproduce my.toml --json");
    let found = with.env("COKERNEL_DATA", ".").assert().success();
    let json: serde_json::Value = serde_json::from_slice(&found.get_output().stdout).unwrap();
    assert_eq!(json["rows"][0]["scores"]["nmi"]["ours"]["mean"], 1.0);
    assert_eq!(json["data"]["n"], 30);
}
