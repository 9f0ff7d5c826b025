//! Methods that learn weights and machine together beside Clarabel, which solves the primal of both as one cone program.

use crate::common::primal::{Loss, Weights, one_stage};
use crate::common::{bank, classes, problem, weights};
use cokernel::Run;
use cokernel::bank::Storage;
use cokernel::catalogue::find;
use cokernel::data::{Matrix, Target};
use cokernel::machine::MachineSpec;
use cokernel::mkl::{Learned, Problem, learner, train};
use cokernel::params::Value;
use rand::RngExt;

/// A random problem, one machine of several, and its loss.
struct Random {
    kernels: Vec<Matrix>,
    y: Vec<f64>,
    target: Target,
    machine: MachineSpec,
    loss: Loss,
    rng: rand_xoshiro::Xoshiro256PlusPlus,
}

impl Random {
    /// A classifier, but for two of five a regression machine.
    fn new(seed: u64) -> Self {
        let mut rng = Run::with_seed(seed).rng("sets");
        let (n, count) = (20 + rng.random_range(0..8), 4 + rng.random_range(0..3));
        let (mut kernels, codes) = problem(n, 2, count, seed);
        // Kernels of different sizes.
        for kernel in &mut kernels {
            let size = 0.5 + 1.5 * rng.random::<f64>();
            *kernel = Matrix::from_fn(n, n, |i, j| size * kernel.get(i, j));
        }
        let size = [0.3, 3.0, 30.0][rng.random_range(0..3)];
        let real: Vec<f64> = (0..n)
            .map(|i| f64::from(codes[i]) + kernels[0].get(i, 2) + 0.3 * rng.random::<f64>())
            .collect();
        let signs: Vec<f64> = codes.iter().map(|c| 2.0 * f64::from(*c) - 1.0).collect();
        let (text, loss) = match seed % 5 {
            1 => {
                (format!("svr:c={size}:epsilon=0.1:tol=1e-9"), Loss::Tube { c: size, epsilon: 0.1 })
            }
            2 => (
                format!("kernel_ridge:lambda={}", 1.0 / size),
                Loss::Squared { lambda: 1.0 / size },
            ),
            _ => (format!("svc:c={size}:tol=1e-9"), Loss::Hinge { c: size }),
        };
        let classify = matches!(loss, Loss::Hinge { .. });
        let target =
            if classify { Target::from(classes(&codes)) } else { Target::Real(real.clone()) };
        Random {
            kernels,
            y: if classify { signs } else { real },
            target,
            machine: text.parse().unwrap(),
            loss,
            rng,
        }
    }

    fn number(&mut self) -> f64 {
        self.rng.random::<f64>()
    }

    fn learn(&self, id: &str, given: &[(&str, Value)], tol: f64) -> Learned {
        let method = find(id).unwrap();
        let tol = Value::Real(tol);
        let all = given.iter().map(|(n, v)| (*n, v)).chain([("tol", &tol)]);
        let params = method.check(all).unwrap();
        let bank = bank(&self.kernels, Storage::Resident);
        let machine = self.machine.checked().unwrap().build().unwrap();
        let problem = Problem::new(&bank, &self.target, machine.as_ref());
        train(&problem, learner(method, &params).unwrap().as_ref(), &Run::default()).unwrap()
    }

    /// The method and the cone program have the same objective, and where weights are unique, the same weights.
    fn compare(&self, id: &str, given: &[(&str, Value)], set: &Weights, unique: bool) -> Learned {
        let what = format!("{id} {given:?} {:?}", self.machine);
        let learned = self.learn(id, given, 1e-7);
        let (status, gap) = (learned.report.status, learned.report.gap);
        assert!(status.is_success(), "{what}: {status} at {gap:?}");
        let (best, eta) = one_stage(&self.kernels, &self.y, &self.loss, set);
        let ours = *learned.report.objective.last().unwrap();
        assert!((ours / best - 1.0).abs() < 1e-6, "{what}: {ours} {best}");
        for (a, b) in weights(&learned).iter().zip(&eta).filter(|_| unique) {
            assert!((a - b).abs() < 3e-3, "{what}: {:?} {eta:?}", weights(&learned));
        }
        learned
    }

    /// Numbers by the names of the kernels.
    fn named(&self, numbers: &[f64]) -> Value {
        Value::Factors(numbers.iter().enumerate().map(|(m, v)| (format!("k{m}"), *v)).collect())
    }
}

#[test]
fn prices_of_kernels() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let count = random.kernels.len();
        let d: Vec<f64> = (0..count).map(|_| 0.3 + 2.0 * random.number()).collect();
        let squares: Vec<f64> = d.iter().map(|d| d * d).collect();
        let set = Weights::Linear(squares.clone());
        let learned = random.compare("bach", &[("d", random.named(&d))], &set, true);
        let spent: f64 = weights(&learned).iter().zip(&squares).map(|(w, f)| w * f).sum();
        assert!((spent - 1.0).abs() < 1e-12, "{spent}");
        assert_eq!(learned.report.details["d"].len(), d.len());
        let n = random.y.len();
        let mean = |k: &Matrix| (0..n).map(|i| k.get(i, i)).sum::<f64>() / n as f64;
        let set = Weights::Linear(random.kernels.iter().map(mean).collect());
        random.compare("bach", &[("d", Value::from("trace"))], &set, true);
    }
}

#[test]
fn elastic_nets() {
    for seed in 0..20 {
        let mut random = Random::new(100 + seed);
        let v = [0.01, 0.1, 0.5, 0.9, 0.99, random.number()][seed as usize % 6];
        random.compare("elastic_net", &[("l1_ratio", v.into())], &Weights::ElasticNet(v), true);
    }
}

#[test]
fn mixed_norms() {
    for seed in 0..40 {
        let mut random = Random::new(200 + seed);
        let norms = [1.0, 1.2, 1.5, 2.0, 4.0];
        let (within, across) = (norms[random.rng.random_range(0..5)], norms[seed as usize % 5]);
        let numbers: Vec<f64> =
            random.kernels.iter().map(|_| f64::from(random.rng.random_range(1..4))).collect();
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); 3];
        for (m, number) in numbers.iter().enumerate() {
            groups[*number as usize - 1].push(m);
        }
        groups.retain(|g| !g.is_empty());
        let given = [
            ("groups", random.named(&numbers)),
            ("within", within.into()),
            ("across", across.into()),
        ];
        let set = Weights::Mixed { groups, within, across };
        random.compare("mixed_norm", &given, &set, true);
    }
}

#[test]
fn lp_norms() {
    for seed in 0..20 {
        let random = Random::new(300 + seed);
        let p = [1.1, 4.0 / 3.0, 2.0, 4.0][seed as usize % 4];
        let groups = vec![(0..random.kernels.len()).collect()];
        let set = Weights::Mixed { groups, within: p, across: 1.0 };
        random.compare("lp_norm", &[("p", p.into())], &set, true);
    }
}

#[test]
fn quadratic_penalties() {
    for seed in 0..20 {
        let mut random = Random::new(400 + seed);
        let lambda = 10.0_f64.powf(3.0 * random.number() - 1.5);
        let given = [("lambda", lambda.into()), ("lambda_unit", Value::from("one"))];
        random.compare("regularized_simple_mkl", &given, &Weights::Quadratic(lambda), true);
        // The other unit is the machine on the mean.
        let part = 0.1 + random.number();
        let learned = random.learn("regularized_simple_mkl", &[("lambda", part.into())], 1e-7);
        let lambda = learned.report.details["lambda"][0];
        let given = [("lambda", lambda.into()), ("lambda_unit", Value::from("one"))];
        let same =
            random.compare("regularized_simple_mkl", &given, &Weights::Quadratic(lambda), true);
        for (a, b) in weights(&learned).iter().zip(weights(&same)) {
            assert!((a - b).abs() < 1e-3, "{a} {b}");
        }
    }
}

/// All choices of k kernels are compared: none is below the bound, and ours is within the gap that it tells.
#[test]
fn selections() {
    let mut best_found = 0;
    for seed in 0..20 {
        let random = Random::new(500 + seed);
        let (n, count) = (random.y.len(), random.kernels.len());
        let k = 1 + seed as usize % (count - 1);
        let learned = random.learn("binary_selection", &[("select", (k as i64).into())], 1e-7);
        let report = &learned.report;
        let what = format!("seed {seed}, {k} of {count}: {} {:?}", report.status, report.details);
        assert!(report.status.is_success(), "{what}");
        let w = weights(&learned);
        assert!(w.iter().all(|w| *w == 0.0 || *w == 1.0) && w.iter().sum::<f64>() == k as f64);
        let set = Weights::Capped(k as f64);
        let (relaxed, eta) = one_stage(&random.kernels, &random.y, &random.loss, &set);
        let bound = report.details["lower_bound"][0];
        assert!((bound / relaxed - 1.0).abs() < 1e-6, "{what}: {relaxed}");
        for (a, b) in report.details["relaxed_weights"].iter().zip(&eta) {
            assert!((a - b).abs() < 5e-3, "{what}: {eta:?}");
        }
        let value = |chosen: usize| {
            let has = |m: usize| chosen >> m & 1 == 1;
            let entry =
                |i, j| (0..count).filter(|m| has(*m)).map(|m| random.kernels[m].get(i, j)).sum();
            let sum = Matrix::from_fn(n, n, entry);
            one_stage(&[sum], &random.y, &random.loss, &Weights::Linear(vec![1.0])).0
        };
        let all = (0..1_usize << count).filter(|c| c.count_ones() as usize == k);
        let best = all.map(value).fold(f64::INFINITY, f64::min);
        let ours = *report.objective.last().unwrap();
        let chosen = (0..count).filter(|m| w[*m] > 0.0).map(|m| 1 << m).sum();
        assert!((ours / value(chosen) - 1.0).abs() < 1e-6, "{what}: {ours}");
        let gap = report.details["selection_gap"][0];
        assert!(
            best >= bound * (1.0 - 1e-6) && ours - best <= (gap + 1e-6) * ours,
            "{what}: {best}"
        );
        assert!(report.objective.windows(2).all(|w| w[1] < w[0]), "{what}");
        best_found += usize::from(ours <= best * (1.0 + 1e-6));
    }
    assert!(best_found >= 19, "{best_found} of 20");
}
