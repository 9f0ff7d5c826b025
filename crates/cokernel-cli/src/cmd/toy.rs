//! `cokernel toy`: the toy data of the papers, as files.

use crate::args::GlobalArgs;
use crate::files::{csv_line, in_json, write};
use crate::misuse::misuse;
use crate::session::{Options, Session};
use crate::table::count;
use anyhow::{Context, Result};
use clap::{Subcommand, ValueEnum};
use cokernel::data::{Labels, Matrix, Table as Content, Views, toy};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write toy data to files, with a project file
///
/// One CSV file per view, the true classes, and a project file, so that `cokernel cluster
/// --project FOLDER/cokernel.toml` runs at once. The same seed gives the same files.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel toy synthetic_1 --n 1000 --seed 3 --out synthetic
  cokernel cluster --project synthetic/cokernel.toml -o clusters.csv
  cokernel toy correlated --rho 0.5")]
pub struct Args {
    #[command(subcommand)]
    kind: Kind,
}

/// What every kind of data has.
#[derive(Debug, clap::Args)]
struct Common {
    /// Number of instances
    #[arg(long, value_name = "N", default_value_t = 1000)]
    n: usize,
    /// The folder to write to; it is made if it does not exist [default: the name of the data]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Kind {
    /// Two views of two Gaussian clusters that change places (LMS §4.3)
    #[command(name = "synthetic_1")]
    Synthetic1(Common),
    /// Three views of two Gaussian clusters (LMS §3.4, §4.3)
    #[command(name = "synthetic_2")]
    Synthetic2(Common),
    /// Two views of two Gaussian clusters, with correlated columns (LMS §3.3.1)
    #[command(name = "correlated")]
    Correlated {
        #[command(flatten)]
        common: Common,
        /// Correlation of the columns of one view with those of the other, from -1 to 1
        #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
        rho: f64,
    },
    /// Two similarities, each wrong where the other is right (LMS §3.3.2)
    #[command(name = "complementary_corruption")]
    ComplementaryCorruption {
        #[command(flatten)]
        common: Common,
        /// The wrong similarity between instances of different clusters
        #[arg(long, default_value_t = 2.0, allow_negative_numbers = true)]
        alpha: f64,
    },
    /// Two similarities, of which the second says nothing (LMS §3.3.3)
    #[command(name = "uninformative")]
    Uninformative {
        #[command(flatten)]
        common: Common,
        /// What the second holds
        #[arg(long, value_enum, default_value_t = Filler::Ones)]
        content: Filler,
    },
    /// Two similarities of different clusters (LMS §3.3.3)
    #[command(name = "contradictory")]
    Contradictory(Common),
    /// Two rings in the plane (LMS §6.2.1.1)
    #[command(name = "two_circles")]
    TwoCircles {
        #[command(flatten)]
        common: Common,
        /// Standard deviation of the noise
        #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
        noise: f64,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Filler {
    Ones,
    Random,
}

/// First line of the project file, by which it is known again.
const MARK: &str = "# Toy data by `cokernel toy";

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let session = Session::start(&Options {
        seed: global.seed,
        threads: global.threads,
        quiet: global.quiet,
        json: global.json,
        ..Options::default()
    })?;
    let seed = session.run.seed;
    let (name, common, parameter, (views, labels)) = match args.kind {
        Kind::Synthetic1(c) => {
            let made = toy::synthetic_1(c.n, seed)?;
            ("synthetic_1", c, None, made)
        }
        Kind::Synthetic2(c) => {
            let made = toy::synthetic_2(c.n, seed)?;
            ("synthetic_2", c, None, made)
        }
        Kind::Correlated { common: c, rho } => {
            let made = toy::correlated(c.n, rho, seed)?;
            ("correlated", c, Some(format!("--rho {rho}")), made)
        }
        Kind::ComplementaryCorruption { common: c, alpha } => {
            let made = toy::complementary_corruption(c.n, alpha, seed)?;
            ("complementary_corruption", c, Some(format!("--alpha {alpha}")), made)
        }
        Kind::Uninformative { common: c, content } => {
            let (content, word) = match content {
                Filler::Ones => (toy::Uninformative::Ones, "ones"),
                Filler::Random => (toy::Uninformative::Random, "random"),
            };
            let made = toy::uninformative(c.n, content, seed)?;
            ("uninformative", c, Some(format!("--content {word}")), made)
        }
        Kind::Contradictory(c) => {
            let made = toy::contradictory(c.n)?;
            ("contradictory", c, None, made)
        }
        Kind::TwoCircles { common: c, noise } => {
            let made = toy::two_circles(c.n, noise, seed)?;
            ("two_circles", c, Some(format!("--noise {noise}")), made)
        }
    };
    let out = common.out.unwrap_or_else(|| PathBuf::from(name));
    let parameter = parameter.map_or(String::new(), |p| format!(" {p}"));
    let call = format!("{name} --n {}{parameter} --seed {seed}", common.n);
    write_all(&out, &call, &views, &labels)?;
    let project = out.join("cokernel.toml");
    session.say(format!(
        "{}, {}, written to {}\n\nNext, try\n  cokernel cluster --project {} -o clusters.csv",
        count(views.n(), "instance", "instances"),
        count(views.len(), "view", "views"),
        out.display(),
        project.display()
    ))?;
    session.show_json(&json!({
        "toy": name, "instances": views.n(), "seed": seed,
        "folder": in_json(&out), "project": in_json(&project),
        "views": views.iter().map(|v| &v.name).collect::<Vec<_>>(),
    }))?;
    Ok(session.end([]))
}

fn write_all(out: &Path, call: &str, views: &Views, labels: &Labels) -> Result<()> {
    let project = out.join("cokernel.toml");
    if std::fs::read_to_string(&project).is_ok_and(|text| !text.starts_with(MARK)) {
        let project = project.display();
        return Err(misuse(format!("{project} is not a toy's; name another folder with --out")));
    }
    let classes = labels.classes()?;
    std::fs::create_dir_all(out)
        .with_context(|| format!("cannot make the folder {}", out.display()))?;
    let mut entries = String::new();
    let mut kernels = Vec::new();
    for view in views.iter() {
        let name = &view.name;
        let (text, kernel) = match &view.table {
            Content::Dense(m) => (features(m), format!("gaussian@{name}:sigma=median")),
            Content::Sparse(m) => {
                (features(&m.to_dense()), format!("gaussian@{name}:sigma=median"))
            }
            Content::Similarity(m) => (rows(m), format!("precomputed@{name}")),
            Content::Graph(m) => (rows(&m.to_dense()), format!("precomputed@{name}")),
            Content::Sequences(s) => {
                let row = |i: usize| csv_line([String::from_utf8_lossy(s.row(i)).into_owned()]);
                let lines: String = (0..s.rows()).map(row).collect();
                (format!("{name}\n{lines}"), format!("spectrum@{name}:normalize=unit_diagonal"))
            }
        };
        write(&out.join(format!("{name}.csv")), text.as_bytes())?;
        kernels.push(format!("\"{kernel}\""));
        entries.push_str(&match view.table.is_similarity() {
            _ if matches!(view.table, Content::Sequences(_)) => {
                format!("{name} = {{ path = \"{name}.csv\", sequences = true }}\n")
            }
            true => format!("{name} = {{ path = \"{name}.csv\", similarity = true }}\n"),
            false => format!("{name} = \"{name}.csv\"\n"),
        });
    }
    let codes = classes.codes.iter().map(|c| classes.names[*c as usize].as_str());
    let lines: String = std::iter::once("class").chain(codes).map(|l| csv_line([l])).collect();
    write(&out.join("labels.csv"), lines.as_bytes())?;
    let text = format!(
        "{MARK} {call}`\nlabels = \"labels.csv\"\nkernels = [{}]\nclusters = {}\n\n[views]\n{entries}",
        kernels.join(", "),
        classes.n_classes()
    );
    write(&project, text.as_bytes())
}

/// Lines below a header.
fn features(m: &Matrix) -> String {
    csv_line((1..=m.cols()).map(|j| format!("x{j}"))) + &rows(m)
}

fn rows(m: &Matrix) -> String {
    (0..m.rows()).map(|i| csv_line(m.row(i).iter().map(f64::to_string))).collect()
}
