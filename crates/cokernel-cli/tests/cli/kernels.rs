use crate::toy::{DATA, N, Toy, view_b};

#[test]
fn kernels_are_scored_and_written() {
    let toy = Toy::new();
    let said = toy.output(&format!("kernels {DATA} -o scores.csv"));
    assert!(said.starts_with("2 kernels over 60 instances\n"), "{said}");
    assert!(said.contains("alignment") && said.contains("FSM"), "{said}");
    let table = toy.read("scores.csv");
    assert!(table.starts_with("kernel,view,alignment,"), "{table}");
    assert_eq!(table.lines().count(), 3);
    let json = toy.json(&format!("kernels {DATA}"));
    assert_eq!(json["instances"], 60);
    for (kernel, line) in json["kernels"].as_array().unwrap().iter().zip(table.lines().skip(1)) {
        let written: f64 = line.rsplit(',').nth(5).unwrap().parse().unwrap();
        assert_eq!(written, kernel["alignment"].as_f64().unwrap(), "{line}");
        assert!(kernel["centered_alignment"].as_f64().unwrap() > 0.2, "{kernel}");
        assert!(kernel["fsm"].as_f64().unwrap() < kernel["fsm_total"].as_f64().unwrap());
        assert!(kernel["divergence"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn kernels_are_scored_against_numbers() {
    let toy = Toy::new();
    let numbers: Vec<String> = view_b().iter().map(|r| format!("{}", 3.0 * r[0])).collect();
    toy.write("numbers.csv", format!("v\n{}\n", numbers.join("\n")).as_bytes());
    let flags = "--view a=a.csv --view b=b.npy --labels numbers.csv";
    let json = toy.json(&format!("kernels {flags} --task regress"));
    let of = |m: usize| json["kernels"][m]["centered_alignment"].as_f64().unwrap();
    assert!(of(1) > of(0) && json["kernels"][0]["fsm"].is_null(), "{json}");
    let said = toy.refusal(&format!("kernels {flags} --task cluster"), 2);
    assert!(said.contains("task"), "{said}");
    let said = toy.refusal(&format!("kernels {flags} --task detect"), 2);
    assert!(
        said.starts_with(
            "error: --task detect: expected classify or regress; kernels are compared"
        ),
        "{said}"
    );
    assert_eq!(json["instances"], N);
}
