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
        assert_eq!(row["nmi"], serde_json::Value::Null);
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
