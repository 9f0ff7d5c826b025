//! Experiment files that were changed are read or refused in a sentence; the cells of those that are
//! read can be listed. `cargo xtask fuzz experiments` does it for a time of its own.

use super::super::{EXAMPLE, Experiment, SHIPPED};
use cokernel_fuzz::{Target, drive, limit};
use std::path::{Path, PathBuf};

/// For all tests of this program: none needs so much.
#[global_allocator]
static MEMORY: limit::Limited = limit::Limited;

const TARGET: Target = Target {
    name: "experiments",
    seeds,
    words: &[
        "[sweep]\nparameter = \"lambda\"\nvalues = { from = 0, to = 1, step = 0.1 }\n",
        "[machine]\nc = 1.0\n",
        "folds = 5\n",
        "repeats = 2\n",
        "test_fraction = 0.33\n",
        "inner_folds = 5\n",
        "kind = \"toy\"\n",
        "generator = \"synthetic_2\"\n",
        "n = 1000\n",
        "sets = 30\n",
        "params = { rho = 0.5 }\n",
        "lsa = 100\n",
        "scale = \"standard\"\n",
        "unit_rows = true\n",
        "seconds = 600\n",
        "memory = \"2GiB\"\n",
        "grid = { lambda = [0.1] }\n",
        "pick = \"best\"\n",
        "\"mean\"",
        "\"simple_mkl\"",
        "\"spectral\"",
        "{ ",
        " }",
        "[",
        "]",
        "inf",
    ],
    change: |_, _| false,
    run: read,
    short: 1500,
};

fn seeds() -> Vec<Vec<u8>> {
    let toy = "title = \"t\"\n[data]\nkind = \"toy\"\ngenerator = \"correlated\"\nn = 100\nsets = 3\n\
               params = { rho = 0.5 }\n[protocol]\nclusters = 2\nstarts = { seeding = \"random\", \
               starts = 2 }\nscores = [\"nmi\"]\n[[rows]]\nlabel = \"a\"\nmethod = \"spectral\"\n\
               [sweep]\nparameter = \"rho\"\nvalues = { from = 0, to = 1, step = 0.25 }\n\
               [limits]\nmemory = \"1GiB\"\nseconds = 60\n";
    let learned = "title = \"t\"\n[data]\nkind = \"digits\"\n[protocol]\nfolds = 5\nrepeats = 2\n\
                   scores = [\"accuracy\"]\n[[rows]]\nlabel = \"a\"\nmethod = \"simple_mkl\"\n\
                   c = 10.0\n[machine]\ntol = 1e-3\n";
    let shipped = SHIPPED.iter().step_by(4).map(|e| e.1);
    [EXAMPLE, toy, learned].into_iter().chain(shipped).map(|t| t.as_bytes().to_vec()).collect()
}

fn read(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    match Experiment::parse("my.toml", "my", &text, Path::new(".")) {
        Ok(plan) => {
            assert!(!plan.places().is_empty());
            true
        }
        Err(e) => {
            assert!(!e.to_string().is_empty());
            false
        }
    }
}

#[test]
fn any_text_is_an_experiment_or_refused() {
    for (i, seed) in seeds().iter().enumerate() {
        let text = String::from_utf8_lossy(seed);
        let parsed = Experiment::parse("my.toml", "my", &text, Path::new("."));
        assert!(parsed.is_ok(), "seed {i}: {:?}", parsed.err());
    }
    let set = |name: &str| std::env::var(format!("COKERNEL_FUZZ_{name}")).ok();
    let Some(seconds) = set("SECONDS") else {
        let found = drive::short(&TARGET, TARGET.short);
        assert!(found.accepted > TARGET.short as u64 / 20, "{found:?}");
        return;
    };
    let seed = set("SEED").map_or(1, |s| s.parse().unwrap());
    let folder = set("FOLDER").map_or_else(|| PathBuf::from("experiments"), PathBuf::from);
    let found = drive::run(&TARGET, seconds.parse().unwrap(), seed, &folder).unwrap();
    let faults = found.faults.len();
    eprintln!("experiments: {} inputs, {} accepted, {faults} faults", found.tried, found.accepted);
    assert!(found.faults.is_empty(), "{:?}", found.faults);
}
