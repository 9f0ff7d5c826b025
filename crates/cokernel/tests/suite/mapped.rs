//! Kernels in files: the same results as in memory, what is refused, and what is done about damage.

use cokernel::Run;
use cokernel::bank::{Bank, Storage};
use cokernel::data::{Labels, Matrix, View, Views};
use cokernel::kernel::KernelSpec;
use cokernel::model::{Mkl, MultiView};
use cokernel::solve::kmeans::Starts;
use std::fs;
use std::path::{Path, PathBuf};

const N: usize = 300;

/// Features of two blurred classes.
fn table(seed: usize) -> Matrix {
    Matrix::from_fn(N, 4, |i, j| {
        let noise = ((i * 31 + j * 17 + seed * 7) as f64 * 1.618).sin();
        noise + if i % 2 == 0 { 0.4 } else { -0.4 }
    })
}

fn views(seed: usize) -> Views {
    Views::new().dense("a", table(seed)).unwrap().dense("b", table(seed + 5)).unwrap()
}

fn specs() -> Vec<KernelSpec> {
    let texts = ["linear", "gaussian:sigma=median*2^-1..2"];
    texts.iter().flat_map(|t| KernelSpec::parse_list(t).unwrap()).collect()
}

fn build(directory: &Path, seed: usize) -> cokernel::Result<Bank> {
    Bank::build(&views(seed), &specs(), Storage::Mapped(directory.into()), &Run::default())
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut all: Vec<_> = fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()).collect();
    all.sort();
    all
}

fn only_file(directory: &Path) -> PathBuf {
    let mut all = files(directory);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

/// What depends on every entry of a bank.
fn forms(bank: &Bank) -> Vec<u64> {
    let c: Vec<f64> = (0..N).map(|i| (i as f64 * 0.7).cos()).collect();
    bits(&bank.quad_forms(&[&c])[0])
}

/// With room for n² numbers, for half of them in 4 bytes, and for none.
#[test]
fn methods_learn_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let (views, directory) = (views(0), folder.path().to_path_buf());
    let y = Labels::from_texts(&(0..N).map(|i| (i % 2).to_string()).collect::<Vec<_>>());
    let (much, little, least) = (2 << 30, 300 << 10, 1 << 10);
    for (kept, file) in [
        (Storage::Resident, Storage::Mapped(directory.clone())),
        (Storage::ResidentF32, Storage::MappedF32(directory)),
    ] {
        for (method, memory) in [
            ("simple_mkl", much),
            ("simple_mkl", little),
            ("mean", least),
            ("lp_norm", little),
            ("two_stage", much),
        ] {
            let run = Run { memory, ..Run::default() };
            let fit = |storage: &Storage| {
                let mkl = Mkl::new(method).unwrap().kernels(specs()).storage(storage.clone());
                let model = mkl.fit(&views, &y, &run).unwrap();
                let weights: Vec<f64> = model.weights().iter().map(|w| w.weight).collect();
                let (rows, coef, bias) = model.duals();
                let objective = model.report().objective.clone();
                (rows, [weights, coef.values().to_vec(), bias, objective].map(|v| bits(&v)))
            };
            assert!(fit(&kept) == fit(&file), "{method}, {file}, {memory} bytes");
        }
        let gaussian = KernelSpec::parse_list("gaussian").unwrap();
        for method in ["co_regularized", "simple_mkkm", "product_spectral"] {
            let cluster = |storage: &Storage| {
                let one = MultiView::new(method).unwrap().kernels(gaussian.clone());
                let one = one.storage(storage.clone());
                let found = one.cluster(&views, 2, &Starts::default(), &Run::default()).unwrap();
                let rows = bits(found.embedding.rows.values());
                (found.assignments, rows, bits(&found.report.objective))
            };
            assert!(cluster(&kept) == cluster(&file), "{method}, {file}");
        }
    }
}

/// Where the combination is read by rows, products that a search has had are used again: the optimum stays that of the
/// combination in memory.
#[test]
fn by_rows_as_with_the_combination_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let views = views(0);
    let y = Labels::from_texts(&(0..N).map(|i| (i % 2).to_string()).collect::<Vec<_>>());
    for method in ["simple_mkl", "lp_norm", "elastic_net"] {
        let fit = |storage: Storage, memory: usize| {
            let run = Run { memory, ..Run::default() };
            let mkl = Mkl::new(method).unwrap().kernels(specs()).storage(storage);
            let report = mkl.param("tol", 1e-7).fit(&views, &y, &run).unwrap().report().clone();
            assert!(report.gap.unwrap() <= 1e-7, "{method}: {:?}", report.status);
            *report.objective.last().unwrap()
        };
        let whole = fit(Storage::Resident, 2 << 30);
        let file = Storage::Mapped(folder.path().into());
        for storage in [Storage::Resident, Storage::OnDemand, file] {
            let said = fit(storage.clone(), 300 << 10);
            assert!((said / whole - 1.0).abs() < 2e-7, "{method}, {storage}: {said} {whole}");
        }
    }
}

/// Values that are estimated, with a graph beside them that stays in memory.
#[test]
fn estimated_values_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut incomplete = Views::new();
    for (name, seed) in [("a", 0), ("b", 5)] {
        let present = Some((0..N).map(|i| i % 7 != seed).collect());
        let view = View {
            name: name.into(),
            table: cokernel::data::Table::Dense(table(seed)),
            columns: None,
            present,
        };
        incomplete.push(view).unwrap();
    }
    let specs = KernelSpec::parse_list("gaussian:normalize=center").unwrap();
    let bank = |storage| Bank::build_filled(&incomplete, &specs, storage, &Run::default()).unwrap();
    let file = || Storage::Mapped(folder.path().into());
    let (memory, made, found) = (bank(Storage::Resident), bank(file()), bank(file()));
    assert_eq!(files(folder.path()).len(), 1);
    assert_eq!((&made.1, &found.1), (&memory.1, &memory.1));
    let row = |bank: &Bank, i: usize| -> Vec<u64> {
        let mut out = vec![0.0; N];
        bank.row(1, i, &mut out);
        bits(&out)
    };
    for i in 0..N {
        let want = row(&memory.0, i);
        assert!(row(&made.0, i) == want && row(&found.0, i) == want, "row {i}");
    }
    assert_eq!(forms(&made.0), forms(&memory.0));
}

#[test]
fn other_data_have_other_files_and_a_strange_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path();
    build(directory, 0).unwrap();
    let first = only_file(directory);
    build(directory, 0).unwrap();
    assert_eq!(files(directory).len(), 1);
    build(directory, 1).unwrap();
    let second = files(directory).into_iter().find(|f| *f != first).unwrap();
    // One entry of one view, one parameter, the order of the views' kernels, the precision: all are told apart.
    let mut nearly = table(0);
    nearly.set(N - 1, 3, nearly.get(N - 1, 3) + 1e-15);
    let nearly = Views::new().dense("a", nearly).unwrap().dense("b", table(5)).unwrap();
    let run = Run::default();
    Bank::build(&nearly, &specs(), Storage::Mapped(directory.into()), &run).unwrap();
    Bank::build(&views(0), &specs()[1..], Storage::Mapped(directory.into()), &run).unwrap();
    Bank::build(&views(0), &specs(), Storage::MappedF32(directory.into()), &run).unwrap();
    assert_eq!(files(directory).len(), 5);

    let whole = fs::read(&first).unwrap();
    let refused = |content: &[u8], said: &str| {
        fs::write(&first, content).unwrap();
        let e = build(directory, 0).unwrap_err().to_string();
        assert!(e.contains(said) && e.contains(first.to_str().unwrap()), "{e}");
        assert!(e.contains("remove it"), "{e}");
        assert_eq!(fs::read(&first).unwrap(), content, "a file that is refused is left alone");
    };
    refused(&fs::read(&second).unwrap(), "it was made of other data or kernels");
    let mut old = whole.clone();
    old[..16].copy_from_slice(b"cokernel grams 0");
    refused(&old, "it is of cokernel grams 0, version");
    refused(b"a letter", "it is no file of kernels");
    refused(&vec![7; 10_000], "it is no file of kernels");
    // What a program leaves that is killed while it writes the first bytes.
    for start in [0, 9, 4_095] {
        fs::write(&first, &whole[..start]).unwrap();
        let bank = build(directory, 0).unwrap();
        let said = format!("there were only {start} bytes and no tile");
        assert_eq!(bank.notes().iter().any(|n| n.contains(&said)), start > 0, "{:?}", bank.notes());
        assert_eq!(fs::read(&first).unwrap(), whole);
    }
}

/// Bytes anywhere, and ends anywhere: the file is whole again, and the sentence names what was wrong.
#[test]
fn damage_is_named_and_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path();
    let (memory, path) =
        (forms(&Bank::build(&views(0), &specs(), Storage::Resident, &Run::default()).unwrap()), {
            build(directory, 0).unwrap();
            only_file(directory)
        });
    let whole = fs::read(&path).unwrap();
    // Three blocks of 104 rows: six tiles of 10 kernels each; the table lies in the second 4,096 bytes.
    let (start, tile) = (8_192, 104 * 104 * 10 * 8);
    assert_eq!(whole.len(), start + 6 * tile);
    for (at, name) in [
        (start, "tile 0 (rows 0 to 103, columns 0 to 103) was damaged and was computed again"),
        (start + 2 * tile - 1, "tile 1 (rows 0 to 103, columns 104 to 207) was"),
        (start + 5 * tile + 5, "tile 5 (rows 208 to 299, columns 208 to 299) was"),
        // A checksum.
        (4_096 + 3 * 8 + 1, "tile 3 (rows 104 to 207, columns 104 to 207) was"),
    ] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(&path, damaged).unwrap();
        let bank = build(directory, 0).unwrap();
        assert!(bank.notes().iter().any(|n| n.contains(name)), "{:?}", bank.notes());
        assert_eq!(forms(&bank), memory);
        assert!(fs::read(&path).unwrap() == whole, "byte {at}");
    }
    for (length, said) in [
        (start + 5 * tile + 1_000, "tile 5 (rows 208 to 299, columns 208 to 299) was damaged"),
        (start + 1, "tile 4 (rows 104 to 207, columns 208 to 299), 1 more were damaged"),
        (4_096 + 16, "0 of 6"),
    ] {
        fs::write(&path, &whole[..length]).unwrap();
        let bank = build(directory, 0).unwrap();
        if length > start {
            assert!(bank.notes().iter().any(|n| n.contains(said)), "{:?}", bank.notes());
        }
        assert_eq!(forms(&bank), memory);
        assert!(fs::read(&path).unwrap() == whole, "{length} bytes");
    }
    // A tile that was not there yet is no damage.
    let mut unfinished = whole.clone();
    unfinished[4_096 + 8..4_096 + 16].fill(0);
    unfinished[start + tile..start + 2 * tile].fill(0);
    fs::write(&path, unfinished).unwrap();
    let notes = build(directory, 0).unwrap().notes().to_vec();
    assert!(
        notes.iter().any(|n| n.contains("5 of 6 tiles were there, the others were added")),
        "{notes:?}"
    );
    assert!(fs::read(&path).unwrap() == whole);
}

/// What others do to the file while a bank reads it changes no number.
#[test]
fn a_file_that_changes_under_a_bank_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for single in [false, true] {
        let directory = folder.path().join(single.to_string());
        let (kept, storage) = match single {
            false => (Storage::Resident, Storage::Mapped(directory.clone())),
            true => (Storage::ResidentF32, Storage::MappedF32(directory.clone())),
        };
        // Few kernels lie in pieces of their own.
        let specs = if single { specs()[..1].to_vec() } else { specs() };
        let build = |storage| Bank::build(&views(0), &specs, storage, &Run::default()).unwrap();
        let (memory, bank) = (build(kept), build(storage));
        let path = only_file(&directory);
        let same = || {
            let pairs = [(0, 299), (150, 3), (7, 7)];
            let of = |bank: &Bank| {
                let mut out = vec![0.0; 3 * bank.len()];
                bank.pairs(&pairs, &mut out);
                let all = bank.combine(&vec![1.0; bank.len()]).unwrap();
                (forms(bank), bits(&out), bits(all.values()))
            };
            assert!(of(&bank) == of(&memory));
        };
        same();
        let mut damaged = fs::read(&path).unwrap();
        damaged.iter_mut().skip(8_192).step_by(4_001).for_each(|b| *b ^= 1);
        fs::write(&path, &damaged).unwrap();
        same();
        fs::write(&path, &damaged[..20_000]).unwrap();
        same();
        fs::remove_file(&path).unwrap();
        same();
    }
}

/// Threads that make and read one file at the same time.
#[test]
fn several_make_one_file_together() {
    let folder = tempfile::tempdir().unwrap();
    let memory =
        forms(&Bank::build(&views(0), &specs(), Storage::Resident, &Run::default()).unwrap());
    std::thread::scope(|scope| {
        let one = || (0..5).all(|_| forms(&build(folder.path(), 0).unwrap()) == memory);
        let all: Vec<_> = (0..4).map(|_| scope.spawn(one)).collect();
        assert!(all.into_iter().all(|t| t.join().unwrap()));
    });
    assert!(build(folder.path(), 0).unwrap().notes().is_empty());
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "no folder").unwrap();
    let e = build(&file, 0).unwrap_err().to_string();
    assert!(e.contains(file.to_str().unwrap()), "{e}");
    // A complete file can be read where nothing can be written.
    let directory = folder.path().join("d");
    build(&directory, 0).unwrap();
    let path = only_file(&directory);
    let mut locked = fs::metadata(&path).unwrap().permissions();
    locked.set_readonly(true);
    fs::set_permissions(&path, locked).unwrap();
    let whole = fs::read(&path).unwrap();
    assert!(build(&directory, 0).unwrap().notes().is_empty());
    assert!(fs::read(&path).unwrap() == whole);
}
