//! Kernels of bits, counts, correlations, distances, graphs and sequences, against plain loops over the raw data.

use cokernel::Run;
use cokernel::bank::{Bank, Cross, RowMeans, Storage};
use cokernel::data::{Csr, Labels, Matrix, Sequences, Table, View, Views};
use cokernel::kernel::{FAMILIES, KernelSpec, ViewKind};
use cokernel::model::{Mkl, Model};

const N: usize = 40;

fn draw(i: usize, j: usize, seed: u64) -> u64 {
    let mut h = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ ((j as u64 + 3) * seed) << 7;
    h = (h ^ (h >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (h ^ (h >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 40
}

/// Counts of which most are 0; row 7 is 0, and row 9 is row 8.
fn counts(n: usize, d: usize) -> Matrix {
    Matrix::from_fn(n, d, |i, j| match i {
        7 => 0.0,
        9 => (draw(8, j, 5) % 7).saturating_sub(3) as f64,
        _ => (draw(i, j, 5) % 7).saturating_sub(3) as f64,
    })
}

fn sparse(m: &Matrix) -> Csr {
    let row = |i: usize| {
        let cells = m.row(i).iter().enumerate().filter(|c| *c.1 != 0.0);
        cells.map(|(j, v)| (j as u32, *v)).collect()
    };
    Csr::from_rows(m.cols(), (0..m.rows()).map(row).collect()).unwrap()
}

fn texts(n: usize) -> Vec<String> {
    let letter = |i: usize, p: usize| b"ACGT"[(draw(i, p, 11) % 4) as usize] as char;
    (0..n).map(|i| (0..draw(i, 0, 17) as usize % 25 + 4).map(|p| letter(i, p)).collect()).collect()
}

fn distances(n: usize) -> Matrix {
    let x = counts(n, 6);
    Matrix::from_fn(n, n, |i, j| {
        x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).abs().sqrt()).sum::<f64>()
    })
}

fn views(n: usize) -> Views {
    let (bits, counts) =
        (Matrix::from_fn(n, 33, |i, j| f64::from(counts(n, 33).get(i, j) > 0.0)), counts(n, 19));
    Views::new()
        .dense("bits", bits.clone())
        .unwrap()
        .with("sparse_bits", Table::Sparse(sparse(&bits)))
        .unwrap()
        .dense("counts", counts.clone())
        .unwrap()
        .with("sparse_counts", Table::Sparse(sparse(&counts)))
        .unwrap()
        .with("far", Table::Similarity(distances(n)))
        .unwrap()
        .with("dna", Table::Sequences(Sequences::new(texts(n)).unwrap()))
        .unwrap()
}

fn tanimoto(x: &[f64], z: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let all = dot(x, x) + dot(z, z) - dot(x, z);
    if all == 0.0 { 1.0 } else { dot(x, z) / all }
}

fn minmax(x: &[f64], z: &[f64]) -> f64 {
    let (mut low, mut high) = (0.0, 0.0);
    x.iter().zip(z).for_each(|(a, b)| (low, high) = (low + a.min(*b), high + a.max(*b)));
    if high == 0.0 { 1.0 } else { low / high }
}

fn pearson(x: &[f64], z: &[f64]) -> f64 {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (a, b) = (mean(x), mean(z));
    let (mut xz, mut xx, mut zz) = (0.0, 0.0, 0.0);
    for (x, z) in x.iter().zip(z) {
        (xz, xx, zz) = (xz + (x - a) * (z - b), xx + (x - a).powi(2), zz + (z - b).powi(2));
    }
    if xx * zz == 0.0 { 0.0 } else { xz / (xx * zz).sqrt() }
}

fn spearman(x: &[f64], z: &[f64]) -> f64 {
    let ranks = |x: &[f64]| -> Vec<f64> {
        let rank = |v: &f64| {
            let same = x.iter().filter(|o| *o == v).count() as f64;
            x.iter().filter(|o| *o < v).count() as f64 + 0.5 * (same + 1.0)
        };
        x.iter().map(rank).collect()
    };
    pearson(&ranks(x), &ranks(z))
}

/// Pairs of words of k letters that differ from a third word in at most m, over all words.
fn words(x: &str, z: &str, k: u32, m: usize) -> f64 {
    let count = |text: &str, word: &[u8]| {
        let near = |w: &&[u8]| w.iter().zip(word).filter(|(a, b)| a != b).count() <= m;
        text.as_bytes().windows(k as usize).filter(near).count() as f64
    };
    (0..4_usize.pow(k))
        .map(|number| {
            let word: Vec<u8> = (0..k).map(|p| b"ACGT"[number / 4_usize.pow(p) % 4]).collect();
            count(x, &word) * count(z, &word)
        })
        .sum()
}

type Plain = (&'static str, Box<dyn Fn(usize, usize) -> f64>);

/// Kernels by plain loops.
fn plain(n: usize) -> Vec<Plain> {
    let rows = move |name: &str| {
        let table = views(n).get(name).unwrap().table.clone();
        match table {
            Table::Dense(m) | Table::Similarity(m) => m,
            Table::Sparse(m) => m.to_dense(),
            _ => panic!("features"),
        }
    };
    let of = move |name: &'static str,
                   f: fn(&[f64], &[f64]) -> f64|
          -> Box<dyn Fn(usize, usize) -> f64> {
        let m = rows(name);
        Box::new(move |i, j| f(m.row(i), m.row(j)))
    };
    let far = distances(n);
    let mean = {
        let all: Vec<f64> =
            (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| far.get(i, j)).collect();
        all.iter().sum::<f64>() / all.len() as f64
    };
    let (one, two, texts) = (texts(n), texts(n), texts(n));
    vec![
        ("tanimoto@bits", of("bits", tanimoto)),
        ("jaccard@sparse_bits", of("bits", tanimoto)),
        ("tanimoto@counts", of("counts", tanimoto)),
        ("tanimoto@sparse_counts", of("counts", tanimoto)),
        ("minmax@counts", of("counts", minmax)),
        ("minmax@sparse_counts", of("counts", minmax)),
        ("minmax@sparse_bits", of("bits", tanimoto)),
        ("pearson@counts", of("counts", pearson)),
        ("pearson@sparse_counts", of("counts", pearson)),
        ("spearman@counts", of("counts", spearman)),
        ("spearman@sparse_counts", of("counts", spearman)),
        ("distances@far", Box::new(move |i, j| (-far.get(i, j) / mean).exp())),
        ("spectrum@dna:k=2", Box::new(move |i, j| words(&one[i], &one[j], 2, 0))),
        ("mismatch@dna:k=3:mismatches=1", Box::new(move |i, j| words(&two[i], &two[j], 3, 1))),
        (
            "mismatch@dna:k=4:mismatches=2:alphabet=TGCA",
            Box::new(move |i, j| words(&texts[i], &texts[j], 4, 2)),
        ),
    ]
}

#[track_caller]
fn near(what: &str, got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-12 * want.abs().max(1.0), "{what}: {got} and {want}");
}

#[test]
fn values_are_those_of_plain_loops() {
    let all = views(N);
    for (text, want) in plain(N) {
        let spec: KernelSpec = text.parse().unwrap();
        for storage in [Storage::Resident, Storage::OnDemand] {
            let bank =
                Bank::build(&all, std::slice::from_ref(&spec), storage, &Run::default()).unwrap();
            let matrix = bank.combine(&[1.0]).unwrap();
            for i in 0..N {
                for j in 0..N {
                    near(text, matrix.values()[i * N + j], want(i, j));
                    near(text, bank.entry(0, i, j), want(i, j));
                }
            }
        }
        // Rows that the bank does not have, with and without normalisations.
        let (train, new): (Vec<usize>, Vec<usize>) = (0..N).partition(|i| i % 3 > 0);
        if text.starts_with("distances") {
            continue;
        }
        let views = all.select(&train);
        let bank = Bank::build(&views, &[spec], Storage::Resident, &Run::default()).unwrap();
        let norms = [bank.norms(0).to_vec()];
        let rows: Vec<usize> = (0..train.len()).collect();
        let cross = Cross::new(&views, &rows, train.len(), bank.kernels(), &norms, RowMeans::Exact)
            .unwrap();
        let given = cross.new_rows(&all.select_new(&new, &train), &[0]).unwrap();
        let block = cross.kernel(&given, 0).unwrap();
        let own = cross.own(&given, &[0]).unwrap();
        for (r, i) in new.iter().enumerate() {
            near(text, own.get(r, 0), want(*i, *i));
            for (c, j) in train.iter().enumerate() {
                near(text, block.get(r, c), want(*i, *j));
            }
        }
    }
}

/// All families of the registry give a symmetric bank whose normalisations follow from its raw values, and, but for
/// similarities, one whose new rows are those of training.
#[test]
fn every_family_is_served() {
    let graph = Matrix::from_fn(N, N, |i, j| f64::from(i != j && (i + j) % 5 < 2));
    let all = views(N).with("net", Table::Similarity(graph)).unwrap();
    for family in &FAMILIES {
        let view = match (family.takes, family.name) {
            (ViewKind::Features, _) => "counts",
            (ViewKind::Sequences, _) => "dna",
            (_, "distances") => "far",
            _ => "net",
        };
        for steps in ["", ":normalize=center", ":normalize=unit_diagonal,center,frobenius"] {
            let text = format!("{}@{view}{steps}", family.name);
            let specs = KernelSpec::parse_list(&text).unwrap();
            assert_eq!(specs[0].family.entry().name, family.name);
            let bank = Bank::build(&all, &specs, Storage::Resident, &Run::default()).unwrap();
            let matrix = bank.combine(&[1.0]).unwrap();
            for i in 0..N {
                for j in 0..i {
                    let (a, b) = (matrix.values()[i * N + j], matrix.values()[j * N + i]);
                    assert!((a - b).abs() <= 1e-13 * a.abs().max(1.0), "{text}: {a} {b}");
                }
            }
            if family.takes == ViewKind::Similarities {
                continue;
            }
            let rows: Vec<usize> = (0..N).collect();
            let norms = [bank.norms(0).to_vec()];
            let cross =
                Cross::new(&all, &rows, N, bank.kernels(), &norms, RowMeans::Exact).unwrap();
            let block = cross.kernel(&cross.new_rows(&all, &[0]).unwrap(), 0).unwrap();
            for (g, w) in block.values().iter().zip(matrix.values()) {
                assert!((g - w).abs() <= 1e-11 * w.abs().max(1.0), "{text}: {g} {w}");
            }
        }
    }
}

#[test]
fn scales_of_the_features_change_nothing() {
    for (factor, text) in [
        (1e-60, "tanimoto"),
        (1e60, "tanimoto"),
        (1e-12, "minmax"),
        (1e200, "minmax"),
        (1e-200, "pearson"),
        (1e200, "pearson"),
        (1e300, "spearman"),
    ] {
        let of = |factor: f64| {
            let m = counts(N, 19);
            let scaled = Matrix::from_fn(N, 19, |i, j| factor * m.get(i, j));
            let views = Views::new().dense("x", scaled).unwrap();
            let spec = [text.parse().unwrap()];
            Bank::build(&views, &spec, Storage::Resident, &Run::default())
                .unwrap()
                .combine(&[1.0])
                .unwrap()
        };
        for (a, b) in of(factor).values().iter().zip(of(1.0).values()) {
            assert!((a - b).abs() < 1e-13, "{text} × {factor:e}: {a} {b}");
        }
    }
}

#[test]
fn a_model_on_bits_sequences_and_distances_is_saved_and_predicts() {
    let (train, new): (Vec<usize>, Vec<usize>) = (0..N).partition(|i| i % 4 > 0);
    let all = views(N);
    let classes: Vec<String> =
        (0..N).map(|i| ["a", "b"][usize::from(draw(i, 1, 5) % 7 > 3)].to_string()).collect();
    let labels = Labels::from_texts(&train.iter().map(|i| classes[*i].clone()).collect::<Vec<_>>());
    let specs: Vec<KernelSpec> = [
        "tanimoto@sparse_bits",
        "minmax@counts:normalize=center",
        "spearman@sparse_counts",
        "mismatch@dna:k=3:normalize=unit_diagonal",
        "distances@far",
    ]
    .iter()
    .map(|t| t.parse().unwrap())
    .collect();
    let (run, views) = (Run::default(), all.select(&train));
    let model = Mkl::new("mean").unwrap().kernels(specs).fit(&views, &labels, &run).unwrap();
    let given = all.select_new(&new, &train);
    let want = model.predict(&given).unwrap();
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let found = again.predict(&given).unwrap();
    assert_eq!(found.decisions, want.decisions);
    // A distance below 0 is refused as in training.
    let mut wrong = Views::new();
    for view in given.iter() {
        let mut table = view.table.clone();
        if let (Table::Similarity(m), "far") = (&mut table, view.name.as_str()) {
            m.set(1, 2, -0.5);
        }
        wrong.push(View { table, ..view.clone() }).unwrap();
    }
    let said = again.predict(&wrong).unwrap_err().to_string();
    assert!(said.contains("view 'far'") && said.contains("must not be negative"), "{said}");
    // A view of another kind is refused by its name.
    let mut other = Views::new();
    for view in given.iter() {
        let table = match view.name.as_str() {
            "dna" => Table::Dense(Matrix::zeros(new.len(), 1)),
            _ => view.table.clone(),
        };
        other.push(View { table, ..view.clone() }).unwrap();
    }
    let said = again.predict(&other).unwrap_err().to_string();
    assert!(
        said.contains("view 'dna' is a table of features, but was a list of sequences"),
        "{said}"
    );
}

/// Instances that lack the sequences take what other views say.
#[test]
fn missing_sequences_are_estimated() {
    let mut all = views(N);
    let (run, lacking) = (Run::default(), |i: usize| i % 6 == 1);
    let mut parts = Views::new();
    for view in all.iter() {
        let present = (view.name == "dna").then(|| (0..N).map(|i| !lacking(i)).collect());
        parts.push(View { present, ..view.clone() }).unwrap();
    }
    std::mem::swap(&mut all, &mut parts);
    let specs: Vec<KernelSpec> =
        ["spectrum@dna:k=2", "tanimoto@bits"].iter().map(|t| t.parse().unwrap()).collect();
    let (bank, filled) = Bank::build_filled(&all, &specs, Storage::Resident, &run).unwrap();
    assert_eq!(filled.instances, [("dna".to_string(), (0..N).filter(|i| lacking(*i)).count())]);
    let texts = texts(N);
    let there: Vec<usize> = (0..N).filter(|i| !lacking(*i)).collect();
    let square: f64 = there
        .iter()
        .flat_map(|i| there.iter().map(move |j| (*i, *j)))
        .map(|(i, j)| words(&texts[i], &texts[j], 2, 0).powi(2))
        .sum();
    let own = square.sqrt() / there.len() as f64;
    let bits = |i: usize, j: usize| bank.entry(1, i, j);
    let other = ((0..N)
        .flat_map(|i| (0..N).map(move |j| (i, j)))
        .map(|(i, j)| bits(i, j).powi(2))
        .sum::<f64>())
    .sqrt()
        / N as f64;
    for i in 0..N {
        for j in 0..N {
            let want = match lacking(i) || lacking(j) {
                true => own * bits(i, j) / other,
                false => words(&texts[i], &texts[j], 2, 0),
            };
            near("spectrum", bank.entry(0, i, j), want);
        }
    }
}

#[test]
fn refusals_name_view_and_kernel() {
    let all = views(N);
    let graph = Matrix::from_fn(N, N, |i, j| f64::from(i.abs_diff(j) == 1));
    let all = all
        .with("net", Table::Similarity(graph))
        .unwrap()
        .dense("negative", Matrix::from_fn(N, 3, |i, j| i as f64 - j as f64))
        .unwrap()
        .dense("one", Matrix::from_fn(N, 1, |i, _| i as f64))
        .unwrap()
        .with("edges", Table::Graph(sparse(&Matrix::from_fn(N, N, |i, j| f64::from(i == j)))))
        .unwrap();
    let refused = |text: &str| {
        let spec = text.parse().unwrap();
        Bank::build(&all, &[spec], Storage::Resident, &Run::default()).unwrap_err().to_string()
    };
    for (text, said) in [
        (
            "tanimoto@dna",
            "kernel 'tanimoto' needs features, but view 'dna' is a list of sequences; use 'spectrum@dna'",
        ),
        (
            "spectrum@bits",
            "kernel 'spectrum' needs sequences, but view 'bits' is a table of features",
        ),
        ("distances@bits", "needs a similarity, but view 'bits' is a table of features"),
        ("minmax@negative", "view 'negative', row 0, column 1: found -1"),
        ("pearson@one", "view 'one': a correlation needs at least two columns"),
        ("distances@net:gamma=1:normalize=center", ""),
        ("distances@edges", "is a graph, whose pairs without an edge have no distance"),
        ("spectrum@dna:k=40", "more than 4 billion"),
    ] {
        if said.is_empty() {
            let spec = text.parse().unwrap();
            assert!(Bank::build(&all, &[spec], Storage::Resident, &Run::default()).is_ok());
            continue;
        }
        let e = refused(text);
        assert!(e.contains(said), "{text}: {e}");
    }
    let own = Matrix::from_fn(3, 3, |_, _| 1.0);
    let views = Views::new().with("d", Table::Similarity(own)).unwrap();
    let e = Bank::build(
        &views,
        &["distances:gamma=1".parse().unwrap()],
        Storage::Resident,
        &Run::default(),
    );
    assert!(
        e.unwrap_err()
            .to_string()
            .contains("view 'd', row 0, column 0: found 1; the distance of an instance to itself")
    );
    // A kernel of a whole graph has no new rows.
    let rows: Vec<usize> = (0..N).collect();
    let bank =
        Bank::build(&all, &["diffusion@net".parse().unwrap()], Storage::Resident, &Run::default())
            .unwrap();
    let cross = Cross::new(&all, &rows, N, bank.kernels(), &[Vec::new()], RowMeans::Exact).unwrap();
    let e = cross.new_rows(&all, &[0]).unwrap_err().to_string();
    assert!(
        e.contains("kernel 'diffusion@net(beta=1, laplacian=normalized)' is one of all nodes"),
        "{e}"
    );
}
