//! Numbers and outliers: other machines than the one for classes.

use crate::toy::{N, Toy, cells, view_a};

const VIEWS: &str = "--view a=a.csv --view b=b.npy";

/// The toy data with a target that is a function of view a.
fn with_numbers() -> (Toy, Vec<f64>) {
    let toy = Toy::new();
    let y: Vec<f64> = view_a().iter().map(|r| 2.0 * r[0] + (3.0 * r[1]).sin() + 0.125).collect();
    let lines: Vec<String> = y.iter().map(f64::to_string).collect();
    toy.write("t.csv", format!("target\n{}\n", lines.join("\n")).as_bytes());
    (toy, y)
}

#[test]
fn numbers_are_learned_and_predicted() {
    let (toy, y) = with_numbers();
    let said = toy.output(&format!(
        "fit {VIEWS} --labels t.csv --task regress --machine svr:epsilon=0.01 --c 20 -o r.ck"
    ));
    assert!(said.contains("model written to r.ck"), "{said}");
    let told = toy.output("inspect r.ck");
    assert!(told.contains("ε-SVR, c = 20, epsilon = 0.01"), "{told}");
    assert!(told.contains("60 instances, numbers") && told.contains("% at C"), "{told}");
    let rows = toy.output(&format!("predict r.ck {VIEWS}"));
    let rows = cells(&rows);
    assert_eq!(rows[0], ["row", "label", "value"]);
    let mean = y.iter().sum::<f64>() / N as f64;
    let (mut error, mut spread) = (0.0, 0.0);
    for (row, y) in rows[1..].iter().zip(&y) {
        let value: f64 = row[2].parse().unwrap();
        assert_eq!(row[1], row[2]);
        error += (value - y).powi(2);
        spread += (y - mean).powi(2);
    }
    let json = toy.json(&format!("predict r.ck {VIEWS} --labels t.csv"));
    let r2 = json["scores"]["r2"].as_f64().unwrap();
    assert!((r2 - (1.0 - error / spread)).abs() < 1e-9 && r2 > 0.9, "{r2}");
    // Cross-validation speaks of what was learned.
    let text =
        toy.output(&format!("evaluate {VIEWS} --labels t.csv --task regress --c 20 --folds 3"));
    assert!(text.contains("R²") && text.contains("mean squared error"), "{text}");
    assert!(!text.contains("accuracy") && !text.contains("class"), "{text}");
    let flags = "--labels t.csv --task regress --methods mean,simple_mkl --folds 3 --csv c.csv";
    let json = toy.json(&format!("compare {VIEWS} {flags}"));
    for row in json["rows"].as_array().unwrap() {
        assert!(row["r2"]["mean"].as_f64().unwrap() > 0.3, "{row}");
        assert_eq!(row["machine"]["id"], "svr");
    }
    let table = toy.read("c.csv");
    assert!(table.starts_with("name,method,r2,r2_sd,mse,mae,active_kernels"), "{table}");
}

#[test]
fn outliers_are_detected() {
    let toy = Toy::new();
    let flags = "--task detect --machine one_class_svm:nu=0.2 --method mean -o d.ck";
    toy.run(&format!("fit {VIEWS} {flags}")).success();
    let text = toy.output(&format!("predict d.ck {VIEWS}"));
    let rows = cells(&text);
    assert_eq!(rows[0], ["row", "label", "inside"]);
    let outside = rows[1..].iter().filter(|r| r[1] == "outlier").count();
    assert!((1..=N / 5 + 1).contains(&outside), "{outside}");
    for row in &rows[1..] {
        assert_eq!(row[1] == "inlier", row[2].parse::<f64>().unwrap() >= 0.0);
    }
    // An instance far from all others is outside.
    toy.write("far.csv", b"x1,x2\n90,-90\n");
    toy.write("far_b.csv", b"u,v,w\n90,90,90\n");
    let text = toy.output("predict d.ck --view a=far.csv --view b=far_b.csv");
    assert_eq!(cells(&text)[1][1], "outlier");
    let text = toy.output(&format!("evaluate {VIEWS} --task detect --method mean --folds 3"));
    assert!(text.contains("rejected"), "{text}");
}

/// A ball rejects what a half-space with a linear kernel cannot: instances far away in the same direction.
#[test]
fn balls_are_compared_with_themselves() {
    let toy = Toy::new();
    let flags = "--task detect --machine svdd:nu=0.1 --method mean --kernel linear -o b.ck";
    toy.run(&format!("fit {VIEWS} {flags}")).success();
    let text = toy.output(&format!("predict b.ck {VIEWS}"));
    let rows = cells(&text);
    let inside = rows[1..].iter().filter(|r| r[1] == "inlier").count();
    assert!(inside >= N - N / 10 - 1, "{inside}");
    for sign in ["", "-"] {
        toy.write("far.csv", format!("x1,x2\n{sign}90,{sign}90\n").as_bytes());
        toy.write("far_b.csv", format!("u,v,w\n{sign}90,{sign}90,{sign}90\n").as_bytes());
        let text = toy.output("predict b.ck --view a=far.csv --view b=far_b.csv");
        assert_eq!(cells(&text)[1][1], "outlier", "{sign}");
    }
    // SimpleMKL, the usual method, does not drive it.
    toy.output(&format!("fit {VIEWS} --machine svdd --kernel linear -o c.ck"));
    assert_eq!(toy.json("inspect c.ck")["method"], "mean");
    let e = toy.refusal(&format!("fit {VIEWS} --machine svdd --method simple_mkl"), 2);
    assert!(e.contains("method 'simple_mkl' does not go with machine 'svdd'"), "{e}");
    let text = toy.output("methods svdd");
    assert!(text.contains("methods  best_single") && !text.contains("simple_mkl"), "{text}");
    let text = toy.output("methods simple_mkl");
    assert!(text.contains("one_class_svm") && !text.contains("svdd"), "{text}");
    let with = &toy.json("methods svdd")["goes_with"];
    assert!(with.as_array().unwrap().iter().any(|m| m == "mean"), "{with}");
}

/// Labels that are empty, or a word of the user's, are learned from by the machine that says so.
#[test]
fn unlabelled_instances_are_learned_from() {
    let toy = Toy::new();
    let text = toy.read("y.csv");
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let truth: Vec<&str> = lines.collect();
    let with = |word: &str| {
        let known = |i: usize| if i.is_multiple_of(4) { truth[i] } else { word };
        let lines: Vec<&str> = (0..N).map(known).collect();
        format!("{header}\n{}\n", lines.join("\n"))
    };
    toy.write("some.csv", with("?").as_bytes());
    toy.write("word.csv", with("unknown").as_bytes());
    let flags = "--machine laplacian_svm:neighbours=4 --method mean --c 10";
    let said = |arguments: &str| {
        let run = toy.run(arguments).success();
        String::from_utf8(run.get_output().stderr.clone()).unwrap()
    };
    let text = said(&format!("fit {VIEWS} --labels some.csv {flags} -o some.ck"));
    assert!(text.contains("have no label and are learned from, too"), "{text}");
    let word = format!("fit {VIEWS} --labels word.csv --unlabelled unknown {flags} -o word.ck");
    toy.output(&word);
    // Labels of the training instances, and how right they are.
    let found = toy.output(&format!("predict some.ck {VIEWS}"));
    assert_eq!(found, toy.output(&format!("predict word.ck {VIEWS}")));
    let rows = cells(&found);
    let right = rows[1..].iter().zip(&truth).filter(|(r, t)| r[1] == **t).count();
    assert!(right > N * 8 / 10, "{right}");
    let told = toy.output("inspect some.ck");
    assert!(told.contains("Laplacian SVM") && told.contains(&format!("{N} instances")), "{told}");
    // Every labelled instance is tested once, no other.
    let json = toy.json(&format!("evaluate {VIEWS} --labels some.csv {flags} --folds 3"));
    let tested: u64 = json["confusion"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap())
        .map(|v| v.as_u64().unwrap())
        .sum();
    assert_eq!(tested as usize, N.div_ceil(4));
    // Others leave them out, and say who would not.
    let text = said(&format!("fit {VIEWS} --labels some.csv --method mean"));
    assert!(text.contains("have no label and are left out"), "{text}");
    assert!(text.contains("laplacian_svm"), "{text}");
    let machine = "--machine laplacian_svm --method simple_mkl";
    let e = toy.refusal(&format!("fit {VIEWS} --labels some.csv {machine}"), 2);
    assert!(e.contains("'simple_mkl' does not go with machine 'laplacian_svm'"), "{e}");
    // Numbers are meant by their value; a word that is nowhere is remarked on.
    let text = said(&format!("fit {VIEWS} --labels y.csv --unlabelled -1 --method mean"));
    assert!(text.contains("no label is '-1'"), "{text}");
}

#[test]
fn what_is_meant_is_asked_where_it_is_doubtful() {
    let (toy, _) = with_numbers();
    let e = toy.refusal(&format!("fit {VIEWS} --labels t.csv"), 2);
    assert!(e.contains("60 different numbers") && e.contains("--task regress"), "{e}");
    let e = toy.refusal(&format!("evaluate {VIEWS} --labels y.csv --task regress"), 1);
    assert!(e.contains("expected a finite number in row 0, found 'red'"), "{e}");
    let e = toy.refusal(&format!("fit {VIEWS} --labels y.csv --task regress --machine svc"), 2);
    assert!(
        e.contains("'svc' is there to classify, not to regress; machines for that: svr"),
        "{e}"
    );
    let flags = "--task regress --method two_stage";
    let e = toy.refusal(&format!("fit {VIEWS} --labels t.csv {flags}"), 2);
    assert!(e.contains("method 'two_stage' learns classes; it does not learn numbers"), "{e}");
    let e = toy.refusal(&format!("fit {VIEWS} --labels y.csv --machine svc:epsilon=1"), 2);
    assert!(e.contains("unknown parameter 'epsilon'"), "{e}");
    // C once took the place of nu, silently.
    let e = toy.refusal(&format!("fit {VIEWS} --task detect --c 3"), 2);
    assert!(e.contains("--c: one_class_svm has nu"), "{e}");
    let flags = "--task regress --class-weight balanced";
    let e = toy.refusal(&format!("fit {VIEWS} --labels t.csv {flags}"), 2);
    assert!(e.contains("class weights: unknown parameter 'class_weight'"), "{e}");
    let e = toy.refusal(&format!("fit {VIEWS} --labels y.csv --task forecast"), 2);
    assert!(e.contains("unknown task 'forecast'"), "{e}");
}
