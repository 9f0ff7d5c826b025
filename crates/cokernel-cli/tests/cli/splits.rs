use crate::toy::{DATA, N, Toy};

#[test]
fn splits_are_written_and_shared() {
    let toy = Toy::new();
    let said = toy.output(&format!("splits {DATA} --reserve 0.3 --name mine -o s.json"));
    assert!(
        said.starts_with("mine: 5 × 2-fold cross-validation beside 30 % for testing"),
        "{said}"
    );
    let kept = toy.json(&format!("evaluate {DATA} --splits s.json --method mean"));
    let drawn = toy.json(&format!("evaluate {DATA} --reserve 0.3 --method mean"));
    assert_eq!(kept["accuracy"], drawn["accuracy"]);
    assert_eq!(kept["accuracy"]["values"].as_array().unwrap().len(), 10);
    let many: String = (0..N).map(|i| format!("p{},{}\n", i / 4, ["x", "y"][i / 7 % 2])).collect();
    toy.write("meta.csv", format!("patient,fold\n{many}").as_bytes());
    let json = toy.json(&format!("splits {DATA} --groups patient@meta.csv --folds 3"));
    for split in json["splits"].as_array().unwrap() {
        let group = |i: &serde_json::Value| i.as_u64().unwrap() / 4;
        let train: Vec<u64> = split["train"].as_array().unwrap().iter().map(group).collect();
        let mut test = split["test"].as_array().unwrap().iter().map(group);
        assert!(test.all(|g| !train.contains(&g)));
    }
    let json = toy.json(&format!("compare {DATA} --split-column fold@meta.csv --methods mean,sum"));
    assert_eq!(json["complete"], 2);
    let said = toy.output(&format!("compare {DATA} --per-class 5 --repeats 2 --methods mean,sum"));
    assert!(said.contains("2 random splits, 5 of each class to learn from"), "{said}");
    for (flags, code, part) in [
        ("--splits no.json", 1, "no.json"),
        ("--splits meta.csv", 1, "expected what `cokernel splits` writes"),
        ("--reserve 1", 2, "reserve: expected a number between 0 and 1"),
        ("--reserve 0.3 --repeats 2", 2, "--reserve does not go with --repeats"),
        ("--splits s.json --groups meta.csv", 2, "--splits does not go with"),
        ("--per-class 1000", 1, "needs at least 1001 of each class"),
        ("--groups nobody@meta.csv", 1, "nobody"),
        ("--groups y.csv --per-class 2", 2, "groups cannot keep"),
    ] {
        let said = toy.refusal(&format!("evaluate {DATA} {flags}"), code);
        assert!(said.contains(part), "{flags}: {said}");
    }
}

#[test]
fn files_of_splits_are_shown_and_checked() {
    let toy = Toy::new();
    toy.output(&format!(
        "splits {DATA} --per-class 4 --repeats 2 --transductive --name few -o s.json"
    ));
    let said = toy.output("splits --show s.json");
    assert!(
        said.starts_with(
            "few: 2 random splits, 4 of each class to learn from, transductive, seed 0"
        ),
        "{said}"
    );
    let shown = toy.json("splits --show s.json");
    let checked = toy.json(&format!("splits --check s.json {DATA}"));
    assert_eq!(shown, checked);
    assert_eq!((&shown["transductive"], &shown["instances"]), (&true.into(), &N.into()));
    let said = toy.output(&format!("splits --check s.json {DATA}"));
    assert!(said.contains(&format!("s.json belongs to these {N} instances")), "{said}");
    // Others, and the same in another order, are refused.
    let text = std::fs::read_to_string(toy.path("y.csv")).unwrap();
    let mut sorted: Vec<&str> = text.lines().skip(1).collect();
    sorted.sort_unstable();
    toy.write("sorted.csv", (sorted.join("\n") + "\n").as_bytes());
    let other = DATA.replace("y.csv", "sorted.csv");
    let said = toy.refusal(&format!("splits --check s.json {other}"), 1);
    assert!(said.contains("s.json: splits: they were made of other labels"), "{said}");
    // They are transductive wherever they are used.
    let machine = "--method mean --machine laplacian_svm";
    let json = toy.json(&format!("evaluate {DATA} --splits s.json {machine}"));
    assert_eq!(json["splits"]["transductive"], true);
    let flags = "--per-class 4 --repeats 2 --transductive";
    assert_eq!(
        json["accuracy"],
        toy.json(&format!("evaluate {DATA} {flags} {machine}"))["accuracy"]
    );
    let json = toy.json(&format!("evaluate {DATA} --five-by-two --method mean"));
    assert_eq!(
        (&json["splits"]["protocol"], json["results"].as_array().unwrap().len()),
        (&"five_by_two".into(), 10)
    );
    // An experiment on the same splits has the same accuracy.
    toy.write(
        "e.toml",
        b"title = \"t\"\n[data]\nkind = \"files\"\nfiles = { a = \"a.csv\", b = \"b.csv\" }\nlabels = \"y.csv\"\n\
          [protocol]\nsplits = \"s.json\"\nscores = [\"accuracy\"]\n[machine]\nid = \"laplacian_svm\"\n\
          [[rows]]\nlabel = \"mean\"\nmethod = \"mean\"\n",
    );
    let run = toy.json("run e.toml --store e.sqlite");
    let ours = &run["results"][0]["rows"][0]["scores"]["accuracy"]["ours"]["mean"];
    let theirs = json_of(&toy, machine);
    assert!((ours.as_f64().unwrap() - theirs).abs() < 1e-12, "{ours} {theirs}");
    let said = toy.output("reproduce e.toml");
    let digest = shown["digest"].as_str().unwrap();
    let given =
        format!("transductive, from a file ('few', seed 0, digest {digest}), methods with seed 0");
    assert!(said.replace("\n", " ").contains(&given), "{said}");
    assert_eq!(run["results"][0]["data"]["splits"]["digest"], digest);
    // The store needs the file no more.
    std::fs::remove_file(toy.path("s.json")).unwrap();
    toy.output("report e.sqlite -o page");
    for flags in ["--show s.json --folds 3", "--five-by-two --folds 3"] {
        toy.run(&format!("splits {flags}")).failure().code(2);
    }
    let said = toy.refusal(&format!("splits {DATA} --five-by-two --repeats 2"), 2);
    assert!(said.contains("--five-by-two does not go with --repeats"), "{said}");
}

fn json_of(toy: &Toy, machine: &str) -> f64 {
    let json = toy.json(&format!("evaluate {DATA} --splits s.json {machine}"));
    json["accuracy"]["mean"].as_f64().unwrap()
}

#[test]
fn training_sets_without_a_class_are_refused_when_splits_are_checked() {
    let toy = Toy::new();
    let text = std::fs::read_to_string(toy.path("y.csv")).unwrap();
    let labels: Vec<&str> = text.lines().skip(1).collect();
    let side = |(i, label): (usize, &&str)| match *label == "red" || i % 3 == 0 {
        true => "test",
        false => "train",
    };
    let column: Vec<&str> = labels.iter().enumerate().map(side).collect();
    toy.write("side.csv", (column.join("\n") + "\n").as_bytes());
    let lacks = "split 0: the training set has no instance of class 'red'";
    for flags in ["splits -o s.json", "evaluate --method mean"] {
        let said = toy.refusal(&format!("{flags} {DATA} --split-column side.csv"), 1);
        assert!(said.contains(lacks) && said.contains("--split-column"), "{said}");
    }
    // Made for outlier detection, which may learn from some classes only.
    toy.output(&format!("splits {DATA} --task detect --split-column side.csv -o s.json"));
    toy.output(&format!("splits --check s.json {DATA} --task detect"));
    toy.output(&format!("evaluate {DATA} --task detect --splits s.json"));
    for command in
        [format!("splits --check s.json {DATA}"), format!("evaluate {DATA} --splits s.json")]
    {
        let said = toy.refusal(&command, 1);
        assert!(said.contains("s.json") && said.contains(lacks), "{said}");
    }
    let shown = toy.json("splits --show s.json");
    assert_eq!(shown["digest"].as_str().unwrap().len(), 16);
}
