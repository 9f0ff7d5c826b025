use super::*;
use std::path::Path;

fn parse(text: &str) -> anyhow::Result<Experiment> {
    Experiment::parse("p/my.toml", "my", text)
}

fn refusal(from: &str, to: &str) -> String {
    assert!(EXAMPLE.contains(from), "{from}");
    parse(&EXAMPLE.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn every_shipped_experiment_is_well_formed_and_in_the_list() {
    for (id, text) in SHIPPED {
        let plan = Experiment::parse(&format!("experiments/{id}.toml"), "", text).unwrap();
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
    assert!(said.contains("pick = \"best\", or neither"), "{said}");
}
