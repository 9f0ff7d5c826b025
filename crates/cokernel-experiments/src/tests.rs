mod fuzz;

use super::plan::Pick;
use super::*;
use cokernel::method::Task;
use std::path::Path;

fn parse(text: &str) -> anyhow::Result<Experiment> {
    Experiment::parse("p/my.toml", "my", text, Path::new("p"))
}

fn refusal(from: &str, to: &str) -> String {
    assert!(EXAMPLE.contains(from), "{from}");
    parse(&EXAMPLE.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn every_shipped_experiment_is_well_formed_and_in_the_list() {
    for (id, _) in SHIPPED {
        let plan = Specification::find(id, &[]).unwrap().parse().unwrap();
        assert_eq!(plan.id, *id);
        assert!(!plan.paper.is_empty() && !plan.table.is_empty(), "{id}");
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "toml") {
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(SHIPPED.iter().any(|(id, _)| *id == stem), "{stem} is not in SHIPPED");
        }
    }
}

#[test]
fn the_published_page_ends_with_what_scripts_found() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reproduction.md");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.ends_with(reproduction::BY_SCRIPT));
}

#[test]
fn the_example_says_everything() {
    let plan = parse(EXAMPLE).unwrap();
    assert_eq!((plan.id.as_str(), plan.place().as_str()), ("my-table", "LMS Table 3.3"));
    assert_eq!(plan.rows.len(), 3);
    assert_eq!(plan.rows[1].variants[0].label, "view=fou");
    assert_eq!(plan.rows[1].variants[1].label, "profiles");
    assert_eq!(plan.rows[2].variants[1].label, "lambda=0.05");
    assert_eq!(plan.claims[0].below, [1]);
    let addition = &plan.rows[0].published;
    let figures: Vec<_> = addition.values().map(|p| (p.mean, p.sd, p.reach)).collect();
    assert_eq!(
        figures,
        [(0.707, Some(0.052), Some(0.05)), (0.744, Some(0.030), Some(0.02))],
        "the reach of the protocol holds where a figure has none"
    );
    // Every key that is known is in the example.
    let table = |place: &str| refusal(place, &format!("{place}\nnothing = 1\n"));
    for said in [
        refusal("id = \"my-table\"", "nothing = 1"),
        table("[source]"),
        table("[data]"),
        table("[protocol]"),
        table("[[rows]]"),
        table("[[claims]]"),
        refusal("{ params = { view = \"fou\" } }", "{ nothing = 1 }"),
        refusal("# [sweep]", "[sweep]\nnothing = 1"),
    ] {
        let known = said.split("known: ").nth(1).unwrap_or_else(|| panic!("{said}"));
        known.split(", ").for_each(|key| assert!(EXAMPLE.contains(key), "{key}"));
    }
}

#[test]
fn a_sweep_takes_values_or_a_range() {
    let sweep = "[sweep]\nparameter = \"lambda\"\nvalues = { from = -0.2, to = 0.1, step = 0.1 }";
    let said = parse(&EXAMPLE.replacen("# [sweep]", sweep, 1)).unwrap_err().to_string();
    assert!(said.contains("row 'Co-regularised'") || said.contains("parameter 'lambda'"), "{said}");
    let text = EXAMPLE.replacen("# [sweep]", &sweep.replace("-0.2", "0"), 1);
    let plan = parse(&text).unwrap();
    assert_eq!(plan.sweep.unwrap().values, [0.0, 0.1]);
    let said = parse(&text.replace("step = 0.1", "step = 0")).unwrap_err().to_string();
    assert!(said.contains("values: expected numbers"), "{said}");
    let said = parse(&text.replacen("\"lambda\"", "\"lamda\"", 1)).unwrap_err().to_string();
    assert!(said.contains("unknown parameter 'lamda'"), "{said}");
}

#[test]
fn mistakes_are_found_by_line() {
    let line = |text: &str| {
        let at = EXAMPLE.find(text).unwrap();
        format!("p/my.toml, line {}: ", 1 + EXAMPLE[..at].matches('\n').count())
    };
    for (from, to, said) in [
        ("title =", "titel =", "unknown key 'titel' (did you mean 'title'?); known: "),
        ("seed = 0", "sed = 0", "unknown key 'sed' (did you mean 'seed'?); known: "),
        ("kind = \"digits\"", "kind = \"digit\"", "unknown kind of data 'digit' (did you mean"),
        ("\"digits\" ", "\"digits\"\nsets = 3 ", "data: 'sets' belongs to kind = \"toy\""),
        ("method = \"spectral\"", "method = \"spectrl\"", "unknown method 'spectrl' (did you"),
        ("\"co_regularized\"", "\"simple_mkl\"", "method 'simple_mkl' learns from labels"),
        ("view = \"mean\"", "viev = \"mean\"", "spectral: unknown parameter 'viev' (did you mean"),
        ("gaussian:sigma", "gausian:sigma", "unknown kernel 'gausian' (did you mean 'gaussian'"),
        ("[\"nmi\", \"f\"]", "[\"nmi\", \"ff\"]", "unknown score 'ff' (did you mean 'f'?)"),
        ("{ nmi = [0.744, 0.030]", "{ nmmi = [0.744, 0.030]", "unknown score 'nmmi'"),
        ("nmi = [0.744, 0.030]", "nmi = [0.744]", "nmi: expected a number, [mean, sd], or"),
        ("reach = 0.05", "rech = 0.05", "f: unknown key 'rech' (did you mean 'reach'?)"),
        ("\"published\" ", "\"publisched\" ", "starts: expected \"published\", or"),
        ("pick = \"best\"  ", "pick = \"bst\"  ", "unknown word 'bst' (did you mean 'best'?)"),
        ("[0.01, 0.05] }", "[0.01, -1] }", "co_regularized: parameter 'lambda'"),
        ("above = \"Co-", "above = \"Coo-", "unknown row 'Coo-regularised' (did you mean"),
        ("clusters = 10", "clusters = 0", "clusters: expected at least 1"),
        ("clusters = 10", "clusters = -1", "invalid value: integer `-1`, expected a whole"),
    ] {
        let found = refusal(from, to);
        let place = match to.contains('\n') {
            false => line(from),
            true => "p/my.toml, line ".to_string(),
        };
        assert!(found.starts_with(&place) && found.contains(said), "{from}: {found}");
    }
    let said = refusal("label = \"Best Single View\"", "label = \"Kernel Addition\"");
    assert!(said.contains("row 'Kernel Addition' is there twice"), "{said}");
    let said = refusal("pick = \"best\"  ", "");
    assert!(said.contains("published figures of a row with several variants"), "{said}");
}

/// Small data with views of these names.
fn small_folder(root: &Path, name: &str, views: &[String], classes: usize, columns: usize) {
    let folder = root.join(name);
    std::fs::create_dir(&folder).unwrap();
    let n = 12 * classes;
    for (v, view) in views.iter().enumerate() {
        let cell = |i: usize, j: usize| {
            let noise = (i * 7919 + j * 104_729 + v * 1_299_709) % 1000;
            (if i % classes == j { 3.0 } else { 1.0 }) + noise as f64 / 1000.0
        };
        let row = |i: usize| {
            let cells: Vec<String> = (0..columns).map(|j| cell(i, j).to_string()).collect();
            cells.join(",") + "\n"
        };
        let text: String = (0..n).map(row).collect();
        std::fs::write(folder.join(format!("{view}.csv")), text).unwrap();
    }
    let labels: String = (0..n).map(|i| format!("{}\n", i % classes)).collect();
    std::fs::write(folder.join("labels.csv"), labels).unwrap();
}

#[test]
fn every_shipped_experiment_runs_on_small_settings() {
    for (id, _) in SHIPPED {
        let mut plan = Specification::find(id, &[]).unwrap().parse().unwrap();
        let root = tempfile::tempdir().unwrap();
        let (classes, columns) = match &mut plan.protocol.kind {
            plan::Kind::Cluster { clusters, starts } => {
                starts.starts = 2;
                (*clusters, 8)
            }
            plan::Kind::Classify(learning) => {
                // Kernels on single columns are as many times the columns.
                learning.inner_folds = 2;
                (3, 2)
            }
            _ => panic!("{id} neither clusters nor classifies"),
        };
        plan.protocol.repeat(1);
        plan.protocol.first_splits = Some(2);
        for row in &mut plan.rows {
            if row.pick == Pick::Inner {
                row.variants.truncate(2);
            }
        }
        plan.data.truncate(1);
        let data = &mut plan.data[0];
        data.sets = 1;
        data.selection = selection::Selection::default();
        data.lsa = data.lsa.map(|_| 4);
        match &mut data.source {
            Source::Toy(toy) => toy.n = 40,
            source => {
                let digits = ["fac", "fou", "kar", "mor", "pix", "zer"].map(String::from).to_vec();
                let views = data.views.clone().unwrap_or(digits);
                small_folder(root.path(), "small", &views, classes, columns);
                *source = Source::Folder(source::Folder { name: "small".into(), views });
            }
        }
        if let Some(sweep) = plan.sweep.as_mut().filter(|s| s.parameter != "n") {
            sweep.values = vec![sweep.values[0], sweep.values[sweep.values.len() - 1]];
        }
        let found = run(&plan, Some(root.path()), &cokernel::Run::default());
        let found = found.unwrap_or_else(|e| panic!("{id}: {e:#}"));
        let labels: Vec<&String> = found[0].rows.iter().map(|r| &r.label).collect();
        for row in &plan.rows {
            assert!(labels.contains(&&row.label), "{id}, {}", row.label);
        }
        let finite = found[0].rows.iter().flat_map(|r| r.scores.values());
        assert!(finite.into_iter().all(|m| m.ours.mean.is_finite()), "{id}");
    }
}

#[test]
fn cells_are_identified_by_what_decides_and_nothing_else() {
    let ids = |text: &str| -> Vec<String> {
        let cells = parse(text).unwrap().cells(None, 0).unwrap();
        cells.into_iter().map(|c| c.id).collect()
    };
    let base = ids(EXAMPLE);
    assert_eq!(base.len(), 1 + 2 + 2);
    for (from, to) in [
        ("Two views of digits", "Other words"),
        ("published = { nmi = 0.641 }", ""),
        ("reach = { nmi = 0.02 }", "reach = { nmi = 0.2 }"),
        ("alpha = 0.05\nbaseline = \"Kernel Addition\"", "alpha = 0.5"),
        ("scores = [\"nmi\", \"f\"]", "scores = [\"nmi\"]"),
    ] {
        assert!(EXAMPLE.contains(from), "{from}");
        assert_eq!(ids(&EXAMPLE.replacen(from, to, 1)), base, "{from}");
    }
    // The first cell is that of kernel addition, the last two are co-regularised.
    let differ = |from: &str, to: &str| -> Vec<bool> {
        assert!(EXAMPLE.contains(from), "{from}");
        ids(&EXAMPLE.replacen(from, to, 1)).iter().zip(&base).map(|(a, b)| a != b).collect()
    };
    for (from, to) in [
        ("clusters = 10", "clusters = 9"),
        ("memory = \"2GiB\"", "memory = \"1GiB\""),
        ("sigma=median", "sigma=3"),
        ("starts = \"published\"", "starts = { seeding = \"random\", starts = 19 }"),
    ] {
        assert_eq!(differ(from, to), [true; 5], "{from}");
    }
    assert_eq!(differ("[0.01, 0.05]", "[0.01, 0.06]"), [false, false, false, false, true]);
    let one = differ("params = { view = \"mean\" }", "params = { view = \"fou\" }");
    assert_eq!(one, [true, false, false, false, false]);
    let plan = parse(EXAMPLE).unwrap();
    let other = plan.cells(None, 1).unwrap();
    assert!(other.iter().zip(&base).all(|(a, b)| a.id != *b), "another seed");
    // Stores that are there keep their results only as long as cells have no other keys than these.
    let decided: serde_json::Value = serde_json::from_str(&other[0].decided_by).unwrap();
    let keys: Vec<&String> = decided.as_object().unwrap().keys().collect();
    let known = "costs inner_folds inner_score kernels lsa machine memory method own_views params protocol scale seed \
                 source split swept_data unit_rows version views";
    assert_eq!(keys, known.split_whitespace().collect::<Vec<_>>());
}

/// What learns classes.
const LEARNED: &str = r#"title = "t"
[data]
kind = "toy"
generator = "gaussian_classes"
n = 60
[protocol]
folds = 5
scores = ["accuracy"]
[[rows]]
label = "a"
method = "mean"
c = 2.0
[[rows]]
label = "b"
method = "simple_mkl"
pick = "inner"
grid = { c = [1.0, 10.0], tol = [1e-2] }
[machine]
tol = 1e-3
"#;

/// Cells that need no probabilities keep the names under which results are stored.
#[test]
fn probabilities_are_learned_where_they_are_asked_for() {
    let cells = |text: &str| -> Vec<String> {
        parse(text).unwrap().cells(None, 0).unwrap().into_iter().map(|c| c.id).collect()
    };
    let sure = LEARNED
        .replace("\"accuracy\"", "\"log_loss\", \"auc\", \"brier\"")
        .replace("tol = 1e-3\n", "probabilities = \"sigmoid\"\ncalibration_folds = 3\n");
    let scored = LEARNED.replace("\"accuracy\"", "\"accuracy\", \"auc\"");
    assert_eq!(cells(LEARNED)[0], cells(&scored)[0]);
    assert_ne!(cells(LEARNED)[0], cells(&sure)[0]);
    let plan = parse(&sure).unwrap();
    let run = cokernel::Run::default();
    let all = plan.cells(None, 0).unwrap();
    for row in 0..2 {
        let cell = all.iter().find(|c| c.row == row).unwrap();
        let found = bench::Bench::new(&plan, None, 0, None).measure(cell, &run).unwrap();
        let loss = found.scores[&score::Score::LogLoss][0];
        assert!(loss > 0.0 && loss < 1.0 && found.scores[&score::Score::Auc][0] > 0.5, "{found:?}");
        assert_eq!(found.inner.is_some(), row == 1);
    }
    // A machine that tells them takes no calibration.
    let own = LEARNED
        .replace("\"accuracy\"", "\"log_loss\", \"brier\"")
        .replace("method = \"mean\"", "method = \"mean\"\nmachine = \"kernel_logistic\"");
    let refused = format!("{:#}", parse(&own).unwrap_err());
    assert!(
        refused.contains("row 'b' has none") && refused.contains("kernel_logistic"),
        "{refused}"
    );
    let own = own.replace("\"simple_mkl\"", "\"simple_mkl\"\nmachine = \"kernel_logistic\"");
    let plan = parse(&own).unwrap();
    for cell in plan.cells(None, 0).unwrap().iter().take(2) {
        let found = bench::Bench::new(&plan, None, 0, None).measure(cell, &run).unwrap();
        let loss = found.scores[&score::Score::LogLoss][0];
        assert!(loss > 0.0 && loss < 1.0, "{found:?}");
    }
    // Three classes.
    let plan = parse(&LEARNED.replace("\"accuracy\"", "\"auc\"")).unwrap();
    let cell = plan.cells(None, 0).unwrap().remove(0);
    let e = bench::Bench::new(&plan, None, 0, None).measure(&cell, &run).unwrap_err();
    assert!(format!("{e:#}").contains("of more than two classes needs probabilities"), "{e:#}");
}

/// Numbers and outliers: scores as plain formulas over the same splits, inner picks, and what is refused.
#[test]
fn numbers_are_learned_and_outliers_detected() {
    let numbers = LEARNED
        .replace("gaussian_classes", "waves")
        .replace("\"accuracy\"", "\"mse\", \"r2\", \"mae\"")
        .replace("[machine]", "[machine]\nid = \"svr:epsilon=0.05\"");
    let plan = parse(&numbers).unwrap();
    assert_eq!(plan.protocol.task(), Task::Regress);
    let run = cokernel::Run::default();
    let all = plan.cells(None, 0).unwrap();
    let mut bench = bench::Bench::new(&plan, None, 0, None);
    let (views, labels) = cokernel::data::toy::waves(60, 0.1, 0).unwrap();
    let splits = plan.protocol.learning().unwrap().splits.split(&labels, 0).unwrap().splits;
    for cell in all.iter().filter(|c| c.row == 0) {
        let found = bench.measure(cell, &run).unwrap();
        let mkl = plan.rows[0].variants[0].mkl(&plan.data[0], &plan.machine, None).unwrap();
        let split = &splits[cell.split];
        let model = mkl.fit(&views.select(&split.train), &labels.select(&split.train), &run);
        let values = model.unwrap().predict(&views.select(&split.test)).unwrap().decisions;
        let truth = labels.select(&split.test).real().unwrap();
        let mean = truth.iter().sum::<f64>() / truth.len() as f64;
        let squares = |f: &dyn Fn(usize) -> f64| (0..truth.len()).map(f).sum::<f64>();
        let error = squares(&|i| (truth[i] - values.get(i, 0)).powi(2));
        let spread = squares(&|i| (truth[i] - mean).powi(2));
        let r2 = found.scores[&score::Score::R2][0];
        assert!((r2 - (1.0 - error / spread)).abs() < 1e-9, "{r2}");
        let mse = found.scores[&score::Score::Mse][0];
        assert!((mse - error / truth.len() as f64).abs() < 1e-9, "{mse}");
    }
    let picked = bench.measure(all.iter().find(|c| c.row == 1).unwrap(), &run).unwrap();
    assert!(picked.inner.unwrap() > 0.0, "an error");
    let outliers = LEARNED
        .replace("gaussian_classes", "strays")
        .replace("\"accuracy\"", "\"auc\", \"average_precision\", \"rejected\"")
        .replace("c = 2.0\n", "")
        .replace("c = [1.0, 10.0], ", "")
        .replace("tol = [1e-2]", "tol = [1e-2, 1e-3]")
        .replace("[machine]\ntol = 1e-3", "[machine]\nid = \"one_class_svm:nu=0.2\"");
    let plan = parse(&outliers).unwrap();
    let cell = plan.cells(None, 0).unwrap().remove(0);
    let found = bench::Bench::new(&plan, None, 0, None).measure(&cell, &run).unwrap();
    assert!(found.scores[&score::Score::Auc][0] > 0.9, "{found:?}");
    // A row may have a machine of its own.
    let own = "label = \"b\"\nmachine = \"kernel_ridge:lambda=3\"";
    let two = numbers.replace("label = \"b\"", own).replace("simple_mkl", "bemkl");
    let plan = parse(&two.replace("c = [1.0, 10.0], tol = [1e-2]", "tol = [1e-2, 1e-3]")).unwrap();
    let machine = |r: &plan::Row| {
        let mkl = r.variants[0].mkl(&plan.data[0], &plan.machine, None).unwrap();
        mkl.machine_spec().method().id
    };
    let machines: Vec<&str> = plan.rows.iter().map(machine).collect();
    assert_eq!(machines, ["svr", "kernel_ridge"]);
    for (text, from, to, said) in [
        (
            &numbers,
            "label = \"b\"",
            "label = \"b\"\nmachine = \"kernel_rigde\"",
            "line 15: unknown machine 'kernel_rigde'",
        ),
        (
            &numbers,
            "label = \"b\"",
            "label = \"b\"\nmachine = \"one_class_svm\"",
            "line 15: parameter 'machine': 'one_class_svm' is there to detect",
        ),
        (&numbers, "\"mse\"", "\"accuracy\"", "unknown score 'accuracy'; known: r2, mse, mae"),
        (&numbers, "waves", "strays", "the labels of 'strays' are not for the task regress"),
        (&numbers, "folds = 5", "folds = 5\ntask = \"classify\"", "unknown score 'mse'"),
        (&numbers, "folds = 5", "folds = 5\ntask = \"regres\"", "did you mean 'regress'?"),
        (&numbers, "folds = 5", "folds = 5\ntask = \"cluster\"", "give clusters and starts"),
        (&numbers, "svr:", "svr2:", "unknown machine 'svr2'"),
        (&numbers, "\"mean\"", "\"two_stage\"", "'two_stage'"),
        (&outliers, "nu=0.2\"", "nu=0.2\"\nbalanced = true", "balanced: "),
    ] {
        assert!(text.contains(from), "{from}");
        let found = parse(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(found.starts_with("p/my.toml") && found.contains(said), "{to}: {found}");
    }
}

#[test]
fn learning_has_splits_costs_and_inner_picks() {
    let plan = parse(LEARNED).unwrap();
    assert!(plan.protocol.task() == Task::Classify && plan.protocol.splits() == 5);
    assert_eq!(plan.rows[0].variants[0].c, Some(2.0));
    assert_eq!(plan.rows[1].variants[1].c, Some(10.0));
    assert_eq!((plan.rows[1].pick, plan.rows[1].variants.len()), (Pick::Inner, 2));
    assert_eq!(plan.cells(None, 0).unwrap().len(), 5 * 3);
    // Without a choice, each is a row.
    let each = parse(&LEARNED.replace("pick = \"inner\"\n", "")).unwrap();
    let labels: Vec<&str> = each.rows.iter().map(|r| r.label.as_str()).collect();
    assert_eq!(labels, ["a", "b, c=1, tol=0.01", "b, c=10, tol=0.01"]);
    for (from, to, said) in [
        ("folds = 5", "folds = 1", "line 7: folds: expected at least 2, found 1"),
        ("folds = 5", "folds = 5\ntest_fraction = 0.3", "line 8: protocol: give either folds or"),
        ("folds = 5", "test_fraction = 1.5", "line 7: test_fraction: expected a number between"),
        ("folds = 5", "repeats = 5", "protocol: expected clusters = K and starts to cluster"),
        ("folds = 5", "folds = 5\nclusters = 3", "line 7: protocol: 'folds' is for learning on"),
        ("folds = 5", "starts = \"published\"", "line 7: protocol: 'starts' is for clustering"),
        ("folds = 5", "clusters = 3", "line 7: protocol: missing key 'starts'"),
        ("\"accuracy\"", "\"acuracy\"", "line 8: unknown score 'acuracy' (did you mean 'accuracy'"),
        ("c = 2.0", "c = -2.0", "line 12: c: expected a number greater than 0, found -2"),
        ("[1.0, 10.0]", "[1.0, 0.0]", "line 17: c: expected a number greater than 0, found 0"),
        ("\"inner\"", "\"iner\"", "line 16: unknown word 'iner' (did you mean 'inner'?)"),
        ("\"mean\"", "\"spectral\"", "line 11: method 'spectral' clusters; it does not learn"),
        ("tol = 1e-3", "tol = 0", "line 19: tol: expected a number greater than 0"),
        (
            "tol = 1e-3",
            "decomposition = \"one_vs_al\"",
            "line 19: unknown value 'decomposition=one_vs_al'",
        ),
        ("tol = [1e-2] }", "machine = [\"svc\"] }", "line 17: machine: a row has one for all"),
        ("[machine]", "[machne]", "unknown key 'machne' (did you mean 'machine'?)"),
        ("\"accuracy\"", "\"brier\"", "line 8: score 'brier' needs probabilities, and row"),
        (
            "tol = 1e-3",
            "probabilities = \"sigmod\"",
            "line 19: unknown calibration 'sigmod' (did you mean 'sigmoid'?)",
        ),
        ("tol = 1e-3", "calibration_folds = 3", "line 19: calibration_folds: give probabilities"),
        (
            "tol = 1e-3",
            "probabilities = \"sigmoid\"\ncalibration_folds = 1",
            "line 20: parameter 'calibration_folds': expected 2 to 1000 folds, found 1",
        ),
        ("[machine]", "[tests]\nalpha = 2\n[machine]", "line 19: alpha: expected a number between"),
        ("[machine]", "[tests]\nbaseline = \"c\"\n[machine]", "line 19: unknown row 'c'"),
        ("[machine]", "[limits]\nmemory = \"lots\"\n[machine]", "line 19: memory: expected a size"),
        ("n = 60", "n = 60\ncosts = { v = 0 }", "line 6: costs: v: expected a number greater"),
        ("n = 60", "n = 60\nscale = \"standrd\"", "line 6: unknown scaling 'standrd'"),
        ("kind = \"toy\"", "kind = \"files\"", "'generator' belongs to kind = \"toy\""),
        (
            "[data]",
            "[[data]]\nkind = \"digits\"\n[[data]]\nkind = \"digits\"\n[[data]]",
            "line 5: data 'digits' is there twice; give each a label",
        ),
        ("[data]", "[[data]]\nkid = \"digits\"\n[[data]]", "line 3: unknown key 'kid'"),
    ] {
        assert!(LEARNED.contains(from), "{from}");
        let found = parse(&LEARNED.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(found.starts_with("p/my.toml") && found.contains(said), "{to}: {found}");
    }
}

/// Before, these took all memory, did not end, or panicked.
#[test]
fn numbers_out_of_bounds_are_refused_where_they_are_read() {
    let huge = "1000000000000000";
    for (from, to, line, said) in [
        ("n = 60", &*format!("n = {huge}"), 5, "n: expected a whole number from 1 to 100000000"),
        ("n = 60", "n = 60\nsets = 1000000000000", 6, "sets: expected at most 100000, found 10"),
        ("n = 60", "n = 60\nparams = { classes = 1e15 }", 6, "classes: expected a whole number"),
        ("n = 60", "n = 60\nparams = { classes = 2.5 }", 6, "classes: expected a whole number"),
        ("n = 60", "n = 60\nparams = { distance = inf }", 6, "distance: expected a number from"),
        ("n = 60", &*format!("n = 60\nlsa = {huge}"), 6, "lsa: expected at most 1000000"),
        ("folds = 5", &*format!("folds = {huge}"), 7, "folds: expected at most 100000, found 1"),
        ("folds = 5", "folds = 61", 7, "folds: expected at most the 60 instances of data 'gauss"),
        ("folds = 5", &*format!("folds = 5\nrepeats = {huge}"), 8, "repeats: expected at most 1"),
        (
            "folds = 5",
            "folds = 50\nrepeats = 90000",
            8,
            "repeats: this makes 13,500,000 cells, and",
        ),
        ("folds = 5", &*format!("folds = 5\ninner_folds = {huge}"), 8, "inner_folds: expected at"),
        ("folds = 5", "folds = 5\ninner_folds = 99", 8, "inner_folds: expected at most the 60 in"),
        // 20 of each class, 16 in a training set.
        ("folds = 5", "folds = 5\ninner_folds = 17", 8, "inner_folds: expected at most the 16 in"),
        ("n = 60", "n = 60\nparams = { classes = 61 }", 6, "classes: expected at most the 60 in"),
        ("n = 60", "n = 60\nsets = 99999", 6, "sets: this makes 1,499,985 cells, and at most 200"),
        ("[machine]", "[limits]\nseconds = 1e300\n[machine]", 19, "seconds: expected at most 10"),
        ("[machine]", "[limits]\nseconds = inf\n[machine]", 19, "seconds: expected a number gr"),
        (
            "folds = 5",
            &*format!("clusters = {huge}\nstarts = \"published\""),
            7,
            "clusters: expected at most 1000000",
        ),
        (
            "folds = 5",
            &*format!("clusters = 3\nstarts = {{ seeding = \"random\", starts = {huge} }}"),
            8,
            "starts: starts: expected a whole number from 1 to 10000",
        ),
        ("folds = 5", "folds = 5\nreach = { accuracy = nan }", 8, "reach: accuracy: expected a"),
    ] {
        assert!(LEARNED.contains(from), "{from}");
        let found = parse(&LEARNED.replacen(from, to, 1)).unwrap_err().to_string();
        let place = format!("p/my.toml, line {line}: {said}");
        assert!(found.starts_with(&place), "{to}: {found}");
    }
    let many: Vec<String> = (1..=200).map(|i| format!("{i}e-3")).collect();
    let list = many.join(", ");
    let grid = format!("grid = {{ c = [{list}], tol = [{list}] }}");
    let text = LEARNED.replacen("grid = { c = [1.0, 10.0], tol = [1e-2] }", &grid, 1);
    let said = parse(&text).unwrap_err().to_string();
    assert!(
        said.contains("line 17: grid: expected at most 10000 combinations, found 40000"),
        "{said}"
    );
}

#[test]
fn ranges_of_a_sweep_are_bounded() {
    let sweep = |values: &str| {
        let begin = LEARNED.replacen("pick = \"inner\"\n", "", 1);
        parse(&format!("{begin}[sweep]\nparameter = \"distance\"\nvalues = {values}\n"))
    };
    for (values, said) in [
        ("{ from = 0, to = inf, step = 1 }", "to: expected a finite number, found inf"),
        ("{ from = 0, to = 1, step = 1e-320 }", "values: expected at most 10000, found "),
        (
            "{ from = 0, to = 1e12, step = 1 }",
            "values: expected at most 10000, found 1000000000001",
        ),
        ("{ from = 0, to = 1, step = 1e-6 }", "values: expected at most 10000, found 1000001"),
        ("{ from = 0, to = 1, step = nan }", "step: expected a finite number, found nan"),
        ("[0.0, inf]", "values: expected numbers, as [0.0, 0.5], or"),
        ("[0.0, 1e300]", "values: distance: expected a number from -1000000000 to 1000000000"),
    ] {
        let found = sweep(values).unwrap_err().to_string();
        let place = format!("p/my.toml, line 21: {said}");
        assert!(found.starts_with(&place), "{values}: {found}");
    }
    let values = |text: &str| sweep(text).unwrap().sweep.unwrap().values;
    assert_eq!(values("{ from = 0, to = 0.3, step = 0.1 }"), [0.0, 0.1, 0.2, 0.3]);
    // Ten digits would make these the same.
    assert_eq!(values("{ from = 0, to = 2e-12, step = 1e-12 }"), [0.0, 1e-12, 2e-12]);
    assert_eq!(values("{ from = 1e8, to = 3e8, step = 1e8 }"), [1e8, 2e8, 3e8]);
}

/// Before, such an experiment succeeded with nothing, or failed in every cell.
#[test]
fn empty_lists_are_refused_where_they_stand() {
    let own = "grid = { c = [1.0, 10.0], tol = [1e-2] }";
    let line = |text: &str, of: &str| text.lines().position(|l| l.contains(of)).unwrap() + 1;
    for (from, to, key) in [
        (own, "grid = { c = [] }", "grid: c"),
        (own, "kernels = []", "kernels"),
        (own, "views = []", "views"),
        (own, "variants = [{ views = [] }]", "views"),
        ("n = 60", "n = 60\nkernels = []", "kernels"),
        ("n = 60", "n = 60\nviews = []", "views"),
    ] {
        assert!(LEARNED.contains(from), "{from}");
        let text = LEARNED.replacen(from, to, 1);
        let found = parse(&text).unwrap_err().to_string();
        let line = line(&text, to.lines().last().unwrap());
        let said = "expected at least one, found none; leave out the key";
        assert_eq!(found, format!("p/my.toml, line {line}: {key}: {said}"));
    }
    let found = parse(&LEARNED.replacen(own, "variants = []", 1)).unwrap_err().to_string();
    assert!(found.contains("variants: expected at least one, found none"), "{found}");
    let scores = LEARNED.lines().find(|l| l.starts_with("scores")).unwrap();
    let found = parse(&LEARNED.replacen(scores, "scores = []", 1)).unwrap_err().to_string();
    let place = format!("p/my.toml, line {}: protocol: scores", line(LEARNED, scores));
    assert!(found.starts_with(&place), "{found}");
    // A sweep that reaches more classes than instances.
    let begin = LEARNED.replacen("pick = \"inner\"\n", "", 1);
    let swept = "[sweep]\nparameter = \"classes\"\nvalues = [2, 61]\n";
    let found = parse(&format!("{begin}{swept}")).unwrap_err().to_string();
    assert!(found.contains("classes: expected at most the 60 instances of data"), "{found}");
}

/// Before, the data were drawn first, whatever they took.
#[test]
fn data_that_do_not_fit_are_not_drawn() {
    for (from, to) in [
        ("n = 60", "n = 100000000"),
        ("n = 60", "n = 100000\nparams = { classes = 100000 }"),
        ("generator = \"gaussian_classes\"\nn = 60", "generator = \"contradictory\"\nn = 1000000"),
    ] {
        assert!(LEARNED.contains(from), "{from}");
        let plan = parse(&LEARNED.replacen(from, to, 1)).unwrap();
        let cells = plan.cells(None, 0).unwrap();
        let mut bench = bench::Bench::new(&plan, None, 0, None);
        let error = bench.measure(&cells[0], &cokernel::Run::default()).unwrap_err();
        assert!(error.is::<bench::TooLarge>(), "{to}: {error:#}");
        let said = error.to_string();
        assert!(said.contains("beside the kernels, but the limit of a cell is 2.15 GB"), "{said}");
    }
}

/// A file of splits is what rows are measured on; its rows decide about the cells, and a store holds them.
#[test]
fn splits_of_a_file_and_transductive_ones() {
    use cokernel::eval::{Protocol, Splits};
    let folder = tempfile::tempdir().unwrap();
    let text = LEARNED.replace("folds = 5", "splits = \"s.json\"");
    let read = |text: &str| Experiment::parse("my.toml", "my", text, folder.path());
    assert!(read(&text).unwrap_err().to_string().contains("splits: cannot read"));
    let plan = parse(LEARNED).unwrap();
    let selection::Selected { labels, .. } =
        plan.data[0].selection.load(&plan.data[0].source, None, None, 0, false).unwrap();
    let put = |splits: &Splits| splits.save(folder.path().join("s.json")).unwrap();
    put(&Protocol::KFold { folds: 5, repeats: 1 }.split(&labels, 0).unwrap());
    let plan = read(&text).unwrap();
    assert_eq!((plan.protocol.splits(), plan.protocol.given), (5, true));
    assert_eq!(plan.protocol.how(), "5-fold cross-validation, from a file");
    // The same splits, drawn or given, give the same scores; their cells are others.
    let run = cokernel::Run::default();
    let (cells, drawn) = (plan.cells(None, 0).unwrap(), parse(LEARNED).unwrap());
    let same = drawn.cells(None, 0).unwrap();
    assert_ne!(cells[0].id, same[0].id);
    let of = |plan: &Experiment, cell: &Cell| {
        bench::Bench::new(plan, None, 0, None).measure(cell, &run).unwrap().scores
    };
    assert_eq!(of(&plan, &cells[0]), of(&drawn, &same[0]));
    // The text with the splits in it needs no file, and means the same cells.
    let spec = Specification {
        place: "my.toml".into(),
        id: "my".into(),
        text: text.clone(),
        base: folder.path().to_path_buf(),
    };
    let own = spec.self_contained().unwrap();
    let apart = Specification { base: "/nowhere".into(), ..own }.parse().unwrap();
    assert_eq!(apart.cells(None, 0).unwrap()[0].id, cells[0].id);
    assert!(spec.with(None, Some(2)).is_err() && spec.quick().unwrap().parse().is_ok());
    // Other rows are other cells; rows of other labels are refused.
    put(&Protocol::KFold { folds: 5, repeats: 1 }.split(&labels, 1).unwrap());
    assert_ne!(read(&text).unwrap().cells(None, 0).unwrap()[0].id, cells[0].id);
    // A training set without a class.
    let rows = |f: &dyn Fn(usize) -> bool| (0..60).filter(|i| f(*i)).collect::<Vec<_>>();
    let codes = labels.classes().unwrap().codes;
    let one = |i: usize| codes[i] == codes[0];
    let (train, test) = (rows(&|i| !one(i) && i > 9), rows(&one));
    let split = cokernel::eval::Split { train, test, validation: Vec::new() };
    put(&Splits::given(vec![split], &labels).unwrap());
    let said = read(&text).unwrap().check_folds(("my.toml", &text), None, 0).unwrap_err();
    let lacks = "splits: data 'gaussian_classes': labels: split 0: the training set has no instance of class";
    assert!(said.to_string().contains(lacks), "{said}");
    put(&Protocol::FiveByTwo.split(&labels.select(&(1..60).collect::<Vec<_>>()), 1).unwrap());
    let said = read(&text).unwrap().check_folds(("my.toml", &text), None, 0).unwrap_err();
    assert!(
        said.to_string().contains("splits: data 'gaussian_classes': splits: they were made of 59"),
        "{said}"
    );
    for (from, to, part) in [
        ("n = 60", "n = 60\nsets = 2", "splits from a file are those of one data set"),
        ("s.json\"", "s.json\"\nrepeats = 2", "splits says how many splits there are"),
        ("s.json\"", "s.json\"\nper_class = 2", "give either per_class or splits"),
        ("\"s.json\"", "{ other = \"s.json\" }", "there is no file for data 'gaussian_classes'"),
        ("\"s.json\"", "3", "expected a file name in quotes"),
    ] {
        let said = read(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(said.contains(part), "{to}: {said}");
    }
    let by_label = text.replacen("\"s.json\"", "{ gaussian_classes = \"s.json\" }", 1);
    assert_eq!(read(&by_label).unwrap().protocol.splits(), 10);
    // Transductive: the machine sees the test instances, and one that cannot is refused.
    let seen = LEARNED.replace("folds = 5", "per_class = 3\nrepeats = 1\ntransductive = true");
    let said = parse(&seen).unwrap_err().to_string();
    assert!(said.contains("line 9: transductive: machine 'svc' does not learn from"), "{said}");
    let (mean, _) = seen.split_once("c = 2.0").unwrap();
    let seen = format!("{mean}[machine]\nid = \"laplacian_svm\"\n");
    let plan = parse(&seen).unwrap();
    let cell = &plan.cells(None, 0).unwrap()[0];
    let found = bench::Bench::new(&plan, None, 0, None).measure(cell, &run).unwrap();
    assert!(
        found.notes.iter().any(|n| n.contains("have no label and are learned from")),
        "{:?}",
        found.notes
    );
    assert!(
        parse(&LEARNED.replace("folds = 5", "five_by_two = true")).unwrap().protocol.splits() == 10
    );
}

/// What a method tells need not be finite; a store keeps it.
#[test]
fn results_that_are_not_finite_are_read_as_they_were_written() {
    let plan = parse(LEARNED).unwrap();
    let cell = &plan.cells(None, 0).unwrap()[0];
    let run = cokernel::Run::default();
    let mut found = bench::Bench::new(&plan, None, 0, None).measure(cell, &run).unwrap();
    found.inner = Some(f64::NEG_INFINITY);
    found.details.gaps = vec![f64::INFINITY, 0.5];
    found.details.gap = Some(f64::INFINITY);
    found.scores.insert(score::Score::LogLoss, vec![f64::INFINITY]);
    let text = serde_json::to_string(&cokernel::json::Told(&found)).unwrap();
    assert_eq!(serde_json::from_str::<Measured>(&text).unwrap(), found);
}

/// Costs of what is not there did nothing.
#[test]
fn costs_of_what_the_data_does_not_have_are_refused() {
    let put =
        |costs: &str| LEARNED.replacen("n = 60", &format!("n = 60\ncosts = {{ {costs} }}"), 1);
    let check = |text: &str| parse(text).unwrap().check_folds(("my.toml", text), None, 0);
    for costs in ["view0 = 2.0", "gaussian = 2.0", "\"gaussian@view1\" = 2.0, view0 = 3.0"] {
        check(&put(costs)).unwrap();
    }
    let said = check(&put("view0 = 1.5, view9 = 2.0")).unwrap_err().to_string();
    assert!(said.starts_with("my.toml, line "), "{said}");
    assert!(
        said.contains("costs: unknown kernel, view or function 'view9' (did you mean"),
        "{said}"
    );
    assert!(said.contains("view0") && said.contains("gaussian@view1"), "{said}");
    assert!(check(&put("polynomial = 2.0")).is_err());
}

#[test]
fn grids_say_what_they_expect_and_may_have_one_value() {
    let grid = |values: &str| {
        let row = "[[rows]]\nlabel = \"chosen\"\nmethod = \"mean\"\npick = \"inner\"";
        format!("{LEARNED}\n{row}\ngrid = {{ c = [{values}] }}\n")
    };
    let plan = parse(&grid("2.0")).unwrap();
    let row = plan.rows.last().unwrap();
    assert_eq!((row.pick, row.variants.len(), row.variants[0].c), (plan::Pick::Only, 1, Some(2.0)));
    assert_eq!(parse(&grid("2.0, 3.0")).unwrap().rows.last().unwrap().pick, plan::Pick::Inner);
    let said = parse(&grid("true")).unwrap_err().to_string();
    assert!(
        said.contains("expected a number, a word, a list of numbers") && !said.contains("enum"),
        "{said}"
    );
    let said = parse(&grid("2.0").replace("grid = { c = [2.0] }", "")).unwrap_err().to_string();
    assert!(said.contains("pick needs several variants, or a grid"), "{said}");
}
