use super::*;
use crate::data::{Matrix, toy};
use crate::eval::{How, Protocol, Split, cross_validate, cross_validate_given};
use crate::kernel::KernelSpec;
use crate::machine::MachineSpec;

fn axes(texts: &[&str]) -> Vec<Axis> {
    texts.iter().map(|t| Axis::parse(t).unwrap()).collect()
}

fn tuning(texts: &[&str]) -> Tuning {
    Tuning { folds: 3, ..Tuning::new(axes(texts)) }
}

#[test]
fn ranges_are_read_as_they_are_written() {
    let reals = |text: &str| -> Vec<f64> {
        let values = Axis::parse(text).unwrap().values;
        values.iter().map(|v| real(v).unwrap()).collect()
    };
    assert_eq!(reals("c=0.001..100"), [0.001, 0.01, 0.1, 1.0, 10.0, 100.0]);
    assert_eq!(reals("c=3..40"), [3.0, 30.0]);
    assert_eq!(reals("width=2^-2..1"), [0.25, 0.5, 1.0, 2.0]);
    assert_eq!(reals("p=1,1.5,10..100"), [1.0, 1.5, 10.0, 100.0]);
    // b / a is no number of f64.
    let wide = reals("c=1e-300..1e300");
    assert_eq!((wide.len(), wide[0], wide[600]), (601, 1e-300, 1e300));
    let words = Axis::parse("method=mean,simple_mkl").unwrap();
    assert_eq!(words.values[1], Value::Text("simple_mkl".to_string()));
    for wrong in ["c", "=1", "c=", "c=1,,2", "c=2..1", "c=0..1", "c=a..b", "c=2^a..3", "c=1..inf"] {
        assert!(Axis::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_choice_is_that_of_fits_one_by_one() {
    let (views, labels) = toy::views(90, 3, &[1.0, 2.0], 4).unwrap();
    let run = Run::with_seed(3);
    let splits = Protocol::KFold { folds: 3, repeats: 1 }.split(&labels, 3).unwrap();
    let mut machine = crate::machine::MachineSpec::new("svc").unwrap();
    machine.set("tol", 1e-10);
    let base = Mkl::new("simple_mkl").unwrap().param("tol", 1e-9).machine(machine);
    let tuning = tuning(&["width=0.5,2", "c=0.01..10", "method=simple_mkl,mean"]);
    let found = tuning.choose(&base, (&views, &labels), &Given::default(), &run).unwrap();
    assert_eq!(found.tried.len(), 16);
    let candidates = tuning.candidates(&base, false).unwrap();
    let mut best = f64::NEG_INFINITY;
    for (candidate, tried) in candidates.grid().iter().zip(&found.tried) {
        let alone = cross_validate(&candidate.mkl, &views, &labels, &splits, &run).unwrap();
        let score = alone.measures.get("accuracy").unwrap();
        assert!((score.mean - tried.score.mean).abs() < 1e-12, "{:?}", tried.values);
        best = best.max(score.mean);
    }
    assert_eq!(found.tried[found.best].score.mean, best);
    let first = found.tried.iter().position(|t| t.score.mean == best).unwrap();
    assert_eq!(first, found.best);
    assert!(found.notes()[0].contains("chosen among 16 by accuracy"), "{:?}", found.notes());
}

/// What is tested on has no part: with other test instances, and with other labels on them, the same is chosen and
/// learned.
#[test]
fn nothing_leaks_from_what_is_tested_on() {
    let (views, labels) = toy::views(80, 2, &[1.0, 1.0], 9).unwrap();
    let splits = Protocol::KFold { folds: 4, repeats: 1 }.split(&labels, 1).unwrap();
    let mut first = splits;
    first.splits.truncate(1);
    let test = &first.splits[0].test;
    let mut tables: Vec<(String, Matrix)> = Vec::new();
    for view in views.iter() {
        let crate::data::Table::Dense(table) = &view.table else { panic!() };
        let other = Matrix::from_fn(table.rows(), table.cols(), |i, j| match test.contains(&i) {
            // Far away, and telling of the class.
            true => 1e3 * (i % 2) as f64 + j as f64,
            false => table.get(i, j),
        });
        tables.push((view.name.clone(), other));
    }
    let Labels::Classes { names, codes } = &labels else { panic!() };
    let mut codes = codes.clone();
    for (k, i) in test.iter().enumerate() {
        codes[*i] = Some((k % 2) as u32);
    }
    let other_labels = Labels::Classes { names: names.clone(), codes };
    let mut other = Views::new();
    for (name, table) in tables {
        other = other.dense(name, table).unwrap();
    }
    let mkl = Mkl::new("simple_mkl")
        .unwrap()
        .kernels([KernelSpec::gaussian(), KernelSpec::linear()])
        .scale(crate::data::Scale::Standard);
    let tuning = tuning(&["c=0.1..10", "width=0.5,1"]);
    let how = How { tuning: Some(&tuning), ..How::default() };
    let result = |views: &Views, labels: &Labels| {
        let data = (views, labels);
        cross_validate_given(&mkl, how, data, &Given::default(), &first, &Run::default()).unwrap()
    };
    let (here, there) = (result(&views, &labels), result(&other, &other_labels));
    assert_eq!(here.results[0].chosen, there.results[0].chosen);
    assert_eq!(here.results[0].weights, there.results[0].weights);
    assert_eq!(here.results[0].support_percent, there.results[0].support_percent);
    assert_ne!(here.results[0].scores, there.results[0].scores);
}

#[test]
fn validation_sets_choose_once_for_all_splits() {
    let (views, labels) = toy::views(90, 3, &[1.0, 1.5], 2).unwrap();
    let splits = Protocol::Reserved { test: 1.0 / 3.0 }.split(&labels, 5).unwrap();
    let (mkl, tuning) = (Mkl::new("mean").unwrap(), tuning(&["c=0.01..100"]));
    let how = How { tuning: Some(&tuning), ..How::default() };
    let (data, given, run) = ((&views, &labels), Given::default(), Run::default());
    let found = cross_validate_given(&mkl, how, data, &given, &splits, &run).unwrap();
    let chosen = &found.results[0].chosen;
    assert!(found.results.iter().all(|r| r.chosen == *chosen));
    let inner = splits.validating().unwrap();
    let all = tuning.candidates(&mkl, false).unwrap();
    let once = tuning.choose_on(&all, data, &given, &inner, &run).unwrap();
    assert_eq!(once.values(), chosen.as_slice());
}

#[test]
fn what_cannot_be_chosen_is_refused() {
    let (views, labels) = toy::views(30, 2, &[1.0], 1).unwrap();
    let mkl = Mkl::new("simple_mkl").unwrap();
    let say = |axes: &[&str], folds: usize, score: Option<&str>| {
        let parse = |t: &&str| Axis::parse(t).unwrap();
        let axes = axes.iter().map(parse).collect();
        let tuning = Tuning { folds, score: score.map(String::from), ..Tuning::new(axes) };
        let found = tuning.choose(&mkl, (&views, &labels), &Given::default(), &Run::default());
        found.unwrap_err().to_string()
    };
    assert!(say(&["d=1"], 3, None).contains("unknown parameter 'd' (did you mean 'c'?)"));
    assert!(say(&["c=-1"], 3, None).contains("parameter 'c'"));
    assert!(say(&["c=1", "c=2"], 3, None).contains("'c' is there twice"));
    assert!(say(&["width=0"], 3, None).contains("a factor above 0"));
    assert!(say(&["method=maen"], 3, None).contains("did you mean 'mean'"));
    assert!(say(&["c=1,2"], 3, Some("mse")).contains("unknown score 'mse'"));
    assert!(say(&["c=1,2"], 3, Some("log_loss")).contains("ask for it (--probabilities sigmoid)"));
    assert!(say(&["method=mean,sum", "p=2"], 3, None).contains("unknown parameter 'p'"));
    assert!(say(&["c=1,2"], 16, None).contains("choosing parameters inside: class"));
}

/// One choice for all splits would know what is tested on where test sets differ.
#[test]
fn validation_sets_beside_other_test_sets_choose_for_themselves() {
    let (views, labels) = toy::views(60, 2, &[1.0, 1.0], 3).unwrap();
    let parts: Vec<Vec<usize>> = (0..3).map(|p| (20 * p..20 * p + 20).collect()).collect();
    let split = |p: usize| Split {
        train: parts[(p + 2) % 3].clone(),
        test: parts[p].clone(),
        validation: parts[(p + 1) % 3].clone(),
    };
    let splits = Splits::given((0..3).map(split).collect(), &labels).unwrap();
    assert!(splits.validating().is_none());
    let tuning = tuning(&["c=0.01..100"]);
    let mkl = Mkl::new("mean").unwrap();
    let how = How { tuning: Some(&tuning), ..How::default() };
    let (data, given, run) = ((&views, &labels), Given::default(), Run::default());
    let found = cross_validate_given(&mkl, how, data, &given, &splits, &run).unwrap();
    let candidates = tuning.candidates(&mkl, false).unwrap();
    for (result, split) in found.results.iter().zip(&splits.splits) {
        let own = splits.alone(split.validating().unwrap());
        let alone = tuning.choose_on(&candidates, data, &given, &own, &run).unwrap();
        assert_eq!(result.chosen, alone.values());
    }
    let compared = crate::eval::compare_how(&[mkl], false, how, &views, &labels, &splits, &run);
    let chosen: Vec<_> = found.results.iter().map(|r| r.chosen.clone()).collect();
    assert_eq!(compared.unwrap().rows[0].chosen, chosen);
}

/// Patients of six rows: inside, too, all of a patient are on one side.
#[test]
fn groups_stay_together_inside() {
    let labels = Labels::from_texts(&(0..96).map(|i| ["a", "b"][i / 6 % 2]).collect::<Vec<_>>());
    let groups: Vec<String> = (0..96).map(|i| format!("p{}", i / 6)).collect();
    // A patient is known by the place, the class by nothing.
    let x = Matrix::from_fn(96, 2, |i, j| {
        ((i / 6) as f64 * (1.7 + j as f64)).sin() + 1e-3 * (i % 6) as f64
    });
    let views = Views::new().dense("x", x).unwrap();
    let folds = Protocol::KFold { folds: 4, repeats: 1 };
    let splits = folds.split_groups(&labels, &groups, 0).unwrap();
    let tuning = tuning(&["width=0.01,1"]);
    let mkl = Mkl::new("mean").unwrap();
    let split = &splits.splits[0];
    let train = (views.select(&split.train), labels.select(&split.train));
    let (data, given, run) = ((&train.0, &train.1), Given::default(), Run::default());
    let candidates = tuning.candidates(&mkl, false).unwrap();
    let choose = |groups: Option<&[String]>| {
        let tuned = tuning.choose_among(&candidates, data, groups, &given, &run).unwrap();
        tuned.tried[0].score.mean
    };
    let of_train = splits.groups_of(&split.train).unwrap();
    assert!(choose(None) > 0.9 && choose(Some(&of_train)) < 0.7);
}

/// log₁₀ of the mean squared error of a smooth function falls to a least point inside the box.
#[test]
fn a_surface_finds_the_optimum_with_fewer_fits_than_the_grid() {
    let x = Matrix::from_fn(60, 1, |i, _| 6.0 * ((i * 37 % 60) as f64 / 60.0) - 3.0);
    let noise = |i: usize| 0.3 * ((i * i) as f64 * 12.9898).sin();
    let y = (0..60).map(|i| Some((2.0 * x.get(i, 0)).sin() + noise(i))).collect();
    let (views, labels) = (Views::new().dense("x", x).unwrap(), Labels::Real(y));
    let mkl = Mkl::new("mean").unwrap().machine("kernel_ridge".parse::<MachineSpec>().unwrap());
    let grid =
        Tuning { score: Some("mse".to_string()), ..tuning(&["lambda=1e-4..1e3", "width=2^-5..5"]) };
    let surface = Tuning { search: Search::Surface, ..grid.clone() };
    let (given, run) = (Given::default(), Run::default());
    let by = |t: &Tuning| t.choose(&mkl, (&views, &labels), &given, &run).unwrap();
    let (all, few) = (by(&grid), by(&surface));
    assert!(4 * few.tried.len() < all.tried.len(), "{} of {}", few.tried.len(), all.tried.len());
    let best = |t: &Tuned| t.tried[t.best].score.mean;
    assert!(best(&few) < 1.25 * best(&all), "{} and {}", best(&few), best(&all));
    // The worst of the grid is far from that.
    let worst = all.tried.iter().map(|t| t.score.mean).fold(0.0, f64::max);
    assert!(worst > 2.0 * best(&all), "{worst}");
    assert!(few.tried[6..].iter().all(|t| t.predicted.is_some()), "after the design");
    for tried in &few.tried {
        let v = |k: usize| real(&tried.values[k].1).unwrap();
        assert!((1e-4..=1e3).contains(&v(0)) && (1.0 / 32.0..=32.0).contains(&v(1)));
    }
    for (axes, part) in
        [("method=mean,sum", "words and single values"), ("lambda=1", "two numbers")]
    {
        let wrong = Tuning { search: Search::Surface, ..tuning(&[axes]) };
        assert!(wrong.candidates(&mkl, false).unwrap_err().to_string().contains(part), "{axes}");
    }
}

#[test]
fn methods_are_tried_without_what_they_do_not_have() {
    let (views, labels) = toy::views(60, 2, &[1.0, 2.0], 4).unwrap();
    let tuning = tuning(&["p=1.5,3", "method=mean,lp_norm", "c=1,10"]);
    let (mkl, given, run) = (Mkl::new("mean").unwrap(), Given::default(), Run::default());
    let found = tuning.choose(&mkl, (&views, &labels), &given, &run).unwrap();
    assert_eq!(found.tried.len(), 2 + 4);
    assert!(found.notes().iter().any(|n| n.contains("tried without p") && n.ends_with("mean")));
}

/// Of 3 splits × 4 values, 2 values on the first.
struct StopAfterTwo(crate::Cancel);

impl crate::Observer for StopAfterTwo {
    fn event(&self, event: &crate::Event<'_>) {
        if matches!(event, crate::Event::Step { done: 2, message } if message.starts_with("c = ")) {
            self.0.cancel();
        }
    }
}

/// Time that is up leaves the best of what was tried; with probabilities log loss can choose.
#[test]
fn a_choice_that_is_stopped_keeps_what_it_has() {
    let (views, labels) = toy::views(60, 2, &[1.0, 2.0], 4).unwrap();
    let (mkl, given) = (Mkl::new("mean").unwrap(), Given::default());
    let cancel = crate::Cancel::default();
    let observer = Some(std::sync::Arc::new(StopAfterTwo(cancel.clone())) as _);
    let run = Run { cancel, observer, ..Run::default() };
    let found = tuning(&["c=0.01..10"]).choose(&mkl, (&views, &labels), &given, &run).unwrap();
    assert_eq!((found.tried.len(), found.splits, found.status), (2, 1, Status::Interrupted));
    assert!(found.notes()[1].contains("among 2 of 4 combinations on 1 of 3 inner splits"));
    let none = Run { time_limit: Some(std::time::Duration::ZERO), ..Run::default() };
    let found = tuning(&["c=0.01..10"]).choose(&mkl, (&views, &labels), &given, &none);
    assert!(matches!(found, Err(Error::Stopped { .. })));
    let by_loss = Tuning {
        score: Some("log_loss".to_string()),
        calibrating: Some(Calibrating::new(crate::calibrate::Shape::Sigmoid).folds(2)),
        ..tuning(&["c=1e-4,1"])
    };
    let found = by_loss.choose(&mkl, (&views, &labels), &given, &Run::default()).unwrap();
    assert!(found.tried.iter().all(|t| t.score.mean > 0.0) && found.score == "log_loss");
}
