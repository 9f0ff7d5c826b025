use crate::toy::{DATA, Toy};

#[test]
fn folds_are_scored_and_written() {
    let toy = Toy::new();
    let flags = "--method mean --folds 3 -o results.json";
    let said = toy.output(&format!("evaluate {DATA} {flags}"));
    assert!(said.starts_with("mean on 3 splits, 3 classes: blue, green, red\n"), "{said}");
    assert!(said.contains("accuracy ") && said.contains("true \\ predicted"), "{said}");
    let written = toy.read_json("results.json");
    assert_eq!(written["results"].as_array().unwrap().len(), 3);
    let accuracy = written["accuracy"]["mean"].as_f64().unwrap();
    assert!((0.9..=1.0).contains(&accuracy), "{accuracy}");
    let tested: u64 = written["confusion"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|r| r.as_array().unwrap())
        .map(|c| c.as_u64().unwrap())
        .sum();
    assert_eq!(tested, 60);
}

#[test]
fn the_same_seed_gives_the_same_scores() {
    let toy = Toy::new();
    let flags = "--method two_stage --repeats 2 --test-fraction 0.5 --scale standard";
    let run = |seed| toy.json(&format!("evaluate {DATA} {flags} --seed {seed}"));
    let (one, two) = (run(3), run(3));
    for key in ["accuracy", "confusion", "splits", "macro_f1"] {
        assert_eq!(one[key], two[key], "{key}");
    }
    assert_eq!(one["results"].as_array().unwrap().len(), 2);
    assert_eq!(one["results"][0]["weights"], two["results"][0]["weights"]);
}

/// Nothing used to say that no instance was distinguished from another.
#[test]
fn a_hopeless_cost_is_told() {
    let toy = Toy::new();
    for command in
        ["evaluate {D} --method mean", "compare {D} --methods mean", "fit {D} --method mean"]
    {
        for (c, told) in [("1e-6", true), ("10", false)] {
            let command = command.replace("{D}", DATA);
            let assert = toy.run(&format!("{command} --c {c}")).success();
            let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
            assert_eq!(said.contains("are at their bound (α = C = 1.000e-6)"), told, "{said}");
        }
    }
}
