use crate::toy::{DATA, N, Toy, cells, class};

#[test]
fn instances_of_a_class_stay_together() {
    let toy = Toy::new();
    let said = toy.output(&format!("cluster -k 3 {DATA} -o clusters.csv"));
    assert!(said.contains("NMI") && said.contains("written to clusters.csv"), "{said}");
    let text = toy.read("clusters.csv");
    let rows = cells(&text);
    assert_eq!(rows[0], ["row", "cluster"]);
    assert_eq!(rows.len(), N + 1);
    let agree = (0..N).filter(|&i| rows[i + 1][1] == rows[class(i) + 1][1]).count();
    assert!(agree > N * 8 / 10, "{agree} of {N}");
}

#[test]
fn both_methods_cluster_without_labels() {
    let toy = Toy::new();
    for method in ["spectral", "co_regularized"] {
        let flags = format!("-k 3 --method {method} --view a=a.csv --view b=b.npy");
        let json = toy.json(&format!("cluster {flags}"));
        let row = &json["clustering"]["rows"][0];
        assert_eq!(row["method"], method);
        assert_eq!(row["assignments"].as_array().unwrap().len(), N);
        assert_eq!(row["scores"], serde_json::Value::Null);
        assert_eq!(row["inertias"]["values"].as_array().unwrap().len(), 20);
        let text = toy.output(&format!("cluster {flags} -q"));
        assert_eq!(text.lines().count(), N + 1);
    }
}

#[test]
fn wrong_calls_are_refused() {
    let toy = Toy::new();
    assert_eq!(
        toy.refusal("cluster --view a=a.csv", 2),
        "error: clustering needs a number of clusters: give -k K"
    );
    let said = toy.refusal("cluster -k 3 --method simple_mkl --view a=a.csv", 2);
    assert!(said.contains("'simple_mkl' learns from labels"), "{said}");
    toy.run("cluster -k 61 --view a=a.csv").failure();
}

#[test]
fn starts_follow_the_protocol() {
    let toy = Toy::new();
    let said = toy.output(&format!("cluster -k 3 {DATA} -o c.csv"));
    assert!(
        said.starts_with("3 clusters from 2 kernels, the best of 20 starts of k-means\n"),
        "{said}"
    );
    assert!(said.contains("over starts") && !said.contains("Verdict"), "{said}");
    let flags = "--starts 5 --protocol published -o c.csv";
    let said = toy.output(&format!("cluster -k 3 {DATA} {flags}"));
    assert!(said.contains("5 starts of k-means, each from random instances"), "{said}");
    assert!(!said.contains("over starts"), "{said}");
    let json = toy.json(&format!("cluster -k 3 {DATA} {flags}"));
    let result = &json["clustering"];
    assert_eq!(
        (&result["protocol"], &result["starts"]["starts"]),
        (&"published".into(), &5.into())
    );
    assert_eq!(result["nmi_normalization"], "arithmetic");
    let scores = &result["rows"][0]["scores"];
    for name in
        ["nmi", "adjusted_rand", "accuracy", "purity", "entropy", "precision", "recall", "f"]
    {
        let stat = &scores[name];
        let values: Vec<f64> =
            stat["values"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        assert_eq!(values.len(), 5, "{name}");
        let mean = values.iter().sum::<f64>() / 5.0;
        assert!((stat["mean"].as_f64().unwrap() - mean).abs() < 1e-12, "{name}");
    }
    assert!(scores["best"]["pairs"]["f"].as_f64().unwrap() > 0.5);
}

#[test]
fn single_views_stand_beside() {
    let toy = Toy::new();
    let json = toy.json(&format!("cluster -k 3 {DATA} --singles"));
    let rows = json["clustering"]["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|r| r["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["single:a", "single:b", "co_regularized"]);
    // What is written are the clusters of the method.
    toy.run(&format!("cluster -k 3 {DATA} --singles -o c.csv")).success();
    let text = toy.read("c.csv");
    for (line, cluster) in cells(&text)[1..].iter().zip(rows[2]["assignments"].as_array().unwrap())
    {
        assert_eq!(line[1], cluster.to_string());
    }
    let said = toy.output(&format!("cluster -k 3 {DATA} --singles -o c.csv"));
    assert!(said.contains("single:a *") && said.contains("Verdict: "), "{said}");
}

#[test]
fn wrong_starts_and_outputs_are_refused() {
    let toy = Toy::new();
    let said = toy.refusal(&format!("cluster -k 3 {DATA} --starts 0"), 2);
    assert_eq!(said, "error: starts: expected at least 1, found 0");
    let said = toy.refusal(&format!("cluster -k 3 {DATA} --protocol publish"), 2);
    assert_eq!(
        said,
        "error: --protocol: unknown protocol 'publish' (did you mean 'published'?); known: best_of, \
         published"
    );
    let said = toy.refusal(&format!("cluster -k 3 {DATA} -o x.csv --model x.csv"), 2);
    assert_eq!(said, "error: x.csv is named for two outputs; name another file");
    let said = toy.refusal(&format!("cluster -k 3 {DATA} --model a.csv"), 2);
    assert_eq!(
        said,
        "error: cannot write a.csv: it is one of the files to read; name another file"
    );
    let said = toy.refusal(&format!("cluster -k 3 {DATA} --model none/m.ck"), 2);
    assert_eq!(said, "error: cannot write none/m.ck: there is no folder none");
}
