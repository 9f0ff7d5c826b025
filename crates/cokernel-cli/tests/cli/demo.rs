use crate::toy::Toy;
use cokernel::catalogue::methods;
use cokernel::method::Task;

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
        "single:fou *",
        "spectral *",
        "over starts",
        "Agreement of the views: what the spans of their 10 leading eigenvectors share",
        "Verdict: ",
        "cokernel inspect cokernel-demo/demo-model.ck",
    ] {
        assert!(said.contains(part), "'{part}' is not in\n{said}");
    }
    let results = toy.read_json("cokernel-demo/results.json");
    let rows = results["comparison"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 12 + 4);
    assert!(rows.iter().all(|r| r["accuracy"]["values"].as_array().unwrap().len() == 3));
    let clusterings = &results["clusterings"];
    let (found, left_out) = (clusterings["rows"].as_array().unwrap(), &clusterings["left_out"]);
    let clusterers = methods().filter(|m| m.tasks.contains(&Task::Cluster)).count();
    assert_eq!(found.len() + left_out.as_array().unwrap().len(), 6 + clusterers);
    assert!(found.len() >= 6 + 2);
    assert!(found.iter().all(|r| r["scores"]["nmi"]["values"].as_array().unwrap().len() == 20));

    // What it suggests works, and the model is as good as it said.
    toy.run("inspect cokernel-demo/demo-model.ck").success();
    let files = "cokernel-demo/demo-model.ck --project cokernel-demo/cokernel.toml";
    let json = toy.json(&format!("predict {files}"));
    let new = json["scores"]["accuracy"].as_f64().unwrap();
    let all = results["model"]["accuracy"].as_f64().unwrap();
    assert!((new - all).abs() < 1e-9, "every test instance is written: {new} {all}");
}
