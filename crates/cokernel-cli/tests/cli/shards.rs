//! Parts of an experiment for the jobs of a batch queue, and their stores joined.

use crate::run::{LEARN, ask, tables};
use crate::toy::Toy;

#[test]
fn parts_give_the_tables_of_one_run() {
    let toy = Toy::new();
    toy.write("exp.toml", LEARN.as_bytes());
    toy.output("run exp.toml --store whole.sqlite");
    let mut all = 0;
    for part in 1..=3 {
        let workers = if part == 2 { "--workers 2" } else { "" };
        let json =
            toy.json(&format!("run exp.toml --shard {part}/3 --store {part}.sqlite {workers}"));
        assert_eq!(json["shard"], format!("{part}/3"));
        assert_eq!(json["cells"]["done"], json["cells"]["all"]);
        all += json["cells"]["done"].as_i64().unwrap();
        let claims = ask(&toy, &format!("{part}.sqlite"), "SELECT sum(claims) FROM cells");
        assert_eq!(claims, json["cells"]["done"].as_i64().unwrap());
    }
    assert_eq!(all, 70);
    let said = toy.output("run exp.toml --shard 1/3 --store 1.sqlite");
    assert!(said.contains("part 1/3, ") && said.contains("ended before"), "{said}");
    // Of a part there is no table yet; of two neither.
    assert!(!said.contains("cross-validation"), "{said}");
    let said = toy.run("merge 1.sqlite 3.sqlite -o exp.sqlite").code(1);
    let told = String::from_utf8(said.get_output().stderr.clone()).unwrap();
    assert!(told.contains("incomplete (exit code 1)") && told.contains("no result yet"), "{told}");
    let said = String::from_utf8(said.get_output().stdout.clone()).unwrap();
    assert!(said.contains("2 stores: ") && said.contains("waiting"), "{said}");
    let json = toy.json("merge 2.sqlite 1.sqlite -o exp.sqlite");
    assert_eq!((&json["cells"]["done"], &json["cells"]["all"]), (&70.into(), &70.into()));
    assert_eq!(tables(&toy, "exp.sqlite"), tables(&toy, "whole.sqlite"));
    let said = toy.output("run exp.toml");
    assert!(said.contains("70 cells: 70 done (70 ended before)"), "{said}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let toy = Toy::new();
    toy.write("exp.toml", LEARN.as_bytes());
    for wrong in ["0/3", "4/3", "two"] {
        let said = toy.refusal(&format!("run exp.toml --shard {wrong}"), 2);
        assert!(said.contains("--shard") && said.contains("such as 3/16"), "{said}");
    }
    let said = toy.refusal("merge none.sqlite -o exp.sqlite", 2);
    assert!(said.contains("there is no store none.sqlite"), "{said}");
    toy.output("run exp.toml --shard 1/9 --store 1.sqlite");
    toy.output("run exp.toml --shard 2/9 --store 2.sqlite --seed 4");
    let said = toy.refusal("merge 1.sqlite 2.sqlite -o exp.sqlite", 2);
    assert!(said.contains("seed 3 there, 4 here"), "{said}");
    assert!(!toy.path("exp.sqlite").exists());
}
