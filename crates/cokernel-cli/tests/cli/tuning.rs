use crate::toy::{DATA, N, Toy};

#[test]
fn parameters_are_chosen_inside_the_training_sets() {
    let toy = Toy::new();
    let groups: Vec<String> = (0..N).map(|i| format!("p{}", i / 3)).collect();
    toy.write("g.csv", format!("{}\n", groups.join("\n")).as_bytes());
    let json = toy.json(&format!("fit {DATA} --tune c=0.01..1 --tune width=0.5,1 -o m.ck"));
    let tuned = &json["tuned"];
    let tried = tuned["tried"].as_array().unwrap();
    assert_eq!(tried.len(), 6);
    let mean = |i: usize| tried[i]["score"]["mean"].as_f64().unwrap();
    let best = tuned["best"].as_u64().unwrap() as usize;
    assert!((0..6).all(|i| mean(i) <= mean(best)));
    let said = toy.output("inspect m.ck --json");
    assert!(said.contains("chosen among 6 by accuracy"), "{said}");
    let said = toy.output(&format!("evaluate {DATA} --tune c=0.1..10 --folds 3"));
    assert!(said.contains("chosen inside the training sets: c = "), "{said}");
    let compare = format!("compare {DATA} --methods mean,lp_norm --folds 3");
    let said = toy.output(&format!("{compare} --tune c=0.1..10 --tune p=1.2,2"));
    assert!(said.contains("    mean: c = ") && said.contains(", p = "), "{said}");
    let plain = toy.run(&compare).success();
    let said = String::from_utf8_lossy(&plain.get_output().stderr).into_owned();
    assert!(said.contains("was not tuned; --tune c=0.01..100"), "{said}");
    toy.write(
        "cokernel.toml",
        b"labels = \"y.csv\"\ntune = [\"c=1,2\"]\ntune_folds = 2\n[views]\na = \"a.csv\"\n",
    );
    let json = toy.json("fit --project cokernel.toml -o p.ck");
    assert_eq!(
        (json["tuned"]["tried"].as_array().unwrap().len(), &json["tuned"]["splits"]),
        (2, &2.into())
    );
    let flags = "--tune c=1e-3..1e3 --tune width=2^-4..4 --tune-search surface --tune-folds 2";
    let json = toy.json(&format!("evaluate {DATA} --folds 2 --method mean {flags}"));
    assert_eq!(
        (&json["tuning"]["search"], &json["tuning"]["folds"]),
        (&"surface".into(), &2.into())
    );
    assert_eq!(json["tuning"]["axes"][1]["values"].as_array().unwrap().len(), 9);
    let json = toy.json(&format!("fit {DATA} --method mean {flags} --groups g.csv -o s.ck"));
    let tried = json["tuned"]["tried"].as_array().unwrap();
    assert!((7..63).contains(&tried.len()) && tried[6]["predicted"].is_number(), "{tried:?}");
    for (flags, part) in [
        ("--tune c=1,2 --tune-search surfac", "did you mean 'surface'"),
        (
            "--tune method=mean,sum --tune-search surface",
            "words and single values are for the grid",
        ),
        ("--tune c=1,2 --tune-score log_loss", "--probabilities sigmoid"),
        ("--tune c", "expected NAME=VALUES"),
        ("--tune d=1", "did you mean 'c'"),
        ("--tune c=0", "parameter 'c'"),
        ("--tune c=1 --tune c=2", "'c' is there twice"),
        ("--tune c=1,2 --tune-score mse", "unknown score 'mse'"),
        ("--tune-folds 3", "go with --tune"),
        ("--tune c=1,2 --tune-folds 1", "parameter 'folds': expected at least 2"),
    ] {
        let said = toy.refusal(&format!("fit {DATA} {flags}"), 2);
        assert!(said.contains(part), "{flags}: {said}");
    }
}

#[test]
fn the_head_of_a_tuned_result_tells_what_was_chosen_and_nothing_that_was_not() {
    let toy = Toy::new();
    let json =
        toy.json(&format!("evaluate {DATA} --folds 3 --tune c=0.1..10 --tune tol=1e-3,1e-4"));
    let results = json["results"].as_array().unwrap();
    for (name, place) in [("c", &json["machine"]["params"]), ("tol", &json["params"])] {
        assert!(place.is_object() && place.get(name).is_none(), "{place}");
        let chosen = json["chosen"][name].as_array().unwrap();
        assert_eq!(chosen.len(), 3);
        for (value, result) in chosen.iter().zip(results) {
            let own = result["chosen"].as_array().unwrap();
            assert!(own.iter().any(|c| c[0] == name && c[1] == *value), "{own:?}");
        }
    }
    let json = toy.json(&format!("evaluate {DATA} --test-fraction 0.3 --repeats 1 --set tol=0.01"));
    assert!(json.get("chosen").is_none());
    assert_eq!(
        (&json["machine"]["params"]["c"], &json["params"]["tol"]),
        (&1.0.into(), &0.01.into())
    );
    // One split has no spread.
    assert!(json["accuracy"]["sd"].is_null() && json["accuracy"]["mean"].is_number());
    let flags = "--test-fraction 0.3 --repeats 1 --methods mean,sum --csv one.csv";
    toy.output(&format!("compare {DATA} {flags}"));
    let table = toy.read("one.csv");
    let column = table.lines().next().unwrap().split(',').position(|c| c == "accuracy_sd").unwrap();
    assert!(table.lines().skip(1).all(|l| l.split(',').nth(column) == Some("")), "{table}");
}
