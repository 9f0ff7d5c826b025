//! Cluster scores against scikit-learn (`tests/reference/make_scores.py`).

use cokernel::eval::cluster_scores::{ClusterScores, NmiNorm, nmi};
use serde_json::Value;

#[test]
fn cluster_scores_agree_with_scikit_learn() {
    let cases: Value = serde_json::from_str(include_str!("../../reference/scores.json")).unwrap();
    let cases = cases.as_array().unwrap();
    assert_eq!(cases.len(), 9);
    for (number, case) in cases.iter().enumerate() {
        let labels = |key: &str| -> Vec<u32> {
            case[key].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as u32).collect()
        };
        let (clusters, classes) = (labels("clusters"), labels("classes"));
        let s = ClusterScores::new(&clusters, &classes).unwrap();
        let close = |what: &str, found: f64, expected: &Value| {
            let expected = expected.as_f64().unwrap();
            let apart = (found - expected).abs();
            assert!(apart < 1e-12, "case {number}, {what}: {found}, expected {expected}");
        };
        close("adjusted_rand", s.adjusted_rand, &case["adjusted_rand"]);
        close("accuracy", s.accuracy, &case["accuracy"]);
        close("purity", s.purity, &case["purity"]);
        close("entropy", s.entropy, &case["entropy"]);
        close("precision", s.pairs.precision, &case["precision"]);
        close("recall", s.pairs.recall, &case["recall"]);
        close("f", s.pairs.f, &case["f"]);
        close("nmi", s.nmi, &case["nmi"]["arithmetic"]);
        close("nmi_geometric", s.nmi_geometric, &case["nmi"]["geometric"]);
        close("nmi_max", s.nmi_max, &case["nmi"]["max"]);
        for (name, norm) in [
            ("arithmetic", NmiNorm::Arithmetic),
            ("geometric", NmiNorm::Geometric),
            ("max", NmiNorm::Max),
            ("min", NmiNorm::Min),
        ] {
            close(name, nmi(&clusters, &classes, norm).unwrap(), &case["nmi"][name]);
        }
    }
}
