use crate::toy::{DATA, Toy};

#[test]
fn wrong_calls_exit_with_two_and_one_sentence() {
    let toy = Toy::new();
    let said = toy.refusal("fit --labels y.csv", 2);
    assert_eq!(said, "error: no view is given; add --view NAME=FILE, or write a cokernel.toml");
    let said = toy.refusal("fit --view a=a.csv", 2);
    assert_eq!(
        said,
        "error: no labels are given; add --labels FILE, or --label-column NAME if a view has them"
    );
    let said = toy.refusal("fit --view a.csv --labels y.csv", 2);
    assert_eq!(said, "error: --view: expected NAME=FILE, as fou=fou.csv, found 'a.csv'");
    let said = toy.refusal(&format!("fit {DATA} --method simple_mlk"), 2);
    let expected = "error: --method: unknown method 'simple_mlk' (did you mean 'simple_mkl'?); ";
    assert!(said.starts_with(expected), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --kernel gausian"), 2);
    let expected = "error: --kernel: unknown kernel 'gausian' (did you mean 'gaussian'?); ";
    assert!(said.starts_with(expected), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --kernel linear@c"), 2);
    assert!(said.contains("unknown view 'c'"), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --set tool=1"), 2);
    let expected = "error: --set: simple_mkl: unknown parameter 'tool' (did you mean 'tol'?); ";
    assert!(said.starts_with(expected), "{said}");
    let twice = toy.refusal(&format!("fit {DATA} --set tol=1e-3 --set tol=1e-4"), 2);
    assert_eq!(twice, "error: --set tol: given twice");
    let twice = "--method power_product --set exponents=a=1,b=3,a=2";
    let twice = toy.refusal(&format!("fit {DATA} {twice}"), 2);
    assert!(twice.ends_with("parameter 'exponents': 'a' is given twice: 1 and 2"), "{twice}");
    let twice = toy.refusal(&format!("fit {DATA} --class-weight red=2 --class-weight red=3"), 2);
    assert_eq!(twice, "error: --class-weight red: given twice");
    let said = toy.refusal(&format!("fit {DATA} --set tol"), 2);
    assert_eq!(said, "error: --set: expected NAME=VALUE, as tol=1e-4, found 'tol'");
    let said = toy.refusal(&format!("fit {DATA} --scale standrad"), 2);
    assert!(said.contains("'standrad' (did you mean 'standard'?)"), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --memory lots"), 2);
    assert_eq!(said, "error: --memory: expected a size such as 500MB or 2GiB, found 'lots'");
    let said = toy.refusal(&format!("fit {DATA} --c 0"), 2);
    assert!(said.starts_with("error: parameter 'c': "), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --threads 0"), 2);
    assert_eq!(said, "error: threads: expected at least 1, found 0");
    let said = toy.refusal(&format!("fit {DATA} --time-limit=-1"), 2);
    assert_eq!(said, "error: time limit: expected seconds greater than 0, found -1");
    let said = toy.refusal(&format!("fit {DATA} -o none/model.ck"), 2);
    assert_eq!(said, "error: cannot write none/model.ck: there is no folder none");
    let said = toy.refusal("methods simple", 2);
    assert!(said.starts_with("error: unknown method 'simple'"), "{said}");
    let said = toy.refusal(&format!("fit {DATA} --c -1"), 2);
    assert_eq!(said, "error: parameter 'c': expected a finite number greater than 0, found '-1'");
    let said = toy.refusal(&format!("fit {DATA} --threads 100000"), 2);
    assert_eq!(
        said,
        "error: threads: expected at most 1024, found 100000; more than cores is of no use"
    );
    let said = toy.refusal(&format!("evaluate {DATA} --test-fraction -0.5"), 2);
    assert_eq!(said, "error: test fraction: expected a number between 0 and 1, found -0.5");
    let said = toy.refusal(&format!("fit {DATA} --method spectral"), 2);
    let expected = "error: method 'spectral' clusters; it does not learn from labels; methods to \
                    learn from labels: best_single, ";
    assert!(said.starts_with(expected), "{said}");
    let said = toy.refusal("cluster --view a=a.csv -k 3 --method mean", 2);
    let expected = "error: method 'mean' learns from labels; it does not cluster; methods to \
                    cluster: spectral, ";
    assert!(said.starts_with(expected), "{said}");
    toy.run("fit --veiw a=a.csv").code(2);
}

#[test]
fn wrong_data_exits_with_one_and_names_the_place() {
    let toy = Toy::new();
    let said = toy.refusal("fit --view a=none.csv --labels y.csv", 1);
    assert!(said.starts_with("error: none.csv: No such file"), "{said}");
    let mut text = toy.read("a.csv");
    text = text.replacen("\n", "\nx,1\n", 2);
    toy.write("bad.csv", text.as_bytes());
    let said = toy.refusal("fit --view a=bad.csv --labels y.csv", 1);
    assert!(said.starts_with("error: bad.csv, line "), "{said}");
    let short: Vec<String> = toy.read("y.csv").lines().take(51).map(str::to_string).collect();
    toy.write("short.csv", short.join("\n").as_bytes());
    let said = toy.refusal("fit --view a=a.csv --labels short.csv", 1);
    assert!(said.contains("50") && said.contains("60"), "{said}");
    toy.write("one.csv", format!("class\n{}", "red\n".repeat(60)).as_bytes());
    let said = toy.refusal("fit --view a=a.csv --labels one.csv", 1);
    assert_eq!(
        said,
        "error: labels: every instance is in class 'red'; at least two classes are needed"
    );
    assert!(!toy.path("model.ck").exists());
}

#[test]
fn a_time_limit_keeps_what_there_is() {
    let toy = Toy::new();
    let json = toy.json(&format!("fit {DATA} --set tol=1e-9 --time-limit 1e-6"));
    assert_eq!(json["model"]["report"]["status"], "time_limit");
    assert!(toy.path("model.ck").is_file());
    // Longer than any clock: no limit.
    let json = toy.json(&format!("fit {DATA} --time-limit 1e300"));
    assert_eq!(json["model"]["report"]["status"], "converged");
}

/// Ctrl-C once the work has begun: the best so far is written, and the exit code says so.
#[cfg(unix)]
#[test]
fn an_interruption_keeps_what_there_is() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let toy = Toy::new();
    let arguments = "demo --out out";
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("cokernel"))
        .current_dir(toy.path(""))
        .args(arguments.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The clusterings come last; the table before them is printed while they wait.
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("Classification: ")));
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    lines.for_each(drop);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let results = toy.read_json("out/results.json");
    assert_eq!(results["comparison"]["complete"], 3);
    assert!(results["clusterings"].is_null() || results["model"].is_object());
}
