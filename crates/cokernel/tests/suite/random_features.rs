//! Random features in the place of kernels: what is learned with them, from features computed again; how near they are; models.

use cokernel::bank::Storage;
use cokernel::data::{Csr, Labels, Matrix, Table, Views, toy};
use cokernel::eval::cluster_scores::ClusterScores;
use cokernel::kernel::{Function, KernelSpec, Metric};
use cokernel::machine::MachineSpec;
use cokernel::model::{EmbeddingModel, Mkl, Model, MultiView};
use cokernel::multiview::Starts;
use cokernel::scale::Basis;
use cokernel::{Run, Status};
use rand::RngExt;

/// A dense and a sparse view, and classes.
fn data(n: usize) -> (Views, Vec<u32>) {
    let mut rng = Run::with_seed(3).rng("data");
    let mut normal = || (0..6).map(|_| rng.random::<f64>() - 0.5).sum::<f64>() * 1.4;
    let codes: Vec<u32> = (0..n).map(|i| (i as u32 * 7 + i as u32 / 3) % 2).collect();
    let a = Matrix::from_fn(n, 3, |i, j| normal() + if j == 0 { f64::from(codes[i]) } else { 0.0 });
    let cells = |i: usize| {
        let column = codes[i] + u32::from(i.is_multiple_of(3));
        vec![(column, 1.0 + 0.1 * normal()), (column + 3 + (i % 2) as u32, 0.5)]
    };
    let b = Csr::from_rows(9, (0..n).map(cells).collect()).unwrap();
    (Views::new().dense("a", a).unwrap().with("b", Table::Sparse(b)).unwrap(), codes)
}

fn labels(codes: &[u32]) -> Labels {
    let names = vec!["no".to_string(), "yes".to_string()];
    Labels::Classes { names, codes: codes.iter().map(|c| Some(*c)).collect() }
}

const KERNELS: [&str; 6] = [
    "gaussian@a:gamma=0.3,1.2",
    "laplacian@a:gamma=0.5",
    "exponential@b:gamma=0.7",
    "gaussian@b:gamma=0.4:normalize=unit_diagonal",
    "gaussian@a:gamma=0.8:per_feature",
    "exponential@a:metric=squared_euclidean:gamma=0.1",
];

fn specs(texts: &[&str]) -> Vec<KernelSpec> {
    texts.iter().flat_map(|text| KernelSpec::parse_list(text).unwrap()).collect()
}

fn mkl(method: &str, machine: &str, storage: &str) -> Mkl {
    Mkl::new(method)
        .unwrap()
        .kernels(specs(&KERNELS))
        .machine(machine.parse::<MachineSpec>().unwrap())
        .storage(storage.parse::<Storage>().unwrap())
}

/// The kernels that features of rank `r` make, entry by entry: cosines of differences along the directions of the kernel.
fn by_hand(views: &Views, basis: &Basis, exact: &[cokernel::kernel::Kernel], r: usize) -> Views {
    let Basis::Directions { rows, .. } = basis else { panic!("no directions") };
    let law = |function: Function| match function {
        Function::Exponential { metric: Metric::SquaredEuclidean, gamma } => {
            (0, (2.0 * gamma).sqrt())
        }
        Function::Exponential { metric: Metric::Euclidean, gamma } => (1, gamma),
        Function::Exponential { metric: Metric::Manhattan, gamma } => (2, gamma),
        other => panic!("{other:?}"),
    };
    let dense = |views: &Views, name: &str| match &views.get(name).unwrap().table {
        Table::Dense(m) => m.clone(),
        Table::Sparse(m) => m.to_dense(),
        _ => unreachable!(),
    };
    let mut out = Views::new();
    for (m, kernel) in exact.iter().enumerate() {
        let (x, w) = (dense(views, &kernel.view), dense(rows, &kernel.view));
        let (first, factor) = law(kernel.function);
        assert_eq!(w.rows(), 3 * r);
        let along = |i: usize, j: usize| -> f64 {
            let (x, w) = (x.row(i), w.row(first * r + j));
            let columns = 0..x.len();
            let own = columns.filter(|c| kernel.column.is_none_or(|k| k == *c));
            factor * own.map(|c| x[c] * w[c]).sum::<f64>()
        };
        let value = |i: usize, k: usize| -> f64 {
            let pairs = (0..r).step_by(2).map(|j| (along(i, j) - along(k, j)).cos());
            pairs.sum::<f64>() / (r / 2) as f64
        };
        let n = views.n();
        let k = Matrix::from_fn(n, n, |i, k| value(i.max(k), i.min(k)));
        out = out.with(format!("k{m}"), Table::Similarity(k)).unwrap();
    }
    out
}

/// A few bad features are kernels like others: what is learned with them is what the exact methods learn from their sums of cosines.
#[test]
fn what_is_learned_is_that_of_the_sums_of_cosines() {
    let (views, codes) = data(80);
    let run = Run::default();
    for directions in ["orthogonal", "independent"] {
        for (method, machine) in [
            ("lp_norm", "squared_hinge_svc:c=1:tol=1e-9"),
            ("simple_mkl", "kernel_logistic:c=1:tol=1e-9"),
        ] {
            let storage = format!("fourier:rank=10:directions={directions}");
            let near = mkl(method, machine, &storage).param("tol", 1e-8);
            let prepared = near.prepare(&views, &labels(&codes), &run).unwrap();
            let space = prepared.space().unwrap();
            let sums = by_hand(&views, space.basis(), space.exact(), 10);
            let found = near.fit_prepared(&prepared, &run).unwrap();
            let given = sums.iter().map(|v| KernelSpec::precomputed().view(&v.name));
            let exact = Mkl::new(method)
                .unwrap()
                .kernels(given)
                .machine(machine.parse::<MachineSpec>().unwrap())
                .param("tol", 1e-8);
            let exact = exact.fit(&sums, &labels(&codes), &run).unwrap();
            let place = format!("{method}, {directions}");
            assert_eq!(found.report().status, Status::Converged, "{place}");
            let value = |m: &Model| *m.report().objective.last().unwrap();
            assert!((value(&found) / value(&exact) - 1.0).abs() < 1e-7, "{place}");
            let (a, b) = (exact.predict(&sums).unwrap(), found.predict(&views).unwrap());
            let far = a.decisions.values().iter().zip(b.decisions.values());
            let far = far.map(|(a, b)| (a - b).abs()).fold(0.0_f64, f64::max);
            assert!(far < 2e-3, "{place}: {far}");
        }
    }
}

/// Errors fall like one over the root of the number of features, and orthogonal directions are nearer than independent ones.
#[test]
fn more_features_are_nearer_and_orthogonal_ones_nearest() {
    let mut rng = Run::with_seed(1).rng("wide");
    let x = Matrix::from_fn(60, 16, |_, _| rng.random::<f64>() - 0.5);
    let views = Views::new().dense("x", x).unwrap();
    let codes: Vec<u32> = (0..60).map(|i| i % 2).collect();
    let errors = |kernel: &str, storage: &str, seed: u64| -> f64 {
        let mkl = mkl("mean", "squared_hinge_svc", storage).kernels(specs(&[kernel]));
        let prepared = mkl.prepare(&views, &labels(&codes), &Run::with_seed(seed)).unwrap();
        prepared.space().unwrap().errors()[0]
    };
    for kernel in ["gaussian:gamma=0.3", "laplacian:gamma=0.3", "exponential:gamma=0.6"] {
        let mean = |storage: &str| (0..10).map(|s| errors(kernel, storage, s)).sum::<f64>() / 10.0;
        let (few, many) = (mean("fourier:rank=32"), mean("fourier:rank=2048"));
        assert!(many < few / 6.0 && many < 0.1, "{kernel}: {few} {many}");
        let (a, b) = (
            mean("fourier:rank=64:directions=orthogonal"),
            mean("fourier:rank=64:directions=independent"),
        );
        assert!(!kernel.starts_with("gaussian") || a < 0.8 * b, "{kernel}: {a} {b}");
    }
}

/// A model of random features keeps directions, however many and whichever instances were learned from; the same bits on several
/// threads, in several partitions and after reading.
#[test]
fn models_keep_directions() {
    let (views, codes) = data(60);
    let mut given = labels(&codes);
    if let Labels::Classes { codes, .. } = &mut given {
        (0..15).for_each(|i| codes[4 * i] = None);
    }
    let of = mkl("simple_mkl", "squared_hinge_svc", "fourier:rank=70");
    let fit = |partitions: usize, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let prepared = of.prepare(&views, &given, &Run::default()).unwrap();
            of.fit_prepared(&prepared.in_partitions(partitions), &Run::default()).unwrap()
        })
    };
    let model = fit(1, 1);
    let (rows, coef, _) = model.duals();
    // Three kinds of directions, each kernel with coefficients on its own.
    assert!(rows.is_empty() && model.n_support() == 210);
    assert_eq!(coef.cols(), 210 * model.weights().iter().filter(|w| w.weight > 0.0).count());
    assert_eq!((model.n_train(), model.report().details["directions"][0]), (45, 105.0));
    let told = &model.report().notes;
    assert!(told.iter().any(|n| n.contains("70 random features for each kernel (orthogonal)")));
    for (partitions, threads) in [(1, 3), (7, 2)] {
        assert_eq!(fit(partitions, threads).duals(), model.duals());
    }
    let read = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    let (new, _) = data(90);
    assert_eq!(read.predict(&new).unwrap(), model.predict(&new).unwrap());
    // Sparse or not, and far away: values, not panics.
    let Table::Sparse(b) = &new.get("b").unwrap().table else { unreachable!() };
    let a = new.get("a").unwrap().table.clone();
    let dense = Views::new().with("a", a).unwrap().dense("b", b.to_dense()).unwrap();
    let (found, wanted) = (model.predict(&dense).unwrap(), model.predict(&new).unwrap());
    let far = found.decisions.values().iter().zip(wanted.decisions.values());
    assert!(far.map(|(a, b)| (a - b).abs()).fold(0.0_f64, f64::max) < 1e-12);
    let away = Matrix::from_fn(90, 3, |i, _| 10.0_f64.powi(i as i32));
    let away = Views::new().dense("a", away).unwrap().dense("b", b.to_dense()).unwrap();
    assert!(model.predict(&away).unwrap().decisions.values().iter().all(|v| v.is_finite()));
}

#[test]
fn clusters_and_their_new_rows() {
    let (views, truth) = toy::views(90, 3, &[4.0, 3.0], 5).unwrap();
    let truth = truth.classes().unwrap().codes;
    for id in crate::scale_clusters::METHODS {
        let method = MultiView::new(id)
            .unwrap()
            .kernels([KernelSpec::gaussian().gamma([0.05])])
            .storage("fourier:rank=600".parse::<Storage>().unwrap());
        let run = Run::default();
        let (model, found) = method.fit_clusters(&views, 3, &Starts::default(), &run).unwrap();
        let nmi = ClusterScores::new(&found.assignments, &truth).unwrap().nmi;
        assert!(nmi > 0.9, "{id}: {nmi}");
        assert_eq!((model.landmarks(), model.directions()), (None, Some(600)), "{id}");
        let own = model.transform(&views).unwrap();
        let far = own.values().iter().zip(found.embedding.rows.values());
        let far = far.map(|(a, b)| (a - b).abs()).fold(0.0_f64, f64::max);
        assert!(far < 1e-7, "{id}: {far}");
        let back = EmbeddingModel::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(back, model, "{id}");
    }
}

/// A rank far above what there are instances: once R_m was kept as a matrix, of 80 GB here, and the program ended.
#[test]
fn a_large_rank_is_told_and_ends_nothing() {
    let (views, codes) = data(8);
    let spectral = MultiView::new("spectral")
        .unwrap()
        .kernels(specs(&["gaussian@a:gamma=0.3"]))
        .storage("fourier:rank=100000".parse::<Storage>().unwrap());
    let (model, found) =
        spectral.fit_clusters(&views, 2, &Starts::default(), &Run::default()).unwrap();
    assert_eq!(model.directions(), Some(100_000));
    let told = |notes: &[String]| notes.iter().any(|n| n.contains("are exact and cost less"));
    assert!(told(&found.embedding.report.notes), "{:?}", found.embedding.report.notes);
    // Matrices of P² numbers, P = 10⁶, are more than any memory.
    let mkl = mkl("mean", "squared_hinge_svc", "fourier:rank=1000000");
    let mkl = mkl.kernels(specs(&["gaussian@a:gamma=0.3"]));
    let e = mkl.fit(&views, &labels(&codes), &Run::default()).unwrap_err();
    assert!(matches!(e, cokernel::Error::Memory { .. }), "{e}");
}

#[test]
fn refusals() {
    let (views, codes) = data(40);
    let say = |kernel: &str, storage: &str| {
        let mkl = mkl("simple_mkl", "squared_hinge_svc", storage).kernels(specs(&[kernel]));
        mkl.fit(&views, &labels(&codes), &Run::default()).unwrap_err().to_string()
    };
    for kernel in ["linear@a", "polynomial@a", "tanimoto@b", "sigmoid@a"] {
        let e = say(kernel, "fourier:rank=10");
        assert!(e.contains("is not one of a difference") && e.contains("nystroem:rank"), "{e}");
    }
    let e = say("gaussian@a:normalize=center", "fourier:rank=10");
    assert!(e.contains("normalisation by all instances"), "{e}");
    let e = say("gaussian@a", "fourier:rank=1000000000000000");
    assert!(e.contains("the covariance of 1000000000000000 features"), "{e}");
    // A method without a covariance is refused its directions.
    let storage: Storage = "fourier:rank=1000000000000000".parse().unwrap();
    let spectral = MultiView::new("spectral").unwrap().storage(storage);
    let spectral = spectral.kernels(specs(&["gaussian@a"]));
    let found = spectral.fit_clusters(&views, 2, &Starts::default(), &Run::default());
    let e = found.err().unwrap().to_string();
    assert!(e.contains("500000000000000 random directions of 3 numbers"), "{e}");
    let e = "fourier:rank=9".parse::<Storage>().unwrap_err().to_string();
    assert!(e.contains("even number"), "{e}");
    let wave = KernelSpec::of(Function::Wave { factor: 1.0 }).view("a");
    let asked = Mkl::new("mean").unwrap().kernels([wave]);
    let e = asked.fit(&views, &labels(&codes), &Run::default()).unwrap_err().to_string();
    assert!(e.contains("storage fourier"), "{e}");
}
