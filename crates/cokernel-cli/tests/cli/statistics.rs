use crate::toy::Toy;

#[test]
fn scores_are_compared() {
    let toy = Toy::new();
    let mut text = String::from("data,split,svm,mkl\n");
    for (d, data) in ["sonar", "wine", "pima"].iter().enumerate() {
        for split in 0..10 {
            let noise = ((7 * split + 3 * d) % 5) as f64 / 1000.0;
            text += &format!("{data},{split},{},{}\n", 0.8 + noise, 0.85 - 2.0 * noise);
        }
    }
    toy.write("scores.csv", text.as_bytes());
    let said = toy.output("statistics scores.csv --test f_5x2");
    assert!(said.contains("5×2 cv F test; * below 0.05"), "{said}");
    assert!(said.contains("svm : mkl             0-0-3        0-0-3"), "{said}");
    let json = toy.json("statistics scores.csv --test f_5x2 --wilcoxon with_zeros");
    assert_eq!(json["versus"][0]["tested"], serde_json::json!([0, 0, 3]));
    let lower = toy.json("statistics scores.csv --test f_5x2 --lower --baseline svm");
    assert_eq!(lower["versus"][0]["direct"], serde_json::json!([0, 0, 3]));
    for (flags, part) in [
        ("--test z", "--test: expected t or f_5x2"),
        ("--test f_5x2 --test-over-train 0.2", "--test-over-train: of --test t only"),
        ("--wilcoxon z", "--wilcoxon: expected standard or with_zeros"),
        ("--baseline smv", "did you mean 'svm'"),
        ("--alpha 0", "alpha"),
        ("--test-over-train -1", "test_over_train"),
    ] {
        let said = toy.refusal(&format!("statistics scores.csv {flags}"), 2);
        assert!(said.contains(part), "{flags}: {said}");
    }
    let said = toy.refusal("statistics nothing.csv", 1);
    assert!(said.contains("cannot read nothing.csv"), "{said}");
}

/// JSON has no form for infinity: it is a word, which reads back.
#[test]
fn numbers_that_are_not_finite_are_words_in_json() {
    let toy = Toy::new();
    let rows: String = (0..10).map(|_| "x,0.75,0.5\n").collect();
    toy.write("scores.csv", format!("data,a,b\n{rows}").as_bytes());
    let json = toy.json("statistics scores.csv --test f_5x2");
    let statistic = &json["pairs"][0]["test"]["statistic"];
    assert_eq!(statistic, "inf");
    assert_eq!(cokernel::json::number(statistic), Some(f64::INFINITY));
}
