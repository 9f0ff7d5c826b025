use crate::toy::{DATA, N, Toy};

#[test]
fn splits_are_written_and_shared() {
    let toy = Toy::new();
    let said = toy.output(&format!("splits {DATA} --reserve 0.3 --name mine -o s.json"));
    assert!(said.starts_with("5 × 2-fold cross-validation beside 30 % for testing"), "{said}");
    let kept = toy.json(&format!("evaluate {DATA} --splits s.json --method mean"));
    let drawn = toy.json(&format!("evaluate {DATA} --reserve 0.3 --method mean"));
    assert_eq!(kept["accuracy"], drawn["accuracy"]);
    assert_eq!(kept["accuracy"]["values"].as_array().unwrap().len(), 10);
    let many: String = (0..N).map(|i| format!("p{},{}\n", i / 4, ["x", "y"][i / 7 % 2])).collect();
    toy.write("meta.csv", format!("patient,fold\n{many}").as_bytes());
    let json = toy.json(&format!("splits {DATA} --groups patient@meta.csv --folds 3"));
    for split in json["splits"].as_array().unwrap() {
        let group = |i: &serde_json::Value| i.as_u64().unwrap() / 4;
        let train: Vec<u64> = split["train"].as_array().unwrap().iter().map(group).collect();
        let mut test = split["test"].as_array().unwrap().iter().map(group);
        assert!(test.all(|g| !train.contains(&g)));
    }
    let json = toy.json(&format!("compare {DATA} --split-column fold@meta.csv --methods mean,sum"));
    assert_eq!(json["complete"], 2);
    let said = toy.output(&format!("compare {DATA} --per-class 5 --repeats 2 --methods mean,sum"));
    assert!(said.contains("2 random splits, 5 of each class to learn from"), "{said}");
    for (flags, code, part) in [
        ("--splits no.json", 1, "no.json"),
        ("--splits meta.csv", 1, "expected what `cokernel splits` writes"),
        ("--reserve 1", 2, "reserve: expected a number between 0 and 1"),
        ("--reserve 0.3 --repeats 2", 2, "--reserve does not go with --repeats"),
        ("--splits s.json --groups meta.csv", 2, "--splits does not go with"),
        ("--per-class 1000", 1, "needs at least 1001 of each class"),
        ("--groups nobody@meta.csv", 1, "nobody"),
        ("--groups y.csv --per-class 2", 2, "groups cannot keep"),
    ] {
        let said = toy.refusal(&format!("evaluate {DATA} {flags}"), code);
        assert!(said.contains(part), "{flags}: {said}");
    }
}
