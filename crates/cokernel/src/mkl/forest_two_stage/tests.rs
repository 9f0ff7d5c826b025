use super::*;
use crate::bank::{Bank, Storage};
use crate::data::{Classes, Labels, Link, Pairs as Given, Target, Views, toy};
use crate::kernel::KernelSpec;
use crate::machine::{Head, Svc};
use crate::mkl::GivenPairs;
use crate::model::{self, Mkl, Model};
use crate::params::Value;
use crate::rule::{Pairs, Rule};
use crate::{Cancel, catalogue::find};

type Params<'a> = &'a [(&'a str, Value)];

fn built(given: Params<'_>) -> Box<dyn Learner> {
    let method = find("forest_two_stage").unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    (ENTRY.build)(&params)
}

fn data(n: usize, classes: usize) -> (Vec<Matrix>, Classes) {
    let (views, labels) = toy::views(n, classes, &[2.0, 1.0, 0.0], 3).unwrap();
    let specs: Vec<KernelSpec> = vec!["gaussian".parse().unwrap()];
    let bank = Bank::build(&views, &specs, Storage::Resident, &Run::default()).unwrap();
    let kernels = (0..bank.len())
        .map(|m| {
            let mut row = vec![0.0; n];
            let mut k = Matrix::zeros(n, n);
            for i in 0..n {
                bank.row(m, i, &mut row);
                k.row_mut(i).copy_from_slice(&row);
            }
            k
        })
        .collect();
    (kernels, labels.classes().unwrap())
}

fn bank(kernels: &[Matrix]) -> Bank {
    let named = kernels.iter().enumerate().map(|(m, k)| (format!("k{m}"), k.clone())).collect();
    Bank::from_matrices(named, Storage::Resident).unwrap()
}

/// h of two instances, from the matrices.
fn similarity(rule: &dyn Rule, kernels: &[Matrix], i: usize, j: usize) -> f64 {
    let values: Vec<[f64; 1]> = rule.active().iter().map(|m| [kernels[*m].get(i, j)]).collect();
    let values: Vec<&[f64]> = values.iter().map(|v| v.as_slice()).collect();
    let mut out = [f64::NAN];
    rule.pointwise().unwrap().mix(Pairs { values: &values, own: &[], others: &[] }, &mut out);
    out[0]
}

fn decisions(learned: &Learned, kernels: &[Matrix], head: &Head) -> Vec<f64> {
    let n = head.coef.len();
    let one = |i: usize| {
        let used = (0..n).filter(|j| head.coef[*j] != 0.0);
        used.map(|j| head.coef[j] * similarity(&*learned.rule, kernels, i, j)).sum::<f64>()
    };
    (0..n).map(|i| one(i) + head.bias).collect()
}

/// With all instances as landmarks: the machine on Φ Φᵀ, by plain loops.
#[test]
fn decisions_are_those_of_a_linear_machine_on_similarities() {
    let (kernels, classes) = data(48, 3);
    let (bank, target) = (bank(&kernels), Target::from(classes.clone()));
    let machine = Svc { tol: 1e-9, ..Svc::default() };
    let problem = Problem::new(&bank, &target, &machine);
    let given =
        [("landmarks", Value::Real(1.0)), ("draws", Value::Int(1)), ("trees", Value::Int(40))];
    // Stored, and row by row.
    for memory in [2 << 30, 100] {
        let run = Run { memory, ..Run::default() };
        let learned = built(&given).learn(&problem, &run).unwrap();
        let rule = &*learned.rule;
        let h = Matrix::from_fn(48, 48, |i, j| similarity(rule, &kernels, i, j));
        let means: Vec<f64> =
            (0..48).map(|j| (0..48).map(|i| h.get(i, j)).sum::<f64>() / 48.0).collect();
        let centred = Matrix::from_fn(48, 48, |i, j| h.get(i, j) - means[j]);
        let variance = centred.values().iter().map(|v| v * v).sum::<f64>() / 48.0;
        let dot = |i: usize, j: usize| {
            (0..48).map(|t| centred.get(i, t) * centred.get(j, t)).sum::<f64>() / variance
        };
        let gram = Matrix::from_fn(48, 48, dot);
        assert!(((0..48).map(|i| gram.get(i, i)).sum::<f64>() / 48.0 - 1.0).abs() < 1e-12);
        let kernel = Gram::new(gram.clone()).unwrap();
        let plain = machine.fit(&kernel, &classes, None, None, &Run::default()).unwrap();
        let found = learned.machines.as_ref().unwrap();
        assert!((found.primal() / plain.primal() - 1.0).abs() < 1e-7);
        for (head, expected) in found.heads().zip(plain.heads()) {
            let values = decisions(&learned, &kernels, head);
            for (i, value) in values.iter().enumerate() {
                let coef = expected.coef.iter().enumerate();
                let want = coef.map(|(j, c)| c * gram.get(i, j)).sum::<f64>() + expected.bias;
                assert!((value - want).abs() < 1e-5, "{value} {want}");
            }
        }
    }
}

#[test]
fn landmarks_are_a_third_with_as_many_of_each_class() {
    let (kernels, classes) = data(60, 3);
    let (bank, target, machine) = (bank(&kernels), Target::from(classes.clone()), Svc::default());
    let problem = Problem::new(&bank, &target, &machine);
    let learned = built(&[]).learn(&problem, &Run::default()).unwrap();
    assert_eq!(learned.report.details["landmarks"], [20.0; 5]);
    let support = learned.machines.as_ref().unwrap().support(60);
    assert!(support.len() > 40 && support.len() <= 60, "{}", support.len());
    let one = built(&[("draws", Value::Int(1))]).learn(&problem, &Run::default()).unwrap();
    let support = one.machines.as_ref().unwrap().support(60);
    let of = |c: u32| support.iter().filter(|i| classes.codes[**i] == c).count();
    assert_eq!([of(0), of(1), of(2)].iter().sum::<usize>(), 20);
    assert!((0..3).all(|c| (6..=7).contains(&of(c))));
    // Classes that are too small leave their part to the others, and each has one.
    let codes: Vec<u32> = (0..60).map(|i| if i == 7 { 1 } else { 2 * u32::from(i > 30) }).collect();
    let classes = Classes { names: classes.names, codes };
    for draw in choose(1.0 / 3.0, 5, &classes, &Run::default()) {
        assert_eq!(draw.len(), 20);
        assert!(draw.contains(&7) && draw.windows(2).all(|w| w[0] < w[1]));
        let first = draw.iter().filter(|i| classes.codes[**i] == 0).count();
        assert!((9..=10).contains(&first));
    }
    assert_eq!(choose(1e-9, 1, &classes, &Run::default())[0].len(), 3);
}

/// All pairs of different instances, given, are the labels without the diagonal.
#[test]
fn all_pairs_are_the_labels() {
    let (kernels, classes) = data(40, 2);
    let (bank, target, machine) = (bank(&kernels), Target::from(classes.clone()), Svc::default());
    let problem = Problem::new(&bank, &target, &machine);
    let all = (0..40_usize).flat_map(|i| (0..i).map(move |j| (i, j)));
    let linked = all.map(|(i, j)| {
        let link = if classes.codes[i] == classes.codes[j] { Link::Must } else { Link::Cannot };
        (i, j, link)
    });
    let pairs = Given::new(40, linked).unwrap();
    let given = Problem { pairs: Some(GivenPairs { bank: &bank, pairs: &pairs }), ..problem };
    let params = [("diagonal", Value::Text("exclude".to_string())), ("trees", Value::Int(30))];
    let learned = built(&params).learn(&problem, &Run::default()).unwrap();
    let by_pairs = built(&params).learn(&given, &Run::default()).unwrap();
    assert_eq!(learned.rule, by_pairs.rule);
    assert_eq!(learned.machines, by_pairs.machines);
    assert_eq!(learned.report.details["pairs"], [780.0]);
}

/// From pairs of landmarks: the forest grown on just these, whatever lies between the other instances.
#[test]
fn a_forest_of_pairs_of_landmarks_knows_no_other_pair() {
    let (kernels, classes) = data(60, 3);
    let target = Target::from(classes.clone());
    let run = Run { seed: 4, ..Run::default() };
    let draws = choose(1.0 / 3.0, 1, &classes, &run);
    let text = |t: &str| Value::Text(t.to_string());
    let params =
        [("learn_from", text("landmarks")), ("draws", Value::Int(1)), ("trees", Value::Int(30))];
    let learn = |bank: &Bank, given: Option<&Given>, params: Params<'_>| {
        let machine = Svc::default();
        let pairs = given.map(|pairs| GivenPairs { bank, pairs });
        let problem = Problem { pairs, ..Problem::new(bank, &target, &machine) };
        built(params).learn(&problem, &run)
    };
    let whole = bank(&kernels);
    let learned = learn(&whole, None, &params).unwrap();
    assert_eq!(learned.report.details["pairs"], [190.0]);
    // The same pairs, given.
    let each = draws[0].iter().flat_map(|i| draws[0].iter().map(move |j| (*i, *j)));
    let linked = each.filter(|(i, j)| i > j).map(|(i, j)| {
        let link = if classes.codes[i] == classes.codes[j] { Link::Must } else { Link::Cannot };
        (i, j, link)
    });
    let pairs = Given::new(60, linked).unwrap();
    let by_pairs = learn(&whole, Some(&pairs), &params[1..]).unwrap();
    assert_eq!(learned.rule, by_pairs.rule);
    assert_eq!(learned.machines, by_pairs.machines);
    // Other values where no two landmarks meet change the machine, not the forest.
    let marked = |i: usize| draws[0].contains(&i);
    let other = |k: &Matrix| {
        let between = |i: usize, j: usize| i == j || marked(i) && marked(j);
        Matrix::from_fn(60, 60, |i, j| if between(i, j) { k.get(i, j) } else { 0.5 })
    };
    let changed = bank(&kernels.iter().map(other).collect::<Vec<_>>());
    let elsewhere = learn(&changed, None, &params).unwrap();
    assert_eq!(learned.rule, elsewhere.rule);
    assert_ne!(learned.machines, elsewhere.machines);
    // Both are refused: pairs that are given and those of landmarks; a landmark of each class.
    let e = learn(&whole, Some(&pairs), &params).unwrap_err().to_string();
    assert!(e.contains("learn_from") && e.contains("the pairs are given"), "{e}");
    let few = [("learn_from", text("landmarks")), ("landmarks", Value::Real(0.01))];
    let e = learn(&whole, None, &few).unwrap_err().to_string();
    assert!(e.contains("a single landmark") && e.contains("learn_from=all"), "{e}");
}

#[test]
fn pairs_of_landmarks_are_of_one_draw_and_drawn_alike() {
    let codes: Vec<u32> = (0..40).map(|i| u32::from(i % 4 == 0)).collect();
    let classes = Classes { names: vec!["a".into(), "b".into()], codes };
    let draws = vec![(0..20).collect::<Vec<usize>>(), (10..40).collect()];
    let pairs = |most: usize, seed: u64| {
        let run = Run { seed, ..Run::default() };
        landmarks::pairs(&draws, &classes, most, &run, &run.watch()).unwrap()
    };
    let all = pairs(10_000, 0);
    // 190 and 435, of which 45 are the same.
    assert_eq!(all.len(), 580);
    assert!(!all.of(Link::Must).contains(&(25, 5)) && !all.of(Link::Cannot).contains(&(25, 4)));
    let mut counts = std::collections::BTreeMap::new();
    for seed in 0..2000 {
        let some = pairs(60, seed);
        for link in Link::ALL {
            assert!(some.of(link).len() <= 30 && some.of(link).len() > 20);
            some.of(link)
                .iter()
                .for_each(|p| *counts.entry((link == Link::Must, *p)).or_insert(0) += 1);
        }
    }
    // Pairs of one draw, as often as each other.
    for must in [true, false] {
        let link = if must { Link::Must } else { Link::Cannot };
        let once = |p: &(u32, u32)| p.1 < 10 || p.0 >= 20;
        let found: Vec<f64> = all
            .of(link)
            .iter()
            .filter(|p| once(p))
            .map(|p| f64::from(counts[&(must, *p)]))
            .collect();
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        assert!(found.iter().all(|c| (c / mean - 1.0).abs() < 0.35), "{mean} {found:?}");
    }
}

fn model(views: &Views, labels: &Labels, given: Params<'_>) -> crate::Result<Model> {
    let specs: Vec<KernelSpec> =
        ["gaussian", "linear", "gaussian:gamma=0.05:normalize=center_unit_variance"]
            .iter()
            .map(|t| t.parse().unwrap())
            .collect();
    let mkl = Mkl::new("forest_two_stage").unwrap().kernels(specs).c(10.0);
    let mkl = given.iter().fold(mkl, |m, (name, value)| m.param(*name, value.clone()));
    mkl.fit(views, labels, &Run::default())
}

#[test]
fn saved_models_predict_the_same_and_well() {
    let (views, labels) = toy::views(240, 3, &[2.5, 1.5, 0.0], 8).unwrap();
    let (train, test): (Vec<usize>, Vec<usize>) = (0..240).partition(|i| i % 2 == 0);
    let (old, new) = (views.select(&train), views.select(&test));
    let (known, truth) = (labels.select(&train), labels.select(&test).classes().unwrap());
    for leaves in ["means", "votes"] {
        for thresholds in ["best", "random"] {
            let text = |t: &str| Value::Text(t.to_string());
            let given = [
                ("leaves", text(leaves)),
                ("thresholds", text(thresholds)),
                ("trees", Value::Int(60)),
            ];
            let model = model(&old, &known, &given).unwrap();
            let found = model.predict(&new).unwrap();
            let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(again.predict(&new).unwrap(), found);
            assert_eq!(again.to_bytes().unwrap(), model.to_bytes().unwrap());
            let names = truth.codes.iter().map(|c| &truth.names[*c as usize]);
            let right = found.labels.iter().zip(names).filter(|(a, b)| a == b).count();
            assert!(right >= 100, "{leaves} {thresholds}: {right} of 120");
            let uses = model.weights();
            let of = |view: &str| -> f64 {
                uses.iter().filter(|u| u.kernel.contains(view)).map(|u| u.weight).sum()
            };
            assert!(of("view0") > of("view2"), "{uses:?}");
        }
    }
    assert!(model::Mkl::new("forest_two_stage").unwrap().require_pairs().is_ok());
}

#[test]
fn what_cannot_be_learned_is_said() {
    let (kernels, _) = data(6, 2);
    let (bank, machine) = (bank(&kernels), Svc::default());
    let texts: Vec<String> = (0..6).map(|i| i.to_string()).collect();
    let target = Target::from(Classes::from_texts(&texts).unwrap());
    let problem = Problem::new(&bank, &target, &machine);
    let exclude = [("diagonal", Value::Text("exclude".to_string()))];
    let e = built(&exclude).learn(&problem, &Run::default()).unwrap_err().to_string();
    assert!(e.starts_with("labels: every class has a single instance"), "{e}");
    // Every instance a class of its own, with the diagonal; and kernels that say nothing.
    let learned = built(&[]).learn(&problem, &Run::default()).unwrap();
    assert_eq!(learned.report.details["landmarks"], [6.0; 5]);
    let ones = vec![Matrix::from_fn(6, 6, |_, _| 1.0)];
    let flat = super::tests::bank(&ones);
    let texts: Vec<String> = (0..6).map(|i| (i % 2).to_string()).collect();
    let target = Target::from(Classes::from_texts(&texts).unwrap());
    let problem = Problem::new(&flat, &target, &machine);
    let learned = built(&[]).learn(&problem, &Run::default()).unwrap();
    let notes = &learned.report.notes;
    assert!(notes.iter().any(|n| n.contains("no tree has a split")), "{notes:?}");
    let coefs = learned.machines.as_ref().unwrap().coefs().concat();
    assert!(coefs.iter().all(|c| *c == 0.0));
    let cancel = Cancel::default();
    cancel.cancel();
    let run = Run { cancel, ..Run::default() };
    let learned = built(&[]).learn(&problem, &run).unwrap();
    assert_eq!(learned.report.status, crate::Status::Interrupted);
    let notes = learned.report.notes.join("\n");
    let both = ["stopped after 1 of 500 trees", "stopped after 1 of 5 draws of landmarks"];
    assert!(both.iter().all(|b| notes.contains(b)), "{notes}");
}
