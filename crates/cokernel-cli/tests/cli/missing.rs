//! Learning from tables whose instances are not the same, and prediction for instances that lack views.

use crate::toy::{N, Toy, cells, class};

const DATA: &str = "--view a=c.csv --view b=d.csv --id id --labels l.csv --label-column class";

/// Views a and b by id, of which every seventh instance lacks one: a has rows of NA, b has no such rows.
fn incomplete() -> Toy {
    let toy = Toy::new();
    let table = |name: &str, lacks: usize, drop: bool| {
        let text = toy.read(name);
        let mut lines = text.lines();
        let mut out = format!("id,{}\n", lines.next().unwrap());
        for (i, line) in lines.enumerate() {
            match i % 7 == lacks {
                true if drop => {}
                true => out.push_str(&format!("i{i}{}\n", ",NA".repeat(line.split(',').count()))),
                false => out.push_str(&format!("i{i},{line}\n")),
            }
        }
        out
    };
    toy.write("c.csv", table("a.csv", 2, false).as_bytes());
    toy.write("d.csv", table("b.csv", 4, true).as_bytes());
    let y = toy.read("y.csv");
    let y: Vec<String> = y.lines().skip(1).enumerate().map(|(i, y)| format!("i{i},{y}")).collect();
    toy.write("l.csv", format!("id,class\n{}\n", y.join("\n")).as_bytes());
    toy
}

#[test]
fn every_treatment_is_fitted_told_and_predicted_with() {
    let toy = incomplete();
    let lacks = |k: usize| (0..N).filter(|i| i % 7 == k).count();
    let (a, b) = (N - lacks(2), N - lacks(4));
    let complete = N - lacks(2) - lacks(4);
    for (method, missing, handling) in [
        ("simple_mkl", "", "mean"),
        ("mean", "--missing drop", "drop"),
        ("mean", "--missing zero", "zero"),
        ("concat", "", "mean"),
        ("mean", "--missing estimate", "estimate"),
        ("late_mean", "", "per_view"),
        ("ekp", "--missing per_view", "per_view"),
    ] {
        let said = toy.output(&format!("fit {DATA} --method {method} {missing} -o m.ck"));
        let line = format!(
            "missing   {handling}: {complete} of {N} instances have all views (a: {a}, b: {b})"
        );
        assert!(said.contains(&line), "{method}: {said}");
        assert!(toy.output("inspect m.ck").contains(&line), "{method}");
        let json = toy.json("inspect m.ck");
        assert_eq!(json["lacking"]["handling"], handling);
        assert_eq!(json["lacking"]["views"], serde_json::json!([["a", a], ["b", b]]));
        let assert = toy.run(&format!("predict m.ck {DATA}")).success();
        let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(said.contains("instances lack a view: they are told"), "{said}");
        let json = toy.json(&format!("predict m.ck {DATA}"));
        assert_eq!(json["ids"].as_array().unwrap().len(), N);
        let accuracy = json["scores"]["accuracy"].as_f64().unwrap();
        assert!(accuracy > 0.6, "{method} {missing}: {accuracy}");
        assert_eq!(json["notes"].as_array().unwrap().len(), 1);
    }
    // A row alone gets what it gets among others.
    let all = toy.output(&format!("predict m.ck {DATA}"));
    let all = cells(&all);
    toy.write("e.csv", format!("{}\n", toy.read("c.csv").lines().next().unwrap()).as_bytes());
    let row = |name: &str, id: &str| {
        let text = toy.read(name);
        let line = text.lines().find(|l| l.starts_with(&format!("{id},"))).unwrap().to_string();
        format!("{}\n{line}\n", text.lines().next().unwrap())
    };
    toy.write("e.csv", row("c.csv", "i3").as_bytes());
    toy.write("f.csv", row("d.csv", "i9").as_bytes());
    let two = toy.output("predict m.ck --view a=e.csv --view b=f.csv --id id");
    for own in cells(&two).iter().skip(1) {
        // Row i9 lacks view a in both; row i3 lacks view b here alone.
        let same = all.iter().find(|r| r[0] == own[0]).unwrap();
        assert_eq!(own[0] == "i9", own == same, "{own:?} {same:?}");
    }
}

#[test]
fn methods_are_compared_on_incomplete_data() {
    let toy = incomplete();
    let json = toy.json(&format!("evaluate {DATA} --method late_mean --folds 3"));
    assert!(json["accuracy"]["mean"].as_f64().unwrap() > 0.6, "{json}");
    let json = toy.json(&format!("compare {DATA} --methods mean,late_mean,concat --folds 3"));
    assert_eq!(json["rows"].as_array().unwrap().len(), 3);
    let said = toy.run(&format!("compare {DATA} --methods mean --folds 3 --missing drop"));
    let said = String::from_utf8(said.success().get_output().stderr.clone()).unwrap();
    assert!(said.contains("they are left out (missing=drop)"), "{said}");
    // Of the methods that nobody named, those are left out whose models take all views together.
    let drop = format!("compare {DATA} --folds 3 --missing drop");
    let json = toy.json(&drop);
    let out: Vec<_> = json["left_out"].as_array().unwrap().iter().map(|l| &l["name"]).collect();
    assert!(out.contains(&&"product".into()) && !out.contains(&&"mean".into()), "{out:?}");
    let rows = json["rows"].as_array().unwrap();
    assert!(rows.len() > 3 && rows.iter().all(|r| !out.contains(&&r["name"])), "{json}");
    let said = toy.run(&drop).success();
    let said = String::from_utf8(said.get_output().stderr.clone()).unwrap();
    assert!(
        said.contains("product is left out: its models take all views of an instance together"),
        "{said}"
    );
    let said = toy.refusal(&format!("{drop} --methods mean,product -q"), 1);
    assert!(said.contains("'product' cannot tell held-out instances"), "{said}");
    // In a project file.
    let project = "labels = \"l.csv\"\nlabel_column = \"class\"\nid = \"id\"\nmethod = \"mean\"\n\
                   missing = \"mean\"\n[views]\na = \"c.csv\"\nb = \"d.csv\"\n";
    toy.write("cokernel.toml", project.as_bytes());
    toy.output("fit -o p.ck");
    assert_eq!(toy.json("inspect p.ck")["lacking"]["handling"], "mean");
    toy.write("cokernel.toml", project.replace("\"mean\"\n[", "\"men\"\n[").as_bytes());
    let said = toy.refusal("fit -o p.ck", 2);
    assert!(said.contains("line 5") && said.contains("did you mean 'mean'"), "{said}");
}

#[test]
fn what_cannot_be_done_about_missing_views_is_said() {
    let toy = incomplete();
    let said = toy.refusal(&format!("fit {DATA} --missing per_view -q"), 2);
    assert!(said.contains("per_view is for late_mean, ekp"), "{said}");
    toy.output(&format!("fit {DATA} --missing estimate --method concat -q -o concat.ck"));
    let json = toy.json("inspect concat.ck");
    assert_eq!(json["lacking"]["handling"], "estimate");
    let notes = json["report"]["notes"].to_string();
    assert!(notes.contains("what instances near them in the other views have"), "{notes}");
    // Numbers, by a machine that nothing but definite matrices limits.
    let numbers: String =
        toy.read("l.csv").lines().enumerate().fold(String::new(), |all, (i, l)| {
            let value = if i == 0 { "value".to_string() } else { (i % 7).to_string() };
            all + &format!("{},{value}\n", l.split(',').next().unwrap())
        });
    toy.write("n.csv", numbers.as_bytes());
    let ridge = "fit --view a=c.csv --view b=d.csv --id id --labels n.csv --task regress --machine kernel_ridge \
                 --missing estimate -q";
    for method in ["mean", "mark"] {
        toy.output(&format!("{ridge} --method {method} -o {method}.ck"));
    }
    let json = toy.json("inspect mean.ck");
    let notes = json["report"]["notes"].as_array().unwrap();
    let lifted =
        |n: &serde_json::Value| n.as_str().unwrap().contains("was added to the similarity");
    assert!(notes.iter().any(lifted), "{notes:?}");
    let said = toy.refusal(&format!("fit {DATA} --method late_mean --set a=1 -q"), 2);
    assert!(said.contains("unknown parameter 'a'; there are none"), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --method medfc --c 1e308 -q"), 1);
    assert!(said.contains("choose a smaller C"), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --missing refuse"), 1);
    assert!(said.contains("--drop-incomplete") || said.contains("missing value"), "{said}");
    toy.output(&format!("fit {DATA} --drop-incomplete -o m.ck"));
    assert_eq!(toy.json("inspect m.ck")["lacking"], serde_json::Value::Null);
    // A row without any view, by its name.
    let text = toy.read("c.csv").replace("i4,", "x,");
    let rest: String = text.lines().map(|l| format!("{l}\n")).collect();
    toy.write("g.csv", format!("{rest}nobody,NA,NA\n").as_bytes());
    let said = toy.refusal("predict m.ck --view a=g.csv --view b=d.csv --id id -q", 1);
    assert!(said.contains("('nobody') has none of the views 'a', 'b'"), "{said}");
    let flags = "compare --task cluster -k 3 --view a=c.csv --view b=d.csv --id id --missing mean";
    assert!(toy.refusal(flags, 2).contains("--missing needs something to learn"));
    assert!(class(0) < 3);
}

/// A model that looks at one view tells rows that only another one has, too, and says by what.
#[test]
fn rows_of_views_that_are_not_looked_at_are_there() {
    let toy = incomplete();
    let text = toy.read("c.csv");
    let there: Vec<&str> = text.lines().filter(|l| !l.contains(",NA")).collect();
    toy.write("c.csv", format!("{}\n", there.join("\n")).as_bytes());
    toy.output(&format!("fit {DATA} --method best_single --missing drop -o m.ck"));
    let json = toy.json(&format!("predict m.ck {DATA}"));
    assert_eq!(json["ids"].as_array().unwrap().len(), N);
    let notes = json["notes"].to_string();
    assert!(notes.contains("by the constant of the model"), "{notes}");
}
