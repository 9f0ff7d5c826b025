//! Data-dependent weights, end to end: values by their definition from raw features, files, and what is refused.

use cokernel::Run;
use cokernel::data::{Labels, Matrix, Views};
use cokernel::model::{Mkl, Model};
use cokernel::params::Value;

const N: usize = 90;
const NEAREST: usize = 7;

/// Left of 0 view `a` tells the class and `b` does not, right of it the other way round; `side` tells where.
fn data() -> (Views, [Matrix; 3], Vec<usize>) {
    let wave = |i: usize, k: f64| ((i as f64 + 1.0) * k).sin();
    let class = |i: usize| usize::from(i.is_multiple_of(3));
    let told = |i: usize, k: f64| 2.0 * class(i) as f64 + 0.4 * wave(i, k);
    let left = |i: usize| i < N / 2;
    let a = Matrix::from_fn(N, 2, |i, j| {
        let k = 1.7 + j as f64;
        if left(i) { told(i, k) } else { 1.0 + wave(i, 2.9 * k) }
    });
    let b = Matrix::from_fn(N, 2, |i, j| {
        let k = 2.3 + j as f64;
        if left(i) { 1.0 + wave(i, 3.1 * k) } else { told(i, k) }
    });
    let side =
        Matrix::from_fn(N, 1, |i, _| (if left(i) { -1.0 } else { 1.0 }) + 0.3 * wave(i, 0.77));
    let views = Views::new();
    let views = views.dense("a", a.clone()).unwrap().dense("b", b.clone()).unwrap();
    let views = views.dense("side", side.clone()).unwrap();
    (views, [a, b, side], (0..N).map(class).collect())
}

fn labels(codes: &[usize]) -> Labels {
    Labels::from_texts(&codes.iter().map(|c| ["no", "yes"][*c]).collect::<Vec<_>>())
}

fn mkl(params: &[(&str, &str)]) -> Mkl {
    let kernels = ["gaussian@a:gamma=0.7", "polynomial@b:degree=2"];
    let start = Mkl::new("neighbour_weights").unwrap().c(3.0);
    let start = start.kernels(kernels.iter().map(|t| t.parse().unwrap()).collect::<Vec<_>>());
    let nearest = NEAREST.to_string();
    let given = [("neighbours", nearest.as_str()), ("gate_views", "side")];
    let all = given.iter().chain(params);
    all.fold(start, |mkl, (name, value)| mkl.param(*name, Value::parse(value)))
}

/// The two kernels from the features: exp(−0.7 d²) and (⟨x, z⟩ + 1)².
fn kernel(m: usize, x: &[f64], z: &[f64]) -> f64 {
    let square: f64 = x.iter().zip(z).map(|(x, z)| (x - z).powi(2)).sum();
    let product: f64 = x.iter().zip(z).map(|(x, z)| x * z).sum();
    if m == 0 { (-0.7 * square).exp() } else { (product + 1.0).powi(2) }
}

/// The places of the smallest numbers.
fn smallest(numbers: &[f64], count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    order.truncate(count);
    order
}

/// η at every instance by the definition, from those with `part`.
fn weights(data: &[Matrix; 3], codes: &[usize], part: &[usize], chance: bool) -> Vec<[f64; 2]> {
    let good = |m: usize, l: usize| {
        let x = |i: usize| data[m].row(i);
        let far = |j: usize| {
            if j == l {
                return f64::INFINITY;
            }
            kernel(m, x(l), x(l)) + kernel(m, x(j), x(j)) - 2.0 * kernel(m, x(l), x(j))
        };
        let near = smallest(&part.iter().map(|j| far(*j)).collect::<Vec<_>>(), NEAREST);
        let same = near.iter().filter(|a| codes[part[**a]] == codes[l]).count();
        let class = part.iter().filter(|j| codes[**j] == codes[l]).count();
        let p = if chance { class as f64 / part.len() as f64 } else { 0.0 };
        ((same as f64 / NEAREST as f64 - p) / (1.0 - p)).max(0.0)
    };
    let side = |i: usize| data[2].get(i, 0);
    let one = |i: usize| {
        let far: Vec<f64> = part.iter().map(|l| (side(*l) - side(i)).abs()).collect();
        let sums =
            [0, 1].map(|m| smallest(&far, NEAREST).iter().map(|a| good(m, part[*a])).sum::<f64>());
        let total = sums[0] + sums[1];
        if total > 0.0 { sums.map(|s| s / total) } else { [0.5; 2] }
    };
    (0..N).map(one).collect()
}

/// Decision values of all instances by the definition.
fn by_definition(model: &Model, data: &[Matrix; 3], eta: &[[f64; 2]]) -> Vec<f64> {
    let (support, coef, bias) = model.duals();
    let value = |i: usize| {
        let term = |(c, j): (usize, &usize)| {
            let both = |m: usize| {
                let k = kernel(m, data[m].row(i), data[m].row(*j));
                (eta[i][m] * eta[*j][m]).sqrt() * k
            };
            coef.get(0, c) * (both(0) + both(1))
        };
        support.iter().enumerate().map(term).sum::<f64>() + bias[0]
    };
    (0..N).map(value).collect()
}

#[test]
fn weights_and_values_are_those_of_the_definition() {
    let (views, data, codes) = data();
    let all: Vec<usize> = (0..N).collect();
    for (text, chance) in [("chance", true), ("zero", false)] {
        let mkl = mkl(&[("threshold", text)]);
        let model = mkl.fit(&views, &labels(&codes), &Run::default()).unwrap();
        let eta = weights(&data, &codes, &all, chance);
        let found = model.predict(&views).unwrap().decisions;
        for (i, wanted) in by_definition(&model, &data, &eta).iter().enumerate() {
            assert!((found.get(i, 0) - wanted).abs() < 1e-9, "{text} {i}");
        }
        for m in 0..2 {
            let mean = eta.iter().map(|w| w[m]).sum::<f64>() / N as f64;
            assert!((model.rule().uses()[m] - mean).abs() < 1e-12, "{text} {m}");
        }
        if chance {
            // Each kernel has the larger weight where it tells the class.
            assert!(eta[..30].iter().all(|w| w[0] > 0.6), "{eta:?}");
            assert!(eta[60..].iter().all(|w| w[1] > 0.6), "{eta:?}");
        }
        let back = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(back, model);
        let new = views.select(&[3, 70, 11]);
        assert_eq!(back.predict(&new).unwrap(), model.predict(&new).unwrap());
        let without = Views::new().dense("a", data[0].clone()).unwrap();
        let without = without.dense("b", data[1].clone()).unwrap();
        let said = model.predict(&without).unwrap_err().to_string();
        assert!(said.contains("view 'side' is missing"), "{said}");
    }
}

#[test]
fn instances_without_weight_are_no_neighbours() {
    let (views, data, codes) = data();
    let counts: Vec<f64> = (0..N).map(|i| if i % 4 == 1 { 0.0 } else { 1.0 }).collect();
    let part: Vec<usize> = (0..N).filter(|i| i % 4 != 1).collect();
    let run = Run::default();
    let model = mkl(&[]).fit_weighted(&views, &labels(&codes), &counts, &run).unwrap();
    let found = model.predict(&views).unwrap().decisions;
    let eta = weights(&data, &codes, &part, true);
    for (i, wanted) in by_definition(&model, &data, &eta).iter().enumerate() {
        assert!((found.get(i, 0) - wanted).abs() < 1e-9, "{i}");
    }
}

#[test]
fn more_neighbours_than_instances_are_all_of_them() {
    let (views, _, codes) = data();
    let fit = |text: &str| {
        let mkl = mkl(&[("neighbours", text), ("threshold", "zero")]);
        mkl.fit(&views, &labels(&codes), &Run::default()).unwrap()
    };
    let (most, more) = (fit("89"), fit("1000"));
    assert_eq!(most.predict(&views).unwrap().decisions, more.predict(&views).unwrap().decisions);
    let notes = more.report().notes.join("; ");
    assert!(
        notes.contains("neighbours is 1000, and each of the 90 instances has 89 others"),
        "{notes}"
    );
}
