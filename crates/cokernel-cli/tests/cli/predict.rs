use crate::toy::{DATA, Toy, cells};

const NEW: &str = "--view a=a.csv --view b=b.npy";

#[test]
fn files_and_standard_output_hold_the_same() {
    let toy = Toy::new();
    toy.run(&format!("fit {DATA} --method mean")).success();
    let text = toy.output(&format!("predict model.ck {NEW}"));
    let said = toy.output(&format!("predict model.ck {NEW} -o out.csv"));
    assert_eq!(said, "60 instances labelled, written to out.csv\n");
    assert_eq!(toy.read("out.csv"), text);
    let rows = cells(&text);
    assert_eq!(rows[0][..2], ["row", "label"]);
    assert_eq!(rows.len(), 61);
    assert_eq!(rows[60][0], "59");
    let json = toy.json(&format!("predict model.ck {NEW}"));
    assert_eq!(json["labels"][59], rows[60][1]);
    assert_eq!(json["decisions"][59].as_array().unwrap().len(), 3);
    assert_eq!(json["scores"], serde_json::Value::Null);
}

#[test]
fn given_labels_are_scored() {
    let toy = Toy::new();
    toy.run(&format!("fit {DATA} --method mean")).success();
    let assert = toy.run(&format!("predict model.ck {DATA} -o out.csv")).success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(said.starts_with("note: accuracy on the given labels: "), "{said}");
    let json = toy.json(&format!("predict model.ck {DATA}"));
    assert!(json["scores"]["accuracy"].as_f64().unwrap() > 0.9);
}

#[test]
fn wrong_models_and_views_are_refused() {
    let toy = Toy::new();
    toy.run(&format!("fit {DATA} --method mean")).success();
    assert_eq!(
        toy.refusal("predict model.ck --view a=a.csv", 2),
        "error: the model needs the view 'b' (its views: a, b; given: a); add --view b=FILE"
    );
    let said = toy.refusal("predict model.ck --view a=a.csv --view b=a.csv", 1);
    assert!(said.contains("view 'b'") && said.contains("expected 3 columns"), "{said}");
    toy.write("cut.ck", &std::fs::read(toy.path("model.ck")).unwrap()[..200]);
    let said = toy.refusal(&format!("predict cut.ck {NEW}"), 1);
    assert!(said.starts_with("error: model file cut.ck: "), "{said}");
    let said = toy.refusal(&format!("predict a.csv {NEW}"), 1);
    assert!(said.starts_with("error: model file a.csv: "), "{said}");
}
