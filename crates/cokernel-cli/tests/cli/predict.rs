use crate::toy::{DATA, N, Toy, cells, labels, npy, view_a};

const NEW: &str = "--view a=a.csv --view b=b.npy";

#[test]
fn files_and_standard_output_hold_the_same() {
    let toy = Toy::new();
    toy.run(&format!("fit {DATA} --method mean")).success();
    let text = toy.output(&format!("predict model.ck {NEW}"));
    let said = toy.output(&format!("predict model.ck {NEW} -o out.csv"));
    assert_eq!(said, "60 instances predicted, written to out.csv\n");
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

/// A model learned from fewer instances than were given refused similarities to all of them.
#[test]
fn similarities_may_be_to_instances_that_were_left_out() {
    let toy = Toy::new();
    let rows = view_a();
    let near = |i: usize, j: usize| {
        let square: f64 = rows[i].iter().zip(&rows[j]).map(|(a, b)| (a - b).powi(2)).sum();
        (-square).exp()
    };
    let known: Vec<usize> = (0..N).filter(|i| i % 7 != 3).collect();
    let all: Vec<usize> = (0..N).collect();
    let table = |columns: &[usize]| -> Vec<Vec<f64>> {
        (0..N).map(|i| columns.iter().map(|j| near(i, *j)).collect()).collect()
    };
    toy.write("all.npy", &npy(&table(&all)));
    toy.write("known.npy", &npy(&table(&known)));
    let names = labels();
    let cells = |i: &usize| if known.contains(i) { names[*i].as_str() } else { "NA" };
    toy.write(
        "some.csv",
        format!("class\n{}\n", all.iter().map(cells).collect::<Vec<_>>().join("\n")).as_bytes(),
    );
    toy.run("fit --similarity s=all.npy --labels some.csv --method mean").success();
    let found = toy.output("predict model.ck --similarity s=all.npy");
    assert_eq!(found.lines().count(), N + 1);
    assert_eq!(found, toy.output("predict model.ck --similarity s=known.npy"));
    assert!(toy.output("inspect model.ck").contains("9 instances without a label"));
}
