use crate::toy::Toy;

#[test]
fn the_demo_tells_the_whole_story() {
    let toy = Toy::new();
    let said = toy.output("demo --quick");
    for part in [
        "6 views",
        "Fourier coefficients",
        "single:gaussian@fou",
        "single:linear@zer",
        "concat",
        "mean",
        "simple_mkl",
        "two_stage",
        "Weights that SimpleMKL learned",
        "Weights that two-stage MKL learned",
        "spectral",
        "co_regularized",
        "adjusted Rand",
        "cokernel inspect cokernel-demo/demo-model.ck",
    ] {
        assert!(said.contains(part), "'{part}' is not in\n{said}");
    }
    let results = toy.read_json("cokernel-demo/results.json");
    let rows = results["comparison"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 12 + 4);
    assert!(rows.iter().all(|r| r["accuracy"]["values"].as_array().unwrap().len() == 3));
    assert_eq!(results["clusterings"]["rows"].as_array().unwrap().len(), 2);

    // What it suggests works, and the model is as good as it said.
    toy.run("inspect cokernel-demo/demo-model.ck").success();
    let files = "cokernel-demo/demo-model.ck --project cokernel-demo/cokernel.toml";
    let json = toy.json(&format!("predict {files}"));
    let new = json["scores"]["accuracy"].as_f64().unwrap();
    let all = results["model"]["accuracy"].as_f64().unwrap();
    assert!((new - all).abs() < 1e-9, "every test instance is written: {new} {all}");
}
