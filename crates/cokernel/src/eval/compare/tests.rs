use super::*;
use crate::data::{Scale, toy};
use crate::eval::{Protocol, cross_validate};
use crate::kernel::KernelSpec;

fn setting() -> (Views, Labels, Splits) {
    let (views, labels) = toy::views(60, 3, &[3.0, 0.5], 2).unwrap();
    let splits = Protocol::Shuffle { repeats: 3, test: 0.3 }.split(&labels, 7).unwrap();
    (views, labels, splits)
}

fn untimed(mut c: Comparison) -> Comparison {
    c.rows.iter_mut().for_each(|r| r.seconds = Stat::new(vec![]));
    c
}

#[test]
fn rows_are_those_of_separate_cross_validations() {
    let (views, labels, splits) = setting();
    let run = Run::with_seed(3);
    let kernels = [KernelSpec::gaussian(), KernelSpec::linear().view("view0")];
    let mkl = |id: &str| Mkl::new(id).unwrap().kernels(kernels.clone());
    let methods = [
        mkl("concat"),
        mkl("mean"),
        mkl("simple_mkl").param("tol", 1e-4),
        mkl("mean").scale(Scale::Standard),
    ];
    let all = compare(&methods, true, &views, &labels, &splits, &run).unwrap();
    assert_eq!((all.rows.len(), all.complete, all.instances), (3 + 4, 3, 60));
    for (row, mkl) in all.rows[3..].iter().zip(&methods) {
        let cv = cross_validate(mkl, &views, &labels, &splits, &run).unwrap();
        assert_eq!(row.measures, cv.measures);
        let names: Vec<&String> = row.weights.iter().map(|w| &w.kernel).collect();
        assert_eq!(names, cv.kernels.iter().collect::<Vec<_>>());
        let tested: u64 = cv.confusion.iter().flatten().sum();
        assert_eq!(tested as usize, splits.splits.iter().map(|s| s.test.len()).sum::<usize>());
    }
    // A single kernel is that kernel's machine.
    assert_eq!(all.rows[0].name, "single:gaussian@view0");
    let alone = Mkl::new("mean").unwrap().kernels([KernelSpec::gaussian().view("view0")]);
    let alone = cross_validate(&alone, &views, &labels, &splits, &run).unwrap();
    assert_eq!(all.rows[0].measures, alone.measures);
    assert_eq!(all.rows[0].active_kernels.mean, 1.0);
    assert_eq!(all.rows[5].name, "simple_mkl(tol=0.0001)");
    let again = compare(&methods, true, &views, &labels, &splits, &run).unwrap();
    assert_eq!(untimed(again), untimed(all.clone()));
    let text = all.to_string();
    assert!(text.contains("single:linear@view0") && text.contains(" ± "), "{text}");
    assert!(serde_json::to_string(&all).unwrap().contains("\"seed\":3"));
}

/// Every stage with its length and the last step in it.
#[derive(Debug, Default)]
struct Stages(std::sync::Mutex<Vec<(String, Option<u64>, u64)>>);

impl crate::Observer for Stages {
    fn event(&self, event: &Event<'_>) {
        let mut stages = self.0.lock().unwrap();
        match event {
            Event::Begin { stage, total } => stages.push((stage.to_string(), *total, 0)),
            Event::Step { done, .. } => stages.last_mut().unwrap().2 = *done,
            Event::End => {}
        }
    }
}

#[test]
fn progress_knows_its_end() {
    let (views, labels, splits) = setting();
    let stages = std::sync::Arc::new(Stages::default());
    let run = Run { observer: Some(stages.clone()), ..Run::default() };
    // The method whose kernels are tried alone is not the first.
    let methods = ["concat", "mean", "sum"].map(|id| Mkl::new(id).unwrap());
    for (singles, steps) in [(true, 3 * (2 + 3)), (false, 3 * 3)] {
        stages.0.lock().unwrap().clear();
        compare(&methods, singles, &views, &labels, &splits, &run).unwrap();
        let seen = stages.0.lock().unwrap();
        assert_eq!(seen.len(), 2, "{seen:?}");
        assert_eq!((seen[1].1, seen[1].2), (Some(steps), steps), "{seen:?}");
    }
}

#[test]
fn test_instances_do_not_touch_what_is_learned() {
    let (views, labels, splits) = setting();
    let run = Run::default();
    let split = &splits.splits[0];
    let mut one = splits.clone();
    one.splits.truncate(1);
    let mkl = Mkl::new("mean").unwrap().scale(Scale::Standard);
    // Test instances a thousand times larger: same kernels, same machines.
    let mut changed = Views::new();
    for v in views.iter() {
        let crate::data::Table::Dense(m) = &v.table else { panic!("dense") };
        let mut m = m.clone();
        for &i in &split.test {
            m.row_mut(i).iter_mut().for_each(|x| *x *= 1e3);
        }
        changed = changed.dense(v.name.clone(), m).unwrap();
    }
    let a = cross_validate(&mkl, &views, &labels, &one, &run).unwrap();
    let b = cross_validate(&mkl, &changed, &labels, &one, &run).unwrap();
    assert_eq!(a.kernels, b.kernels);
    assert_eq!(a.results[0].support_percent, b.results[0].support_percent);
    assert_eq!(a.results[0].gap, b.results[0].gap);
}

/// Test instances are learned from without their labels: another label there changes no model.
#[test]
fn transductive_splits_show_test_instances_without_labels() {
    let (views, labels) = toy::views(60, 2, &[2.0, 1.0], 3).unwrap();
    let splits = Protocol::PerClass { train: 5, repeats: 1 }.split(&labels, 1).unwrap();
    let machine = "laplacian_svm".parse::<crate::machine::MachineSpec>().unwrap();
    let mkl = [Mkl::new("mean").unwrap().machine(machine)];
    let transductive = splits.clone().transductive();
    let run = Run::default();
    let of = |labels: &Labels, mkl: &[Mkl]| {
        compare_how(mkl, false, How::default(), &views, labels, &transductive, &run)
    };
    let seen = of(&labels, &mkl).unwrap();
    assert!(
        seen.splits.transductive && seen.rows[0].notes.iter().any(|n| n.starts_with("50 of 60"))
    );
    let Labels::Classes { names, codes } = &labels else { panic!() };
    let mut codes = codes.clone();
    splits.splits[0].test.iter().for_each(|&i| codes[i] = codes[i].map(|c| 1 - c));
    let other = Labels::Classes { names: names.clone(), codes };
    let turned = of(&other, &mkl).unwrap();
    assert_eq!(turned.rows[0].support_percent, seen.rows[0].support_percent);
    let accuracy = |c: &Comparison| c.rows[0].measures.get("accuracy").unwrap().mean;
    assert!((accuracy(&turned) + accuracy(&seen) - 1.0).abs() < 1e-12);
    let found = cross_validate(&mkl[0], &views, &labels, &splits, &run).unwrap();
    let told = |n: &String| n.starts_with("50 of 60");
    assert!(!found.splits.transductive && !found.results[0].notes.iter().any(told));
    let said = of(&labels, &[Mkl::new("mean").unwrap()]).unwrap_err().to_string();
    assert!(
        said.contains("machine 'svc' does not learn") && said.contains("laplacian_svm"),
        "{said}"
    );
}
