//! `cokernel inspect`: what a model file holds.

use crate::args::GlobalArgs;
use crate::misuse::misuse;
use crate::probabilities;
use crate::report::{
    basis_of, folded_lines, how_it_went, in_lines, model_lines, model_weights, parameters,
    relevances, remarks, spectra,
};
use crate::session::{Options, Session};
use crate::table::{Table, count};
use anyhow::{Context, Result};
use cokernel::data::{LearnedView, Matrix};
use cokernel::json::Told;
use cokernel::model::{Costs, EmbeddingModel, EmbeddingSummary, Model, Saved, ViewInfo};
use serde_json::{Value, json, to_value};
use std::path::PathBuf;
use std::process::ExitCode;

/// Show what a model file holds
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel inspect model.ck
  cokernel inspect clusters.ck       an embedding with its clusters
  cokernel inspect model.ck --gates  how open the gates of a localized method are
  cokernel inspect model.ck --projections  the projections of gpk and lpk
  cokernel inspect model.ck --costs pix=4,mor=1  what a prediction costs by these prices
  cokernel inspect model.ck --json | jq '.weights[] | select(.active)'")]
pub struct Args {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    /// Show the gates of a localized method: their means over the instances of training, and how many are open
    #[arg(long, conflicts_with = "projections")]
    gates: bool,
    /// Show the linear maps of features that were learned: a row for each feature, as scaling left it
    #[arg(long)]
    projections: bool,
    /// What predicting an instance costs by these prices of views, functions or kernels, as pix=4,gaussian=2
    #[arg(long, value_name = "NAME=PRICE,…", conflicts_with_all = ["gates", "projections"])]
    costs: Option<String>,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let session =
        Session::start(&Options { json: global.json, wide: global.wide, ..Options::default() })?;
    match Saved::load(&args.model)? {
        Saved::Classifier(model) => {
            let shown = match (args.gates, args.projections) {
                (true, _) => gates(&model)?,
                (_, true) => projections(&of_model(&model), model.method(), session.width(false))?,
                _ => describe(&model, session.width(false)),
            };
            let priced = args.costs.as_deref().map(|text| priced(&model, text)).transpose()?;
            let shown = match priced {
                Some(cost) => {
                    format!(
                        "{shown}\n\n  predicting an instance costs {cost:.1}, of {} with all kernels\n",
                        model.n_support()
                    )
                }
                None => shown,
            };
            let mut value = to_value(Told(model.inspect()))?;
            add_maps(&mut value, &args, &of_model(&model));
            if let (Some(cost), Some(object)) = (priced, value.as_object_mut()) {
                object.insert("total_cost".to_string(), json!(Told(cost)));
            }
            session.show_json(&value)?;
            session.show(shown)?;
        }
        Saved::Embedding(_) if args.costs.is_some() => {
            return Err(misuse("--costs: an embedding has no support vectors to pay for"));
        }
        Saved::Embedding(_) if args.gates => return Err(no_gates("it embeds").into()),
        Saved::Embedding(model) => {
            let summary = model.inspect();
            let maps = of_embedding(&model);
            let shown = match args.projections {
                true => projections(&maps, &summary.method, session.width(false))?,
                false => embedding(&summary, session.width(false)),
            };
            let mut value = to_value(Told(&summary))?;
            add_maps(&mut value, &args, &maps);
            session.show_json(&value)?;
            session.show(shown)?;
        }
    }
    Ok(session.end([]))
}

/// The total cost of a model by named prices.
fn priced(model: &Model, text: &str) -> Result<f64> {
    match text.parse::<Costs>().context("--costs")? {
        Costs::Named(prices) => Ok(model.total_cost_by_name(&prices)?),
        other => Err(misuse(format!(
            "--costs: '{other}' needs the instances: give it to evaluate or compare; here prices, as pix=4,mor=1"
        ))),
    }
}

/// A map of features: what it is called, the names of the features, and a row for each.
struct Map {
    name: String,
    features: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Map {
    /// Of the features of these views side by side.
    fn new(name: &str, views: &[&ViewInfo], map: &Matrix) -> Self {
        let of = |view: &&ViewInfo| -> Vec<String> {
            let own = |j: usize| match &view.columns {
                Some(names) => names[j].clone(),
                None => (j + 1).to_string(),
            };
            let long =
                |j| if views.len() > 1 { format!("{}.{}", view.name, own(j)) } else { own(j) };
            (0..view.cols).map(long).collect()
        };
        let features = views.iter().flat_map(of).collect();
        let rows = (0..map.rows()).map(|j| map.row(j).to_vec()).collect();
        Map { name: name.to_string(), features, rows }
    }
}

fn of_model(model: &Model) -> Vec<Map> {
    let one = |map: &LearnedView| {
        let views: Vec<&ViewInfo> = model.views().iter().filter(|v| v.name == map.view()).collect();
        Some(Map::new(map.name(), &views, map.map()?))
    };
    model.maps().iter().filter_map(one).collect()
}

fn of_embedding(model: &EmbeddingModel) -> Vec<Map> {
    let Some((_, map)) = model.projection() else { return Vec::new() };
    let views: Vec<&ViewInfo> = model.views().iter().collect();
    vec![Map::new("embedding", &views, map)]
}

fn add_maps(to: &mut Value, args: &Args, maps: &[Map]) {
    if args.projections {
        let one = |m: &Map| json!({"name": m.name, "features": m.features, "rows": Told(&m.rows)});
        to["projections"] = maps.iter().map(one).collect();
    }
}

fn projections(maps: &[Map], method: &str, width: Option<usize>) -> Result<String> {
    if maps.is_empty() {
        let problem = format!(
            "the model has no projection of features: its method is {method}; models of gpk, lpk, pca, \
                               fda and lfda do"
        );
        return Err(cokernel::Error::parameter("projections", problem).into());
    }
    let mut text = String::new();
    for map in maps {
        let numbers: Vec<String> =
            (1..=map.rows.first().map_or(0, Vec::len)).map(|l| l.to_string()).collect();
        let mut titles = vec!["<feature"];
        titles.extend(numbers.iter().map(String::as_str));
        let mut table = Table::new(&titles);
        for (feature, row) in map.features.iter().zip(&map.rows) {
            let cells = row.iter().map(|w| format!("{w:.4e}"));
            table.row(std::iter::once(feature.clone()).chain(cells).collect());
        }
        let table = table.fitting(width, &[]).0;
        text.push_str(&format!("  projection {}\n\n{table}\n", map.name));
    }
    Ok(text)
}

/// The means of the gates (Gönen 2010, Table 5.17), of each machine where they have their own.
fn gates(model: &Model) -> Result<String> {
    let details = &model.report().details;
    let heads = match model.rule().gated() {
        Some(gated) => std::slice::from_ref(gated),
        None => model.rule().own_gates(),
    };
    let (Some(first), Some(active)) = (heads.first(), details.get("active_gates")) else {
        return Err(no_gates(&format!("its method is {}", model.method())).into());
    };
    let mut table = Table::new(&["gate", "mean"]);
    let means = heads.iter().flat_map(|h| h.means());
    for (name, mean) in model.gate_names().into_iter().zip(means) {
        table.row(vec![name, format!("{mean:.4}")]);
    }
    let (shape, input) = (first.gate().shape().id(), first.input());
    let mut text = format!("  gates     {shape}, which look at {}", input.views().join(", "));
    if let Some(kept) = details.get("gate_variance").and_then(|v| v.first()) {
        text.push_str(&format!(
            " by {} principal components of {} columns ({:.1} % of their variance)",
            input.width(),
            input.columns(),
            100.0 * kept
        ));
    }
    let all = first.gate().count();
    match active.as_slice() {
        [open] => text.push_str(&format!(
            "\n  open      {open:.2} of {all} for an instance of training on average\n"
        )),
        each => {
            text.push_str(&format!("; each machine has its own {all}\n"));
            for (machine, open) in model.machines().iter().zip(each) {
                text.push_str(&format!(
                    "  open      {open:.2} of {all} for an instance of training on average: {}\n",
                    machine.name
                ));
            }
        }
    }
    Ok(format!("{text}\n{}", table.text()))
}

fn no_gates(why: &str) -> cokernel::Error {
    let problem = format!(
        "the model has no gates: {why}; models of localized_mkl, convex_localized and lpk do"
    );
    cokernel::Error::parameter("gates", problem)
}

fn describe(model: &Model, width: Option<usize>) -> String {
    let s = model.inspect();
    let mut text = model_lines(model, width);
    text.push_str(&format!("  machine   {}\n", model.machine().told()));
    text.push_str(&format!("  made by   cokernel {}, seed {}\n", s.library_version, s.seed));
    if s.n_dropped > 0 {
        text.push_str(&format!("  left out  {} instances without a label\n", s.n_dropped));
    }
    let curves = probabilities::curves(model);
    // Decision functions that no machine has solved have no optimum.
    let solved = s.report.machine.is_some();
    let mut titles = vec!["machine", basis_of(&s.report)];
    titles.extend(["primal", "dual", "gap"].iter().filter(|_| solved));
    titles.extend(curves.as_ref().map(|_| "<P(first class | f)"));
    let mut machines = Table::new(&titles);
    for (t, m) in s.machines.iter().enumerate() {
        let mut cells = vec![m.name.clone(), m.support.to_string()];
        if solved {
            let numbers = [format!("{:.6e}", m.primal), format!("{:.6e}", m.dual)];
            cells.extend(numbers.into_iter().chain([format!("{:.1e}", m.gap)]));
        }
        cells.extend(curves.as_ref().map(|c| c[t].clone()));
        machines.row(cells);
    }
    text.push_str(&format!("\n{}", views(&s.views)));
    text.push_str(&format!("\n{}", model_weights(&s.weights, width)));
    text.push_str(&relevances(&s.widths));
    text.push_str(&format!("\n{}", in_lines(machines, width, &["dual", "primal"])));
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
fn embedding(s: &EmbeddingSummary, width: Option<usize>) -> String {
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
    if let Some(landmarks) = s.landmarks {
        let kept = count(landmarks, "landmark", "landmarks");
        text.push_str(&format!(
            "  new rows  are compared with {kept}, which stand for the instances\n"
        ));
    }
    if let Some(directions) = s.directions {
        let kept = count(directions / 2, "random direction", "random directions");
        text.push_str(&format!("  new rows  become cosines and sines along {kept}\n"));
    }
    if !s.extends {
        text.push_str("  new rows  cannot be embedded by this method\n");
    }
    if let Some(agreement) = s.agreement.last() {
        text.push_str(&format!("  agreement of the views at the end: {agreement:.3}\n"));
    }
    text.push_str(&format!("  made by   cokernel {}, seed {}\n", s.library_version, s.seed));
    text = folded_lines(&text, width);
    if !s.views.is_empty() {
        text.push_str(&format!("\n{}", views(&s.views)));
    }
    let mut kernels = Table::new(&["kernel", "<for new rows"]);
    for k in &s.kernels {
        let used = if k.active { "compared" } else { "not looked at" };
        kernels.row(vec![k.kernel.clone(), used.to_string()]);
    }
    text.push_str(&format!("\n{}\n{}", kernels.text(), spectra(s, width)));
    for (word, remark) in remarks(&s.report) {
        text.push_str(&format!("\n{word}: {remark}"));
    }
    text
}
