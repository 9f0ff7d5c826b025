//! The forest where landmarks stand for the kernels ([`scale`](crate::scale)).
//!
//! The similarities h(z(x, t)) to landmarks t are features already: with the landmarks of the storage as those of the method
//! nothing is approximated. The forest grows on pairs of a [sample](row_sample) of the instances, or of
//! landmarks (`learn_from = landmarks`); φ(x) is computed once for all instances, centred and scaled as in the exact method, and the linear
//! machine is trained on it in passes over the instances.
//!
//! Cost: the forest; h for n r pairs; then r² operations for each instance and pass. Memory: n r numbers.

use super::{ForestTwoStage, landmarks};
use crate::data::{Matrix, Table, Views};
use crate::error::room_for;
use crate::mkl::outer::explicit::Fixed;
use crate::mkl::{GivenPairs, Learned, Learner, Outer, Problem, row_sample, towards};
use crate::rule::{Mix, Pairs};
use crate::scale::{Basis, Space};
use crate::{Error, Report, Result, Run, Status, Watch};
use rayon::prelude::*;

/// The one view of the similarities.
const VIEW: &str = "similarities to landmarks";

/// Instances whose similarities are computed together.
const TOGETHER: usize = 512;

/// The forest alone, as a method of its own.
#[derive(Debug)]
struct Grower<'a>(&'a ForestTwoStage);

impl Learner for Grower<'_> {
    fn learn(&self, problem: &Problem<'_>, run: &Run) -> Result<Learned> {
        self.0.similarity(problem, run, &run.watch())
    }
}

/// The forest and the machine on similarities to the landmarks of the storage.
pub(super) fn learn(
    method: &ForestTwoStage,
    problem: &Problem<'_>,
    space: &Space,
    run: &Run,
) -> Result<Learned> {
    let watch = run.watch();
    let views = problem.features()?;
    let Basis::Instances(places) = space.basis() else {
        let problem = "forest_two_stage compares instances with instances, which random features are not; use nystroem:rank=…";
        return Err(Error::parameter("storage", problem));
    };
    let mut forest = grow(method, problem, (space, places), run)?;
    let mix = forest
        .rule
        .pointwise()
        .ok_or_else(|| Error::Data("forest_two_stage: the rule compares no pairs".to_string()))?;
    let (similar, means, scale) = similarities(space, views, mix, &watch)?;
    let similar = Views::new().with(VIEW, Table::Dense(similar))?;
    let own = Space::of_columns(VIEW, places.len(), scale)?.with_partitions(space.partitions());
    let set = Fixed(vec![1.0]);
    let (title, tol, max_iterations) =
        ("machines on similarities to landmarks", problem.machine.tol(), 500);
    let outer = Outer { title, set: &set, tol, max_iterations, second: true };
    let part = Problem { views: Some(&similar), space: Some(&own), ..*problem };
    let trained = outer.learn(&part, &run.remaining(&watch))?;
    let mut report = trained.report;
    for name in ["directions", "approximation", "features"] {
        report.details.remove(name);
    }
    report.details.insert("landmarks".to_string(), vec![places.len() as f64]);
    forest.report.notes.push(format!(
        "instances are compared with the landmarks of the storage ({}), in the place of those of the method (landmarks, draws)",
        places.len()
    ));
    let first = std::mem::replace(&mut forest.report, Report::closed_form(run));
    towards::after(first, &mut report);
    let mut machines = trained.machines;
    for head in machines.iter_mut().flat_map(|m| &mut m.blocks).flat_map(|b| &mut b.heads) {
        // f(x) = Σ_t A_t (h(x, t) − mean_t) + b.
        let shift: f64 = head.coef.iter().zip(&means).map(|(a, mean)| a * mean).sum();
        head.bias -= shift;
    }
    let basis = Some(space.basis().clone());
    Ok(Learned { machines, basis, report, ..forest })
}

/// The forest, from a sample of the instances or from the landmarks.
fn grow(
    method: &ForestTwoStage,
    problem: &Problem<'_>,
    (space, places): (&Space, &[usize]),
    run: &Run,
) -> Result<Learned> {
    let mut grown = if method.all {
        row_sample::learn(problem, space, &Grower(method), row_sample::MOST, run)?
    } else {
        let target = problem.target.of_rows(places).ok_or_else(row_sample::no_target)?;
        let all = [(0..places.len()).collect()];
        let (classes, watch) = (target.classes()?, run.watch());
        if classes.codes.iter().all(|c| *c == classes.codes[0]) {
            let problem = "landmarks: all landmarks of the storage are of one class; use a larger rank, or learn_from=all";
            return Err(Error::parameter("learn_from", problem));
        }
        let pairs = landmarks::pairs(&all, classes, method.examples, run, &watch)?;
        let given = GivenPairs { bank: problem.bank, pairs: &pairs };
        let weights: Option<Vec<f64>> =
            problem.weights.map(|all| places.iter().map(|i| all[*i]).collect());
        let part = Problem {
            views: None,
            target: &target,
            weights: weights.as_deref(),
            warm: None,
            pairs: Some(given),
            space: None,
            ..*problem
        };
        Grower(method).learn(&part, &row_sample::halved(run))?
    };
    // The machine has a gap and a status of its own.
    if grown.report.status.is_success() {
        grown.report.status = Status::ClosedForm;
    }
    Ok(grown)
}

/// h of all instances and landmarks less its means, n × r, these means, and what makes the variance of a row one.
fn similarities(
    space: &Space,
    views: &Views,
    mix: &dyn Mix,
    watch: &Watch,
) -> Result<(Matrix, Vec<f64>, f64)> {
    let (n, r, active) = (views.n(), space.basis().len(), mix.active());
    room_for::<f64>(n.checked_mul(r), || {
        format!("the similarities of {n} instances to {r} landmarks; use a smaller rank")
    })?;
    let mut all = Matrix::zeros(n, r);
    let parts = all.values_mut().par_chunks_mut(r * TOGETHER).enumerate();
    parts.try_for_each(|(part, out)| {
        if let Some(status) = watch.stop() {
            let what = "the table of similarities to landmarks".to_string();
            return Err(Error::Stopped { status, what });
        }
        let first = part * TOGETHER;
        let rows: Vec<usize> = (first..first + out.len() / r).collect();
        space.visit(views, &rows, &active, |first, count, values| {
            let of_kernel = |a: usize| -> Vec<f64> {
                let rows = values.chunks(active.len() * r);
                rows.flat_map(|row| &row[a * r..(a + 1) * r]).copied().collect()
            };
            let columns: Vec<Vec<f64>> = (0..active.len()).map(of_kernel).collect();
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            let pairs = Pairs { values: &columns, own: &[], others: &[] };
            mix.mix(pairs, &mut out[first * r..(first + count) * r]);
        })
    })?;
    let mut means = vec![0.0; r];
    for row in all.values().chunks(r) {
        means.iter_mut().zip(row).for_each(|(m, v)| *m += v);
    }
    means.iter_mut().for_each(|m| *m /= n as f64);
    let mut squares = 0.0;
    for row in all.values_mut().chunks_mut(r) {
        for (v, mean) in row.iter_mut().zip(&means) {
            *v -= mean;
            squares += *v * *v;
        }
    }
    Ok((all, means, landmarks::to_unit(squares / n as f64)))
}
