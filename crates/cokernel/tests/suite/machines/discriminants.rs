//! The kernel Fisher discriminant in the features, of several classes and at every scale.

use super::{points, target};
use crate::common::gaussian;
use cokernel::Run;
use cokernel::bank::Gram;
use cokernel::data::{Labels, Matrix, Target};
use cokernel::machine::{How, MachineSpec};
use cokernel::method::Task;

/// In the features: (S_w + λI) w is a multiple of the difference of the means, 0 lies midway between them; for
/// each class and each pair, with weights.
#[test]
fn fisher_discriminants_of_several_classes() {
    let (x, y) = points(45, 31);
    let entry = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum();
    let gram = Gram::new(Matrix::from_fn(45, 45, entry)).unwrap();
    let target = target(Task::Classify, &y);
    let classes = target.classes().unwrap();
    let weights: Vec<f64> = (0..45).map(|i| [1.0, 0.3, 2.5, 0.0][i % 4]).collect();
    let run = Run::default();
    let lambda = 0.4;
    for (word, heads) in [("one_vs_rest", 3), ("one_vs_one", 3)] {
        let spec = format!("kernel_fisher:lambda={lambda}:decomposition={word}");
        let machine = spec.parse::<MachineSpec>().unwrap().checked().unwrap().build().unwrap();
        let how = How { weights: Some(&weights), ..How::new(&run) };
        let found = machine.solve(&gram, &target, &how).unwrap();
        assert_eq!(found.heads().count(), heads);
        for head in found.heads() {
            let sign = |i: usize| head.role.sign(classes.codes[i]);
            let w: Vec<f64> =
                (0..3).map(|d| (0..45).map(|i| head.coef[i] * x.get(i, d)).sum()).collect();
            let mean = |side: f64, d: usize| {
                let of = (0..45).filter(|i| sign(*i) == side);
                let (sum, mass) =
                    of.fold((0.0, 0.0), |(s, m), i| (s + weights[i] * x.get(i, d), m + weights[i]));
                sum / mass
            };
            let means = [-1.0, 1.0].map(|side| [0, 1, 2].map(|d| mean(side, d)));
            let from = |i: usize, d: usize| x.get(i, d) - means[usize::from(sign(i) > 0.0)][d];
            let ratio = |d: usize| {
                let scatter = (0..45).filter(|i| sign(*i) != 0.0).map(|i| {
                    let inner: f64 = (0..3).map(|e| from(i, e) * w[e]).sum();
                    weights[i] * from(i, d) * inner
                });
                (lambda * w[d] + scatter.sum::<f64>()) / (means[1][d] - means[0][d])
            };
            let first = ratio(0);
            assert!((1..3).all(|d| (ratio(d) / first - 1.0).abs() < 1e-8) && first > 0.0, "{word}");
            let value =
                |side: usize| (0..3).map(|d| means[side][d] * w[d]).sum::<f64>() + head.bias;
            assert!((value(0) + value(1)).abs() < 1e-9 && value(1) > 0.0, "{word}");
        }
    }
    let none: Vec<f64> = (0..45).map(|i| f64::from(u8::from(classes.codes[i] != 1))).collect();
    let how = How { weights: Some(&none), ..How::new(&run) };
    let machine = "kernel_fisher".parse::<MachineSpec>().unwrap().checked().unwrap();
    let e = machine.build().unwrap().solve(&gram, &target, &how).unwrap_err().to_string();
    assert!(e.contains("class 'low' has no instance with a weight"), "{e}");
}

/// What the two say is true from the raw matrix at every scale, with costs and ridges of every size, and for
/// two instances.
#[test]
fn soft_labels_and_discriminants_of_every_scale() {
    let run = Run::default();
    for n in [2, 30] {
        let (x, y) = points(n, 32);
        let middle = y.iter().sum::<f64>() / n as f64;
        let texts: Vec<_> = y.iter().map(|v| if *v > middle { "b" } else { "a" }).collect();
        let target = Target::Classes(Labels::from_texts(&texts).classes().unwrap());
        let codes = target.classes().unwrap().codes.clone();
        let above = codes.iter().sum::<u32>() as f64 / n as f64;
        for scale in [1e-8, 1.0, 1e8] {
            let base = gaussian(&x, 1.0);
            let kernel = Matrix::from_fn(n, n, |i, j| scale * base.get(i, j));
            let gram = Gram::new(kernel.clone()).unwrap();
            for size in [1e-12, 1e-8, 1.0, 1e8] {
                let what = format!("n = {n}, kernel × {scale:e}, {size:e}");
                let neighbours = if n == 2 { 1 } else { 3 };
                let spec = format!("posterior_svm:c={size:e}:tol=1e-6:neighbours={neighbours}");
                let machine = spec.parse::<MachineSpec>().unwrap().checked().unwrap();
                let machine = machine.build().unwrap();
                let how = How::new(&run);
                let Target::Posteriors(p) = machine.settle(&gram, &target, &how).unwrap().unwrap()
                else {
                    panic!()
                };
                let found = machine.solve(&gram, &target, &how).unwrap();
                let head = found.heads().next().unwrap();
                let value =
                    |i: usize| kernel.row(i).iter().zip(&head.coef).map(|(k, c)| k * c).sum();
                let (mut primal, mut dual, mut sum, mut noise) = (0.0, 0.0, 0.0, 0.0);
                for i in 0..n {
                    let (soft, f): (f64, f64) = (2.0 * p.values()[2 * i + 1] - 1.0, value(i));
                    let c = head.coef[i];
                    assert!(c * soft >= 0.0 && (c * soft).abs() <= size * (1.0 + 1e-12), "{what}");
                    if soft != 0.0 {
                        let loss = 1.0 - (f + head.bias) / soft;
                        primal += size * loss.max(0.0);
                        let rows = kernel.row(i).iter().zip(&head.coef);
                        let rounding =
                            rows.map(|(k, c)| (k * c).abs()).sum::<f64>() + head.bias.abs();
                        noise += size * 1e-15 * (1.0 + rounding / soft.abs());
                    }
                    primal += 0.5 * c * f;
                    dual += soft * c - 0.5 * c * f;
                    sum += c;
                }
                let block = &found.blocks[0];
                let near = 1e-9 * primal + noise;
                assert!(
                    (primal - block.primal).abs() <= near,
                    "{what}: {primal:e} {:e}",
                    block.primal
                );
                assert!((dual - block.objective).abs() <= near, "{what}: {dual:e}");
                assert!(
                    sum.abs() <= 1e-9 * head.coef.iter().map(|c| c.abs()).sum::<f64>(),
                    "{what}"
                );
                let hard = size * scale > 1e7;
                assert!(found.status().is_success() || hard, "{what}: {:e}", block.gap);

                let spec = format!("kernel_fisher:lambda={size:e}");
                let machine = spec.parse::<MachineSpec>().unwrap().checked().unwrap();
                let found = machine.build().unwrap().solve(&gram, &target, &how).unwrap();
                let head = found.heads().next().unwrap();
                let value =
                    |i: usize| kernel.row(i).iter().zip(&head.coef).map(|(k, c)| k * c).sum();
                let f: Vec<f64> = (0..n).map(value).collect();
                let goal = |i: usize| {
                    if codes[i] == 1 { 2.0 * (1.0 - above) } else { -2.0 * above }
                };
                // The bias of the regression: Σ (y − f − b) is 0.
                let bias = -f.iter().sum::<f64>() / n as f64;
                let (mut primal, mut dual) = (0.0, 0.0);
                for i in 0..n {
                    let (c, rest) = (head.coef[i], goal(i) - f[i] - bias);
                    primal += 0.5 * c * f[i] + 0.5 * rest * rest / size;
                    dual += goal(i) * c - 0.5 * c * f[i] - 0.5 * size * c * c;
                }
                let block = &found.blocks[0];
                let ill = scale / size > 1e12;
                if !ill {
                    assert!((primal - block.primal).abs() <= 1e-6 * primal, "{what}: {primal:e}");
                    assert!((dual - block.objective).abs() <= 1e-6 * primal, "{what}: {dual:e}");
                    assert!(found.status().is_success(), "{what}: {:e}", block.gap);
                }
                let mean = |code: u32| {
                    let of = (0..n).filter(|i| codes[*i] == code).map(|i| f[i] + head.bias);
                    of.clone().sum::<f64>() / of.count() as f64
                };
                let size = f.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
                assert!((mean(0) + mean(1)).abs() <= 1e-6 * size, "{what}");
            }
        }
    }
}
