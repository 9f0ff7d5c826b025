use cokernel_dense::simd::{Lanes, Shifted, TOGETHER};

#[test]
fn solves_for_all_shifts() {
    for n in [1, 2, 3, 10, 57] {
        let d: Vec<f64> = (0..n).map(|i| (i as f64 * 1.3).sin()).collect();
        let e: Vec<f64> = (1..n).map(|i| (i as f64 * 0.7).cos()).collect();
        let shifts: Lanes = std::array::from_fn(|l| 0.21 * l as f64 - 1.5);
        let want: Vec<Lanes> =
            (0..n).map(|i| std::array::from_fn(|l| ((3 * i + l) as f64).cos())).collect();
        let mut x: Vec<Lanes> = (0..n)
            .map(|i| {
                std::array::from_fn(|l| {
                    let before = if i > 0 { e[i - 1] * want[i - 1][l] } else { 0.0 };
                    let after = if i + 1 < n { e[i] * want[i + 1][l] } else { 0.0 };
                    before + (d[i] - shifts[l]) * want[i][l] + after
                })
            })
            .collect();
        Shifted::new(&d, &e, &shifts, 1e-300).solve(&mut x);
        for (x, want) in x.iter().zip(&want) {
            (0..TOGETHER).for_each(|l| assert!((x[l] - want[l]).abs() < 1e-9, "{n}, {l}"));
        }
    }
}
