use super::*;
use crate::Event;
use crate::bank::{Bank, Storage};
use crate::data::{Classes, Link, Matrix, Pairs, Target};
use crate::mkl::GivenPairs;
use crate::params::Value;
use rand::RngExt;

#[test]
fn kernels_that_are_not_centred_are_a_warning() {
    let (views, labels) = crate::data::toy::views(30, 2, &[3.0, 1.0], 1).unwrap();
    let notes = |spec: &str| {
        let mkl = crate::model::Mkl::new("two_stage").unwrap().param("steps", 20);
        let mkl = mkl.kernels([spec.parse().unwrap()]);
        mkl.fit(&views, &labels, &Run::default()).unwrap().report().warnings.clone()
    };
    let said = notes("gaussian:gamma=1");
    let about = said.iter().filter(|n| n.contains("not centred")).collect::<Vec<_>>();
    assert_eq!(about.len(), 1, "{said:?}");
    let start = "two_stage: kernels that are not centred: 2 of 2; ";
    assert!(about[0].starts_with(start), "{about:?}");
    let said = notes("gaussian:gamma=1:normalize=center_unit_variance");
    assert!(!said.iter().any(|n| n.contains("centred")), "{said:?}");
}

/// Matrices that were centred before were said not to be, with an advice for features.
#[test]
fn centred_matrices_are_seen() {
    let (views, labels) = crate::data::toy::views(60, 2, &[3.0, 1.0], 1).unwrap();
    let specs = |text: &str| [text.parse::<KernelSpec>().unwrap()];
    let given = |normalize: &str| {
        let text = format!("gaussian:sigma=median{normalize}");
        let bank = Bank::build(&views, &specs(&text), Storage::Resident, &Run::default()).unwrap();
        let mut given = crate::data::Views::new();
        for m in 0..bank.len() {
            let matrix = Matrix::from_fn(60, 60, |i, j| bank.entry(m, i, j));
            let name = bank.kernels()[m].view.replace("view", "set: ");
            given = given.with(name, crate::data::Table::Similarity(matrix)).unwrap();
        }
        given
    };
    let said = |views: &crate::data::Views, rows: &[usize], spec: &str| {
        let mkl = crate::model::Mkl::new("two_stage").unwrap().param("steps", 20);
        let mkl = mkl.kernels(specs(spec));
        let model = mkl.fit(&views.select(rows), &labels.select(rows), &Run::default()).unwrap();
        model.report().warnings.join("; ")
    };
    let (all, fold): (Vec<usize>, Vec<usize>) =
        ((0..60).collect(), (0..60).filter(|i| i % 5 != 2).collect());
    let centred = given(":normalize=center_unit_variance");
    assert_eq!(said(&centred, &all, "precomputed"), "");
    assert_eq!(said(&centred, &fold, "precomputed"), "");
    let raw = given("");
    let warning = said(&raw, &all, "precomputed");
    assert!(warning.contains("not centred: 2 of 2"), "{warning}");
    // The advice can be followed as it stands.
    let advice = warning.split("as in ").nth(1).unwrap();
    assert_eq!(advice, "precomputed@\"set: 0\":normalize=center_unit_variance");
    assert_eq!(said(&raw, &all, advice), "");
}

/// Gaussian kernels of random features, some useful, of random scales; up to three classes.
fn random_problem(n: usize, kernels: usize, seed: u64) -> (Bank, Classes) {
    let mut rng = Run::with_seed(seed).rng("random pair problems");
    let codes: Vec<usize> =
        (0..n).map(|i| if i < 2 { i } else { rng.random_range(0..3) }).collect();
    let matrices = (0..kernels).map(|m| {
        let useful = rng.random_range(0.0..3.0) * f64::from(rng.random_range(0..2));
        let scale = 10_f64.powi(rng.random_range(-2..3));
        let x: Vec<f64> =
            codes.iter().map(|c| useful * *c as f64 + rng.random_range(-1.0..1.0)).collect();
        let k = Matrix::from_fn(n, n, |i, j| scale * (-(x[i] - x[j]).powi(2)).exp());
        (format!("k{m}"), k)
    });
    let bank = Bank::from_matrices(matrices.collect(), Storage::Resident).unwrap();
    let texts: Vec<String> = codes.iter().map(usize::to_string).collect();
    (bank, Classes::from_texts(&texts).unwrap())
}

fn learned(bank: &Bank, classes: &Classes, given: &[(&str, Value)], run: &Run) -> Learned {
    let params = METHOD.check(given.iter().map(|(n, v)| (*n, v))).unwrap();
    let machine = crate::machine::Svc::default();
    TwoStage(PairClassifier::new(&params))
        .learn(&Problem::new(bank, &Target::from(classes.clone()), &machine), run)
        .unwrap()
}

/// Pegasos alone ended above 1, the objective of zero weights, for small λ, and said converged.
#[test]
fn never_worse_than_zero_weights() {
    let mut rng = Run::with_seed(4).rng("sizes");
    let mut zeros = 0;
    for case in 0..60 {
        let n = rng.random_range(2..30);
        let kernels = [1, 2, 5, 20, 60][rng.random_range(0..5)];
        let lambda = 10_f64.powf(rng.random_range(-12.0..6.0));
        let (bank, classes) = random_problem(n, kernels, case);
        let given = [("lambda", Value::Real(lambda))];
        let report = learned(&bank, &classes, &given, &Run::default()).report;
        let place = format!("case {case}: n {n}, M {kernels}, lambda {lambda:e}: {report:?}");
        assert_eq!(report.status, Status::Converged, "{place}");
        assert!(report.objective[0] <= 1.0 + 1e-12, "{place}");
        assert!(report.objective.windows(2).all(|w| w[1] <= w[0]), "{place}");
        let zero = report.details["mu"].iter().all(|w| *w == 0.0);
        assert_eq!(zero, report.notes.iter().any(|n| n.contains("every weight became 0")));
        zeros += usize::from(zero);
    }
    assert!(zeros < 10, "{zeros} of 60");
}

/// Kernels of 10⁻¹² and of 10¹² times the size of others ended at the limit on iterations with λ Σ μ.
#[test]
fn kernels_of_any_size_are_weighed() {
    let (n, kernels) = (40, 7);
    let (bank, classes) = random_problem(n, kernels, 2);
    for penalty in ["l1", "l2"] {
        for lambda in [1e-12, 1e-6, 1e-2] {
            let scaled = |m: usize| {
                let by = 10_f64.powi(4 * (m as i32 - 3));
                (format!("{m}"), Matrix::from_fn(n, n, |i, j| by * bank.entry(m, i, j)))
            };
            let matrices = (0..kernels).map(scaled).collect();
            let bank = Bank::from_matrices(matrices, Storage::Resident).unwrap();
            let given =
                [("lambda", Value::Real(lambda)), ("penalty", Value::Text(penalty.to_string()))];
            let report = learned(&bank, &classes, &given, &Run::default()).report;
            assert_eq!(report.status, Status::Converged, "{penalty} {lambda}: {report:?}");
        }
    }
}

/// Pairs are drawn as often as their weights say, and where all are there their weights count.
#[test]
fn pairs_count_by_their_weights() {
    let (bank, classes) = random_problem(12, 2, 5);
    let link = |i: usize, j: usize| match classes.codes[i] == classes.codes[j] {
        true => Link::Must,
        false => Link::Cannot,
    };
    let all = (0..12).flat_map(|i| (0..i).map(move |j| (i, j)));
    let weight = |i: usize, j: usize| f64::from(((i * 7 + j) % 4) as u8);
    let pairs = Pairs::weighted(12, all.map(|(i, j)| (i, j, link(i, j), weight(i, j)))).unwrap();
    let (target, machine) = (Target::from(classes.clone()), crate::machine::Svc::default());
    let given = GivenPairs { bank: &bank, pairs: &pairs };
    let problem = Problem { pairs: Some(given), ..Problem::new(&bank, &target, &machine) };
    let sampler = Sampler::new(&problem, true, false, &Run::default()).unwrap();
    let watch = Run::default().watch();
    let listed = sampler.examples(1_000, &watch).unwrap();
    let weights = listed.weights(pairs::Part::All);
    // Means of the K-examples by their weights, and of a large draw.
    let drawn = sampler.draw(sampler.stream(pairs::Part::All), 40_000, &watch);
    let equal: Vec<f64> = vec![1.0 / drawn.len() as f64; drawn.len()];
    let (a, b) = (listed.examples.pull(&weights), drawn.pull(&equal));
    for (a, b) in a.iter().zip(&b) {
        assert!((a - b).abs() < 0.02 * a.abs().max(0.5), "{a} {b}");
    }
    let mut at = 0;
    for link in [Link::Cannot, Link::Must] {
        let given = pairs.weights(link).unwrap();
        let total: f64 = given.iter().sum();
        for w in given {
            assert!((weights[at] - 0.5 * w / total).abs() < 1e-15);
            at += 1;
        }
    }
}

/// λ so small that the steps of Pegasos cannot end in time.
#[test]
fn steps_are_never_worse_than_zero_weights_either() {
    let (bank, classes) = random_problem(120, 20, 3);
    for (lambda, status) in [(1e-8, Status::IterationLimit), (10.0, Status::Converged)] {
        let given = [
            ("solver", Value::Text("pegasos".to_string())),
            ("lambda", Value::Real(lambda)),
            ("steps", Value::Int(400)),
        ];
        let report = learned(&bank, &classes, &given, &Run::default()).report;
        assert_eq!(report.status, status, "{report:?}");
        assert!(report.objective.len() == 1 && report.objective[0] < 1.0, "{report:?}");
        assert!(!report.notes.iter().any(|n| n.contains("became 0")), "{:?}", report.notes);
    }
}

/// The band with two sums in place of all others gives the answer of the whole, and so does a draw of all pairs.
#[test]
fn bands_solve_what_the_whole_problem_says() {
    let mut rng = Run::with_seed(8).rng("sizes");
    let watch = Run::default().watch();
    for case in 0..40 {
        let (n, kernels) = (rng.random_range(20..90), [1, 3, 12, 40, 130][case as usize % 5]);
        let (bank, classes) = random_problem(n, kernels, case);
        let target = Target::from(classes);
        let machine = crate::machine::Svc::default();
        let problem = Problem::new(&bank, &target, &machine);
        let sampler = Sampler::new(&problem, case % 3 != 0, true, &Run::default()).unwrap();
        let drawn = sampler.examples(1 << 20, &watch).unwrap();
        assert_eq!(drawn.signs.len() as f64, sampler.pairs());
        let lambda = 10_f64.powf(rng.random_range(-9.0..3.0));
        let penalty = match case % 2 {
            0 => penalty::Penalty::Squares(lambda),
            _ => penalty::Penalty::Sum(lambda),
        };
        let weights = drawn.weights(pairs::Part::All);
        let program = interior::Program { examples: &drawn.examples, weights: &weights, penalty };
        let whole = interior::solve(program, vec![0.0; kernels], 1e-8, &watch);
        let value = drawn.examples.objective(&weights, penalty, &whole.mu);
        let (mu, far) = (vec![0.5; kernels], case % 7 == 0);
        let margins = drawn.examples.margins(&mu);
        let near = far.then_some((&mu[..], &margins[..]));
        let found = bands::minimize(program, near, 1e-8, &watch);
        let place = format!("case {case}: n {n}, M {kernels}, {penalty:?}: {value} {found:?}");
        assert_eq!((whole.status, found.status), (Status::Converged, Status::Converged), "{place}");
        assert!((found.value() - value).abs() <= 2e-8 * value, "{place}");
        let again = drawn.examples.objective(&weights, penalty, &found.mu);
        assert!((found.value() / again - 1.0).abs() < 1e-12, "{place}: {again}");
        assert!(found.lower <= value * (1.0 + 1e-12) && whole.lower <= found.value(), "{place}");
        assert!(found.objective.is_sorted_by(|a, b| a >= b), "{place}");
    }
}

/// Cancels at the first step that it is told, and remembers the last.
#[derive(Debug)]
struct Canceller(crate::Cancel, std::sync::Mutex<u64>);

impl crate::Observer for Canceller {
    fn event(&self, event: &Event<'_>) {
        if let Event::Step { done, .. } = event {
            self.0.cancel();
            *self.1.lock().unwrap() = *done;
        }
    }
}

/// One kernel and small batches used to mean 10⁴ batches between two looks at the clock, and 10³
/// draws for each pair of a part without pairs of its sign, as with three instances.
#[test]
fn the_clock_is_looked_at_between_pieces() {
    for n in [3, 40] {
        let (bank, classes) = random_problem(n, 1, 1);
        let cancel = crate::Cancel::default();
        let seen = std::sync::Arc::new(Canceller(cancel.clone(), std::sync::Mutex::new(0)));
        let run = Run { observer: Some(seen.clone()), cancel, ..Run::default() };
        let pegasos = Value::Text("pegasos".to_string());
        let steps = [("solver", pegasos), ("steps", Value::Int(1_000_000_000))];
        let report = learned(&bank, &classes, &steps, &run).report;
        assert_eq!(report.status, Status::Interrupted);
        assert!((1..=164).contains(&*seen.1.lock().unwrap()), "{seen:?}");
    }
}

#[test]
fn grid_of_lambda() {
    let grid = classifier::grid();
    assert_eq!((grid.len(), grid[0], grid[1]), (17, 100.0, 25.0));
    assert!(grid[16] >= 1e-8 && grid[16] / 4.0 < 1e-8);
}

/// Weights from products as kernels are those from products formed pair by pair.
#[test]
fn products_as_kernels_are_the_same() {
    let n = 40;
    let (bank, classes) = random_problem(n, 4, 6);
    // Of mean diagonal 1, as products are formed of kernels that are divided by s.
    let unit = (0..4).flat_map(|m| bank.diagonal(m).to_vec()).sum::<f64>() / (4 * n) as f64;
    for ordered in [false, true] {
        let features = products::Products::new(4, 3, ordered);
        let named = |(t, term): (usize, Vec<u32>)| {
            let value = |i, j| {
                let of = |m: &u32| bank.entry(*m as usize, i, j) / unit;
                features.factor(t) * term.iter().map(of).product::<f64>()
            };
            (format!("{term:?}"), Matrix::from_fn(n, n, value))
        };
        let matrices = features.terms().into_iter().enumerate().map(named).collect();
        let explicit = Bank::from_matrices(matrices, Storage::Resident).unwrap();
        let target = Target::from(classes.clone());
        let machine = crate::machine::Svc::default();
        let run = Run::default();
        let watch = run.watch();
        let (plain, other) =
            (Problem::new(&bank, &target, &machine), Problem::new(&explicit, &target, &machine));
        let formed =
            Sampler::new(&plain, true, true, &run).unwrap().with_products(features.clone());
        let read = Sampler::new(&other, true, true, &run).unwrap();
        let a = formed.examples(1_000, &watch).unwrap();
        let b = read.examples(1_000, &watch).unwrap();
        assert_eq!(a.signs.len(), n * (n + 1) / 2);
        for p in 0..a.signs.len() {
            let pairs = a.examples.row(p).iter().zip(b.examples.row(p));
            pairs.for_each(|(x, y)| assert!((x - y * read.unit()).abs() <= 1e-12 * x.abs()));
        }
    }
}
