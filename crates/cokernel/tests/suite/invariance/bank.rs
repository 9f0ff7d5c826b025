//! Storages, threads and shared work change speed, not numbers.

use cokernel::Run;
use cokernel::bank::{Bank, Cross, RowMeans, Storage};
use cokernel::data::{Csr, Matrix, Table, Views};
use cokernel::kernel::{KernelSpec, Norm};

/// Non-negative pseudo-random features, some of them 0, some rows twice.
fn features(n: usize, d: usize, seed: u64) -> Matrix {
    Matrix::from_fn(n, d, |i, j| {
        let i = if i % 17 == 5 { i - 1 } else { i };
        let mut h =
            (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ((j as u64 + 3) * seed) << 7;
        h = (h ^ (h >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h = (h ^ (h >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let v = (h >> 40) as f64 / (1u64 << 24) as f64;
        if v < 0.2 { 0.0 } else { 3.0 * v }
    })
}

fn sparse(m: &Matrix) -> Csr {
    let row = |i: usize| {
        let cells = m.row(i).iter().enumerate().filter(|c| *c.1 != 0.0);
        cells.map(|(j, v)| (j as u32, *v)).collect()
    };
    Csr::from_rows(m.cols(), (0..m.rows()).map(row).collect()).unwrap()
}

fn views(n: usize) -> Views {
    let (a, b) = (features(n, 7, 11), features(n, 12, 29));
    let similarity = Matrix::from_fn(n, n, |i, j| {
        b.row(i).iter().zip(b.row(j)).map(|(x, z)| x.min(*z)).sum::<f64>()
    });
    Views::new()
        .dense("a", a)
        .unwrap()
        .with("s", Table::Sparse(sparse(&b)))
        .unwrap()
        .with("graph", Table::Similarity(similarity))
        .unwrap()
}

fn specs(lines: &[&str]) -> Vec<KernelSpec> {
    lines.iter().flat_map(|t| KernelSpec::parse_list(t).unwrap()).collect()
}

const ALL: [&str; 12] = [
    "linear:normalize=center,frobenius",
    "polynomial:degree=2,3:normalize=unit_diagonal",
    "gaussian:sigma=median*2^-2..2",
    "gaussian:gamma=0.3:normalize=center_unit_variance",
    "gaussian@a:gamma=0.2:normalize=center,unit_diagonal,center",
    "laplacian",
    "chi2:normalize=unit_trace",
    "exponential:metric=euclidean",
    "exponential@a:metric=manhattan:gamma=0.5",
    "sigmoid:gamma=0.01",
    "gaussian@a:per_feature",
    "precomputed:normalize=unit_diagonal,center",
];

fn bank(views: &Views, storage: Storage) -> Bank {
    Bank::build(views, &specs(&ALL), storage, &Run::default()).unwrap()
}

/// Few kernels are kept in memory in another order than many.
fn banks(views: &Views, storage: Storage) -> [Bank; 2] {
    let few = bank(views, storage.clone()).kernels()[..6].to_vec();
    let few = Bank::from_kernels(views, few, storage.clone(), &Run::default()).unwrap();
    [bank(views, storage), few]
}

fn assert_near(name: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{name}");
    let scale = want.iter().fold(1e-300_f64, |a, v| a.max(v.abs()));
    for (k, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= tolerance * scale, "{name}: number {k}: {g} and {w}");
    }
}

/// Everything that the primitives say, by name.
fn answers(bank: &Bank) -> Vec<(String, Vec<f64>)> {
    let (n, kernels) = (bank.n(), bank.len());
    let weights: Vec<f64> =
        (0..kernels).map(|m| if m % 3 == 1 { 0.0 } else { 0.2 + m as f64 / 7.0 }).collect();
    let dense: Vec<f64> = (0..n).map(|i| ((i * 7) % 5) as f64 - 1.5).collect();
    let few: Vec<f64> = (0..n).map(|i| if i % 9 == 2 { dense[i] } else { 0.0 }).collect();
    let block = Matrix::from_fn(n, 3, |i, t| ((i * (t + 2)) % 11) as f64 / 5.0 - 1.0);
    let mut all = Vec::new();
    let mut row = vec![0.0; n];
    for m in 0..kernels {
        bank.row(m, n / 3, &mut row);
        all.push((format!("row of {}", bank.kernels()[m].name), row.clone()));
        all.push((format!("diagonal {m}"), bank.diagonal(m).to_vec()));
        all.push((format!("apply {m}"), bank.apply(m, &block).values().to_vec()));
    }
    all.push(("combine".into(), bank.combine(&weights).unwrap().values().to_vec()));
    all.push(("product".into(), bank.product(&[4, 0, 5, 4]).unwrap().values().to_vec()));
    let quad = bank.quad_forms(&[&dense, &few]);
    all.push(("quadratic forms".into(), quad[0].clone()));
    all.push(("sparse quadratic forms".into(), quad[1].clone()));
    all.push(("inner products".into(), bank.inner_products(false).unwrap().values().to_vec()));
    all.push((
        "centred inner products".into(),
        bank.inner_products(true).unwrap().values().to_vec(),
    ));
    all.push(("target products".into(), bank.target_products(&dense, true)));
    let pairs: Vec<(u32, u32)> =
        (0..50).map(|k| ((k * 37 % n) as u32, (k * 91 % n) as u32)).collect();
    let mut out = vec![0.0; pairs.len() * kernels];
    bank.pairs(&pairs, &mut out);
    all.push(("pairs".into(), out));
    let rows = bank.combined_rows(&weights);
    let (mut out, mut line) = (vec![0.0; n], vec![0_f32; n]);
    for coef in [&dense, &few] {
        rows.multiply(coef, &mut out);
        all.push(("multiply".into(), out.clone()));
    }
    rows.fill(n / 2, None, &mut line);
    all.push(("fill".into(), line.iter().map(|v| f64::from(*v)).collect()));
    let mut three = [0_f32; 3];
    rows.fill(n / 2, Some(&[5, 0, n as u32 - 1]), &mut three);
    assert_eq!(three, [line[5], line[0], line[n - 1]]);
    all.push(("diagonal of the combination".into(), rows.diagonal()));
    all
}

#[test]
fn storages_give_the_same_numbers() {
    let views = views(203);
    let resident = banks(&views, Storage::Resident);
    for (storage, tolerance) in [(Storage::OnDemand, 1e-10), (Storage::ResidentF32, 2e-6)] {
        for (other, resident) in banks(&views, storage.clone()).iter().zip(&resident) {
            assert_eq!(other.storage(), storage);
            for ((name, got), (_, want)) in answers(other).iter().zip(&answers(resident)) {
                // Rows of the combination are rounded to f32 on any storage.
                let tolerance = if name == "fill" { 2e-6 } else { tolerance };
                let what = format!("{storage:?}, {} kernels, {name}", other.len());
                assert_near(&what, got, want, tolerance);
            }
        }
    }
}

/// Tiles that are read from a file, made or found there, give the bits of those in memory.
#[test]
fn files_give_the_bits_of_memory() {
    let views = views(303);
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().to_path_buf();
    for (memory, file) in [
        (Storage::Resident, Storage::Mapped(directory.clone())),
        (Storage::ResidentF32, Storage::MappedF32(directory.clone())),
    ] {
        let memory = banks(&views, memory);
        for _ in 0..2 {
            for (mapped, resident) in banks(&views, file.clone()).iter().zip(&memory) {
                assert_eq!(mapped.storage(), file);
                for ((name, got), (_, want)) in answers(mapped).iter().zip(&answers(resident)) {
                    let same = got.iter().zip(want).all(|(g, w)| g.to_bits() == w.to_bits());
                    assert!(same && got.len() == want.len(), "{file}, {name}");
                }
                assert_eq!(mapped.notes(), resident.notes());
            }
        }
    }
    assert_eq!(std::fs::read_dir(&directory).unwrap().count(), 4);
}

#[test]
fn primitives_agree_with_plain_loops() {
    let views = views(150);
    banks(&views, Storage::Resident).iter().for_each(agrees_with_plain_loops);
}

fn agrees_with_plain_loops(bank: &Bank) {
    let (n, kernels) = (bank.n(), bank.len());
    let full: Vec<Vec<f64>> =
        (0..kernels).map(|m| (0..n * n).map(|p| bank.entry(m, p / n, p % n)).collect()).collect();
    let centered = |k: &[f64]| -> Vec<f64> {
        let r: Vec<f64> = k.chunks(n).map(|r| r.iter().sum::<f64>() / n as f64).collect();
        let g = r.iter().sum::<f64>() / n as f64;
        (0..n * n).map(|p| k[p] - r[p / n] - r[p % n] + g).collect()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, z)| x * z).sum::<f64>();
    let weights: Vec<f64> =
        (0..kernels).map(|m| if m % 3 == 1 { 0.0 } else { 0.2 + m as f64 / 7.0 }).collect();
    let c: Vec<f64> = (0..n).map(|i| ((i * 7) % 5) as f64 - 1.5).collect();
    let outer: Vec<f64> = (0..n * n).map(|p| c[p / n] * c[p % n]).collect();
    let all = answers(bank);
    let of = |name: &str| &all.iter().find(|a| a.0 == name).unwrap().1;
    let sum: Vec<f64> =
        (0..n * n).map(|p| (0..kernels).map(|m| weights[m] * full[m][p]).sum()).collect();
    assert_near("combine", of("combine"), &sum, 1e-12);
    let product: Vec<f64> =
        (0..n * n).map(|p| full[4][p] * full[0][p] * full[5][p] * full[4][p]).collect();
    assert_near("product", of("product"), &product, 1e-12);
    let quad: Vec<f64> = full.iter().map(|k| dot(k, &outer)).collect();
    assert_near("quadratic forms", of("quadratic forms"), &quad, 1e-11);
    let target: Vec<f64> = full.iter().map(|k| dot(&centered(k), &outer)).collect();
    assert_near("target products", of("target products"), &target, 1e-11);
    let pairwise = |ks: &[Vec<f64>]| -> Vec<f64> {
        (0..kernels * kernels).map(|p| dot(&ks[p / kernels], &ks[p % kernels])).collect()
    };
    assert_near("inner products", of("inner products"), &pairwise(&full), 1e-12);
    let cs: Vec<Vec<f64>> = full.iter().map(|k| centered(k)).collect();
    assert_near("centred", of("centred inner products"), &pairwise(&cs), 1e-11);
    let multiplied: Vec<f64> = sum.chunks(n).map(|r| dot(r, &c)).collect();
    assert_near("multiply", of("multiply"), &multiplied, 1e-12);
    let mut visited = vec![0.0; kernels];
    bank.tiles(|tile| {
        for r in 0..tile.rows {
            for (m, v) in visited.iter_mut().enumerate() {
                *v += tile.weight() * tile.segment(r, m).iter().sum::<f64>();
            }
        }
    });
    let sums: Vec<f64> = full.iter().map(|k| k.iter().sum()).collect();
    assert_near("tiles", &visited, &sums, 1e-11);
}

#[test]
fn threads_give_the_same_bits() {
    let views = views(300);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let kept = answers(&bank(&views, Storage::Resident));
            let computed = answers(&bank(&views, Storage::OnDemand));
            kept.into_iter().chain(computed).collect::<Vec<_>>()
        })
    };
    for ((name, one), (_, two)) in with(1).iter().zip(&with(2)) {
        assert!(one.iter().zip(two).all(|(a, b)| a.to_bits() == b.to_bits()), "{name}");
    }
}

#[test]
fn a_ladder_of_widths_is_the_widths_one_by_one() {
    let views = views(140);
    let run = Run::default();
    let ladder =
        Bank::build(&views, &specs(&["gaussian@a:sigma=2^-3..6"]), Storage::Resident, &run);
    let ladder = ladder.unwrap();
    assert_eq!(ladder.len(), 10);
    for m in 0..10 {
        let kernel = vec![ladder.kernels()[m].clone()];
        let one = Bank::from_kernels(&views, kernel, Storage::Resident, &run).unwrap();
        let (a, b) = (ladder.combine(&unit(10, m)).unwrap(), one.combine(&[1.0]).unwrap());
        for (x, z) in a.values().iter().zip(b.values()) {
            // Below 10⁻¹⁵⁰ both are 0.
            assert!((x - z).abs() <= 1e-11 * z.max(1e-138), "{m}: {x} {z}");
        }
    }
}

fn unit(len: usize, m: usize) -> Vec<f64> {
    (0..len).map(|k| f64::from(u8::from(k == m))).collect()
}

/// New rows that are the training rows get the same numbers as those.
#[test]
fn training_rows_as_new_rows_give_the_training_matrix() {
    let views = views(90);
    let lines: Vec<&str> = ALL.into_iter().filter(|t| !t.starts_with("precomputed")).collect();
    let lines = [lines, vec!["precomputed:normalize=center,frobenius"]].concat();
    let bank = Bank::build(&views, &specs(&lines), Storage::Resident, &Run::default()).unwrap();
    let n = bank.n();
    let rows: Vec<usize> = (0..n).collect();
    let norms: Vec<Vec<Norm>> = (0..bank.len()).map(|m| bank.norms(m).to_vec()).collect();
    let cross = Cross::new(&views, &rows, n, bank.kernels(), &norms, RowMeans::Exact).unwrap();
    let new = cross.new_rows(&views, &rows[..bank.len()]).unwrap();
    for m in 0..bank.len() {
        let want = bank.combine(&unit(bank.len(), m)).unwrap();
        let name = &bank.kernels()[m].name;
        assert_near(name, cross.kernel(&new, m).unwrap().values(), want.values(), 1e-10);
    }
    let coef = Matrix::from_fn(n, 2, |i, t| ((i + 3 * t) % 7) as f64 - 2.0);
    let weights: Vec<f64> = (0..bank.len()).map(|m| (m % 4) as f64).collect();
    let got = cross.multiply_sum(&new, &weights, &coef).unwrap();
    assert_near("sum", got.values(), bank.apply_combined(&weights, &coef).values(), 1e-10);
    let got = cross.multiply_product(&new, &[0, 3, 5], &coef).unwrap();
    let product = bank.product(&[0, 3, 5]).unwrap();
    let want = Matrix::from_fn(n, 2, |i, t| {
        product.row(i).iter().enumerate().map(|(j, v)| v * coef.get(j, t)).sum()
    });
    assert_near("product", got.values(), want.values(), 1e-10);
}

/// With coefficients that add up to 0, support rows alone are enough.
#[test]
fn support_rows_are_enough_where_row_means_cancel() {
    let views = views(80);
    let lines =
        ["linear@a:normalize=center,frobenius", "gaussian@s:normalize=center_unit_variance"];
    let bank = Bank::build(&views, &specs(&lines), Storage::Resident, &Run::default()).unwrap();
    let n = bank.n();
    let support: Vec<usize> = (0..n).filter(|i| i % 3 == 0).collect();
    let mut coef = Matrix::zeros(n, 1);
    support.iter().enumerate().for_each(|(k, &i)| coef.set(i, 0, (k % 5) as f64 - 1.0));
    let excess = coef.values().iter().sum::<f64>();
    coef.set(0, 0, coef.get(0, 0) - excess);
    let new_views = views.select_new(&[3, 7, 50], &(0..n).collect::<Vec<_>>());
    let all: Vec<usize> = (0..n).collect();
    let norms: Vec<Vec<Norm>> = (0..2).map(|m| bank.norms(m).to_vec()).collect();
    let exact = Cross::new(&views, &all, n, bank.kernels(), &norms, RowMeans::Exact).unwrap();
    let cut: Vec<Vec<Norm>> = norms
        .iter()
        .map(|steps| {
            let cut = |step: &Norm| match step {
                Norm::Center { row_means, grand_mean } => Norm::Center {
                    row_means: support.iter().map(|&i| row_means[i]).collect(),
                    grand_mean: *grand_mean,
                },
                other => other.clone(),
            };
            steps.iter().map(cut).collect()
        })
        .collect();
    let some = views.select(&support);
    let few = Cross::new(&some, &support, n, bank.kernels(), &cut, RowMeans::Cancelled).unwrap();
    let weights = [0.5, 2.0];
    let want =
        exact.multiply_sum(&exact.new_rows(&new_views, &[0, 1]).unwrap(), &weights, &coef).unwrap();
    let few_coef = coef.select_rows(&support);
    let got =
        few.multiply_sum(&few.new_rows(&new_views, &[0, 1]).unwrap(), &weights, &few_coef).unwrap();
    assert_near("decision", got.values(), want.values(), 1e-10);
    assert!(
        few.multiply_product(&few.new_rows(&new_views, &[0, 1]).unwrap(), &[0], &few_coef).is_err()
    );
}
