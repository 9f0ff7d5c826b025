//! Weights that are learned from pairs, against their problem solved from raw features.

use super::specs;
use crate::Run;
use crate::calibrate::{Calibrating, Shape};
use crate::data::{Labels, Link, Matrix, Pairs, Table, Views, toy};
use crate::model::{Given, Mkl, Model};
use rand::RngExt;

const N: usize = 60;

/// Two views; labels that only view0 shows.
fn data() -> (Views, Labels) {
    toy::views(N, 2, &[3.0, 0.0], 7).unwrap()
}

fn two_stage(kernel: &str) -> Mkl {
    Mkl::new("two_stage").unwrap().param("lambda", 0.01).kernels(specs(&[kernel]))
}

fn fitted(mkl: &Mkl, views: &Views, labels: &Labels, pairs: &Pairs) -> Model {
    let given = Given { pairs: Some(pairs), ..Given::default() };
    mkl.fit_given(views, labels, &given, &Run::default()).unwrap()
}

/// `count` random pairs, by a hidden grouping: the sign of the first feature of view1.
fn hidden(views: &Views, count: usize, seed: u64) -> Pairs {
    let Table::Dense(x) = &views.get("view1").unwrap().table else { panic!("features") };
    let mut rng = Run::with_seed(seed).rng("pairs of a test");
    let mut pair = || {
        let i = rng.random_range(0..N);
        let j = (i + rng.random_range(1..N)) % N;
        let same = (x.get(i, 0) > 0.0) == (x.get(j, 0) > 0.0);
        (i, j, if same { Link::Must } else { Link::Cannot })
    };
    Pairs::new(N, (0..count).map(|_| pair()).collect::<Vec<_>>()).unwrap()
}

/// Every pair of different instances, by class.
fn of_classes(labels: &Labels) -> Pairs {
    let codes = labels.classes().unwrap().codes;
    let link = |i: usize, j: usize| if codes[i] == codes[j] { Link::Must } else { Link::Cannot };
    let all = (0..codes.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    Pairs::new(codes.len(), all.map(|(i, j)| (i, j, link(i, j)))).unwrap()
}

#[test]
fn all_pairs_of_the_classes_give_what_classes_give() {
    let (views, labels) = data();
    for kernel in ["gaussian:gamma=0.3", "gaussian:normalize=center_unit_variance", "linear"] {
        let mkl = two_stage(kernel);
        let without = mkl.clone().param("diagonal", "exclude");
        let expected = without.fit(&views, &labels, &Run::default()).unwrap();
        let found = fitted(&mkl, &views, &labels, &of_classes(&labels));
        for (a, b) in found.weights().iter().zip(expected.weights()) {
            assert!((a.weight - b.weight).abs() < 1e-12, "{kernel}: {a:?} {b:?}");
        }
        assert_eq!(found.report().details["pairs"], expected.report().details["pairs"]);
        assert_eq!(found.duals().0, expected.duals().0);
    }
}

#[test]
fn weights_minimise_the_hinge_loss_of_the_pairs() {
    let (views, labels) = data();
    for (seed, lambda) in [(1, 1e-3), (2, 0.1), (3, 1.0)] {
        let pairs = hidden(&views, 50, seed);
        let mkl = two_stage("gaussian:gamma=0.3").param("lambda", lambda);
        let model = fitted(&mkl, &views, &labels, &pairs);
        let kernel = |name: &str, i: usize, j: usize| {
            let Table::Dense(x) = &views.get(name).unwrap().table else { panic!("features") };
            let square: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum();
            (-0.3 * square).exp()
        };
        let values = Link::ALL.map(|link| {
            let of = |&(i, j): &(u32, u32)| {
                ["view0", "view1"].map(|m| kernel(m, i as usize, j as usize))
            };
            pairs.of(link).iter().map(of).collect::<Vec<_>>()
        });
        let objective = |a: f64, b: f64| {
            let mean = |values: &[[f64; 2]], sign: f64| {
                let hinge = |z: &[f64; 2]| (1.0 - sign * (a * z[0] + b * z[1])).max(0.0);
                values.iter().map(hinge).sum::<f64>() / values.len() as f64
            };
            0.5 * (lambda * (a * a + b * b) + mean(&values[0], 1.0) + mean(&values[1], -1.0))
        };
        // The objective is convex: thirds of an interval say where its least value is not.
        let least = |of: &dyn Fn(f64) -> f64| {
            let (mut low, mut high) = (0.0, 100.0);
            for _ in 0..60 {
                let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if of(a) <= of(b) { high = b } else { low = a }
            }
            of(0.5 * (low + high))
        };
        let best = least(&|a| least(&|b| objective(a, b)));
        let mu = &model.report().details["mu"];
        let (found, told) = (objective(mu[0], mu[1]), *model.report().objective.last().unwrap());
        assert!((found - told).abs() < 1e-9, "{found} {told}");
        assert!(found <= best * (1.0 + 2e-6) + 1e-9, "{found} {best}");
        // The pairs are of a grouping that view1 shows, the labels of one that view0 shows.
        let weights = model.weights();
        assert!(weights[1].weight > 0.6, "{weights:?}");
        let by_labels = mkl.fit(&views, &labels, &Run::default()).unwrap().weights();
        assert!(by_labels[0].weight > 0.6, "{by_labels:?}");
    }
}

#[test]
fn instances_of_pairs_need_no_label() {
    let (views, labels) = data();
    let Labels::Classes { names, codes } = labels.clone() else { panic!("classes") };
    let some = codes.iter().enumerate().map(|(i, c)| c.filter(|_| i % 3 == 0)).collect();
    let some = Labels::Classes { names, codes: some };
    let pairs = hidden(&views, 80, 4);
    let mkl = two_stage("gaussian:gamma=0.3");
    let (all, few) = (fitted(&mkl, &views, &labels, &pairs), fitted(&mkl, &views, &some, &pairs));
    assert_eq!(all.weights(), few.weights());
    assert_eq!((all.n_train(), few.n_train()), (N, N / 3));
    let notes = few.report().notes.join("; ");
    assert!(notes.contains("instances without a label that are in them: "), "{notes}");
    // Other views and similarities follow.
    let similarity = |m: &str| {
        let Table::Dense(x) = &views.get(m).unwrap().table else { panic!("features") };
        let near = |i: usize, j: usize| -> f64 {
            -0.3 * x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
        };
        Table::Similarity(Matrix::from_fn(N, N, |i, j| near(i, j).exp()))
    };
    let given = Views::new().with("view0", similarity("view0")).unwrap();
    let given = given.with("view1", similarity("view1")).unwrap();
    let model = fitted(&two_stage("precomputed"), &given, &some, &pairs);
    for (a, b) in model.weights().iter().zip(few.weights()) {
        assert!((a.weight - b.weight).abs() < 1e-9, "{a:?} {b:?}");
    }
    // Centred kernels are centred over all instances that are compared.
    let (centred, pairs) = (two_stage("linear:normalize=center"), hidden(&views, 400, 4));
    assert_eq!(pairs.rows().len(), N);
    let everywhere = fitted(&centred, &views, &labels, &pairs);
    assert_eq!(everywhere.weights(), fitted(&centred, &views, &some, &pairs).weights());
}

#[test]
fn many_pairs_are_drawn() {
    let (views, labels) = data();
    let kernels: Vec<String> =
        (0..300).map(|k| format!("gaussian:gamma={}", 0.01 * (k + 1) as f64)).collect();
    let kernels: Vec<&str> = kernels.iter().map(String::as_str).collect();
    let mkl = two_stage("linear").kernels(specs(&kernels)).param("steps", 400);
    let pairs = hidden(&views, 200, 5);
    let (model, again) =
        (fitted(&mkl, &views, &labels, &pairs), fitted(&mkl, &views, &labels, &pairs));
    assert_eq!(model.weights(), again.weights());
    let of_view = |name: &str| {
        model.weights().iter().filter(|w| w.view == name).map(|w| w.weight).sum::<f64>()
    };
    assert!(of_view("view1") > of_view("view0"), "{} {}", of_view("view1"), of_view("view0"));
}

#[test]
fn probabilities_are_calibrated_without_pairs_of_held_out_instances() {
    let (views, labels) = data();
    let Labels::Classes { names, codes } = labels else { panic!("classes") };
    let some = codes.iter().enumerate().map(|(i, c)| c.filter(|_| i % 4 > 0)).collect();
    let labels = Labels::Classes { names, codes: some };
    let (mkl, run) = (two_stage("gaussian:gamma=0.3"), Run::with_seed(2));
    let pairs = hidden(&views, 150, 6);
    let given = Given { pairs: Some(&pairs), ..Given::default() };
    let how = Calibrating::new(Shape::Sigmoid).folds(3);
    let found = mkl.calibration_given(&views, &labels, &given, how, &run).unwrap();
    let rows = labels.known_rows();
    let codes = labels.select(&rows).classes().unwrap().codes;
    let fold = crate::calibrate::folds(&codes, 2, 3, &run);
    let mut values = vec![0.0; rows.len()];
    for f in 0..3 {
        let held: Vec<usize> = (0..rows.len()).filter(|&p| fold[p] == f).collect();
        let kept: Vec<usize> = (0..N).filter(|i| !held.iter().any(|&p| rows[p] == *i)).collect();
        let among = |i: &u32| kept.contains(&(*i as usize));
        let place = |i: u32| kept.iter().position(|k| *k == i as usize).unwrap();
        let link = |link: Link| {
            let of = pairs.of(link).iter().filter(|(i, j)| among(i) && among(j));
            of.map(|(i, j)| (place(*i), place(*j), link)).collect::<Vec<_>>()
        };
        let part = Pairs::new(kept.len(), [link(Link::Must), link(Link::Cannot)].concat()).unwrap();
        let given = Given { pairs: Some(&part), ..Given::default() };
        let model =
            mkl.fit_given(&views.select(&kept), &labels.select(&kept), &given, &run).unwrap();
        let new: Vec<usize> = held.iter().map(|&p| rows[p]).collect();
        let decisions = model.predict(&views.select(&new)).unwrap().decisions;
        held.iter().enumerate().for_each(|(i, &p)| values[p] = decisions.get(i, 0));
    }
    let roles = fitted(&mkl, &views, &labels, &pairs).roles();
    let expected =
        crate::calibrate::Calibration::fit(how, &roles, &codes, &[values], None).unwrap();
    assert_eq!(found.curves, expected.curves);
}

#[test]
fn what_no_pairs_can_be_is_refused() {
    let (views, labels) = data();
    let said = |mkl: &Mkl, pairs: &Pairs| {
        let given = Given { pairs: Some(pairs), ..Given::default() };
        mkl.fit_given(&views, &labels, &given, &Run::default()).unwrap_err().to_string()
    };
    let pairs = hidden(&views, 20, 1);
    assert_eq!(
        said(&Mkl::new("mean").unwrap(), &pairs),
        "parameter 'pairs': method 'mean' does not learn from pairs; methods that do: polynomial_two_stage, two_stage, \
         forest_two_stage"
    );
    let mkl = two_stage("linear");
    let short = said(&mkl, &pairs.select(&(0..50).collect::<Vec<_>>()));
    assert_eq!(short, "pairs: expected 60 instances, as many as were prepared, found 50");
    let one = Pairs::new(N, [(0, 1, Link::Must)]).unwrap();
    assert!(said(&mkl, &one).contains("found no cannot-link pair"));
    // A fit on prepared kernels asks the same.
    let run = Run::default();
    let mean = Mkl::new("mean").unwrap();
    let prepared = mean.prepare(&views, &labels, &run).unwrap();
    let prepared = prepared.with_pairs(&views, &pairs, &run).unwrap();
    let e = mean.fit_prepared(&prepared, &run).unwrap_err().to_string();
    assert!(
        e.contains(
            "does not learn from pairs; methods that do: polynomial_two_stage, two_stage, \
         forest_two_stage"
        ),
        "{e}"
    );
}

#[test]
fn pairs_that_contradict_labels_are_remarked_on() {
    let (views, labels) = data();
    let codes = labels.classes().unwrap().codes;
    let same: Vec<usize> = (0..N).filter(|&i| codes[i] == codes[0]).take(3).collect();
    let other: Vec<usize> = (0..N).filter(|&i| codes[i] != codes[0]).take(2).collect();
    let notes = |pairs: &[(usize, usize, Link)]| {
        let pairs = Pairs::new(N, pairs.iter().copied()).unwrap();
        fitted(&two_stage("linear"), &views, &labels, &pairs).report().notes.join("; ")
    };
    let right = [(same[0], same[1], Link::Must), (same[0], other[0], Link::Cannot)];
    let said = notes(&right);
    assert!(said.contains("learned from 1 must-link and 1 cannot-link pairs"), "{said}");
    assert!(!said.contains("contradict"), "{said}");
    let wrong =
        [right[0], right[1], (same[1], other[1], Link::Must), (same[0], same[2], Link::Cannot)];
    let said = notes(&wrong);
    assert!(said.contains("contradict the labels of their instances: 2 of 4; row "), "{said}");
    assert!(said.contains(" are a must-link pair, and are of classes "), "{said}");
}
