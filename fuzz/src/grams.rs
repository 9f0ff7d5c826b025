//! Files of kernels, as `--storage mapped:DIR` finds them.

use cokernel::Run;
use cokernel::bank::{Bank, Storage};
use cokernel::data::{Matrix, Views};
use cokernel::kernel::KernelSpec;
use std::path::Path;
use std::sync::OnceLock;

const N: usize = 40;

/// The name that the file of the kernels here must have, its content, and what the kernels say.
struct Whole {
    name: String,
    content: Vec<u8>,
    says: Vec<u64>,
}

fn whole() -> Option<&'static Whole> {
    static WHOLE: OnceLock<Option<Whole>> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().ok()?;
        let says = says(folder.path())?;
        let path = std::fs::read_dir(folder.path()).ok()?.next()?.ok()?.path();
        let name = path.file_name()?.to_str()?.to_string();
        Some(Whole { name, content: std::fs::read(path).ok()?, says })
    };
    WHOLE.get_or_init(make).as_ref()
}

/// Every entry of both kernels, with the file of a folder, which is made where it is not there.
fn says(folder: &Path) -> Option<Vec<u64>> {
    let x = Matrix::from_fn(N, 2, |i, j| ((i * 7 + j * 3) as f64 * 0.37).sin());
    let views = Views::new().dense("x", x).ok()?;
    let specs = KernelSpec::parse_list("gaussian:gamma=0.5,1").ok()?;
    let storage = Storage::Mapped(folder.into());
    let bank = Bank::build(&views, &specs, storage, &Run::default()).ok()?;
    let mut row = vec![0.0; N];
    let mut all = Vec::new();
    for (m, i) in (0..bank.len()).flat_map(|m| (0..N).map(move |i| (m, i))) {
        bank.row(m, i, &mut row);
        all.extend(row.iter().map(|v| v.to_bits()));
    }
    Some(all)
}

/// The file, and what a killed program leaves of it.
pub fn seeds() -> Vec<Vec<u8>> {
    let Some(Whole { content, .. }) = whole() else { return Vec::new() };
    [0, 4_000, 4_100, content.len() / 2, content.len()].map(|n| content[..n].to_vec()).to_vec()
}

/// A file that is there already: it is refused, or changes no entry.
pub fn grams(bytes: &[u8]) -> bool {
    let (Some(whole), Ok(folder)) = (whole(), tempfile::tempdir()) else { return false };
    if std::fs::write(folder.path().join(&whole.name), bytes).is_err() {
        return false;
    }
    let found = says(folder.path());
    assert!(
        found.as_ref().is_none_or(|says| *says == whole.says),
        "other entries than without the file"
    );
    found.is_some()
}
