//! Sums of coefficients brought to 0.

/// Rounds of balancing; the flows of a handful of classes take a few dozen.
const ROUNDS: usize = 500;

/// Multiplies α_il, y_i = a, by u_a/u_l so that what class a gives, Σ_{y_i=a} Σ_l α_il, is what it takes,
/// Σ_i α_ia (Osborne, *J. ACM* 7, 1960), then all by one factor so that no α_il is above its C_i. A class
/// that only gives or only takes is left with nothing.
pub(super) fn balance(alpha: &mut [f64], codes: &[u32], classes: usize, costs: &[f64]) {
    let k = classes;
    let mut flow = vec![0.0; k * k];
    for (row, code) in alpha.chunks(k).zip(codes) {
        let out = &mut flow[*code as usize * k..][..k];
        out.iter_mut().zip(row).for_each(|(f, a)| *f += a);
    }
    let mut factor = vec![1.0; k];
    for _ in 0..ROUNDS {
        let mut worst = 0.0_f64;
        for a in 0..k {
            let others = (0..k).filter(|b| *b != a);
            let (gives, takes) = others.fold((0.0, 0.0), |(gives, takes), b| {
                (
                    gives + flow[a * k + b] * factor[a] / factor[b],
                    takes + flow[b * k + a] * factor[b] / factor[a],
                )
            });
            if (gives > 0.0) != (takes > 0.0) {
                for b in 0..k {
                    (flow[a * k + b], flow[b * k + a]) = (0.0, 0.0);
                }
                worst = 1.0;
            } else if gives > 0.0 {
                worst = worst.max((gives - takes).abs() / gives.max(takes));
                factor[a] *= (takes / gives).sqrt();
            }
        }
        if worst <= 2e-15 {
            break;
        }
    }
    let mut most = 1.0_f64;
    for (i, row) in alpha.chunks_mut(k).enumerate() {
        let a = codes[i] as usize;
        for (l, v) in row.iter_mut().enumerate() {
            *v = if flow[a * k + l] > 0.0 { *v * (factor[a] / factor[l]) } else { 0.0 };
            if *v > 0.0 {
                most = most.max(*v / costs[i]);
            }
        }
    }
    if most > 1.0 {
        for (i, row) in alpha.chunks_mut(k).enumerate() {
            row.iter_mut().for_each(|v| *v = (*v / most).min(costs[i]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_become_zero() {
        // Class 3 gives only.
        let codes = [0, 0, 1, 2, 2, 3];
        let mut alpha = vec![0.0; 24];
        for (i, l, v) in
            [(0, 1, 1.0), (1, 2, 0.3), (2, 0, 0.9), (3, 0, 0.5), (4, 1, 0.1), (5, 1, 0.7)]
        {
            alpha[i * 4 + l] = v;
        }
        balance(&mut alpha, &codes, 4, &[1.0; 6]);
        for class in 0..4 {
            let gives = (0..6).filter(|i| codes[*i] == class).map(|i| &alpha[i * 4..][..4]);
            let gives: f64 = gives.flatten().sum();
            let takes: f64 = (0..6).map(|i| alpha[i * 4 + class as usize]).sum();
            assert!((gives - takes).abs() < 1e-14, "{alpha:?}");
        }
        assert!(alpha.iter().all(|v| (0.0..=1.0).contains(v)) && alpha[21] == 0.0, "{alpha:?}");
        assert!(alpha[1] > 0.5);
    }
}
