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
    assert_eq!(said, "error: starts: expected from 1 to 10000, found 0");
    let said = toy.refusal(&format!("cluster -k 3 {DATA} --starts 1000000000000"), 2);
    assert_eq!(said, "error: starts: expected from 1 to 10000, found 1000000000000");
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

/// Views a and b by id, of which every seventh instance lacks one.
fn incomplete(toy: &Toy) -> usize {
    let table = |name: &str, lacks: usize, drop: bool| {
        let text = toy.read(name);
        let mut lines = text.lines();
        let mut out = format!("id,{}\n", lines.next().unwrap());
        for (i, line) in lines.enumerate() {
            match i % 7 == lacks {
                true if drop => {}
                true => out.push_str(&format!("i{i}{}\n", ",NA".repeat(line.split(',').count()))),
                false => out.push_str(&format!("i{i},{line}\n")),
            }
        }
        out
    };
    // View a has rows of NA, view b has no rows.
    toy.write("c.csv", table("a.csv", 2, false).as_bytes());
    toy.write("d.csv", table("b.csv", 4, true).as_bytes());
    (0..N).filter(|i| i % 7 == 2).count()
}

#[test]
fn instances_that_lack_a_view_are_clustered_by_the_others() {
    let toy = Toy::new();
    let absent = incomplete(&toy);
    let data = "--view a=c.csv --view b=d.csv --id id";
    let assert = toy.run(&format!("cluster -k 3 {data} -o out.csv")).success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    let note = format!("note: {absent} of 60 instances lack view 'a': their similarities there");
    assert!(said.contains(&note), "{said}");
    let text = toy.read("out.csv");
    let rows = cells(&text);
    assert_eq!(rows.len(), N + 1);
    let cluster = |i: usize| {
        let id = format!("i{i}");
        rows.iter().find(|r| r[0] == id).unwrap()[1].to_string()
    };
    let agree = (0..N).filter(|&i| cluster(i) == cluster(class(i))).count();
    assert!(agree > N * 7 / 10, "{agree} of {N}");
    let json = toy.json(&format!("compare --task cluster -k 3 {data}"));
    assert_eq!(json["filled"][0], serde_json::json!(["a", absent]));
    assert!(json["rows"].as_array().unwrap().len() >= 2);
    // A view that few have.
    let text = toy.read("a.csv");
    let named = |(i, line): (usize, &str)| match i {
        0 => format!("id,{line}"),
        _ => format!("i{},{line}", i - 1),
    };
    let named: Vec<String> = text.lines().enumerate().map(named).collect();
    toy.write("f.csv", named.join("\n").as_bytes());
    let few: Vec<String> = toy.read("d.csv").lines().take(11).map(str::to_string).collect();
    toy.write("g.csv", few.join("\n").as_bytes());
    let all = "--view a=f.csv --view b=g.csv --id id";
    for (method, is_said) in [("mkkm", true), ("simple_mkkm", true), ("late_fusion", false)] {
        let run = toy.run(&format!("cluster -k 3 {all} --method {method} -o out.csv"));
        let said = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert_eq!(said.contains("known of few of the 60 instances"), is_said, "{method}: {said}");
        // Objective and gap of what has a gap.
        let said = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        assert_eq!(said.contains(", duality gap "), method == "simple_mkkm", "{method}: {said}");
    }
    // Without the view there is nothing to go by.
    let said = toy.refusal("cluster -k 3 --view a=c.csv --id id -q", 1);
    assert!(said.starts_with("error: instance 2 ('i2') lacks view 'a', and there is no"), "{said}");
    // On request they are left out.
    toy.output(&format!("cluster -k 3 {data} --drop-incomplete -o out.csv"));
    assert!(cells(&toy.read("out.csv")).len() < N - 10);
    // Files whose ids have nothing in common.
    let whole = toy.read("c.csv");
    let whole: Vec<&str> = whole.lines().filter(|l| !l.contains("NA")).collect();
    toy.write("c.csv", whole.join("\n").as_bytes());
    toy.write("e.csv", whole.join("\n").replace("\ni", "\nj").as_bytes());
    let said = toy.refusal("cluster -k 3 --view a=c.csv --view b=e.csv --id id -q", 1);
    assert!(said.contains("are the instances named alike in all files?"), "{said}");
}

#[test]
fn graphs_of_neighbours() {
    let toy = Toy::new();
    let data = "--view a=a.csv --view b=b.npy";
    let json = toy.json(&format!("cluster -k 3 {data} --graph knn:k=8 --method spectral"));
    let kernels = &json["clustering"]["kernels"];
    assert_eq!(*kernels, serde_json::json!(["knn@a(k=8)", "knn@b(k=8)"]));
    let one = "--graph epsilon@b:radius=0.5:weights=gaussian";
    let json = toy.json(&format!("compare --task cluster -k 3 {data} {one} --methods spectral"));
    let want = "epsilon@b(radius=0.5, weights=gaussian)";
    assert_eq!(json["kernels"][1], want);
    assert!(json["kernels"][0].as_str().unwrap().starts_with("gaussian@a("));
    // The same from a project file; flags win.
    let project = "clusters = 3\ngraph = [\"knn@b:k=5\"]\n[views]\na = \"a.csv\"\nb = \"b.npy\"\n";
    toy.write("cokernel.toml", project.as_bytes());
    let json = toy.json("cluster --method spectral");
    assert_eq!(json["clustering"]["kernels"][1], "knn@b(k=5)");
    let json = toy.json("cluster --method spectral --graph knn@a:k=4:mutual=yes");
    assert_eq!(json["clustering"]["kernels"][0], "knn@a(k=4, mutual=yes)");
    for (flags, want) in [
        (
            "cluster --graph kn",
            "error: --graph: unknown graph 'kn' (did you mean 'knn'?); known: knn, epsilon",
        ),
        (
            "cluster --graph knn@a:k=60",
            "error: parameter 'graph k': found 60, expected less than the 60 instances that have \
             view 'a'",
        ),
        ("compare --graph knn --labels y.csv", "error: --graph needs --task cluster"),
    ] {
        assert_eq!(toy.refusal(flags, 2), want);
    }
}

#[test]
fn sparse_similarities_are_graphs() {
    let toy = Toy::new();
    // Three rings, one for each class; the lower triangle of a symmetric matrix.
    let mut entries = Vec::new();
    for i in 0..N {
        entries.push(format!("{} {} 1", i + 1, i + 1));
        let next = if i + 3 < N { i + 3 } else { i % 3 };
        entries.push(format!("{} {} 2", i.max(next) + 1, i.min(next) + 1));
    }
    let banner = "%%MatrixMarket matrix coordinate real symmetric";
    let text = format!("{banner}\n{N} {N} {}\n{}\n", entries.len(), entries.join("\n"));
    toy.write("g.mtx", text.as_bytes());
    let assert =
        toy.run("cluster -k 3 --method spectral --similarity g=g.mtx -o out.csv").success();
    let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
    assert!(
        said.contains("note: view 'g': the graph has 3 connected components of 20, 20 and 20"),
        "{said}"
    );
    let text = toy.read("out.csv");
    let rows = cells(&text);
    assert!((0..N).all(|i| rows[i + 1][1] == class(i).to_string()));
    // One triangle alone is no similarity.
    toy.write("h.mtx", text_of_general(&entries).as_bytes());
    let said = toy.refusal("cluster -k 3 --similarity g=h.mtx", 1);
    assert!(said.starts_with("error: view 'g', row ") && said.contains("symmetric"), "{said}");
}

fn text_of_general(entries: &[String]) -> String {
    let banner = "%%MatrixMarket matrix coordinate real general";
    format!("{banner}\n{N} {N} {}\n{}\n", entries.len(), entries.join("\n"))
}
