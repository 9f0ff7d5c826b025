use crate::toy::{DATA, Toy, cells};

const NEW: &str = "--view a=a.csv --view b=b.npy";

#[test]
fn prediction_has_a_column_for_each_class() {
    let toy = Toy::new();
    for flags in [
        "--probabilities sigmoid",
        "--probabilities isotonic --calibration-folds 4",
        "--probabilities sigmoid --decomposition one_vs_one",
    ] {
        toy.run(&format!("fit {DATA} --method mean {flags}")).success();
        let text = toy.output(&format!("predict model.ck {NEW}"));
        let rows = cells(&text);
        assert_eq!(rows[0][5..], ["P(blue)", "P(green)", "P(red)"]);
        let json = toy.json(&format!("predict model.ck {DATA}"));
        assert_eq!(json["classes"], serde_json::json!(["blue", "green", "red"]));
        for (row, told) in rows[1..].iter().zip(json["probabilities"].as_array().unwrap()) {
            let p: Vec<f64> = row[5..].iter().map(|c| c.parse().unwrap()).collect();
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let told: Vec<f64> =
                told.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
            assert_eq!(p, told);
        }
        for score in ["auc", "log_loss", "brier"] {
            assert!(json["scores"][score].as_f64().is_some(), "{score}");
        }
        let said = toy.output("inspect model.ck");
        assert!(said.contains("P(class)  ") && said.contains("P(first class | f)"), "{said}");
        let told = toy.json("inspect model.ck");
        assert_eq!(told["calibration"]["curves"].as_array().unwrap().len(), 3);
    }
    toy.run(&format!("fit {DATA} --method mean")).success();
    let text = toy.output(&format!("predict model.ck {NEW}"));
    assert_eq!(cells(&text)[0].len(), 5);
    let json = toy.json(&format!("predict model.ck {DATA}"));
    assert!(json["probabilities"].is_null() && json["scores"].get("log_loss").is_none());
    assert!(!toy.output("inspect model.ck").contains("P("));
}

#[test]
fn evaluation_has_their_scores_where_they_are_asked_for() {
    let toy = Toy::new();
    let command = format!("evaluate {DATA} --method mean --folds 3");
    assert!(toy.json(&command).get("log_loss").is_none());
    let said = toy.output(&format!("{command} --probabilities sigmoid"));
    for title in ["area under the ROC curve", "log loss", "Brier score"] {
        assert!(said.contains(title), "{said}");
    }
    assert!(said.contains("probabilities: sigmoid, on 5 folds of each training set"), "{said}");
    let json = toy.json(&format!("{command} --probabilities isotonic --calibration-folds 3"));
    assert_eq!(json["calibrating"]["shape"], "isotonic");
    assert!(json["brier"]["mean"].as_f64().unwrap() < 0.5);

    let command = format!("compare {DATA} --methods mean,best_single --singles --folds 2");
    let said = toy.output(&format!("{command} --probabilities sigmoid --csv table.csv"));
    assert!(said.contains("ROC AUC") && said.contains("Brier score"), "{said}");
    let table = toy.read("table.csv");
    assert!(table.lines().next().unwrap().contains("auc,log_loss,brier"), "{table}");
    let json = toy.json(&format!("{command} --probabilities sigmoid"));
    for row in json["rows"].as_array().unwrap() {
        assert!(row["log_loss"]["mean"].as_f64().unwrap() > 0.0, "{row}");
    }
    let plain = toy.json(&command);
    let name = |v: &serde_json::Value| v["rows"][0]["accuracy"].clone();
    assert_eq!(name(&plain), name(&json), "probabilities change no decision");
}

#[test]
fn a_project_file_can_ask_for_them() {
    let toy = Toy::new();
    toy.write(
        "cokernel.toml",
        b"labels = \"y.csv\"\nmethod = \"mean\"\nprobabilities = \"isotonic\"\n\
          calibration_folds = 4\n[views]\na = \"a.csv\"\nb = \"b.npy\"\n",
    );
    toy.run("fit").success();
    let told = toy.json("inspect model.ck");
    assert_eq!(told["calibration"]["shape"], "isotonic");
    assert_eq!(told["calibration"]["folds"], 4);
    toy.run("fit --probabilities none").success();
    assert!(toy.json("inspect model.ck")["calibration"].is_null());
}

#[test]
fn what_has_no_probabilities_is_refused() {
    let toy = Toy::new();
    for (flags, code, sentence) in [
        ("--probabilities platt", 2, "unknown calibration 'platt'"),
        ("--calibration-folds 3", 2, "--calibration-folds needs --probabilities"),
        ("--probabilities sigmoid --calibration-folds 1", 2, "expected 2 to 1000 folds, found 1"),
        ("--probabilities sigmoid --calibration-folds 21", 1, "use 20 folds"),
        ("--probabilities sigmoid --task detect", 2, "does not learn classes"),
    ] {
        let said = toy.refusal(&format!("fit {DATA} --method mean {flags}"), code);
        assert!(said.contains(sentence), "{said}");
    }
    let said =
        toy.refusal(&format!("compare {DATA} --task cluster -k 3 --probabilities sigmoid"), 2);
    assert!(said.contains("--probabilities needs classes to learn"), "{said}");
}
