//! Methods that join classifiers of views which learn from unlabelled instances, too (GMKD §VII-C): the joint programs by
//! Clarabel, on values of the Laplacian SVM alone.

use crate::common::{bank, problem, rules};
use crate::medfc::{Sigma, cone};
use cokernel::Run;
use cokernel::bank::{Gram, Storage};
use cokernel::catalogue::find;
use cokernel::data::{Labels, Matrix, PartialClasses, Target, Views, toy};
use cokernel::machine::{How, MachineSpec};
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::model::{Mkl, Model};
use cokernel::params::Value;

fn machine(c: f64) -> MachineSpec {
    format!("laplacian_svm:c={c}:gamma_i=0.5:tol=1e-10").parse().unwrap()
}

/// Kernels, and the classes of some.
fn few(n: usize, k: usize, seed: u64) -> (Vec<Matrix>, PartialClasses) {
    let (kernels, codes) = problem(n, k, 3, seed);
    let codes = codes.iter().enumerate().map(|(i, c)| (i < n / 3).then_some(*c)).collect();
    let names = (0..k).map(|c| c.to_string()).collect();
    (kernels, PartialClasses { names, codes })
}

fn learn(
    id: &str,
    kernels: &[Matrix],
    classes: &PartialClasses,
    c: f64,
    given: &[(&str, Value)],
) -> Learned {
    let method = find(id).unwrap();
    let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let (target, machine) =
        (Target::Partial(classes.clone()), machine(c).checked().unwrap().build().unwrap());
    let (learner, bank) = (learner(method, &params).unwrap(), bank(kernels, Storage::Resident));
    let problem = Problem::new(&bank, &target, machine.as_ref());
    train(&problem, learner.as_ref(), &Run::default()).unwrap()
}

/// Values of each kernel's machine, [m][head][i], by plain sums.
fn alone(kernels: &[Matrix], classes: &PartialClasses, c: f64) -> Vec<Vec<Vec<f64>>> {
    let one = |kernel: &Matrix| {
        let (run, n) = (Run::default(), kernel.rows());
        let gram = Gram::new(kernel.clone()).unwrap();
        let machine = machine(c).checked().unwrap().build().unwrap();
        let target = Target::Partial(classes.clone());
        let found = machine.solve(&gram, &target, &How::new(&run)).unwrap();
        let value =
            |coef: &[f64], i: usize| (0..n).map(|j| coef[j] * kernel.get(i, j)).sum::<f64>();
        found.heads().map(|h| (0..n).map(|i| value(&h.coef, i) + h.bias).collect()).collect()
    };
    kernels.iter().map(one).collect()
}

#[test]
fn medfc_is_a_cone_program_on_the_labelled_instances() {
    for (case, k) in [(0, 2), (1, 2), (2, 3)] {
        let (kernels, classes) = few(45, k, 40 + case);
        let (c, lambda, gamma) = ([0.5, 5.0, 5.0][case as usize], 2.0, 10.0);
        let given = [
            ("lambda", Value::Real(lambda)),
            ("gamma", Value::Real(gamma)),
            ("values", Value::from("in_sample")),
            ("unit", Value::from("one")),
            ("tol", Value::Real(1e-8)),
        ];
        let found = learn("medfc", &kernels, &classes, c, &given);
        let machines = found.machines.as_ref().unwrap();
        let roles = machines.roles();
        assert_eq!(roles.len(), if k == 2 { 1 } else { 3 });
        let views = alone(&kernels, &classes, c);
        let labelled: Vec<usize> = (0..45).filter(|i| classes.codes[*i].is_some()).collect();
        let part = |m: &Matrix| {
            Matrix::from_fn(labelled.len(), labelled.len(), |a, b| m.get(labelled[a], labelled[b]))
        };
        let known: Vec<Matrix> = kernels.iter().map(part).collect();
        let mut best = 0.0;
        for (t, role) in roles.iter().enumerate() {
            let y: Vec<f64> =
                labelled.iter().map(|i| role.sign(classes.codes[*i].unwrap())).collect();
            let values: Vec<Vec<f64>> =
                views.iter().map(|v| labelled.iter().map(|i| v[t][*i]).collect()).collect();
            best -= cone(&known, &y, c, Sigma::Averaged(lambda), Some((gamma, &values)));
        }
        let said = *found.report.objective.last().unwrap();
        assert!((said - best).abs() <= 1e-6 * best, "{case}: {said} {best}");
        assert!(found.report.gap.unwrap() <= 1e-8);
        // What is not of the view classifiers is a sum over labelled instances.
        let decisions = rules::decisions(&found, &kernels);
        let name = roles[0].name(&classes.names);
        let mu = &found.report.details[&format!("mu_{name}")];
        let rest: Vec<f64> = (0..45)
            .map(|i| decisions[0][i] - (0..3).map(|m| mu[m] * views[m][0][i]).sum::<f64>())
            .collect();
        assert!(rest.iter().any(|r| r.abs() > 1e-3), "{rest:?}");
    }
}

/// Unlabelled instances are in the view classifiers of EKP and MEDFC; without smoothness they change nothing.
#[test]
fn unlabelled_instances_count_by_their_graph_alone() {
    let (kernels, classes) = few(42, 2, 9);
    let labelled: Vec<usize> = (0..42).filter(|i| classes.codes[*i].is_some()).collect();
    let part = |m: &Matrix| {
        Matrix::from_fn(labelled.len(), labelled.len(), |a, b| m.get(labelled[a], labelled[b]))
    };
    let known: Vec<Matrix> = kernels.iter().map(part).collect();
    let target = PartialClasses {
        names: classes.names.clone(),
        codes: labelled.iter().map(|i| classes.codes[*i]).collect(),
    };
    for id in ["medfc", "gml", "ekp", "late_mean"] {
        let method = find(id).unwrap();
        let has = |name: &str| method.params.iter().any(|p| p.name == name);
        let mut given = Vec::new();
        given.extend(has("values").then(|| ("values", Value::from("in_sample"))));
        given.extend(has("unit").then(|| ("unit", Value::from("one"))));
        given.extend(has("tol").then_some(("tol", Value::Real(1e-8))));
        let params = method.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
        let fit = |kernels: &[Matrix], classes: &PartialClasses, text: &str| {
            let spec: MachineSpec = text.parse().unwrap();
            let machine = spec.checked().unwrap().build().unwrap();
            let target = match classes.codes.contains(&None) {
                true => Target::Partial(classes.clone()),
                false => Target::Classes(classes.labelled().1),
            };
            let bank = bank(kernels, Storage::Resident);
            let problem = Problem::new(&bank, &target, machine.as_ref());
            let learner = learner(method, &params).unwrap();
            let found = train(&problem, learner.as_ref(), &Run::default()).unwrap();
            rules::decisions(&found, kernels).concat()
        };
        let flat = "laplacian_svm:gamma_i=0:tol=1e-10";
        let (all, some) = (fit(&kernels, &classes, flat), fit(&known, &target, flat));
        let smooth = fit(&kernels, &classes, "laplacian_svm:gamma_i=2:tol=1e-10");
        let mut apart = 0.0_f64;
        for (p, i) in labelled.iter().enumerate() {
            assert!((all[*i] - some[p]).abs() < 1e-4, "{id} {i}: {} {}", all[*i], some[p]);
            apart = apart.max((smooth[*i] - all[*i]).abs());
        }
        assert!(apart > 1e-6, "{id}: {apart}");
    }
}

/// From views with missing labels to a model that is stored, and tells new instances and those of training.
#[test]
fn from_views_to_new_instances() {
    let (views, labels) = toy::views(120, 3, &[5.0, 4.0], 3).unwrap();
    let codes = labels.classes().unwrap().codes;
    let texts: Vec<String> = codes
        .iter()
        .enumerate()
        .map(|(i, c)| if i % 10 == 0 || i < 6 { c.to_string() } else { String::new() })
        .collect();
    let partial = Labels::from_texts(&texts);
    let rows: Vec<usize> = (0..120).filter(|i| i / 3 % 3 != 2).collect();
    let rest: Vec<usize> = (0..120).filter(|i| i / 3 % 3 == 2).collect();
    let run = Run::default();
    for id in ["medfc", "gml", "ekp", "mean"] {
        let mkl =
            Mkl::new(id).unwrap().machine("laplacian_svm:c=10".parse::<MachineSpec>().unwrap());
        let model = mkl.fit(&views.select(&rows), &partial.select(&rows), &run).unwrap();
        let right = |views: &Views, rows: &[usize], model: &Model| {
            let told = model.predict(views).unwrap().labels;
            let names: Vec<String> = rows.iter().map(|i| codes[*i].to_string()).collect();
            told.iter().zip(&names).filter(|(a, b)| a == b).count() as f64 / rows.len() as f64
        };
        let (own, new) = (
            right(&views.select(&rows), &rows, &model),
            right(&views.select(&rest), &rest, &model),
        );
        assert!(own > 0.7 && new > 0.7, "{id}: {own} of training, {new} of others");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.ck");
        model.save(&path).unwrap();
        let read = Model::load(&path).unwrap();
        let (a, b) = (model.predict(&views).unwrap(), read.predict(&views).unwrap());
        assert_eq!(a.decisions, b.decisions, "{id}");
    }
}
