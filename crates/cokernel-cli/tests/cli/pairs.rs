use crate::toy::{DATA, N, Toy, labels};

/// Pairs of neighbours in the file by their classes, with the words of `link`.
fn pairs(names: &dyn Fn(usize) -> String, link: [&str; 2]) -> String {
    let y = labels();
    let line = |i: usize| {
        let j = (i + 1 + i % 5) % N;
        format!("{},{},{}\n", names(i), names(j), link[usize::from(y[i] != y[j])])
    };
    (0..N).map(line).collect()
}

#[test]
fn weights_are_learned_from_pairs() {
    let toy = Toy::new();
    let numbers = |i: usize| i.to_string();
    toy.write("pairs.csv", pairs(&numbers, ["must", "cannot"]).as_bytes());
    toy.write("signs.csv", format!("i,j,link\n{}", pairs(&numbers, ["+1", "-1"])).as_bytes());
    let fit = format!("fit {DATA} --method two_stage --set lambda=0.01");
    toy.run(&fit).success();
    let by_labels = toy.json("inspect model.ck");
    toy.run(&format!("{fit} --pairs pairs.csv")).success();
    let told = toy.json("inspect model.ck");
    assert_ne!(told["weights"], by_labels["weights"]);
    assert_eq!(told["report"]["details"]["pairs"][0], 60.0);
    let notes = told["report"]["notes"].to_string();
    assert!(
        notes.contains("the weights are learned from ") && !notes.contains("contradict"),
        "{notes}"
    );
    toy.run(&format!("{fit} --pairs signs.csv --probabilities sigmoid")).success();
    let same = toy.json("inspect model.ck");
    assert_eq!(same["weights"], told["weights"]);
    assert_eq!(same["calibration"]["folds"], 5);
    let json = toy.json(&format!(
        "evaluate {DATA} --method two_stage --set lambda=0.01 --pairs pairs.csv --folds 3 \
         --probabilities sigmoid"
    ));
    assert!(json["accuracy"]["mean"].as_f64().unwrap() > 0.8 && json["log_loss"]["mean"].is_f64());
}

#[test]
fn instances_go_by_their_ids_and_need_no_label() {
    let toy = Toy::new();
    let y = labels();
    let with_ids = |name: &str, columns: &str| {
        let text = toy.read(name);
        let rows = text.lines().skip(1).enumerate().map(|(i, l)| format!("p{i},{l}\n"));
        format!("id,{columns}\n{}", rows.collect::<String>())
    };
    toy.write("va.csv", with_ids("a.csv", "x1,x2").as_bytes());
    toy.write("vb.csv", with_ids("b.csv", "u,v,w").as_bytes());
    let some = |i: usize| if i % 4 == 1 { "" } else { y[i].as_str() };
    let rows: String = (0..N).map(|i| format!("p{i},{}\n", some(i))).collect();
    toy.write("vy.csv", format!("id,class\n{rows}").as_bytes());
    toy.write(
        "pairs.tsv",
        pairs(&|i| format!("p{i}"), ["must", "cannot"]).replace(',', "\t").as_bytes(),
    );
    toy.write(
        "cokernel.toml",
        b"labels = \"vy.csv\"\nid = \"id\"\nmethod = \"two_stage\"\npairs = \"pairs.tsv\"\n\
          [views]\na = \"va.csv\"\nb = \"vb.csv\"\n[params.two_stage]\nlambda = 0.01\n",
    );
    toy.run("fit").success();
    let told = toy.json("inspect model.ck");
    let notes = told["report"]["notes"].to_string();
    assert!(notes.contains("instances without a label that are in them: 15"), "{notes}");
    assert_eq!(told["report"]["details"]["pairs"][0], 60.0);
    toy.run("evaluate --folds 3").success();
    // Other methods say that they do not use them, and other commands do not read them.
    let assert = toy.run("fit --method mean").success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(said.contains("the pairs of the project file are not used: "), "{said}");
    assert!(
        said.contains("method 'mean' does not learn from pairs; methods that do: polynomial_two_stage, two_stage, forest_two_stage"),
        "{said}"
    );
    toy.write("pairs.tsv", b"p0\tp99\tmust\n");
    let said = toy.refusal("fit", 1);
    assert_eq!(
        said,
        "error: pairs.tsv, line 1, column 2: there is no instance 'p99' among the ids of the views"
    );
    let assert = toy.run("compare --methods mean,two_stage --folds 2").success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(
        said.contains("the pairs of the project file are not used: methods are compared"),
        "{said}"
    );
    toy.run("predict model.ck").success();
}

#[test]
fn wrong_pairs_are_refused() {
    let toy = Toy::new();
    let fit = format!("fit {DATA} --method two_stage --pairs p.csv");
    for (text, said) in [
        ("0,1,must\n0,60,cannot\n", "line 2: there is no row 60; rows are numbered from 0 to 59"),
        ("0,1,must\n3,3,cannot\n", "line 2: row 3 is paired with itself; expected two instances"),
        (
            "0,1,must\n2,3,must\n1,0,-1\n",
            "line 3: row 1 and row 0 are cannot-link here, but must-link in line 1",
        ),
        (
            "0,1,must\n2,3,maybe\n",
            "line 2, column 3: expected must or cannot (or +1 or -1), found 'maybe'",
        ),
        (
            "0,1,must\n",
            "expected at least one must-link and one cannot-link pair, found no cannot-link pair",
        ),
        (
            "0,1\n",
            "line 1: expected 3 fields (two instances, and must or cannot) or 4 (and a weight), found 2",
        ),
    ] {
        toy.write("p.csv", text.as_bytes());
        let found = toy.command(&fit).assert().failure();
        let found = String::from_utf8(found.get_output().stderr.clone()).unwrap();
        assert!(found.contains(said) && found.contains("error: "), "{found}");
    }
    toy.write("p.csv", b"0,3,must\n0,1,cannot\n");
    let said =
        toy.refusal(&format!("evaluate {DATA} --method two_stage --pairs p.csv --folds 2"), 2);
    assert!(said.contains("of 1 "), "{said}");
    assert!(said.contains("pairs none is left without the instances that are held out"), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --method mean --pairs p.csv"), 2);
    assert!(
        said.contains("--pairs: ")
            && said.contains("methods that do: polynomial_two_stage, two_stage, forest_two_stage"),
        "{said}"
    );
    let said = toy.refusal(&format!("fit {DATA} --method two_stage --pairs none.csv"), 1);
    assert!(said.contains("none.csv"), "{said}");
}
