use crate::toy::Toy;

const PROJECT: &str = r#"
labels = "y.csv"
kernels = ["gaussian@a:sigma=median", "linear@b"]
method = "simple_mkl"
methods = ["mean", "simple_mkl"]
c = 2.0
output = "from-project.ck"
folds = 3
clusters = 3
starts = 4
protocol = "published"
seed = 9

[views]
b = "b.npy"
a = { path = "a.csv" }

[params]
tol = 1e-2
"#;

#[test]
fn a_project_file_says_all_of_it() {
    let toy = Toy::new();
    toy.write("cokernel.toml", PROJECT.as_bytes());
    let json = toy.json("fit");
    assert_eq!(json["output"], "./from-project.ck".trim_start_matches("./"));
    let model = &json["model"];
    assert_eq!(model["machine"]["params"]["c"], 2.0);
    assert_eq!(model["seed"], 9);
    assert_eq!(model["params"]["tol"], 1e-2);
    assert_eq!(model["views"][0]["name"], "b", "views keep the order of the file");
    assert_eq!(model["weights"][1]["kernel"], "linear@b");
    assert!(toy.output("predict from-project.ck").starts_with("row,label,"));
    assert_eq!(toy.json("evaluate")["results"].as_array().unwrap().len(), 3);
    assert_eq!(toy.json("compare")["rows"].as_array().unwrap().len(), 2);
    let found = &toy.json("cluster --kernel gaussian")["clustering"];
    assert_eq!((&found["k"], &found["protocol"]), (&3.into(), &"published".into()));
    assert_eq!(found["rows"][0]["inertias"]["values"].as_array().unwrap().len(), 4);
    let found = &toy.json("cluster --kernel gaussian --starts 2 --protocol best_of")["clustering"];
    assert_eq!((&found["starts"]["starts"], &found["protocol"]), (&2.into(), &"best_of".into()));
    assert_eq!(toy.json("embed --kernel gaussian")["embedding"]["k"], 3);
}

/// A parameter of the machine has two places, its text and a flag or key of its own. Old code: `--c` counted whatever the
/// text said, silently, and so did the key of the file, which is not even on the command line.
#[test]
fn parameters_of_the_machine_are_given_once() {
    let toy = Toy::new();
    toy.write("cokernel.toml", PROJECT.as_bytes());
    let params =
        |flags: &str| toy.json(&format!("fit {flags}"))["model"]["machine"]["params"].clone();
    assert_eq!(params("--machine svc:c=5")["c"], 5.0);
    assert_eq!(params("--machine svc:decomposition=dag")["c"], 2.0);
    for (flags, name) in [
        ("--machine svc:c=5 --c 7", "--c: 'c'"),
        (
            "--machine svc:decomposition=dag --decomposition one_vs_one",
            "--decomposition: 'decomposition'",
        ),
        (
            "--machine svc:class_weight=balanced --class-weight red=2",
            "--class-weight: 'class_weight'",
        ),
    ] {
        let e = toy.refusal(&format!("fit {flags}"), 2);
        assert!(
            e.contains(&format!("{name} is in the text of the machine, too; give it once")),
            "{e}"
        );
    }
    let both = PROJECT.replace("c = 2.0", "c = 2.0\nmachine = \"svc:c=3\"");
    toy.write("cokernel.toml", both.as_bytes());
    let e = toy.refusal("fit", 2);
    assert!(e.contains("project file: 'c' is in the text of the machine, too"), "{e}");
    toy.write("cokernel.toml", both.replace("c = 2.0\n", "").as_bytes());
    assert_eq!(params("--c 7")["c"], 7.0);
    assert_eq!(params("")["c"], 3.0);
}

#[test]
fn flags_override_the_file_and_paths_are_those_of_the_file() {
    let toy = Toy::new();
    toy.write("cokernel.toml", PROJECT.as_bytes());
    std::fs::create_dir(toy.path("elsewhere")).unwrap();
    let mut command = toy.command(
        "fit --project ../cokernel.toml --method mean --c 3 --seed 1 --kernel linear -o m.ck --json",
    );
    // tol belongs to the method that the file names, not to mean.
    let output = command.current_dir(toy.path("elsewhere")).assert().success();
    let json: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(json["model"]["method"], "mean");
    assert_eq!(json["model"]["machine"]["params"]["c"], 3.0);
    assert_eq!(json["model"]["seed"], 1);
    assert!(toy.path("elsewhere/m.ck").is_file());
}

#[test]
fn mistakes_are_found_by_line() {
    let toy = Toy::new();
    let refusal = |from: &str, to: &str| {
        toy.write("cokernel.toml", PROJECT.replace(from, to).as_bytes());
        toy.refusal("fit", 2)
    };
    let said = refusal("kernels = ", "kernel = ");
    let expected =
        "error: cokernel.toml, line 3: unknown key 'kernel' (did you mean 'kernels'?); known: ";
    assert!(said.starts_with(expected), "{said}");
    let said = refusal("\"simple_mkl\"\nmethods", "\"simple_mlk\"\nmethods");
    let expected =
        "error: cokernel.toml, line 4: unknown method 'simple_mlk' (did you mean 'simple_mkl'?)";
    assert!(said.starts_with(expected), "{said}");
    let said = refusal("gaussian@a", "gausian@a");
    let expected =
        "error: cokernel.toml, line 3: unknown kernel 'gausian' (did you mean 'gaussian'?)";
    assert!(said.starts_with(expected), "{said}");
    let said = refusal("c = 2.0", "c = \"two\"");
    assert!(said.starts_with("error: cokernel.toml, line 6: invalid type: string"), "{said}");
    let said = refusal("c = 2.0", "threads = -1");
    assert_eq!(
        said,
        "error: cokernel.toml, line 6: invalid value: integer `-1`, expected a whole number of at \
         least 0"
    );
    let said = refusal("c = 2.0", "class_weights = 3");
    assert_eq!(
        said,
        "error: cokernel.toml, line 6: expected \"balanced\", or a table of factors as { rare = \
         5.0, common = 1.0 }"
    );
    let said = refusal("tol = 1e-2", "tol = true");
    assert_eq!(
        said,
        "error: cokernel.toml, line 19: expected a number, a word in quotes, or a table of them \
         for one method"
    );
    let said = refusal("path = ", "pth = ");
    let expected =
        "error: cokernel.toml, line 16: view 'a': unknown key 'pth' (did you mean 'path'?)";
    assert!(said.starts_with(expected), "{said}");
    toy.write("cokernel.toml", PROJECT.replace("\"published\"", "\"best\"").as_bytes());
    let said = toy.refusal("cluster --kernel gaussian", 2);
    assert!(said.starts_with("error: cokernel.toml, line 11: unknown protocol 'best'"), "{said}");
    let said = refusal("tol = 1e-2", "tol = -1");
    assert!(
        said.starts_with("error: cokernel.toml, line 19: simple_mkl: parameter 'tol'"),
        "{said}"
    );
}
