//! Combinations by definition.

use cokernel::data::{Matrix, Table, Views};
use cokernel::mkl::Learned;
use cokernel::rule::{Pairs, Rule};

/// What a rule makes of the values of all kernels for one pair; `mix` itself only where nothing better is
/// known here.
pub fn value(rule: &dyn Rule, values: &[f64]) -> f64 {
    let uses = rule.uses();
    match rule.id() {
        "linear" => uses.iter().zip(values).map(|(w, v)| w * v).sum(),
        "product" => values.iter().product(),
        "power_product" => uses.iter().zip(values).map(|(g, v)| v.powf(*g)).product(),
        _ => {
            let read: Vec<[f64; 1]> = rule.active().iter().map(|m| [values[*m]]).collect();
            let parts: Vec<&[f64]> = read.iter().map(|v| v.as_slice()).collect();
            let mut out = [f64::NAN];
            rule.pointwise()
                .unwrap()
                .mix(Pairs { values: &parts, own: &[], others: &[] }, &mut out);
            out[0]
        }
    }
}

/// Kernels as similarity views, with the names that banks of the tests give them.
pub fn similarities(kernels: &[Matrix]) -> Views {
    let views = kernels.iter().enumerate();
    let with = |views: Views, (m, k): (usize, &Matrix)| {
        views.with(format!("k{m}"), Table::Similarity(k.clone())).unwrap()
    };
    views.fold(Views::new(), with)
}

/// What gates look at where nothing else is said.
fn seen(rule: &dyn Rule, kernels: &[Matrix]) -> Views {
    if rule.views().is_empty() { Views::new() } else { similarities(kernels) }
}

/// The combined kernel of a pointwise rule, of all instances with each other.
pub fn combined(rule: &dyn Rule, kernels: &[Matrix]) -> Matrix {
    combined_with(rule, kernels, &seen(rule, kernels))
}

/// The same, where gates look at these views.
pub fn combined_with(rule: &dyn Rule, kernels: &[Matrix], views: &Views) -> Matrix {
    let (rows, cols) = (kernels[0].rows(), kernels[0].cols());
    if let Some(gated) = rule.gated() {
        let gates = gated.gates(views).unwrap();
        let term = |i: usize, j: usize, g: usize| {
            let k = &kernels[g / gated.copies()];
            gates.get(i, g) * k.get(i, j) * gates.get(j, g)
        };
        return Matrix::from_fn(rows, cols, |i, j| (0..gates.cols()).map(|g| term(i, j, g)).sum());
    }
    if rule.id() == "neighbours" {
        let roots = rule.pointwise().unwrap().numbers(views).unwrap().unwrap();
        let term =
            |i: usize, j: usize, m: usize| roots.get(i, m) * kernels[m].get(i, j) * roots.get(j, m);
        return Matrix::from_fn(rows, cols, |i, j| (0..kernels.len()).map(|m| term(i, j, m)).sum());
    }
    Matrix::from_fn(rows, cols, |i, j| {
        value(rule, &kernels.iter().map(|k| k.get(i, j)).collect::<Vec<_>>())
    })
}

/// Decision values, one list for each head, for kernels of some rows (with all training instances).
pub fn decisions(learned: &Learned, kernels: &[Matrix]) -> Vec<Vec<f64>> {
    decisions_with(learned, kernels, &seen(&*learned.rule, kernels))
}

/// The same, where gates look at these views.
pub fn decisions_with(learned: &Learned, kernels: &[Matrix], views: &Views) -> Vec<Vec<f64>> {
    let (rows, n) = (kernels[0].rows(), kernels[0].cols());
    let parts = match learned.rule.pointwise() {
        Some(_) => vec![combined_with(&*learned.rule, kernels, views)],
        None => learned.rule.active().iter().map(|m| kernels[*m].clone()).collect(),
    };
    let value = |coef: &[f64], i: usize| -> f64 {
        let of = |(k, c): (&Matrix, &[f64])| (0..n).map(|j| c[j] * k.get(i, j)).sum::<f64>();
        parts.iter().zip(coef.chunks(n)).map(of).sum()
    };
    let machines = learned.machines.as_ref().unwrap();
    machines.heads().map(|h| (0..rows).map(|i| value(&h.coef, i) + h.bias).collect()).collect()
}
