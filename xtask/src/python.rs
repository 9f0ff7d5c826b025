//! The Python package: its own virtual environments below the target folder, the wheel, its tests.

use crate::steps::{Counts, counted, root, succeed, target};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the tests need beside the package and what it declares.
const TOOLS: [&str; 7] = [
    "babel==2.18.0",
    "h5py==3.16.0",
    "maturin==1.16.0",
    "matplotlib==3.11.2",
    "mypy==2.4.1",
    "pandas==3.1.1",
    "pytest==9.2.0",
];

/// What a test compares with where it can be had.
const PEERS: [&str; 2] = ["distributed==2026.8.0", "rdkit==2026.9.1"];

/// The newest versions of what the package declares with which it was tested.
const NEWEST: [&str; 3] = ["numpy==2.4.6", "scipy==1.17.1", "scikit-learn==1.9.1"];

/// The oldest that it allows, as far as they run on this Python.
const OLDEST: [&str; 5] =
    ["numpy==1.24.4", "scipy==1.10.1", "scikit-learn==1.6.0", "pandas==1.5.3", "pytest==9.2.0"];

/// A Python below the target folder that has these packages and no others.
fn environment(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let folder = target().join(name);
    let python = folder.join("bin").join("python");
    let (list, installed) = (packages.join("\n"), folder.join("packages"));
    if std::fs::read_to_string(&installed).is_ok_and(|known| known == list) {
        return Ok(python);
    }
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    succeed(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    succeed(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(packages))?;
    std::fs::write(&installed, list).map_err(|e| e.to_string())?;
    Ok(python)
}

/// The newest packages, the tools, and the peers that there are for this machine: without one its test is skipped.
fn with_tools() -> Result<PathBuf, String> {
    let python = environment("python", &[&NEWEST[..], &TOOLS].concat())?;
    let tried = target().join("python").join("peers");
    if std::fs::read_to_string(&tried).is_ok_and(|known| known == PEERS.join("\n")) {
        return Ok(python);
    }
    for peer in PEERS {
        let pip = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:"];
        if succeed(Command::new(&python).args(pip).arg(peer)).is_err() {
            println!("{peer} cannot be installed here; what compares with it is skipped");
        }
    }
    std::fs::write(&tried, PEERS.join("\n")).map_err(|e| e.to_string())?;
    Ok(python)
}

/// The Python with the newest packages and the tools, with this tree's package in it.
pub fn newest() -> Result<PathBuf, String> {
    let python = with_tools()?;
    install(&python, &wheel(&python)?)?;
    Ok(python)
}

/// Builds the wheel, with the profile of the tests: they have compiled the library.
fn wheel(python: &Path) -> Result<PathBuf, String> {
    let folder = target().join("wheels");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    succeed(
        Command::new(python)
            .args(["-m", "maturin", "build", "--quiet", "--profile", "dev", "--out"])
            .arg(&folder)
            .arg("--interpreter")
            .arg(python)
            .current_dir(root()),
    )?;
    let found = std::fs::read_dir(&folder).map_err(|e| e.to_string())?;
    found
        .filter_map(|f| Some(f.ok()?.path()))
        .find(|f| f.extension().is_some_and(|e| e == "whl"))
        .ok_or_else(|| format!("no wheel in {}", folder.display()))
}

fn install(python: &Path, wheel: &Path) -> Result<(), String> {
    let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall"];
    succeed(Command::new(python).args(pip).arg(wheel))
}

/// Builds the documentation site, in `target/site`; a warning is an error.
pub fn docs() -> Result<(), String> {
    let requirements = root().join("docs").join("requirements.txt");
    let listed = std::fs::read_to_string(&requirements).map_err(|e| e.to_string())?;
    let sphinx: Vec<&str> =
        listed.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).collect();
    let python =
        environment("docs-python", &[&NEWEST[..], &["maturin==1.16.0"], &sphinx].concat())?;
    install(&python, &wheel(&python)?)?;
    let guide = root().join("python").join("tools").join("guide.py");
    succeed(Command::new(&python).arg(guide).arg("--check"))?;
    let site = target().join("site");
    succeed(
        Command::new(&python)
            .args([
                "-m",
                "sphinx",
                "-W",
                "-n",
                "-E",
                "-a",
                "--keep-going",
                "-q",
                "-b",
                "html",
                "-d",
            ])
            .arg(target().join("doctrees"))
            .arg(root().join("docs"))
            .arg(&site),
    )?;
    println!("{}", site.join("index.html").display());
    Ok(())
}

/// Rewrites the generated classes.
pub fn generate() -> Result<(), String> {
    let python = newest()?;
    succeed(Command::new(python).arg(root().join("python").join("tools").join("generate.py")))
}

/// Makes both environments of the tests: what takes the network, before what takes the processor.
pub fn provide() -> Result<(), String> {
    with_tools()?;
    environment("python-oldest", &OLDEST)?;
    Ok(())
}

/// All tests with the newest packages; beside them, since most of them take one core, scikit-learn's checks and the scripts of
/// the guide, and what the package does with the oldest packages, whose lines come when all have ended.
pub fn test(counts: &mut Counts) -> Result<(), String> {
    let python = newest()?;
    let old = environment("python-oldest", &OLDEST)?;
    let built = std::fs::read_dir(target().join("wheels")).map_err(|e| e.to_string())?;
    for wheel in built.filter_map(|f| Some(f.ok()?.path())) {
        install(&old, &wheel)?;
    }
    let some = [
        "python/tests/test_estimators.py",
        "python/tests/test_views.py",
        "python/tests/test_reference.py",
        "python/tests/test_selection.py",
        "python/tests/test_models.py",
        "python/tests/test_routing.py",
    ];
    let checks = ["python/tests/test_estimators.py", "python/tests/test_guide.py"];
    let rest = checks.map(|file| format!("--ignore={file}"));
    let rest = ["python/tests", &rest[0], &rest[1]];
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| {
            [pytest(&python, &checks), pytest(&old, &some)].map(|mut command| command.output())
        });
        let first = counted(&mut pytest(&python, &rest), counts);
        let others = beside.join().map_err(|_| "the tests beside the others".to_string())?;
        for (name, found) in
            ["scikit-learn's checks and the guide", "oldest packages"].iter().zip(others)
        {
            let found = found.map_err(|e| e.to_string())?;
            print!("{}", String::from_utf8_lossy(&found.stdout));
            eprint!("{}", String::from_utf8_lossy(&found.stderr));
            String::from_utf8_lossy(&found.stdout).lines().for_each(|l| counts.add_closing(l));
            if !found.status.success() {
                return Err(format!("{name}: {}", found.status));
            }
        }
        first
    })
}

fn pytest(python: &Path, what: &[&str]) -> Command {
    let mut command = Command::new(python);
    command
        .args(["-m", "pytest", "-p", "no:cacheprovider", "-W", "ignore::UserWarning"])
        .args(what)
        .current_dir(root())
        .env("COKERNEL_PROGRAM", target().join("debug").join("cokernel"))
        // Threads that wait for each other turn in circles while other tests have the cores: eigenvectors then take
        // twice the CPU.
        .env("OPENBLAS_NUM_THREADS", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
