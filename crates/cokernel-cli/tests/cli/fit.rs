use crate::toy::{DATA, Toy, cells, csv, is_clean, labels, npy, view_a, view_b};
use cokernel::Run;
use cokernel::data::{Labels, Matrix, Views};
use cokernel::model::Mkl;
use std::io::Write;

fn matrix(rows: &[Vec<f64>]) -> Matrix {
    Matrix::new(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

/// Labels and decision values as `predict` prints them, without the first column.
fn predictions(toy: &Toy, arguments: &str) -> Vec<Vec<String>> {
    let text = toy.output(&format!("predict {arguments}"));
    let rows = cells(&text);
    rows.iter().skip(1).map(|r| r[1..].iter().map(|c| c.to_string()).collect()).collect()
}

#[test]
fn a_model_goes_through_files_unchanged() {
    let toy = Toy::new();
    let said = toy.output(&format!("fit {DATA} --method simple_mkl -o model.ck"));
    assert!(said.contains("model written to model.ck"), "{said}");
    assert!(said.contains("gaussian@a") && said.contains("gaussian@b"), "{said}");
    assert!(is_clean(toy.path("").as_path()));

    let views = Views::new()
        .dense("a", matrix(&view_a()))
        .and_then(|v| v.dense("b", matrix(&view_b())))
        .unwrap();
    let model = Mkl::new("simple_mkl")
        .unwrap()
        .fit(&views, &Labels::from_texts(&labels()), &Run::default())
        .unwrap();
    let expected = model.predict(&views).unwrap();
    let found = predictions(&toy, "model.ck --view a=a.csv --view b=b.npy");
    assert_eq!(found.len(), expected.labels.len());
    for (i, row) in found.iter().enumerate() {
        assert_eq!(row[0], expected.labels[i]);
        let values: Vec<f64> = row[1..].iter().map(|c| c.parse().unwrap()).collect();
        assert_eq!(values, expected.decisions.row(i), "row {i}");
    }
}

#[test]
fn formats_do_not_matter() {
    let toy = Toy::new();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(csv("x1,x2", &view_a()).replace(',', "\t").as_bytes()).unwrap();
    toy.write("a.tsv.gz", &gz.finish().unwrap());
    let lines: Vec<String> = view_b()
        .iter()
        .zip(labels())
        .map(|(r, y)| format!("{y} 1:{} 2:{} 3:{}", r[0], r[1], r[2]))
        .collect();
    toy.write("b.svm", lines.join("\n").as_bytes());
    toy.run(&format!("fit {DATA} --method mean -o one.ck")).success();
    // The labels are those of the LIBSVM file.
    toy.run("fit --view a=a.tsv.gz --view b=b.svm --method mean -o two.ck").success();
    let one = predictions(&toy, "one.ck --view a=a.csv --view b=b.npy");
    let two = predictions(&toy, "two.ck --view a=a.tsv.gz --view b=b.svm");
    for (p, q) in one.iter().zip(&two) {
        assert_eq!(p[0], q[0]);
        for (x, y) in p[1..].iter().zip(&q[1..]) {
            let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
            assert!((x - y).abs() < 0.05, "equal up to the tolerance of the machine: {x} {y}");
        }
    }
}

#[test]
fn rows_are_matched_by_id() {
    let toy = Toy::new();
    let with_ids = |rows: &[Vec<f64>], order: &[usize], header: &str| {
        let lines: Vec<String> = order
            .iter()
            .map(|&i| {
                let fields: Vec<String> = rows[i].iter().map(f64::to_string).collect();
                format!("s{i},{}", fields.join(","))
            })
            .collect();
        format!("sample,{header}\n{}\n", lines.join("\n"))
    };
    let forward: Vec<usize> = (0..labels().len()).collect();
    let backward: Vec<usize> = forward.iter().rev().copied().collect();
    toy.write("a1.csv", with_ids(&view_a(), &forward, "x1,x2").as_bytes());
    toy.write("b1.csv", with_ids(&view_b(), &backward, "u,v,w").as_bytes());
    let lines: Vec<String> = backward.iter().map(|&i| format!("s{i},{}", labels()[i])).collect();
    toy.write("y1.csv", format!("sample,class\n{}\n", lines.join("\n")).as_bytes());
    toy.run(&format!("fit {DATA} --method mean -o one.ck")).success();
    let files = "--view a=a1.csv --view b=b1.csv --id sample";
    toy.run(&format!("fit {files} --labels y1.csv --method mean -o two.ck")).success();
    let one = predictions(&toy, "one.ck --view a=a.csv --view b=b.npy");
    let two = predictions(&toy, "two.ck --view a=a.csv --view b=b.npy");
    assert_eq!(one, two);
    let text = toy.output(&format!("predict two.ck {files}"));
    assert!(text.starts_with("id,label,"), "{text}");
    assert!(text.lines().nth(1).unwrap().starts_with("s0,"), "{text}");
}

#[test]
fn a_similarity_serves_beside_a_table() {
    let toy = Toy::new();
    let b = view_b();
    let dot = |i: usize, j: usize| b[i].iter().zip(&b[j]).map(|(x, y)| x * y).sum::<f64>();
    let n = b.len();
    let gram: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| dot(i, j)).collect()).collect();
    toy.write("k.npy", &npy(&gram));
    let data = "--view a=a.csv --similarity b=k.npy --labels y.csv";
    let said = toy.output(&format!("fit {data} --kernel linear@a --kernel precomputed@b"));
    assert!(said.contains("model written to model.ck"), "{said}");
    toy.run(&format!("fit {DATA} --kernel linear@a --kernel linear@b -o two.ck")).success();
    let one = predictions(&toy, "model.ck --view a=a.csv --similarity b=k.npy");
    let two = predictions(&toy, "two.ck --view a=a.csv --view b=b.npy");
    for (p, q) in one.iter().zip(&two) {
        assert_eq!(p[0], q[0]);
    }
}

#[test]
fn settings_reach_the_model() {
    let toy = Toy::new();
    let flags = "--c 7 --scale standard --decomposition one_vs_one --class-weight red=2 \
                 --set tol=1e-4 --seed 11 --storage on_demand";
    let json = toy.json(&format!("fit {DATA} {flags} --kernel gaussian:gamma=0.5,1 -o m.ck"));
    assert_eq!(json["output"], "m.ck");
    let model = &json["model"];
    assert_eq!(model["machine"]["params"]["c"], 7.0);
    assert_eq!(model["machine"]["params"]["decomposition"], "one_vs_one");
    assert_eq!(model["params"]["tol"], 1e-4);
    assert_eq!(model["seed"], 11);
    assert_eq!(model["machines"].as_array().unwrap().len(), 3);
    assert_eq!(model["weights"].as_array().unwrap().len(), 4);
    assert_eq!(toy.json("inspect m.ck"), *model);
}

/// Landmarks are told with what they cost, kept in the model, and refused where kernels between all instances are needed.
#[test]
fn landmarks_stand_for_the_instances() {
    let toy = Toy::new();
    let near = "--method lp_norm --machine squared_hinge_svc --storage nystroem:rank=12";
    let assert = toy.run(&format!("fit {DATA} {near} -o near.ck")).success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(said.contains("12 landmarks (kmeans) stand for 60 instances"), "{said}");
    let model = toy.json("inspect near.ck");
    assert_eq!(model["report"]["status"], "converged", "{model}");
    let views = "--view a=a.csv --view b=b.npy";
    let found = predictions(&toy, &format!("near.ck {views}"));
    toy.run(&format!("fit {DATA} --method lp_norm --machine squared_hinge_svc -o exact.ck"))
        .success();
    let exact = predictions(&toy, &format!("exact.ck {views}"));
    let same = found.iter().zip(&exact).filter(|(p, q)| p[0] == q[0]).count();
    assert!(same >= 54, "{same} of 60 alike");
    let said = toy.refusal(&format!("fit {DATA} --method silp --storage nystroem:rank=12"), 2);
    assert!(
        said.contains("method 'silp' needs (14.6 kB for each kernel between 60 instances)"),
        "{said}"
    );
    let said = toy.refusal(&format!("fit {DATA} --storage nystrom"), 2);
    assert!(said.contains("nystroem"), "{said}");
    let two = "--view a=a.csv --view b=b.npy -k 3 --storage nystroem:rank=12";
    let said = toy.refusal(&format!("cluster {two} --method snf"), 2);
    assert!(said.contains("keeps no kernels between instances"), "{said}");
    toy.run(&format!("cluster {two} --method co_trained")).success();
    let assert = toy.run(&format!("compare {two} --task cluster --starts 2")).success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(
        said.contains("left out, since landmarks") && said.contains("product_spectral"),
        "{said}"
    );
    let said = toy.refusal(&format!("compare {two} --task cluster --methods snf"), 2);
    assert!(said.contains("method 'snf'"), "{said}");
    let said = toy.refusal(&format!("kernels {DATA} --storage nystroem:rank=12"), 2);
    assert!(
        said.contains("all pairs of instances, which landmarks and random features do not keep"),
        "{said}"
    );
    // A comparison leaves out what needs kernels between instances, unless it is named.
    let machine = "--machine squared_hinge_svc --storage nystroem:rank=12";
    let assert = toy.run(&format!("compare {DATA} {machine} --folds 3")).success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(
        said.contains("left out, since nystroem:rank=12") && said.contains("best_single"),
        "{said}"
    );
    let shown = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(shown.contains("landmarks %") && !shown.contains("support vectors"), "{shown}");
    let said = toy.refusal(&format!("compare {DATA} {machine} --methods silp,mean"), 2);
    assert!(said.contains("method 'silp'"), "{said}");
}

#[test]
fn threads_do_not_change_the_result() {
    let toy = Toy::new();
    for threads in [1, 3] {
        toy.run(&format!("fit {DATA} --threads {threads} -o m{threads}.ck")).success();
    }
    let data = "--view a=a.csv --view b=b.npy";
    let one = predictions(&toy, &format!("m1.ck {data} --threads 1"));
    assert_eq!(one, predictions(&toy, &format!("m3.ck {data} --threads 3")));
}

#[test]
fn quiet_says_nothing() {
    let toy = Toy::new();
    let assert = toy.run(&format!("fit {DATA} -q")).success();
    let output = assert.get_output();
    assert!(output.stdout.is_empty() && output.stderr.is_empty());
    assert!(toy.path("model.ck").is_file());
}

#[test]
fn inspect_tells_what_is_in_a_model() {
    let toy = Toy::new();
    toy.run(&format!("fit {DATA} --method mean --seed 5")).success();
    let said = toy.output("inspect model.ck");
    for part in [
        "mean",
        "60 instances",
        "3 classes: blue, green, red",
        "seed 5",
        "converged",
        "optimum   converged, primal ",
    ] {
        assert!(said.contains(part), "'{part}' is not in\n{said}");
    }
    assert!(said.contains("red vs rest") && said.contains("0.5"), "{said}");
}

/// Widths of features by name, the most relevant first.
#[test]
fn inspect_lists_features_by_relevance() {
    let toy = Toy::new();
    toy.run(&format!("fit {DATA} --method gmkl")).success();
    let (said, json) = (toy.output("inspect model.ck"), toy.json("inspect model.ck"));
    let mut found: Vec<(String, f64)> = Vec::new();
    for view in json["widths"].as_array().unwrap() {
        let names = view["features"].as_array().unwrap().iter();
        for (name, relevance) in names.zip(view["relevance"].as_array().unwrap()) {
            let (view, name) = (view["view"].as_str().unwrap(), name.as_str().unwrap());
            found.push((format!("{view}.{name}"), relevance.as_f64().unwrap()));
        }
    }
    let names: Vec<&str> = found.iter().map(|f| f.0.as_str()).collect();
    assert_eq!(names, ["a.x1", "a.x2", "b.1", "b.2", "b.3"]);
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut rest = said.as_str();
    for (name, relevance) in found.iter().filter(|f| f.1 > 0.0) {
        let at = rest.find(name.as_str()).unwrap_or_else(|| panic!("{name} in its order:\n{said}"));
        rest = &rest[at..];
        assert!(rest.lines().next().unwrap().contains(&format!("{relevance:.4}")), "{said}");
    }
    let none = found.iter().filter(|f| f.1 == 0.0).count();
    assert_eq!(said.contains("without a width"), none > 0, "{said}");
    toy.run(&format!("fit {DATA} --method mean")).success();
    assert!(!toy.output("inspect model.ck").contains("relevance"));
}
