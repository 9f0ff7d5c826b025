//! `cokernel inspect`: what a model file holds.

use crate::args::GlobalArgs;
use crate::probabilities;
use crate::report::{how_it_went, model_lines, model_weights, parameters, remarks, spectra};
use crate::session::{Options, Session};
use crate::table::{Table, count};
use anyhow::Result;
use cokernel::model::{EmbeddingSummary, Model, Saved, ViewInfo};
use serde_json::to_value;
use std::path::PathBuf;
use std::process::ExitCode;

/// Show what a model file holds
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel inspect model.ck
  cokernel inspect clusters.ck       an embedding with its clusters
  cokernel inspect model.ck --json | jq '.weights[] | select(.active)'")]
pub struct Args {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let session = Session::start(&Options { json: global.json, ..Options::default() })?;
    match Saved::load(&args.model)? {
        Saved::Classifier(model) => {
            session.show_json(&to_value(model.inspect())?)?;
            session.show(describe(&model))?;
        }
        Saved::Embedding(model) => {
            session.show_json(&to_value(model.inspect())?)?;
            session.show(embedding(&model.inspect()))?;
        }
    }
    Ok(session.end([]))
}

fn describe(model: &Model) -> String {
    let s = model.inspect();
    let mut text = model_lines(model);
    text.push_str(&format!("  machine   {}\n", model.machine().told()));
    text.push_str(&format!("  made by   cokernel {}, seed {}\n", s.library_version, s.seed));
    if s.n_dropped > 0 {
        text.push_str(&format!("  left out  {} instances without a label\n", s.n_dropped));
    }
    let curves = probabilities::curves(model);
    let mut titles = vec!["machine", "support vectors", "primal", "dual", "gap"];
    titles.extend(curves.as_ref().map(|_| "<P(first class | f)"));
    let mut machines = Table::new(&titles);
    for (t, m) in s.machines.iter().enumerate() {
        let mut cells = vec![
            m.name.clone(),
            m.support.to_string(),
            format!("{:.6e}", m.primal),
            format!("{:.6e}", m.dual),
            format!("{:.1e}", m.gap),
        ];
        cells.extend(curves.as_ref().map(|c| c[t].clone()));
        machines.row(cells);
    }
    text.push_str(&format!("\n{}", views(&s.views)));
    text.push_str(&format!("\n{}", model_weights(&s.weights)));
    text.push_str(&format!("\n{}", machines.text()));
    for (word, remark) in remarks(&s.report) {
        text.push_str(&format!("\n{word}: {remark}"));
    }
    text
}

fn views(list: &[ViewInfo]) -> String {
    let mut views = Table::new(&["view", "<kind", "columns"]);
    for v in list {
        views.row(vec![v.name.clone(), v.kind.clone(), v.cols.to_string()]);
    }
    views.text()
}

/// What an embedding model holds.
fn embedding(s: &EmbeddingSummary) -> String {
    let mut text = format!("  method    {}{}\n", s.method, parameters(&s.params));
    text.push_str(&format!("  status    {}\n", how_it_went(&s.report)));
    text.push_str(&format!(
        "  embedded  {} in {}, for {}\n",
        count(s.n_train, "instance", "instances"),
        count(s.columns, "column", "columns"),
        count(s.k, "cluster", "clusters")
    ));
    text.push_str(&match &s.clusters {
        Some(found) => {
            let sizes: Vec<String> = found.sizes.iter().map(usize::to_string).collect();
            let (starts, protocol) = (found.starts.starts, found.starts.protocol());
            let made = format!("{} ({protocol})", count(starts, "start", "starts"));
            format!(
                "  clusters  sizes {}; {made}, inertia {:.4}\n",
                sizes.join(", "),
                found.inertia
            )
        }
        None => "  clusters  none: it embeds only\n".to_string(),
    });
    if !s.extends {
        text.push_str("  new rows  cannot be embedded by this method\n");
    }
    if let Some(agreement) = s.agreement.last() {
        text.push_str(&format!("  agreement of the views at the end: {agreement:.3}\n"));
    }
    text.push_str(&format!("  made by   cokernel {}, seed {}\n", s.library_version, s.seed));
    if !s.views.is_empty() {
        text.push_str(&format!("\n{}", views(&s.views)));
    }
    let mut kernels = Table::new(&["kernel", "<for new rows"]);
    for k in &s.kernels {
        let used = if k.active { "compared" } else { "not looked at" };
        kernels.row(vec![k.kernel.clone(), used.to_string()]);
    }
    text.push_str(&format!("\n{}\n{}", kernels.text(), spectra(s)));
    for (word, remark) in remarks(&s.report) {
        text.push_str(&format!("\n{word}: {remark}"));
    }
    text
}
