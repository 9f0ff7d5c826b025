use crate::toy::{DATA, N, Toy, cells};

const VIEWS: &str = "--view a=a.csv --view b=b.npy";

/// The numbers of a CSV text behind its first columns.
fn numbers(text: &str, skip: usize) -> Vec<Vec<f64>> {
    let rows = cells(text).into_iter().skip(1);
    rows.map(|r| r[skip..].iter().map(|c| c.parse().unwrap()).collect()).collect()
}

fn close(a: &[Vec<f64>], b: &[Vec<f64>]) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert_eq!(x.len(), y.len());
        assert!(x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-8), "{x:?} {y:?}");
    }
}

#[test]
fn instances_become_rows_of_numbers() {
    let toy = Toy::new();
    let text = toy.output(&format!("embed -k 3 --method spectral {VIEWS} -q"));
    let rows = cells(&text);
    assert_eq!(rows[0], ["row", "e0", "e1", "e2"]);
    assert_eq!((rows.len(), rows[N][0]), (N + 1, "59"));
    for row in numbers(&text, 1) {
        assert!((row.iter().map(|v| v * v).sum::<f64>() - 1.0).abs() < 1e-9, "unit length");
    }
    let said = toy.output(&format!("embed -k 3 --method spectral {VIEWS} -o e.csv"));
    assert_eq!(toy.read("e.csv"), text);
    for part in [
        "spectral (diagonal=keep, eigenvectors=0, view=mean)",
        "60 instances in 3 columns",
        "1.000 ",
        "gap after them",
        "embedding written to e.csv",
    ] {
        assert!(said.contains(part), "'{part}' is not in {said}");
    }
    let json = toy.json(&format!("embed -k 3 --method spectral {VIEWS}"));
    close(
        &numbers(&text, 1),
        &serde_json::from_value::<Vec<Vec<f64>>>(json["rows"].clone()).unwrap(),
    );
    assert_eq!(json["embedding"]["eigenvalues"][0].as_array().unwrap().len(), 3);
    // One embedding per view, side by side, with an eigenvalue list each.
    let json = toy.json(&format!("embed -k 3 {VIEWS}"));
    assert_eq!(json["embedding"]["method"], "co_regularized");
    assert_eq!(json["rows"][0].as_array().unwrap().len(), 6);
    let said = toy.output(&format!("embed -k 3 {VIEWS} -o e.csv"));
    assert!(said.contains("gaussian@a("), "{said}");
}

#[test]
fn new_instances_are_placed_beside_the_old() {
    let toy = Toy::new();
    let flags = format!("-k 3 --method spectral {VIEWS} --model m.ck");
    let said = toy.output(&format!("cluster {flags} -o clusters.csv"));
    assert!(
        said.ends_with("assignments written to clusters.csv\nmodel written to m.ck\n"),
        "{said}"
    );
    let old = toy.output(&format!("embed -k 3 --method spectral {VIEWS} -q"));
    // All instances and a part of them, as new ones.
    let applied = toy.output(&format!("embed --apply m.ck {VIEWS}"));
    assert_eq!(cells(&applied)[0], ["row", "cluster", "e0", "e1", "e2"]);
    close(&numbers(&applied, 2), &numbers(&old, 1));
    let (clusters, applied_cells) = (toy.read("clusters.csv"), cells(&applied));
    for (line, row) in cells(&clusters)[1..].iter().zip(&applied_cells[1..]) {
        assert_eq!(line[1], row[1]);
    }
    for (file, rows) in [("a.csv", 8), ("b.csv", 8)] {
        let part: Vec<String> = toy.read(file).lines().take(rows).map(str::to_string).collect();
        toy.write(&format!("new-{file}"), part.join("\n").as_bytes());
    }
    let said = toy.output("embed --apply m.ck --view b=new-b.csv --view a=new-a.csv -o new.csv");
    assert_eq!(said, "7 instances embedded beside the 60 of m.ck, written to new.csv\n");
    close(&numbers(&toy.read("new.csv"), 1), &numbers(&applied, 1)[..7]);
    let json = toy.json("embed --apply m.ck --view b=new-b.csv --view a=new-a.csv");
    assert_eq!(json["clusters"].as_array().unwrap().len(), 7);

    // Without clusters there is no such column.
    toy.run(&format!("embed {flags} -o e.csv")).success();
    let applied = toy.output(&format!("embed --apply m.ck {VIEWS}"));
    assert_eq!(cells(&applied)[0], ["row", "e0", "e1", "e2"]);
    close(&numbers(&applied, 1), &numbers(&toy.read("e.csv"), 1));
    assert_eq!(
        toy.json(&format!("embed --apply m.ck {VIEWS}"))["clusters"],
        serde_json::Value::Null
    );
}

/// Towards landmarks: training instances get back their rows and clusters, and the model says what it keeps.
#[test]
fn new_instances_are_placed_towards_landmarks() {
    let toy = Toy::new();
    for method in ["spectral", "co_trained", "co_regularized_centroid", "min_disagreement"] {
        let flags = format!("-k 3 --method {method} {VIEWS} --storage nystroem:rank=25");
        let said = toy.output(&format!("cluster {flags} --model m.ck -o clusters.csv"));
        assert!(
            said.ends_with("model written to m.ck\n") && !said.contains("not applied"),
            "{said}"
        );
        let old = toy.output(&format!("embed {flags} -q"));
        let applied = toy.output(&format!("embed --apply m.ck {VIEWS}"));
        close(&numbers(&applied, 2), &numbers(&old, 1));
        let clusters = toy.read("clusters.csv");
        let (clusters, applied) = (cells(&clusters), cells(&applied));
        assert!(clusters.iter().zip(&applied).skip(1).all(|(c, a)| c[1] == a[1]), "{method}");
        let said = toy.output("inspect m.ck");
        assert!(said.contains("compared with 25 landmarks"), "{said}");
        assert_eq!(toy.json("inspect m.ck")["landmarks"], 25);
    }
    let said = toy.refusal("embed --apply m.ck --view a=a.csv", 2);
    assert!(said.contains("view 'b'") || said.contains("'b'"), "{said}");
}

#[test]
fn models_tell_what_they_hold() {
    let toy = Toy::new();
    let flags = format!("-k 3 --method spectral {VIEWS} --set view=a --model m.ck -o x.csv");
    toy.run(&format!("cluster {flags} --starts 7")).success();
    let said = toy.output("inspect m.ck");
    for part in [
        "spectral",
        "60 instances in 3 columns, for 3 clusters",
        "7 starts (best_of)",
        "gaussian@b",
        "not looked at",
        "combined",
        "made by   cokernel",
    ] {
        assert!(said.contains(part), "'{part}' is not in {said}");
    }
    let json = toy.json("inspect m.ck");
    assert_eq!(json["extends"], true);
    let sizes = json["clusters"]["sizes"].as_array().unwrap();
    assert_eq!(sizes.iter().map(|s| s.as_u64().unwrap()).sum::<u64>(), N as u64);
    // The view that is not looked at need not be given.
    toy.run("embed --apply m.ck --view a=a.csv").success();
    toy.run(&format!("embed {flags}")).success();
    assert!(toy.output("inspect m.ck").contains("none: it embeds only"));
}

#[test]
fn wrong_calls_are_refused() {
    let toy = Toy::new();
    assert_eq!(
        toy.refusal("embed --view a=a.csv", 2),
        "error: clustering needs a number of clusters: give -k K"
    );
    toy.run(&format!("fit {DATA} --method mean -o fit.ck")).success();
    assert_eq!(
        toy.refusal(&format!("embed --apply fit.ck {VIEWS}"), 2),
        "error: fit.ck holds a classification model, which labels new instances: use `cokernel \
         predict fit.ck`"
    );
    toy.run(&format!("embed -k 3 --method spectral {VIEWS} --model m.ck -o x.csv")).success();
    assert_eq!(
        toy.refusal(&format!("predict m.ck {VIEWS}"), 2),
        "error: m.ck holds an embedding model, not a classification model: use `cokernel embed \
         --apply m.ck`"
    );
    assert_eq!(
        toy.refusal("embed --apply m.ck --view a=a.csv", 2),
        "error: the model needs the view 'b' (its views: a, b; given: a); add --view b=FILE"
    );
    let said = toy.refusal("embed --apply m.ck --view a=a.csv --view b=a.csv", 1);
    assert!(said.contains("view 'b'") && said.contains("expected 3 columns"), "{said}");
    let said = toy.refusal(&format!("embed --apply m.ck {VIEWS} -o m.ck"), 2);
    assert_eq!(said, "error: cannot write m.ck: it is one of the files to read; name another file");
    for flag in [
        "-k 3",
        "--method spectral",
        "--set view=a",
        "--model n.ck",
        "--plot n.svg",
        "--scale standard",
    ] {
        toy.run(&format!("embed --apply m.ck {VIEWS} {flag}")).code(2);
    }
    toy.write("cut.ck", &std::fs::read(toy.path("m.ck")).unwrap()[..500]);
    let said = toy.refusal(&format!("embed --apply cut.ck {VIEWS}"), 1);
    assert!(said.starts_with("error: model file cut.ck: the file is truncated"), "{said}");
    let said = toy.refusal(&format!("embed --apply a.csv {VIEWS}"), 1);
    assert_eq!(said, "error: model file a.csv: this is not a model file");
    toy.run("embed -k 61 --view a=a.csv").failure();
}

#[test]
fn pictures_are_drawn() {
    let toy = Toy::new();
    let is_svg = |name: &str, words: &[&str]| {
        let text = toy.read(name);
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"), "{name}");
        words.iter().for_each(|w| assert!(text.contains(w), "'{w}' is not in {name}"));
    };
    let said = toy.output(&format!("embed -k 3 {DATA} -o e.csv --plot e.svg"));
    assert!(said.ends_with("picture written to e.svg\n"), "{said}");
    is_svg(
        "e.svg",
        &["co_regularized: labels", "Spectra of the views", "gap after k = 3", "green"],
    );
    assert!(!toy.read("e.svg").contains("clusters"));
    toy.run(&format!("cluster -k 3 {DATA} --singles -o c.csv --plot c.svg")).success();
    is_svg("c.svg", &["co_regularized: clusters", "co_regularized: labels", "cluster 2"]);
    let json = toy.json(&format!("cluster -k 3 {VIEWS} --plot c.png"));
    assert_eq!(json["plot"], "c.png");
    assert!(std::fs::read(toy.path("c.png")).unwrap().starts_with(b"\x89PNG"));
    // Ten eigenvalues of each view are drawn, and reported.
    assert_eq!(json["clustering"]["spectra"][1]["values"].as_array().unwrap().len(), 10);
    let json = toy.json(&format!("compare --task cluster -k 3 {DATA} --plot all.svg"));
    let rows = json["rows"].as_array().unwrap().iter();
    let mean = |r: &serde_json::Value| r["scores"]["nmi"]["mean"].as_f64().unwrap();
    let best = rows.reduce(|a, b| if mean(b) > mean(a) { b } else { a }).unwrap();
    is_svg("all.svg", &[&format!("{}: clusters", best["name"].as_str().unwrap())]);
    let said = toy.refusal(&format!("cluster -k 3 {DATA} --plot c.pdf"), 2);
    assert!(said.starts_with("error: --plot: expected a file name that ends with .svg"), "{said}");
    let said = toy.refusal(&format!("compare {DATA} --plot c.svg"), 2);
    assert_eq!(said, "error: --plot needs --task cluster");
}

/// Methods that embed only: with labels, without, and what they are told to be.
#[test]
fn classes_are_told_apart() {
    let toy = Toy::new();
    let flags = format!("--method lfda -k 2 {DATA} --model m.ck -o e.csv --plot e.svg");
    let said = toy.output(&format!("embed {flags}"));
    assert!(said.contains("lfda (metric=weighted, neighbours=7, regularization="), "{said}");
    assert!(said.contains("60 instances in 2 columns"), "{said}");
    assert!(toy.read("e.svg").contains("green") && !toy.read("e.svg").contains("Spectra"));
    toy.run(&format!("embed --apply m.ck {VIEWS} -o again.csv")).success();
    let relative = |a: Vec<Vec<f64>>, b: Vec<Vec<f64>>| {
        let size = a.iter().flatten().fold(1.0_f64, |s, v| s.max(v.abs()));
        let apart = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-9 * size);
    };
    relative(numbers(&toy.read("e.csv"), 1), numbers(&toy.read("again.csv"), 1));
    let json = toy.json(&format!("embed --method pca -k 2 {VIEWS}"));
    assert_eq!(json["embedding"]["report"]["details"]["explained"].as_array().unwrap().len(), 2);
    let said = toy.refusal(&format!("embed --method fda -k 2 {VIEWS}"), 2);
    assert_eq!(
        said,
        "error: method 'fda' learns from labels, and none are given; add --labels FILE, or \
         --label-column NAME if a view has them"
    );
    let said = toy.refusal(&format!("cluster --method fda -k 2 {DATA}"), 2);
    assert!(
        said.contains("'fda' embeds, which `cokernel embed` is for; methods to cluster: "),
        "{said}"
    );
    let said = toy.refusal(&format!("fit --method pca {DATA}"), 2);
    assert!(said.contains("methods to learn from labels: best_single"), "{said}");
    let said = toy.refusal(&format!("fit --task embed {DATA}"), 2);
    assert_eq!(
        said,
        "error: --task embed: expected classify, regress or detect; `cokernel embed` embeds"
    );
    let said = toy.output("methods --task embed");
    assert!(said.contains("kernel_lfda") && !said.contains("co_trained"), "{said}");
}

/// A method that learns kernels for machines and embeds, too.
#[test]
fn a_projection_that_a_machine_learned() {
    let toy = Toy::new();
    let flags = format!("--method gpk -k 2 {DATA} --model m.ck -o e.csv --plot e.svg");
    let said = toy.output(&format!("embed {flags} --set embed_c=10"));
    assert!(said.contains("60 instances in 2 columns"), "{said}");
    toy.run(&format!("embed --apply m.ck {VIEWS} -o again.csv")).success();
    for (a, b) in numbers(&toy.read("e.csv"), 1).iter().zip(&numbers(&toy.read("again.csv"), 1)) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs())));
    }
    let said = toy.output("inspect m.ck --projections");
    assert!(said.contains("projection embedding") && said.contains("feature"), "{said}");
    let json = toy.json("inspect m.ck --projections");
    let map = &json["projections"][0];
    let (rows, features) = (map["rows"].as_array().unwrap(), map["features"].as_array().unwrap());
    assert_eq!((rows.len(), rows[0].as_array().unwrap().len()), (features.len(), 2));
    let said = toy.refusal(&format!("embed --method gpk -k 2 {VIEWS}"), 2);
    assert!(said.starts_with("error: method 'gpk' learns from labels"), "{said}");
    // Of regions, with a gate for each.
    let flags = format!("--method lpk -k 4 {DATA} --model r.ck -o r.csv");
    assert!(toy.output(&format!("embed {flags}")).contains("60 instances in 4 columns"));
    toy.run(&format!("embed --apply r.ck {VIEWS} -o again.csv")).success();
    for (a, b) in numbers(&toy.read("r.csv"), 1).iter().zip(&numbers(&toy.read("again.csv"), 1)) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs())));
    }
    assert!(toy.output("inspect r.ck --projections").contains("projection embedding"));
    let said = toy.refusal(&format!("embed --method lpk -k 3 {DATA}"), 2);
    assert!(said.contains("expected a multiple of 2"), "{said}");
    // As a classifier.
    toy.run(&format!("fit --method lpk --set regions=3 {DATA} -o l.ck")).success();
    let said = toy.output("inspect l.ck --projections");
    assert!(said.contains("#3\n"), "{said}");
    assert!(toy.output("inspect l.ck --gates").contains("softmax"));
    let json = toy.json(&format!("compare --methods lpk --set regions=3 {DATA} --folds 2"));
    let row = json["rows"].as_array().unwrap().iter().find(|r| r["method"] == "lpk").unwrap();
    let (all, weights) = (row["kernels"].as_u64().unwrap(), row["weights"].as_array().unwrap());
    assert_eq!((all as usize, all % 3), (weights.len(), 0));
    assert!(row["active_kernels"]["mean"].as_f64().unwrap() <= all as f64);
    toy.run(&format!("fit --method mean {DATA} -o p.ck")).success();
    let said = toy.refusal("inspect p.ck --projections", 2);
    assert!(said.contains("the model has no projection of features: its method is mean"), "{said}");
}
