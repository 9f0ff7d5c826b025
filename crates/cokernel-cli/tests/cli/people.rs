//! What others wrote is shown to people, and commands neither their terminal nor their programs.

use crate::run::{LEARN, TABLES};
use crate::toy::{DATA, N, Toy, csv, view_a};

/// A title, labels and notes as nobody should write them.
fn hostile() -> String {
    LEARN
        .replace(
            "Two noisy views",
            "Two\\u001B]0;owned\\u0007 \\u001B[2Jviews\\nand a <script>line</script>",
        )
        .replace("\"view 0\"", "\"=HYPERLINK(1)\\u001B[31m\\n| [x] | <img src=a>\\u009B2J\"")
        .replace("A remark", "A \\u001B[5mremark")
        .replace("folds = 5", "folds = 3")
        .replace("repeats = 2", "repeats = 1")
}

fn harmless(what: &str, text: &str) {
    let bad = text.chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(bad, None, "{what}: {text:?}");
}

#[test]
fn labels_of_an_experiment_are_shown_and_nothing_else() {
    let toy = Toy::new();
    toy.write("exp.toml", hostile().as_bytes());
    for command in
        ["run exp.toml", "run exp.toml --json", "status exp.sqlite", "status exp.sqlite --json"]
    {
        let done = toy.command(command).assert().success();
        harmless(command, &String::from_utf8(done.get_output().stdout.clone()).unwrap());
        harmless(command, &String::from_utf8(done.get_output().stderr.clone()).unwrap());
    }
    assert!(toy.output("status exp.sqlite").contains("=HYPERLINK(1)␛[31m | [x] | <img"));
    let wrong = hostile().replace("method = \"mean\"\nviews", "method = \"m\\u001B[2Jn\"\nviews");
    toy.write("wrong.toml", wrong.as_bytes());
    harmless("an error", &toy.refusal("run wrong.toml", 2));

    toy.output("report exp.sqlite -o r");
    let markdown = toy.read("r/table.md");
    let row = markdown.lines().find(|l| l.contains("HYPERLINK")).unwrap();
    let columns = |line: &str| line.replace("\\|", "").matches('|').count();
    assert_eq!(columns(row), 1 + 3, "{row}");
    assert!(!markdown.contains("<img") && !markdown.contains("<script"), "{markdown}");
    let latex = toy.read("r/table.tex");
    let row = latex.lines().find(|l| l.contains("HYPERLINK")).unwrap();
    assert!(row.ends_with("\\\\") && row.contains("\\textless{}img"), "{latex}");
    for name in ["table.md", "table.tex"] {
        harmless(name, &toy.read(&format!("r/{name}")));
    }
    let page = toy.read("r/index.html");
    assert!(!page.contains("<img") && !page.contains("<script>line"), "the page");
    let drawn = std::fs::read_dir(toy.path("r")).unwrap().flatten().map(|e| e.path());
    let pictures: Vec<_> = drawn.filter(|p| p.extension().is_some_and(|e| e == "svg")).collect();
    assert!(!pictures.is_empty());
    for path in pictures {
        let text = std::fs::read_to_string(&path).unwrap();
        harmless(&path.display().to_string(), &text);
        assert!(!text.contains("<img"), "{}", path.display());
    }
}

#[test]
fn tables_for_spreadsheets_hold_no_formulas() {
    let toy = Toy::new();
    toy.write("exp.toml", hostile().as_bytes());
    toy.output("run exp.toml");
    toy.output("report exp.sqlite -o plain");
    toy.output("report exp.sqlite -o safe --spreadsheet");
    for name in ["table.csv", "timings.csv", "cells.csv"] {
        let (plain, safe) = (toy.read(&format!("plain/{name}")), toy.read(&format!("safe/{name}")));
        assert_eq!(plain == safe, name != "table.csv", "{name}");
    }
    assert!(toy.read("plain/table.csv").contains(",\"=HYPERLINK(1)"));
    let safe = toy.read("safe/table.csv");
    assert!(safe.contains(",\"'=HYPERLINK(1)") && !safe.contains("\"=HYPER"), "{safe}");
    for name in TABLES.iter().filter(|n| !n.ends_with("csv")) {
        assert_eq!(toy.read(&format!("plain/{name}")), toy.read(&format!("safe/{name}")));
    }
}

#[test]
fn names_in_data_do_not_reach_the_terminal() {
    let toy = Toy::new();
    let classes: Vec<&str> = (0..N).map(|i| ["=1+1\u{1b}[2J", "b\u{9b}31m", "c"][i % 3]).collect();
    toy.write("y.csv", format!("class\n{}\n", classes.join("\n")).as_bytes());
    toy.write("a.csv", csv("x\u{1b}[5m,y", &view_a()).as_bytes());
    let data = "--view a=a.csv --labels y.csv";
    for command in [
        format!("fit {data} -o m.ck"),
        format!("evaluate {data} --folds 3"),
        format!("compare {data} --methods mean,sum --folds 3 --csv c.csv"),
        "inspect m.ck".to_string(),
        "inspect m.ck --json".to_string(),
        format!("cluster -k 3 {data} -o k.csv"),
    ] {
        let done = toy.command(&command).assert().success();
        harmless(&command, &String::from_utf8(done.get_output().stdout.clone()).unwrap());
        harmless(&command, &String::from_utf8(done.get_output().stderr.clone()).unwrap());
    }
    // What goes to another program is as it was.
    let plain = toy.output("predict m.ck --view a=a.csv");
    assert!(plain.contains("=1+1\u{1b}[2J"), "{plain}");
    let safe = toy.output("predict m.ck --view a=a.csv --spreadsheet");
    assert!(safe.contains(",'=1+1"), "{safe}");
}

#[test]
fn tables_keep_to_the_lines_they_have() {
    let toy = Toy::new();
    toy.output(&format!("fit {DATA} --method simple_mkl --probabilities sigmoid -o m.ck"));
    let commands = [
        format!("evaluate {DATA} --method simple_mkl --folds 3"),
        format!("compare {DATA} --methods simple_mkl,localized_mkl --folds 3"),
        format!("kernels {DATA}"),
        "inspect m.ck".to_string(),
        "methods".to_string(),
        "methods localized_mkl".to_string(),
        "reproduce --list".to_string(),
    ];
    for command in commands {
        let whole = toy.output(&command);
        let seen = |flags: &str, columns: &str| {
            let mut asked = toy.command(&format!("{command}{flags}"));
            let done = asked.env("COLUMNS", columns).assert().success();
            String::from_utf8(done.get_output().stdout.clone()).unwrap()
        };
        let narrow = seen("", "76");
        let long: Vec<&str> = narrow.lines().filter(|l| l.chars().count() > 76).collect();
        let columns = |l: &str| l.trim().split("  ").filter(|cell| !cell.is_empty()).count();
        let sentence = |l: &&str| columns(l) < 3 && !l.contains('─');
        assert!(long.iter().all(sentence), "{command}: {long:#?}");
        // Seconds differ.
        let lines = |text: &str| text.lines().count();
        assert_eq!(lines(&seen(" --wide", "76")), lines(&whole), "{command}");
        assert_eq!(lines(&seen("", "0")), lines(&whole), "{command}");
    }
}
