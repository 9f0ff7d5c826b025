use crate::toy::{DATA, N, Toy, cells, csv, npy, view_a};
use cokernel::catalogue::{goes_with, machines, methods, recommended};
use cokernel::method::{Method, Task};

#[test]
fn all_methods_meet_on_the_same_splits() {
    let toy = Toy::new();
    let flags = "--folds 2 --methods all -o results.json --csv table.csv";
    let said = toy.output(&format!("compare {DATA} {flags}"));
    let json = toy.read_json("results.json");
    let table = toy.read("table.csv");
    let rows = cells(&table);
    assert_eq!(rows[0][..3], ["name", "method", "accuracy"]);
    // Those that go with the machine, which all of them share.
    let svc = machines().find(|m| m.id == "svc").unwrap();
    let classify: Vec<_> = methods()
        .filter(|m| m.tasks.contains(&Task::Classify) && goes_with(m, svc).is_ok())
        .collect();
    assert_eq!(rows.len(), 1 + classify.len());
    for (i, m) in classify.iter().enumerate() {
        assert!(said.contains(m.id), "{said}");
        assert_eq!(json["rows"][i]["method"], m.id);
        assert_eq!(rows[i + 1][1], m.id);
        let accuracy: f64 = rows[i + 1][2].parse().unwrap();
        assert_eq!(json["rows"][i]["accuracy"]["mean"], accuracy);
    }
}

#[test]
fn parameters_go_to_the_methods_that_have_them() {
    let toy = Toy::new();
    let flags = "--methods mean,simple_mkl --singles --folds 2";
    let json = toy.json(&format!("compare {DATA} {flags} --set tol=1e-2"));
    let rows = json["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    let simple = rows.iter().find(|r| r["method"] == "simple_mkl").unwrap();
    assert_eq!(simple["params"]["tol"], 1e-2);
    let json = toy.json(&format!("compare {DATA} {flags} --set simple_mkl.tol=1e-3"));
    let simple = json["rows"].as_array().unwrap().iter().find(|r| r["method"] == "simple_mkl");
    assert_eq!(simple.unwrap()["params"]["tol"], 1e-3);
    let said = toy.refusal(&format!("compare {DATA} {flags} --set toll=1"), 2);
    assert!(said.contains("unknown parameter 'toll'"), "{said}");
}

#[test]
fn costs_and_kinds_of_integration_are_told() {
    let toy = Toy::new();
    toy.write("prices.csv", b"view,price\nb,3\n");
    let flags = "--integration --folds 2 --costs prices.csv --plot-cost costs.svg --csv t.csv";
    let said = toy.output(&format!("compare {DATA} {flags}"));
    let kinds = ["early", "intermediate", "late"].map(|k| said.find(&format!("\n  {k} ")).unwrap());
    assert!(kinds.is_sorted() && said.contains("by b=3"), "{said}");
    assert!(
        toy.read("costs.svg").contains("total cost of predicting an instance in percent, by b=3")
    );
    let table = toy.read("t.csv");
    let rows = cells(&table);
    let column = |name: &str| rows[0].iter().position(|c| *c == name).unwrap();
    let cost = |id: &str| {
        let row = rows.iter().find(|r| r[1] == id).unwrap();
        let number = |name: &str| row[column(name)].parse::<f64>().unwrap();
        (number("total_cost"), number("support_percent"))
    };
    let ((concat, all), (single, some)) = (cost("concat"), cost("best_single"));
    assert!((concat - all).abs() < 1e-9 && single < some, "{table}");
    let json = toy.json(&format!("evaluate {DATA} --folds 2 --method mean --costs features"));
    assert!(json["total_cost"]["mean"].as_f64().unwrap() > 0.0);
    toy.output(&format!("fit {DATA} --method mean -o m.ck"));
    let all = toy.json("inspect m.ck --costs a=3,gaussian=2");
    assert_eq!(all["total_cost"], all["support_percent"]);
    let said = toy.refusal("inspect m.ck --costs features", 2);
    assert!(said.contains("'features' needs the instances"), "{said}");
    for (flags, part) in [
        ("--costs no.csv", "there is no file 'no.csv'"),
        ("--costs bb=1", "kernel, view or function in costs 'bb'"),
        ("--plot-cost c.svg", "--plot-cost needs --costs"),
        ("--integration --methods mean", "cannot be used with"),
        ("--transductive --methods mean", "transductive splits are for laplacian_svm"),
        ("--task cluster -k 3 --costs b=1", "something to learn"),
    ] {
        let said = toy.run(&format!("compare {DATA} {flags}")).failure();
        let said = String::from_utf8_lossy(&said.get_output().stderr).into_owned();
        assert!(said.contains(part), "{flags}: {said}");
    }
}

fn clusterers() -> Vec<&'static Method> {
    methods().filter(|m| m.tasks.contains(&Task::Cluster)).collect()
}

#[test]
fn clusterings_are_compared_too() {
    let toy = Toy::new();
    let flags = "--methods all --csv table.csv -o all.json";
    let json = toy.json(&format!("compare --task cluster -k 3 {DATA} {flags}"));
    assert_eq!(toy.read_json("all.json")["rows"], json["rows"]);
    let rows = json["rows"].as_array().unwrap();
    let left_out = json["left_out"].as_array().unwrap();
    // Controls whose clusters depend on the diagonal of similarities are shown both ways.
    let without = |r: &&serde_json::Value| r["name"].as_str().unwrap().ends_with("diagonal=zero)");
    let once = rows.len() - rows.iter().filter(without).count();
    assert_eq!(once + left_out.len(), 2 + clusterers().len());
    assert_eq!((&rows[0]["name"], &rows[1]["name"]), (&"single:a".into(), &"single:b".into()));
    let controls = rows.iter().position(|r| r["control"] == false).unwrap();
    assert!(rows[..controls].iter().all(|r| r["control"] == true), "controls come first");
    let table = toy.read("table.csv");
    let lines = cells(&table);
    assert_eq!(lines.len(), 1 + rows.len());
    let column = |name: &str| lines[0].iter().position(|c| *c == name).unwrap();
    for (line, row) in lines[1..].iter().zip(rows) {
        let scores = &row["scores"];
        for (name, value) in [
            ("nmi", &scores["best"]["nmi"]),
            ("nmi_mean", &scores["nmi"]["mean"]),
            ("nmi_sd", &scores["nmi"]["sd"]),
            ("f", &scores["best"]["pairs"]["f"]),
            ("recall", &scores["best"]["pairs"]["recall"]),
            ("precision_mean", &scores["precision"]["mean"]),
            ("entropy", &scores["best"]["entropy"]),
            ("purity", &scores["best"]["purity"]),
            ("accuracy_sd", &scores["accuracy"]["sd"]),
            ("adjusted_rand", &scores["best"]["adjusted_rand"]),
            ("inertia", &row["inertia"]),
        ] {
            let written: f64 = line[column(name)].parse().unwrap();
            assert_eq!(Some(written), value.as_f64(), "{name}");
        }
        assert_eq!(line[column("starts")], "20");
        assert_eq!(line[column("control")], row["control"].to_string());
    }
    let agreement = &json["agreement"];
    assert_eq!(agreement["matrix"][0][1], agreement["mean"]);
    let said = toy.output(&format!("compare --task cluster -k 3 {DATA} --methods all"));
    let sentence = json["verdict"]["sentence"].as_str().unwrap();
    assert!(said.contains(&format!("\nVerdict: {sentence}\n")), "{said}");
    assert!(said.contains("\nAgreement of the views: what the spans of their 3 leading"), "{said}");
    assert!(said.contains("* control;"), "{said}");
    let plain = toy.output("compare --task cluster -k 3 --view a=a.csv --view b=b.npy");
    assert!(plain.contains("inertia") && !plain.contains("Verdict"), "{plain}");
}

#[test]
fn controls_are_shown_unless_they_are_not_wanted() {
    let toy = Toy::new();
    let names = |flags: &str| -> Vec<String> {
        let json = toy.json(&format!("compare --task cluster -k 3 {DATA} {flags}"));
        let rows = json["rows"].as_array().unwrap().iter();
        rows.map(|r| r["name"].as_str().unwrap().to_string()).collect()
    };
    let found = names("--methods co_regularized");
    assert_eq!(found[..2], ["single:a", "single:b"]);
    assert_eq!(found.last().unwrap(), "co_regularized");
    assert!(found.contains(&"spectral".to_string()));
    let found = names("--methods co_regularized,spectral --no-controls");
    assert_eq!(found, ["co_regularized", "spectral"]);
    let found = names("--no-controls --singles");
    assert_eq!(found[..2], ["single:a", "single:b"]);
    assert!(!found.contains(&"spectral".to_string()), "{found:?}");
    let said = toy.output(&format!(
        "compare --task cluster -k 3 {DATA} --methods co_regularized --no-controls"
    ));
    assert!(!said.contains("Verdict"), "{said}");
}

#[test]
fn methods_that_the_views_do_not_allow_are_left_out_unless_they_were_named() {
    let toy = Toy::new();
    // Linear kernels have negative values.
    let flags = format!("compare --task cluster -k 3 {DATA} --kernel gaussian@a --kernel linear@b");
    let said = toy.refusal(&format!("{flags} --methods spectral --no-controls"), 1);
    assert!(said.starts_with("error: kernel 'linear@b': the similarity of"), "{said}");
    let run = toy.run(&format!("{flags} --methods spectral --set view=a")).success();
    let said = String::from_utf8(run.get_output().stderr.clone()).unwrap();
    assert!(said.contains("note: single:b is left out: kernel 'linear@b'"), "{said}");
    assert!(said.contains("note: the views are not compared with each other: kernel"), "{said}");
}

/// One method that refused the data ended the comparison of all that a group brings.
#[test]
fn methods_that_refuse_the_data_are_left_out_unless_they_were_named() {
    let toy = Toy::new();
    let a = view_a();
    let far = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    // A Gaussian kernel less half of the identity has eigenvalues below 0.
    let value = |(i, j): (usize, usize)| (-far(&a[i], &a[j])).exp() - 0.5 * f64::from(i == j);
    let row = |i: usize| (0..N).map(|j| value((i, j))).collect::<Vec<f64>>();
    toy.write("s.npy", &npy(&(0..N).map(row).collect::<Vec<_>>()));
    let flags = "compare --similarity s=s.npy --labels y.csv --folds 2";
    let json = toy.json(&format!("{flags} --methods mean,alignment"));
    let out = json["left_out"].as_array().unwrap();
    let of = |id: &str| out.iter().find(|l| l["name"] == id).unwrap()["reason"].to_string();
    assert!(of("alignf").contains("its smallest eigenvalue is at most"), "{out:?}");
    let rows = json["rows"].as_array().unwrap();
    assert!(rows[0]["name"] == "mean" && rows.iter().all(|r| r["name"] != "alignf"), "{json}");
    let said = toy.refusal(&format!("{flags} --methods mean,alignf"), 1);
    assert!(said.contains("joint alignment compares kernels"), "{said}");
}

#[test]
fn features_cannot_be_had_from_similarities() {
    let toy = Toy::new();
    let a = view_a();
    let near = |i: usize, j: usize| -> f64 {
        a[i].iter().zip(&a[j]).map(|(x, y)| (x - y).powi(2)).sum::<f64>() * -0.5
    };
    let row = |i: usize| (0..N).map(|j| near(i, j).exp()).collect();
    let header: Vec<String> = (0..N).map(|j| format!("s{j}")).collect();
    let rows: Vec<Vec<f64>> = (0..N).map(row).collect();
    toy.write("s.csv", csv(&header.join(","), &rows).as_bytes());
    let flags = "compare --task cluster -k 3 --view b=b.npy --similarity s=s.csv";
    let json = toy.json(flags);
    let names = |list: &serde_json::Value| -> Vec<String> {
        let all = list.as_array().unwrap().iter();
        all.map(|r| r["name"].as_str().unwrap().to_string()).collect()
    };
    let (found, left_out) = (names(&json["rows"]), names(&json["left_out"]));
    assert!(found.contains(&"spectral".to_string()) && found.contains(&"single:s".to_string()));
    assert!(left_out.contains(&"concat_kmeans".to_string()), "{left_out:?}");
    assert!(left_out.contains(&"concat_spectral".to_string()), "{left_out:?}");
    let notes = json["notes"].to_string();
    assert!(notes.contains("concat_kmeans is left out: "), "{notes}");
    let said = toy.refusal(&format!("{flags} --methods spectral,concat_kmeans"), 1);
    assert!(said.contains("view 's' is a similarity"), "{said}");
}

#[test]
fn flags_of_one_task_are_refused_for_the_other() {
    let toy = Toy::new();
    for flag in ["--no-controls", "--starts 3", "--protocol published"] {
        let name = flag.split(' ').next().unwrap();
        let said = toy.refusal(&format!("compare {DATA} {flag}"), 2);
        assert_eq!(said, format!("error: {name} needs --task cluster"));
    }
}

#[test]
fn remarks_are_made_once() {
    let toy = Toy::new();
    let run = toy.run(&format!("compare {DATA} --methods two_stage --folds 3 --c 10"));
    let said = String::from_utf8(run.success().get_output().stderr.clone()).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert_eq!(
        lines[0],
        "note: two_stage: kernels that are not centred: 2 of 2; the source (LMS §5.3) centres \
         kernels and gives them unit variance, without that the weights can mislead: try \
         normalize=center_unit_variance, as in \
         gaussian:sigma=median:normalize=center_unit_variance"
    );
    assert!(lines[1].starts_with("note: λ = "), "{said}");
    assert!(lines[1].ends_with("; with other numbers in other splits"), "{said}");
}

/// Without `--methods` everything was run: with forty methods that would be hours.
#[test]
fn controls_and_recommended_methods_are_the_default() {
    let toy = Toy::new();
    for (task, flags) in [(Task::Classify, "--folds 2"), (Task::Cluster, "--task cluster -k 3")] {
        let wanted: Vec<&str> = recommended(task).map(|m| m.id).collect();
        let assert = toy.run(&format!("compare {DATA} {flags} -o r.json")).success();
        let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        let json = toy.read_json("r.json");
        let mut seen: Vec<String> = json["rows"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|r| !r["name"].as_str().unwrap().starts_with("single:"))
            .map(|r| r["method"].as_str().unwrap().to_string())
            .collect();
        let left_out = json["left_out"].as_array().into_iter().flatten();
        seen.extend(left_out.map(|l| l["name"].as_str().unwrap().to_string()));
        seen.sort();
        // Controls whose clusters depend on the diagonal of similarities are shown both ways.
        seen.dedup();
        let mut sorted = wanted.clone();
        sorted.sort_unstable();
        assert_eq!(seen, sorted);
        let all = methods().filter(|m| m.tasks.contains(&task)).count();
        let sentence = format!("recommended methods are compared, {} of {all}", wanted.len());
        assert_eq!(said.contains(&sentence), wanted.len() < all, "{said}");
    }
}

/// Parameters were `max_iter` and `iterations` once.
#[test]
fn former_names_of_parameters_are_understood() {
    let toy = Toy::new();
    let flags = "--task cluster -k 3 --methods co_trained,co_regularized --no-controls";
    let old = "--set co_trained.iterations=2 --set co_regularized.max_iter=2";
    let new = "--set max_iterations=2";
    let rows = |set: &str| toy.json(&format!("compare {DATA} {flags} {set}"))["rows"].clone();
    let (old, new) = (rows(old), rows(new));
    for i in 0..2 {
        assert_eq!(old[i]["params"], new[i]["params"]);
        assert_eq!(old[i]["params"]["max_iterations"], 2);
        assert_eq!(old[i]["assignments"], new[i]["assignments"]);
    }
}

/// What a group brings and needs features ended the whole comparison where there are similarities only.
#[test]
fn similarities_alone_leave_out_what_needs_features() {
    let toy = Toy::new();
    let a = view_a();
    let far = |p: &[f64], q: &[f64]| p.iter().zip(q).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let row = |p: &Vec<f64>| a.iter().map(|q| (-far(p, q)).exp()).collect::<Vec<f64>>();
    toy.write("s.npy", &npy(&a.iter().map(row).collect::<Vec<_>>()));
    let flags = "--similarity s=s.npy --labels y.csv --folds 2";
    let assert = toy.run(&format!("compare {flags}")).success();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    let note = "left out, because they need features and there are similarities: concat";
    assert!(said.contains(note), "{said}");
    let assert = toy.run(&format!("compare {flags} --methods mean,one_stage"));
    let assert = assert.success();
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("gmkl, gpk, lpk"), "{said}");
    // What is named is refused.
    let said = toy.refusal(&format!("compare {flags} --methods mean,gpk"), 1);
    assert!(said.contains("is a similarity, which has no features"), "{said}");
}
