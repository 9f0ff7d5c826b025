//! `cokernel statistics`: which methods differ, from a file of scores.

use crate::args::GlobalArgs;
use crate::misuse::misuse;
use crate::report::in_lines;
use crate::session::{Options, Session};
use crate::table::Table;
use anyhow::{Context, Result};
use cokernel::brief;
use cokernel::eval::Stat;
use cokernel::eval::significance::{Comparing, Paired, ScoreTable, Tested, Verdict};
use cokernel::json::Told;
use serde_json::to_value;
use std::path::PathBuf;
use std::process::ExitCode;

/// Tests, wins and ranks of methods from a CSV file of their scores
///
/// Wide: a column for each method, a line for each split, with columns `data` (name of the data set)
/// and `split` where there are some. Long: columns `method` and `score`, `data` and `split` if there are
/// several; others are not read, which is said. Splits are in the order of the numbers in `split`; where one is no number, in that of the lines. On the splits of a data set pairs of methods are compared by a paired test, over data sets by
/// wins, ties and losses, signed ranks (Wilcoxon) and mean ranks (Friedman, Iman and Davenport, Nemenyi).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel statistics scores.csv                         all pairs, paired t-test
  cokernel statistics scores.csv --test f_5x2            ten scores of 5×2 cross-validation
  cokernel statistics scores.csv --test-over-train 0.25  5-fold cross-validation: corrected t-test
  cokernel statistics errors.csv --lower --baseline svm  smaller is better; all against one")]
pub struct Args {
    /// The scores
    #[arg(value_name = "FILE")]
    scores: PathBuf,
    /// Compare all methods with this one instead of all pairs
    #[arg(long, value_name = "METHOD")]
    baseline: Option<String>,
    /// The test on the splits of a data set [default: t]
    #[arg(long, value_name = "t|f_5x2")]
    test: Option<String>,
    /// Ratio of the sizes of test and training set, for the t-test that corrects for training sets that overlap:
    /// 1/(k − 1) for k folds [default: 0, independent scores]
    #[arg(long, value_name = "RATIO", allow_negative_numbers = true)]
    test_over_train: Option<f64>,
    /// Signed ranks without zeros, exact up to 50 data sets; or with zeros split evenly and the normal
    /// distribution, as in the tables of Gönen (2010) [default: standard]
    #[arg(long, value_name = "standard|with_zeros")]
    wilcoxon: Option<String>,
    /// Level of significance
    #[arg(long, value_name = "P", default_value_t = 0.05, allow_negative_numbers = true)]
    alpha: f64,
    /// Smaller scores are better, as of errors
    #[arg(long)]
    lower: bool,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let options =
        Options { quiet: global.quiet, json: global.json, wide: global.wide, ..Options::default() };
    let session = Session::start(&options)?;
    let ratio = args.test_over_train;
    let paired = match (args.test.as_deref(), ratio) {
        (None | Some("t"), ratio) => Paired::T(ratio.unwrap_or(0.0)),
        (Some("f_5x2"), None) => Paired::F5x2,
        (Some("f_5x2"), Some(_)) => {
            return Err(misuse("--test-over-train: of --test t only; f_5x2 has no such ratio"));
        }
        (Some(other), _) => {
            return Err(misuse(format!("--test: expected t or f_5x2, found '{other}'")));
        }
    };
    let with_zeros = match args.wilcoxon.as_deref() {
        None | Some("standard") => false,
        Some("with_zeros") => true,
        Some(other) => {
            let expected = "expected standard or with_zeros";
            return Err(misuse(format!("--wilcoxon: {expected}, found '{other}'")));
        }
    };
    let (alpha, lower) = (args.alpha, args.lower);
    let how = Comparing { baseline: args.baseline, alpha, paired, lower, with_zeros };
    let place = args.scores.display();
    let text =
        std::fs::read_to_string(&args.scores).with_context(|| format!("cannot read {place}"))?;
    let table = ScoreTable::from_csv(&text).with_context(|| place.to_string())?;
    if !table.unread.is_empty() {
        session.notes([format!("columns that are not read: {}", table.unread.join(", "))]);
    }
    let told = table.compare(&how)?;
    session.show(text_of(&told, &how, session.width(false)))?;
    session.show_json(&to_value(Told(&told))?)?;
    Ok(session.end([]))
}

fn text_of(told: &Verdict, how: &Comparing, width: Option<usize>) -> String {
    let parts =
        [means(told, width), pairs(told, how, width), versus(told, width), ranking(told, width)];
    parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join("\n")
}

fn name(data: &str) -> String {
    if data.is_empty() { "scores".to_string() } else { data.to_string() }
}

fn spread(stat: &Stat) -> String {
    match stat.values.len() {
        1 => format!("{:.4}", stat.mean),
        _ => format!("{:.4} ± {:.4}", stat.mean, stat.sd),
    }
}

fn p(value: f64) -> String {
    if value < 1e-4 && value > 0.0 { format!("{value:.1e}") } else { format!("{value:.4}") }
}

fn statistic(value: f64) -> String {
    if value.abs() < 1e6 { format!("{value:.3}") } else { format!("{value:.3e}") }
}

/// `p = 0.012 *`.
fn told_p(test: &Option<Tested>, alpha: f64) -> [String; 2] {
    match test {
        None => ["–".to_string(), "–".to_string()],
        Some(t) => {
            let star = if t.p < alpha { " *" } else { "" };
            [statistic(t.statistic), p(t.p) + star]
        }
    }
}

fn means(told: &Verdict, width: Option<usize>) -> String {
    let header: Vec<&str> =
        std::iter::once("data").chain(told.methods.iter().map(|m| &**m)).collect();
    let mut table = Table::new(&header);
    for data in &told.means {
        let cells = data.scores.iter().map(spread);
        table.row(std::iter::once(name(&data.data)).chain(cells).collect());
    }
    format!("Means and standard deviations over the splits\n{}", in_lines(table, width, &[]))
}

fn pairs(told: &Verdict, how: &Comparing, width: Option<usize>) -> String {
    if told.pairs.iter().all(|p| p.test.is_none()) {
        return String::new();
    }
    let (title, statistic) = match how.paired {
        Paired::F5x2 => ("5×2 cv F test".to_string(), "F"),
        Paired::T(0.0) => ("paired t-test".to_string(), "t"),
        Paired::T(ratio) => {
            (format!("corrected resampled t-test, test/train {}", brief(ratio)), "t")
        }
    };
    let mut table = Table::new(&["data", "<methods", "difference", statistic, "<p", "p by Holm"]);
    for pair in &told.pairs {
        let [statistic, p_value] = told_p(&pair.test, told.alpha);
        table.row(vec![
            name(&pair.data),
            format!("{} − {}", pair.first, pair.second),
            format!("{:+.4}", pair.difference),
            statistic,
            p_value,
            pair.holm.map_or("–".to_string(), p),
        ]);
    }
    format!(
        "{title}; * below {}; p by Holm is corrected for the number of pairs\n{}",
        brief(told.alpha),
        in_lines(table, width, &["difference"])
    )
}

fn versus(told: &Verdict, width: Option<usize>) -> String {
    if told.means.len() < 2 {
        return String::new();
    }
    let counts = |c: &[usize; 3]| format!("{}-{}-{}", c[0], c[1], c[2]);
    let mut table = Table::new(&[
        "methods",
        "wins-ties-losses",
        "by the test",
        "signed ranks T",
        "<p",
        "p by Holm",
    ]);
    for v in &told.versus {
        let [statistic, p_value] = told_p(&v.wilcoxon, told.alpha);
        table.row(vec![
            format!("{} : {}", v.first, v.second),
            counts(&v.direct),
            v.tested.as_ref().map_or("–".to_string(), counts),
            statistic,
            p_value,
            v.holm.map_or("–".to_string(), p),
        ]);
    }
    format!("Over {} data sets\n{}", told.means.len(), in_lines(table, width, &["signed ranks T"]))
}

fn ranking(told: &Verdict, width: Option<usize>) -> String {
    let Some(ranking) = &told.ranking else { return String::new() };
    let mut order: Vec<usize> = (0..told.methods.len()).collect();
    order.sort_by(|&a, &b| ranking.mean_ranks[a].total_cmp(&ranking.mean_ranks[b]));
    let mut table = Table::new(&["method", "mean rank"]);
    for m in order {
        table.row(vec![told.methods[m].clone(), format!("{:.3}", ranking.mean_ranks[m])]);
    }
    let apart = told
        .critical_difference
        .map_or(String::new(), |d| format!("; mean ranks {d:.3} apart differ (Nemenyi)"));
    format!(
        "Mean ranks; all alike: Friedman χ² {:.3}, p = {}; Iman and Davenport F {:.3}, p = {}{apart}\n{}",
        ranking.chi_squared,
        p(ranking.p),
        ranking.f,
        p(ranking.f_p),
        in_lines(table, width, &[])
    )
}
