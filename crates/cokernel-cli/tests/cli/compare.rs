use crate::toy::{DATA, Toy, cells};
use cokernel::method::{Task, methods};

#[test]
fn all_methods_meet_on_the_same_splits() {
    let toy = Toy::new();
    let flags = "--folds 2 -o results.json --csv table.csv";
    let said = toy.output(&format!("compare {DATA} {flags}"));
    let json = toy.read_json("results.json");
    let table = toy.read("table.csv");
    let rows = cells(&table);
    assert_eq!(rows[0][..3], ["name", "method", "accuracy"]);
    let classify: Vec<_> = methods().filter(|m| m.tasks.contains(&Task::Classify)).collect();
    assert_eq!(rows.len(), 1 + classify.len());
    for (i, m) in classify.iter().enumerate() {
        assert!(said.contains(m.id), "{said}");
        assert_eq!(json["rows"][i]["method"], m.id);
        assert_eq!(rows[i + 1][1], m.id);
        let accuracy: f64 = rows[i + 1][2].parse().unwrap();
        assert_eq!(json["rows"][i]["accuracy"]["mean"], accuracy);
    }
}

#[test]
fn parameters_go_to_the_methods_that_have_them() {
    let toy = Toy::new();
    let flags = "--methods mean,simple_mkl --singles --folds 2";
    let json = toy.json(&format!("compare {DATA} {flags} --set tol=1e-2"));
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    let simple = rows.iter().find(|r| r["method"] == "simple_mkl").unwrap();
    assert_eq!(simple["params"]["tol"], 1e-2);
    let json = toy.json(&format!("compare {DATA} {flags} --set simple_mkl.tol=1e-3"));
    let simple = json["rows"].as_array().unwrap().iter().find(|r| r["method"] == "simple_mkl");
    assert_eq!(simple.unwrap()["params"]["tol"], 1e-3);
    let said = toy.refusal(&format!("compare {DATA} {flags} --set toll=1"), 2);
    assert!(said.contains("unknown parameter 'toll'"), "{said}");
}

#[test]
fn clusterings_are_compared_too() {
    let toy = Toy::new();
    let json = toy.json(&format!("compare --task cluster -k 3 {DATA} --csv table.csv"));
    let rows = json["rows"].as_array().unwrap();
    assert!(rows.len() >= 2);
    assert!(rows.iter().all(|r| r["nmi"].as_f64().is_some()));
    assert_eq!(toy.read("table.csv").lines().count(), 1 + rows.len());
}

#[test]
fn remarks_are_made_once() {
    let toy = Toy::new();
    let run = toy.run(&format!("compare {DATA} --methods two_stage --set steps=50 --folds 3"));
    let said = String::from_utf8(run.success().get_output().stderr.clone()).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert_eq!(
        lines[0],
        "note: two_stage: kernels that are not centred: 2 of 2; the source (LMS §5.3) centres \
         kernels and gives them unit variance, without that the weights can mislead: try \
         normalize=center_unit_variance, as in \
         gaussian:sigma=median:normalize=center_unit_variance"
    );
    assert!(lines[1].starts_with("note: λ = "), "{said}");
    assert!(lines[1].ends_with("; with other numbers in other splits"), "{said}");
}
