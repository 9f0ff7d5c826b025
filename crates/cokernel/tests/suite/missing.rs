//! Learning from instances that lack views: each treatment beside plain loops, and beside fits on complete instances.

use cokernel::data::{Labels, Matrix, Missing, Table, View, Views, toy};
use cokernel::eval::{Protocol, cross_validate};
use cokernel::kernel::KernelSpec;
use cokernel::machine::{MachineSpec, Svc};
use cokernel::model::{KernelWeight, Mkl, Model};
use cokernel::{Result, Run};
use rand::RngExt;

fn svc() -> Svc {
    Svc { c: 2.0, tol: 1e-10, ..Svc::default() }
}

/// A method with kernels that do not depend on which instances there are.
fn method(id: &str) -> Mkl {
    let specs: Vec<KernelSpec> =
        ["gaussian:gamma=0.1", "linear"].iter().map(|t| t.parse().unwrap()).collect();
    let mkl = Mkl::new(id).unwrap().kernels(specs).svc(svc());
    match id {
        "simple_mkl" => mkl.param("tol", 1e-8),
        "medfc" => mkl.param("tol", 1e-8),
        _ => mkl,
    }
}

fn data(classes: usize, seed: u64) -> (Views, Labels) {
    toy::views(70, classes, &[2.0, 1.0, 1.5], seed).unwrap()
}

/// The same views, each instance lacking each view with a chance of a third, never all of them.
fn thinned(views: &Views, seed: u64) -> Views {
    let mut rng = Run::with_seed(seed).rng("missing views");
    let n = views.n();
    let mut masks = vec![vec![true; n]; views.len()];
    for i in 0..n {
        let kept = rng.random_range(0..views.len());
        for (v, mask) in masks.iter_mut().enumerate() {
            mask[i] = v == kept || rng.random::<f64>() > 1.0 / 3.0;
        }
    }
    with_masks(views, &masks)
}

fn with_masks(views: &Views, masks: &[Vec<bool>]) -> Views {
    let mut all = Views::new();
    for (view, mask) in views.iter().zip(masks) {
        let table = match &view.table {
            Table::Dense(m) => {
                let at = |i, j| if mask[i] { m.get(i, j) } else { f64::NAN };
                Table::Dense(Matrix::from_fn(m.rows(), m.cols(), at))
            }
            other => other.clone(),
        };
        all.push(View { table, present: Some(mask.clone()), ..view.clone() }).unwrap();
    }
    if let Some(ids) = views.ids() {
        all.set_ids(ids.to_vec()).unwrap();
    }
    all
}

fn dense(views: &Views, v: usize) -> &Matrix {
    match &views.iter().nth(v).unwrap().table {
        Table::Dense(m) => m,
        _ => panic!("features"),
    }
}

fn has(views: &Views, v: usize, i: usize) -> bool {
    views.iter().nth(v).unwrap().has(i)
}

fn decisions(model: &Model, views: &Views) -> Matrix {
    model.predict(views).unwrap().decisions
}

fn assert_near(a: &Matrix, b: &Matrix, tol: f64, what: &str) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()), "{what}");
    for (i, (x, y)) in a.values().iter().zip(b.values()).enumerate() {
        assert!((x - y).abs() <= tol * (1.0 + y.abs()), "{what}: {x} {y} at {i}");
    }
}

fn refusal<T>(found: Result<T>) -> String {
    match found {
        Ok(_) => panic!("was accepted"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn complete_instances_are_learned_from_as_if_nothing_were_asked() {
    let (views, labels) = data(2, 3);
    let masks = vec![vec![true; 70]; 3];
    let masked = with_masks(&views, &masks);
    let run = Run::default();
    for id in [
        "mean",
        "simple_mkl",
        "product",
        "late_mean",
        "ekp",
        "medfc",
        "lp_beta",
        "gml",
        "concat",
        "localized_mkl",
    ] {
        let plain = decisions(&method(id).fit(&views, &labels, &run).unwrap(), &views);
        for missing in Missing::ALL {
            let mkl = method(id).missing(missing);
            let Ok(model) = mkl.fit(&masked, &labels, &run) else {
                assert!(matches!(missing, Missing::PerView | Missing::Estimate), "{id}: {missing}");
                continue;
            };
            assert_eq!(decisions(&model, &masked), plain, "{id}: {missing}");
            assert!(model.lacking().is_none() && model.predict(&views).unwrap().notes.is_empty());
        }
    }
}

#[test]
fn dropped_instances_leave_no_trace() {
    let (views, labels) = data(3, 5);
    let thin = thinned(&views, 1);
    let (rows, run) = (thin.complete_rows(), Run::default());
    assert!((10..40).contains(&rows.len()));
    for id in ["simple_mkl", "late_mean", "two_stage"] {
        let dropped = method(id).missing(Missing::Drop).fit(&thin, &labels, &run).unwrap();
        let alone = method(id).fit(&views.select(&rows), &labels.select(&rows), &run).unwrap();
        assert_eq!(decisions(&dropped, &views), decisions(&alone, &views), "{id}");
        let lacking = dropped.lacking().unwrap();
        assert_eq!((lacking.instances, lacking.complete), (70, rows.len()));
        assert_eq!(dropped.learned_from(), Some((rows.clone(), 70)));
        // Weights of all instances, those that are left out, too.
        let weights: Vec<f64> = (0..70).map(|i| 1.0 + (i % 3) as f64).collect();
        let of: Vec<f64> = rows.iter().map(|i| weights[*i]).collect();
        let a = method(id).missing(Missing::Drop).fit_weighted(&thin, &labels, &weights, &run);
        let b = method(id).fit_weighted(&views.select(&rows), &labels.select(&rows), &of, &run);
        assert_eq!(decisions(&a.unwrap(), &views), decisions(&b.unwrap(), &views), "{id}");
    }
}

#[test]
fn zeros_and_means_stand_for_features() {
    let (views, labels) = data(2, 7);
    let (thin, run) = (thinned(&views, 2), Run::default());
    let new = thinned(&data(2, 8).0, 3);
    for (missing, mean) in [(Missing::Zero, false), (Missing::Mean, true)] {
        // The means are those of training, for new instances, too.
        let row = |v: usize| -> Vec<f64> {
            let m = dense(&thin, v);
            let known: Vec<usize> = (0..70).filter(|i| has(&thin, v, *i)).collect();
            let of =
                |j: usize| known.iter().map(|i| m.get(*i, j) / known.len() as f64).sum::<f64>();
            (0..m.cols()).map(|j| if mean { of(j) } else { 0.0 }).collect()
        };
        let filled = |given: &Views| {
            let mut all = Views::new();
            for (v, view) in given.iter().enumerate() {
                let (m, row) = (dense(given, v), row(v));
                let at = |i, j| if has(given, v, i) { m.get(i, j) } else { row[j] };
                let table = Table::Dense(Matrix::from_fn(m.rows(), m.cols(), at));
                all.push(View { table, present: None, ..view.clone() }).unwrap();
            }
            all
        };
        for id in ["simple_mkl", "product", "concat", "gpk"] {
            let mkl = method(id).missing(missing);
            let model = mkl.fit(&thin, &labels, &run).unwrap();
            let plain = method(id).fit(&filled(&thin), &labels, &run).unwrap();
            let what = format!("{id}: {missing}");
            assert_near(&decisions(&model, &thin), &decisions(&plain, &filled(&thin)), 1e-9, &what);
            assert_near(&decisions(&model, &new), &decisions(&plain, &filled(&new)), 1e-9, &what);
            let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(decisions(&again, &new), decisions(&model, &new), "{what}");
        }
    }
}

/// exp(−0.1 d²) and products of the rows of two tables, for the views that both have.
fn kernels(a: (&Views, usize), b: (&Views, usize)) -> Vec<Option<f64>> {
    let mut all = Vec::new();
    let row = |s: (&Views, usize), v| dense(s.0, v).row(s.1).to_vec();
    let both = |v| has(a.0, v, a.1) && has(b.0, v, b.1);
    for gaussian in [true, false] {
        for v in 0..3 {
            let value = |x: Vec<f64>, z: Vec<f64>| -> f64 {
                let pairs = x.iter().zip(&z);
                match gaussian {
                    true => (-0.1 * pairs.map(|(x, z)| (x - z) * (x - z)).sum::<f64>()).exp(),
                    false => pairs.map(|(x, z)| x * z).sum(),
                }
            };
            all.push(both(v).then(|| value(row(a, v), row(b, v))));
        }
    }
    all
}

#[test]
fn similarities_are_estimated_as_in_clustering() {
    let (views, labels) = data(2, 9);
    let (thin, run) = (thinned(&views, 4), Run::default());
    let new = thinned(&data(2, 10).0, 5);
    // Sizes of kernels, and their means off the diagonal.
    let all: Vec<Vec<Vec<Option<f64>>>> =
        (0..70).map(|i| (0..70).map(|j| kernels((&thin, i), (&thin, j))).collect()).collect();
    let (mut sizes, mut means) = (vec![], vec![]);
    for m in 0..6 {
        let known = || (0..70).flat_map(|i| (0..70).map(move |j| (i, j)));
        let values: Vec<(bool, f64)> =
            known().filter_map(|(i, j)| Some((i == j, all[i][j][m]?))).collect();
        let off: Vec<f64> = values.iter().filter(|v| !v.0).map(|v| v.1).collect();
        let square = values.iter().map(|v| v.1 * v.1).sum::<f64>() / values.len() as f64;
        sizes.push(square.sqrt());
        means.push(off.iter().sum::<f64>() / off.len() as f64);
    }
    let fill = |known: &[Option<f64>]| -> Vec<f64> {
        let scaled: Vec<f64> =
            known.iter().zip(&sizes).filter_map(|(k, s)| Some((*k)? / s)).collect();
        let mean = scaled.iter().sum::<f64>() / scaled.len() as f64;
        let of = |m: usize| match (known[m], scaled.is_empty()) {
            (Some(k), _) => k,
            (None, true) => means[m],
            (None, false) => sizes[m] * mean,
        };
        (0..6).map(of).collect()
    };
    for id in ["mean", "simple_mkl", "product", "late_mean"] {
        let mkl = method(id).missing(Missing::Estimate);
        let model = mkl.fit(&thin, &labels, &run).unwrap();
        let (support, coef, bias) = model.duals();
        let active: Vec<usize> =
            model.weights().iter().enumerate().filter(|w| w.1.active).map(|w| w.0).collect();
        let weights: Vec<f64> = model.weights().iter().map(|w| w.weight).collect();
        let value = |given: &Views, i: usize| -> f64 {
            let mut sum = bias[0];
            for (s, j) in support.iter().enumerate() {
                let k = fill(&kernels((given, i), (&thin, *j)));
                sum += match id {
                    "product" => coef.get(0, s) * active.iter().map(|m| k[*m]).product::<f64>(),
                    "late_mean" => {
                        let at = |a: usize| coef.get(0, a * support.len() + s);
                        active.iter().enumerate().map(|(a, m)| at(a) * k[*m]).sum::<f64>()
                    }
                    _ => coef.get(0, s) * active.iter().map(|m| weights[*m] * k[*m]).sum::<f64>(),
                };
            }
            sum
        };
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        for given in [&thin, &new, &views] {
            let want = Matrix::from_fn(70, 1, |i, _| value(given, i));
            assert_near(&decisions(&model, given), &want, 1e-8, id);
            assert_eq!(decisions(&again, given), decisions(&model, given), "{id}");
        }
        assert_eq!(model.predict(&new).unwrap().notes.len(), 1);
    }
}

/// The classifier of each kernel alone on the instances that have its view: values for the instances of `given`.
fn alone(
    id: &str,
    machine: &MachineSpec,
    thin: &Views,
    labels: &Labels,
    given: &Views,
) -> Vec<Matrix> {
    let mut found = Vec::new();
    for text in ["gaussian:gamma=0.1", "linear"] {
        for (v, view) in thin.iter().enumerate() {
            let rows: Vec<usize> = (0..thin.n()).filter(|i| view.has(*i)).collect();
            let one = |all: &Views, rows: &[usize]| {
                Views::new().dense(view.name.clone(), dense(all, v).select_rows(rows)).unwrap()
            };
            let spec: KernelSpec = text.parse().unwrap();
            let mkl = Mkl::new(id).unwrap().kernels([spec]).machine(machine.clone());
            let model = mkl.fit(&one(thin, &rows), &labels.select(&rows), &Run::default()).unwrap();
            let m = dense(given, v);
            let at = |i, j| if has(given, v, i) { m.get(i, j) } else { 0.0 };
            let zeroed = Matrix::from_fn(m.rows(), m.cols(), at);
            let zeroed = Views::new().dense(view.name.clone(), zeroed).unwrap();
            found.push(decisions(&model, &zeroed));
        }
    }
    found
}

#[test]
fn late_integration_learns_every_view_from_those_that_have_it() {
    let run = Run::default();
    let numbers = |views: &Views| {
        let of = |i: usize| Some(dense(views, 0).get(i, 0) + 0.5 * dense(views, 1).get(i, 1));
        Labels::Real((0..70).map(of).collect())
    };
    for (text, classes) in [("svc", 3), ("svr", 2), ("one_class_svm", 2), ("kernel_ridge", 2)] {
        let (views, labels) = data(classes, 11);
        let (thin, new) = (thinned(&views, 6), thinned(&data(classes, 12).0, 7));
        let tol = if text == "kernel_ridge" { "" } else { ":tol=1e-10" };
        let machine: MachineSpec = format!("{text}{tol}").parse().unwrap();
        let labels = match text {
            "svc" => labels,
            "one_class_svm" => Labels::Absent(70),
            _ => numbers(&views),
        };
        let mkl = method("late_mean").machine(machine.clone());
        let model = mkl.fit(&thin, &labels, &run).unwrap();
        assert_eq!(model.lacking().unwrap().handling, Missing::PerView);
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        for given in [&thin, &new, &views] {
            let parts = alone("mean", &machine, &thin, &labels, given);
            let mean = |i: usize, t: usize| {
                let own: Vec<f64> =
                    (0..6).filter(|m| has(given, m % 3, i)).map(|m| parts[m].get(i, t)).collect();
                own.iter().sum::<f64>() / own.len() as f64
            };
            let want = Matrix::from_fn(70, parts[0].cols(), mean);
            assert_near(&decisions(&model, given), &want, 1e-5, text);
            assert_eq!(decisions(&again, given), decisions(&model, given), "{text}");
        }
        let counts = &model.report().details["instances_of_kernels"];
        let have = |m: usize| (0..70).filter(|i| has(&thin, m % 3, *i)).count() as f64;
        assert_eq!(*counts, (0..6).map(have).collect::<Vec<_>>());
    }
}

#[test]
fn ensembles_weigh_classifiers_by_the_complete_instances() {
    let (views, labels) = data(2, 13);
    let (thin, new) = (thinned(&views, 8), thinned(&data(2, 14).0, 9));
    let mkl = method("ekp").param("values", "in_sample").param("tol", 1e-9);
    let model = mkl.fit(&thin, &labels, &Run::default()).unwrap();
    let details = &model.report().details;
    let (name, mu) = details.iter().find(|(name, _)| name.starts_with("mu_")).unwrap();
    assert!((mu.iter().sum::<f64>() - 1.0).abs() < 1e-9);
    let machine = MachineSpec::from(&svc());
    let classes = labels.classes().unwrap();
    let positive = |c: &u32| name.starts_with(&format!("mu_{} vs", classes.names[*c as usize]));
    let signs: Vec<f64> =
        classes.codes.iter().map(|c| if positive(c) { 1.0 } else { -1.0 }).collect();
    let parts = alone("mean", &machine, &thin, &labels, &thin);
    // No other weights have less loss on the complete instances.
    let complete = thin.complete_rows();
    let loss = |mu: &[f64]| -> f64 {
        let of = |i: &usize| {
            let f: f64 = mu.iter().zip(&parts).map(|(w, p)| w * p.get(*i, 0)).sum();
            (1.0 - signs[*i] * f).max(0.0)
        };
        complete.iter().map(of).sum()
    };
    let least = loss(mu);
    let mut rng = Run::with_seed(1).rng("weights");
    for _ in 0..300 {
        let other: Vec<f64> = (0..6).map(|_| -rng.random::<f64>().ln()).collect();
        let sum: f64 = other.iter().sum();
        let step = rng.random::<f64>();
        let near = other.iter().zip(mu).map(|(o, m)| step * o / sum + (1.0 - step) * m);
        assert!(loss(&near.collect::<Vec<_>>()) >= least - 1e-6);
    }
    let together = &model.report().details["instances_together"];
    assert_eq!(*together, [complete.len() as f64]);
    let told = decisions(&model, &views);
    let parts = alone("mean", &machine, &thin, &labels, &views);
    let want =
        Matrix::from_fn(70, 1, |i, _| mu.iter().zip(&parts).map(|(w, p)| w * p.get(i, 0)).sum());
    assert_near(&told, &want, 1e-5, "complete instances");
    let parts = alone("mean", &machine, &thin, &labels, &new);
    let found = model.predict(&new).unwrap();
    for i in 0..70 {
        let own = || (0..6).filter(|m| has(&new, m % 3, i));
        let total: f64 = own().map(|m| mu[m]).sum();
        let want = match total > 0.0 {
            true => own().map(|m| mu[m] * parts[m].get(i, 0)).sum::<f64>() / total,
            false => model.duals().2[0],
        };
        assert!((found.decisions.get(i, 0) - want).abs() < 1e-5 * (1.0 + want.abs()), "{i}");
    }
}

#[test]
fn medfc_joins_on_the_complete_instances() {
    let (views, labels) = data(3, 15);
    let thin = thinned(&views, 10);
    let rows = thin.complete_rows();
    let run = Run::default();
    // Without the classifiers of the views nothing is left of the others.
    let plain = || method("medfc").param("prior", "none");
    let per_view = plain().fit(&thin, &labels, &run).unwrap();
    let dropped = plain().missing(Missing::Drop).fit(&thin, &labels, &run).unwrap();
    assert_near(&decisions(&per_view, &views), &decisions(&dropped, &views), 1e-4, "prior=none");
    // With them f = Σ σ (…) + Σ μ f_m, and rows that lack a view have its terms left out.
    let model = method("medfc").param("gamma", 5.0).fit(&thin, &labels, &run).unwrap();
    assert!(model.report().gap.unwrap() <= 1e-8, "{:?}", model.report().gap);
    assert_eq!(model.report().details["instances_together"], [rows.len() as f64]);
    let sigma = &model.report().details["sigma_0 vs rest"];
    let whole = decisions(&model, &views);
    let parts: Vec<Matrix> = (0..3)
        .map(|v| {
            let only: Vec<Vec<bool>> = (0..3).map(|w| vec![v == w; 70]).collect();
            decisions(&model, &with_masks(&views, &only))
        })
        .collect();
    let share = |v: usize| (sigma[v] + sigma[v + 3]) / sigma.iter().sum::<f64>();
    for i in 0..70 {
        let sum: f64 = (0..3).map(|v| share(v) * parts[v].get(i, 0)).sum();
        assert!(
            (sum - whole.get(i, 0)).abs() < 1e-9 * (1.0 + sum.abs()),
            "{sum} {}",
            whole.get(i, 0)
        );
    }
}

#[test]
fn new_rows_are_told_by_renormalised_weights() {
    let (views, labels) = data(3, 16);
    let (new, run) = (thinned(&data(3, 17).0, 11), Run::default());
    for normalize in ["", ":normalize=center", ":normalize=unit_diagonal"] {
        let specs: Vec<KernelSpec> =
            [format!("gaussian:gamma=0.1{normalize}")].iter().map(|t| t.parse().unwrap()).collect();
        let one = |names: &[usize]| {
            let mut part = Views::new();
            names.iter().for_each(|v| part.push(views.iter().nth(*v).unwrap().clone()).unwrap());
            part
        };
        let mkl = Mkl::new("mean").unwrap().kernels(specs.clone()).svc(svc());
        let model = mkl.fit(&views, &labels, &run).unwrap();
        let found = model.predict(&new).unwrap();
        assert!(found.notes[0].contains("renormalised"), "{:?}", found.notes);
        let (support, coef, bias) = model.duals();
        for i in 0..70 {
            let own: Vec<usize> = (0..3).filter(|v| has(&new, *v, i)).collect();
            // The mean of the kernels of the views that are there.
            let cross = cokernel::model::FittedKernels::of_prepared(
                &Mkl::new("mean")
                    .unwrap()
                    .kernels(specs.clone())
                    .prepare(&one(&own), &labels, &run)
                    .unwrap(),
            );
            let mut row = Views::new();
            for v in &own {
                let view = new.iter().nth(*v).unwrap();
                row = row.dense(view.name.clone(), dense(&new, *v).select_rows(&[i])).unwrap();
            }
            let k =
                cross.unwrap().combined(&row, &vec![1.0 / own.len() as f64; own.len()]).unwrap();
            for (t, b) in bias.iter().enumerate() {
                let sum: f64 =
                    support.iter().enumerate().map(|(s, j)| coef.get(t, s) * k.get(0, *j)).sum();
                let is = found.decisions.get(i, t);
                assert!((is - sum - b).abs() < 1e-8, "{normalize}: {is} {}", sum + b);
            }
        }
    }
}

/// A similarity that some instances lack is learned from as features are.
#[test]
fn similarities_may_be_missing() {
    let (views, labels) = data(2, 18);
    let (thin, run) = (thinned(&views, 12), Run::default());
    let products = |a: &Matrix, i: usize, b: &Matrix, j: usize| -> f64 {
        a.row(i).iter().zip(b.row(j)).map(|(x, z)| x * z).sum()
    };
    let given = |own: &Views| {
        let mut all = Views::new();
        for (v, view) in own.iter().enumerate() {
            let (a, b) = (dense(own, v), dense(&thin, v));
            let at = |i: usize, j: usize| match has(own, v, i) && has(&thin, v, j) {
                true => products(a, i, b, j),
                false => 0.0,
            };
            let table = Table::Similarity(Matrix::from_fn(a.rows(), 70, at));
            let present = view.present.clone();
            all.push(View { name: view.name.clone(), table, columns: None, present }).unwrap();
        }
        all
    };
    for (id, missing) in [
        ("mean", Missing::Estimate),
        ("simple_mkl", Missing::Estimate),
        ("late_mean", Missing::PerView),
        ("mean", Missing::Drop),
    ] {
        let linear: KernelSpec = "linear".parse().unwrap();
        let of = |spec: KernelSpec| {
            let mkl = Mkl::new(id).unwrap().kernels([spec]).svc(svc()).missing(missing);
            if id == "simple_mkl" { mkl.param("tol", 1e-9) } else { mkl }
        };
        let a = of(linear).fit(&thin, &labels, &run).unwrap();
        let b = of(KernelSpec::precomputed()).fit(&given(&thin), &labels, &run).unwrap();
        let new = thinned(&data(2, 19).0, 13);
        assert_near(&decisions(&b, &given(&new)), &decisions(&a, &new), 1e-4, id);
    }
    let mean = Mkl::new("mean").unwrap().kernels([KernelSpec::precomputed()]);
    let said = refusal(mean.missing(Missing::Mean).fit(&given(&thin), &labels, &run));
    assert!(said.contains("is a similarity") && said.contains("estimate them"), "{said}");
}

#[test]
fn centred_kernels_take_the_means_of_those_that_have_the_view() {
    let (views, labels) = data(2, 20);
    let (thin, run) = (thinned(&views, 14), Run::default());
    let (train, test): (Vec<usize>, Vec<usize>) = (0..70).partition(|i| i % 4 != 0);
    let (old, known) = (thin.select(&train), labels.select(&train));
    for id in ["late_mean", "mean", "simple_mkl"] {
        for spec in ["gaussian:gamma=0.1:normalize=center", "linear:normalize=center,unit_diagonal"]
        {
            let spec: KernelSpec = spec.parse().unwrap();
            let mkl = Mkl::new(id).unwrap().kernels([spec]).svc(svc());
            let model = mkl.fit(&old, &known, &run).unwrap();
            // Training instances as new ones: at the optimum free support vectors have margin 1.
            let found = decisions(&model, &old);
            let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(
                decisions(&again, &thin.select(&test)),
                decisions(&model, &thin.select(&test))
            );
            if id == "late_mean" {
                continue;
            }
            let (support, coef, _) = model.duals();
            let free = (0..support.len()).filter(|s| {
                let a = coef.get(0, *s).abs();
                a > 1e-6 && a < 2.0 - 1e-6
            });
            let mut count = 0;
            for s in free {
                let i = support[s];
                let sign = coef.get(0, s).signum();
                assert!((sign * found.get(i, 0) - 1.0).abs() < 1e-4, "{id}: {}", found.get(i, 0));
                count += 1;
            }
            assert!(count > 0, "{id}");
        }
    }
}

/// What stands for missing features, and what similarities are estimated by, is learned on the training instances.
#[test]
fn test_instances_tell_nothing() {
    let (views, labels) = data(2, 21);
    let thin = thinned(&views, 15);
    let run = Run::default();
    let splits = Protocol::KFold { folds: 3, repeats: 1 }.split(&labels, 4).unwrap();
    let test = &splits.splits[0].test;
    let mut other = Views::new();
    for (v, view) in thin.iter().enumerate() {
        let m = dense(&thin, v);
        let at = |i, j| if test.contains(&i) { 1e3 * m.get(i, j) - 7.0 } else { m.get(i, j) };
        let table = Table::Dense(Matrix::from_fn(m.rows(), m.cols(), at));
        other.push(View { table, ..view.clone() }).unwrap();
    }
    for missing in [Missing::Drop, Missing::Zero, Missing::Mean, Missing::Estimate] {
        let mkl = Mkl::new("simple_mkl").unwrap().missing(missing);
        let of = |views: &Views| cross_validate(&mkl, views, &labels, &splits, &run).unwrap();
        let (a, b) = (of(&thin), of(&other));
        assert_eq!(a.results[0].weights, b.results[0].weights, "{missing}");
        assert_eq!(a.results[0].support_percent, b.results[0].support_percent, "{missing}");
        assert_ne!(a.results[1].weights, b.results[1].weights, "{missing}");
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let (mut views, labels) = data(2, 22);
    views.set_ids((0..70).map(|i| format!("p{i}")).collect()).unwrap();
    let thin = thinned(&views, 16);
    let run = Run::default();
    let fit = |id: &str, missing: Missing, views: &Views| {
        refusal(method(id).missing(missing).fit(views, &labels, &run))
    };
    let masks = |of: &dyn Fn(usize, usize) -> bool| {
        let masks: Vec<Vec<bool>> = (0..3).map(|v| (0..70).map(|i| of(v, i)).collect()).collect();
        with_masks(&views, &masks)
    };
    let said = fit("simple_mkl", Missing::PerView, &thin);
    assert!(said.contains("per_view is for late_mean, ekp"), "{said}");
    let said = fit("mean", Missing::Refuse, &thin);
    assert!(said.contains("and missing=refuse learns from none such: leave these"), "{said}");
    let none = masks(&|v, i| i != 5 && has(&thin, v, i));
    for (id, missing) in [
        ("mean", Missing::Mean),
        ("mean", Missing::Estimate),
        ("concat", Missing::Estimate),
        ("gpk", Missing::Estimate),
        ("late_mean", Missing::PerView),
    ] {
        let said = fit(id, missing, &none);
        let start = "instance 5 ('p5') has none of the views 'view0', 'view1', 'view2'";
        assert!(said.starts_with(start), "{missing}: {said}");
    }
    let nobody = masks(&|v, _| v != 1);
    for (id, missing) in
        [("mean", Missing::Mean), ("mean", Missing::Estimate), ("concat", Missing::Estimate)]
    {
        let said = fit(id, missing, &nobody);
        assert_eq!(said, "view 'view1' is missing for every instance; leave the view out");
    }
    let said = fit("mean", Missing::Drop, &nobody);
    assert!(said.contains("no instance has all views (of 70: 'view0' 70, 'view1' 0"), "{said}");
    // Complete instances of one class only.
    let codes = labels.classes().unwrap().codes;
    let one_class = masks(&|v, i| v != 2 || codes[i] == 0);
    let said = fit("medfc", Missing::Auto, &one_class);
    assert!(said.contains("'1' has all views") && said.contains("late_mean, ekp"), "{said}");
    let said = fit("mean", Missing::Drop, &one_class);
    assert!(said.contains("class"), "{said}");
    // The others make no classifier of that view, and say so.
    for id in ["late_mean", "ekp"] {
        let model = method(id).fit(&one_class, &labels, &run).unwrap();
        let notes = model.report().notes.join("\n");
        assert!(notes.contains("no instance of class '1' has its view"), "{id}: {notes}");
        let used = model.weights();
        // The mean has all others; weights that are learned may be 0 there, too.
        let fits = |w: &KernelWeight| match w.view == "view2" {
            true => !w.active,
            false => w.active || id == "ekp",
        };
        assert!(used.iter().all(fits) && used.iter().any(|w| w.active), "{id}: {used:?}");
    }
    let split = masks(&|v, i| (v == 0) == ((i / 2) % 2 == 0));
    let said = fit("mean", Missing::Estimate, &split);
    assert!(said.contains("so that nothing relates them"), "{said}");
    let model = method("ekp").fit(&split, &labels, &run).unwrap();
    let notes = model.report().notes.join("\n");
    assert!(notes.contains("count alike"), "{notes}");
    // A view of one instance.
    let lonely = masks(&|v, i| v != 1 || i == 3);
    let model = method("late_mean").fit(&lonely, &labels, &run).unwrap();
    assert!(model.weights().iter().all(|w| w.active == (w.view != "view1")));
    assert!(method("mean").missing(Missing::Estimate).fit(&lonely, &labels, &run).is_ok());
    // New rows.
    let model = method("product").missing(Missing::Drop).fit(&thin, &labels, &run).unwrap();
    let said = refusal(model.predict(&thin));
    assert!(said.contains("takes all of them together") && said.contains("missing=mean"), "{said}");
    for missing in [Missing::Drop, Missing::Mean, Missing::Estimate] {
        let model = method("mean").missing(missing).fit(&thin, &labels, &run).unwrap();
        let said = refusal(model.predict(&none));
        assert!(
            said.starts_with("instance 5 ('p5') has none of the views 'view0', 'view1'"),
            "{said}"
        );
    }
}

/// Weights of classifiers that all classes share, and the machines of a Gaussian process.
#[test]
fn other_methods_learn_from_incomplete_instances() {
    let (views, labels) = data(3, 23);
    let (thin, new) = (thinned(&views, 17), thinned(&data(3, 24).0, 18));
    let run = Run::default();
    let model = method("lp_beta").param("values", "in_sample").fit(&thin, &labels, &run).unwrap();
    let beta = &model.report().details["beta"];
    let machine = MachineSpec::from(&svc());
    let parts = alone("mean", &machine, &thin, &labels, &new);
    let found = decisions(&model, &new);
    for i in 0..70 {
        let own = || (0..6).filter(|m| has(&new, m % 3, i));
        let total: f64 = own().map(|m| beta[m]).sum();
        for t in 0..3 {
            let want = own().map(|m| beta[m] * parts[m].get(i, t)).sum::<f64>() / total;
            let near = |v: f64| (found.get(i, t) - v).abs() < 1e-5 * (1.0 + v.abs());
            assert!(total == 0.0 || near(want), "{} {want}", found.get(i, t));
        }
    }
    let plain = || method("gml").param("prior", "none").param("tol", 1e-8);
    let per_view = plain().fit(&thin, &labels, &run).unwrap();
    let dropped = plain().missing(Missing::Drop).fit(&thin, &labels, &run).unwrap();
    assert_eq!(per_view.lacking().unwrap().handling, Missing::PerView);
    assert_near(&decisions(&per_view, &views), &decisions(&dropped, &views), 1e-4, "gml");

    let numbers = |i: usize| Some(dense(&views, 0).get(i, 0) + 0.5 * dense(&views, 1).get(i, 1));
    let numbers = Labels::Real((0..70).map(numbers).collect());
    let linear: KernelSpec = "linear".parse().unwrap();
    let machine: MachineSpec = "kernel_ridge".parse().unwrap();
    let process =
        || Mkl::new("gaussian_process").unwrap().kernels([linear.clone()]).machine(machine.clone());
    let found = process().fit(&thin, &numbers, &run).unwrap().predict(&new).unwrap();
    let deviations = found.deviations.unwrap();
    assert!(deviations.values().iter().all(|d| *d > 0.0 && d.is_finite()));
    let model = process().fit(&views, &numbers, &run).unwrap();
    let said = refusal(model.predict(&new));
    assert!(said.contains("takes all of them together"), "{said}");
}

/// Machines without limits on their coefficients end at an optimum of matrices that are made positive semi-definite, and
/// tell new rows by the estimates as they are.
#[test]
fn every_machine_learns_from_estimates() {
    let (views, labels) = data(2, 31);
    let thin = thinned(&views, 32);
    let run = Run::default();
    let mut learned = Vec::new();
    let machines =
        ["svc", "squared_hinge_svc", "kernel_logistic", "kernel_fisher", "laplacian_svm"];
    for machine in machines {
        for id in [
            "mean",
            "simple_mkl",
            "lp_norm",
            "elastic_net",
            "two_stage",
            "gaussian_process",
            "bemkl",
        ] {
            let spec = machine.parse::<MachineSpec>().unwrap();
            let mkl = method(id).machine(spec).missing(Missing::Estimate);
            let Ok(model) = mkl.fit(&thin, &labels, &run) else {
                // What the method does not learn with anyway.
                assert!(mkl.fit(&views, &labels, &run).is_err(), "{id} {machine}");
                continue;
            };
            let report = model.report();
            assert!(report.status.is_success(), "{id} {machine}: {:?}", report.status);
            assert!(report.gap.is_none_or(|g| g < 2e-2), "{id} {machine}: {:?}", report.gap);
            let said = report.remarks().any(|n| n.contains("was added to the similarity"));
            assert!(said, "{id} {machine}: {report:?}");
            let found = model.predict(&thin).unwrap();
            let codes = labels.classes().unwrap().codes;
            let right = found.codes.iter().zip(&codes).filter(|(a, b)| **a == **b).count();
            assert!(right >= 42, "{id} {machine}: {right}");
            let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
            assert_eq!(decisions(&again, &thin), found.decisions, "{id} {machine}");
            learned.push((machine, id));
        }
    }
    // With every machine some methods: a machine that is always refused has shown nothing.
    for machine in machines {
        assert!(learned.iter().any(|(m, id)| *m == machine && *id == "mean"), "{learned:?}");
    }
    assert!(learned.len() >= 20, "{learned:?}");
}

/// What gates look at are means of columns where an instance lacks the view: the same as where the means are given, and the
/// kernels are those of the estimate.
#[test]
fn gates_look_at_means_beside_estimates() {
    let (views, labels) = data(2, 33);
    let thin = thinned(&views, 34);
    let run = Run::default();
    for id in ["localized_mkl", "convex_localized", "neighbour_weights"] {
        let mkl = method(id).missing(Missing::Estimate);
        let model = mkl.fit(&thin, &labels, &run).unwrap();
        assert_eq!(model.lacking().unwrap().handling, Missing::Estimate);
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        for given in [&thin, &views] {
            assert_eq!(decisions(&again, given), decisions(&model, given), "{id}");
        }
        assert_eq!(model.predict(&thin).unwrap().notes.len(), 1);
        // The gates of rows whose means are given by hand are those of rows that lack them.
        let mut means = Views::new();
        for (v, view) in thin.iter().enumerate() {
            let m = dense(&thin, v);
            let known: Vec<usize> = (0..m.rows()).filter(|i| view.has(*i)).collect();
            let mean = |j| known.iter().map(|i| m.get(*i, j)).sum::<f64>() / known.len() as f64;
            let at = |i, j| if view.has(i) { m.get(i, j) } else { mean(j) };
            let table = Table::Dense(Matrix::from_fn(m.rows(), m.cols(), at));
            means.push(View { table, present: None, ..view.clone() }).unwrap();
        }
        let gates = |views: &Views| model.gates(views).unwrap().map(|g| g.values);
        if let (Some(a), Some(b)) = (gates(&thin), gates(&means)) {
            assert_near(&a, &b, 1e-12, id);
        }
        let far = decisions(&model, &thin);
        let others = decisions(&model, &means);
        assert!(
            far.values().iter().zip(others.values()).any(|(a, b)| (a - b).abs() > 1e-3),
            "{id}"
        );
    }
}

/// Kernels of which every instance has to be as similar to itself as 1.
#[test]
fn hyperkernels_learn_from_estimates() {
    let (views, labels) = data(2, 35);
    let thin = thinned(&views, 36);
    let specs = vec!["gaussian:gamma=0.1".parse().unwrap()];
    let mkl = Mkl::new("hyperkernels").unwrap().kernels(specs).svc(svc());
    let model = mkl.missing(Missing::Estimate).fit(&thin, &labels, &Run::default()).unwrap();
    assert!(model.report().gap.unwrap() < 1e-2, "{:?}", model.report());
    let found = model.predict(&thin).unwrap();
    let codes = labels.classes().unwrap().codes;
    assert!(found.codes.iter().zip(&codes).filter(|(a, b)| **a == **b).count() >= 50);
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(decisions(&again, &thin), found.decisions);
}

/// Methods that want other estimates do not share kernels, whoever comes first; those that want the same do.
#[test]
fn estimates_are_shared_by_those_who_want_the_same() {
    let (views, labels) = data(2, 37);
    let thin = thinned(&views, 38);
    let run = Run::default();
    let specs = || vec!["gaussian:gamma=0.1".parse().unwrap()];
    let of = |id: &str| {
        let mkl = Mkl::new(id).unwrap().kernels(specs()).svc(svc());
        mkl.missing(Missing::Estimate)
    };
    let all = ["mean", "hyperkernels", "localized_mkl", "lp_norm"];
    for first in all {
        let prepared = of(first).prepare(&thin, &labels, &run).unwrap();
        for other in all {
            let same =
                first == other || [first, other].iter().all(|id| ["mean", "lp_norm"].contains(id));
            assert_eq!(of(other).shares(&prepared).unwrap(), same, "{first} {other}");
        }
        // Nothing of it matters where nothing is estimated.
        let whole = of(first).prepare(&views, &labels, &run).unwrap();
        let means = of(first).missing(Missing::Mean).prepare(&thin, &labels, &run).unwrap();
        for other in all {
            assert!(of(other).shares(&whole).unwrap(), "{first} {other}");
            assert!(of(other).missing(Missing::Mean).shares(&means).unwrap(), "{first} {other}");
        }
    }
}

/// Kernels of another diagonal are not made such ones in silence.
#[test]
fn unit_diagonals_are_not_made_up() {
    let (views, labels) = data(2, 41);
    let thin = thinned(&views, 42);
    for spec in ["linear", "gaussian:gamma=0.1:normalize=unit_trace"] {
        let mkl = Mkl::new("hyperkernels").unwrap().kernels(vec![spec.parse().unwrap()]);
        let said = refusal(mkl.missing(Missing::Estimate).fit(&thin, &labels, &Run::default()));
        assert!(said.contains("need 1 there (normalize=unit_diagonal)"), "{spec}: {said}");
    }
}

/// As many new instances as there were in training, whose similarities to those without the view are unknown.
#[test]
fn a_square_table_of_new_instances_may_have_unknown_columns() {
    let (views, labels) = data(2, 39);
    let n = views.n();
    let kernel = |v: usize| {
        let x = dense(&views, v);
        let far = |i: usize, j: usize| {
            x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
        };
        Matrix::from_fn(n, n, |i, j| (-0.1 * far(i, j)).exp())
    };
    let table = |lacking: &dyn Fn(usize) -> bool, unknown: &dyn Fn(usize) -> bool| {
        let mut all = Views::new();
        for v in 0..2 {
            let k = kernel(v);
            let at =
                |i, j| if v == 0 && (lacking(i) || unknown(j)) { f64::NAN } else { k.get(i, j) };
            let present = (v == 0).then(|| (0..n).map(|i| !lacking(i)).collect());
            let table = Table::Similarity(Matrix::from_fn(n, n, at));
            let view = View { name: format!("k{v}"), table, columns: None, present };
            all.push(view).unwrap();
        }
        all
    };
    let (lacks, nobody) = (|i: usize| i % 5 == 2, |_: usize| false);
    let run = Run::default();
    let mkl = Mkl::new("mean").unwrap().svc(svc()).missing(Missing::Estimate);
    let model = mkl.fit(&table(&lacks, &lacks), &labels, &run).unwrap();
    let all = decisions(&model, &table(&nobody, &lacks));
    let known = decisions(&model, &table(&nobody, &nobody));
    assert_near(&all, &known, 1e-12, "all of them have the view");
    let again = decisions(&model, &table(&lacks, &lacks));
    for i in (0..n).filter(|i| !lacks(*i)) {
        assert!((again.get(i, 0) - all.get(i, 0)).abs() < 1e-12, "{i}");
    }
    // Some of them lack it, and others than in training.
    let others = |i: usize| i % 5 == 3;
    let some = decisions(&model, &table(&others, &lacks));
    for i in (0..n).filter(|i| !others(*i)) {
        assert!((some.get(i, 0) - all.get(i, 0)).abs() < 1e-12, "{i}");
    }
    // What a model does not look at may be unknown, too.
    let alone = Mkl::new("best_single").unwrap().svc(svc()).missing(Missing::Drop);
    let alone = alone.fit(&table(&lacks, &lacks), &labels, &run).unwrap();
    let again = Model::from_bytes(&alone.to_bytes().unwrap()).unwrap();
    let new = table(&nobody, &lacks);
    assert_eq!(decisions(&alone, &new), decisions(&again, &new));
    // In training an instance that nobody is compared with has not the view.
    let said = refusal(mkl.fit(&table(&nobody, &|j| j == 3), &labels, &run));
    assert!(said.starts_with("view 'k0', row 3, column 3: not a finite number"), "{said}");
}
