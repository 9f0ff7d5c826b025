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

/// Numbers as labels of a model of named classes were 0 % right, without a word.
#[test]
fn labels_that_are_no_classes_of_the_model_are_said() {
    let toy = Toy::new();
    let file = |name: &str, cell: &dyn Fn(usize, &str) -> String| {
        let cells: Vec<String> = labels().iter().enumerate().map(|(i, t)| cell(i, t)).collect();
        toy.write(name, format!("class\n{}\n", cells.join("\n")).as_bytes());
    };
    let code = |t: &str| ["blue", "green", "red"].iter().position(|c| *c == t).unwrap();
    file("whole.csv", &|_, t| code(t).to_string());
    file("points.csv", &|_, t| format!("{}.0", code(t)));
    file("other.csv", &|_, t| format!("{t}ish"));
    file("some.csv", &|i, t| if i < 2 { "brown".to_string() } else { t.to_string() });
    let said = |model: &str, labels: &str| {
        let command = format!("predict {model} {NEW} --labels {labels} -o out.csv");
        let assert = toy.run(&command).success();
        String::from_utf8(assert.get_output().stderr.clone()).unwrap()
    };
    toy.run(&format!("fit {DATA} --method mean")).success();
    let numbers = said("model.ck", "whole.csv");
    assert!(!numbers.contains('%'), "{numbers}");
    for part in
        ["no given label is a class", "given: 0, 1, 2", "blue, green, red", "--task regress"]
    {
        assert!(numbers.contains(part), "{part}: {numbers}");
    }
    let other = said("model.ck", "other.csv");
    assert!(other.contains("blueish") && other.contains("check that the label file"), "{other}");
    let some = said("model.ck", "some.csv");
    assert!(some.contains("accuracy on the given labels: "), "{some}");
    assert!(
        some.contains("2 instances with labels that are no class of the model (brown;"),
        "{some}"
    );

    toy.run(&format!("fit {NEW} --labels whole.csv --task classify --method mean -o codes.ck"))
        .success();
    let (whole, points) = (said("codes.ck", "whole.csv"), said("codes.ck", "points.csv"));
    assert!(whole.starts_with("note: accuracy on the given labels: "), "{whole}");
    assert_eq!(points, whole);
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

/// Where no kernel has a weight every instance is told the same, whatever view names it.
#[test]
fn a_model_that_looks_at_nothing_predicts() {
    let toy = Toy::new();
    let noise: Vec<String> = (0..N).map(|i| (i * i * 37 % 61).to_string()).collect();
    toy.write("noise.csv", format!("y\n{}\n", noise.join("\n")).as_bytes());
    let data = "--view a=a.csv --view b=b.npy";
    let kernel = "--kernel gaussian:sigma=0.02";
    let fit = format!(
        "fit --task regress {data} --labels noise.csv {kernel} --method gaussian_process -o n.ck"
    );
    let said = toy.output(&fit);
    assert!(said.contains("active    0 of 2 kernels"), "{said}");
    let mean = noise.iter().map(|v| v.parse::<f64>().unwrap()).sum::<f64>() / N as f64;
    for given in [data, "--view b=b.npy"] {
        let json = toy.json(&format!("predict n.ck {given}"));
        let values = json["decisions"].as_array().unwrap_or_else(|| panic!("{json}"));
        let near = |v: &serde_json::Value| (v[0].as_f64().unwrap() - mean).abs() < 1e-6 * mean;
        assert!(values.len() == N && values.iter().all(near), "{mean} {json}");
    }
    let said = toy.refusal("predict n.ck -q", 2);
    assert!(said.contains("no view is given"), "{said}");
}
