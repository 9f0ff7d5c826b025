//! `cokernel embed`: instances with several views to rows of numbers, and new instances to rows
//! of an embedding that was saved.

use crate::args::{DataArgs, GlobalArgs, GraphArgs, KernelArgs};
use crate::clustering::refuse_nothing;
use crate::data;
use crate::files::{in_json, not_an_input, write};
use crate::misuse::misuse;
use crate::pairs::PairArgs;
use crate::picture::{self, Picture};
use crate::report::{self, how_it_went, instances_csv, parameters};
use crate::session::Session;
use crate::settings::Settings;
use crate::table::{count, thousands};
use anyhow::Result;
use cokernel::data::{Labels, Matrix};
use cokernel::json::Told;
use cokernel::method::Task;
use cokernel::model::{EmbeddingModel, Saved};
use cokernel::multiview::spectra;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Embed instances by all their views, or new instances by a saved model
///
/// Writes one line per instance: its id or row number (from 0), and the columns e0, e1, … of the
/// embedding that k-means would see. Methods of `cokernel methods --task embed` make rows for pictures and
/// as features; some of them learn from labels, which may be missing for some instances. With --apply, new instances are placed in the embedding of a
/// model that --model of this command or of `cluster` saved; if the model has clusters, the column
/// `cluster` names the nearest. Nothing is learned then.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel embed -k 10 --view fou=fou.csv --view fac=fac.csv -o embedding.csv
  cokernel embed -k 10 --method spectral --view fou=fou.csv --model fou.ck -o old.csv
  cokernel embed -k 2 --method lfda --view fou=fou.csv --view fac=fac.csv --labels y.csv --plot y.svg
  cokernel embed --apply fou.ck --view fou=new-fou.csv -o new.csv
A similarity holds one row per new instance and one column per training instance, in their order:
  cokernel embed --apply graph.ck --similarity graph=K-new.npy -o new.csv")]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    kernels: KernelArgs,
    #[command(flatten)]
    graphs: GraphArgs,
    #[command(flatten)]
    pairs: PairArgs,
    /// The method; `cokernel methods --task embed` and `--task cluster` list them [default: co_regularized]
    #[arg(long, short, value_name = "ID", help_heading = "Method")]
    method: Option<String>,
    /// A parameter of the method, as eigenvectors=5. Repeatable; see `cokernel methods ID`
    #[arg(long = "set", value_name = "NAME=VALUE", help_heading = "Method")]
    set: Vec<String>,
    /// Number of columns, or of clusters to embed for: as many columns, for each view where the method
    /// has several
    #[arg(
        long,
        short = 'k',
        value_name = "K",
        allow_negative_numbers = true,
        help_heading = "Method"
    )]
    clusters: Option<usize>,
    /// Embed new instances by this model instead of learning
    #[arg(long, value_name = "MODEL", help_heading = "Method",
        conflicts_with_all = ["method", "set", "clusters", "model", "plot", "kernels", "graphs", "scale", "storage",
            "memory", "pairs", "combine", "pairs_method", "pairs_set"])]
    apply: Option<PathBuf>,
    /// The CSV file to write [default: the standard output]
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Save the embedding to this file, for --apply
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    model: Option<PathBuf>,
    /// Draw two principal components of the embedding, coloured by label if labels are given, and
    /// the eigenvalues of each view (of methods that cluster), into this SVG or PNG file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    plot: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    match &args.apply {
        Some(model) => apply(&args, model, global),
        None => learn(&args, global),
    }
}

fn learn(args: &Args, global: &GlobalArgs) -> Result<ExitCode> {
    let mut settings = Settings::load(&args.data, &args.set, global)?;
    let method = settings.embed_method(args.method.as_ref())?;
    picture::check("--plot", args.plot.as_deref())?;
    settings.check_outputs([&args.output, &args.model, &args.plot])?;
    let k = settings.clusters(args.clusters)?;
    let from = settings.similarities(&args.kernels, &args.graphs)?;
    let method = settings.multi_view(method, &[method], &from)?;
    settings.choose_similarity_pairs(&args.pairs, &method)?;
    let session = Session::start(&settings.options)?;
    let data = data::load_incomplete(&settings, &session)?;
    if method.reads_labels()? && matches!(data.labels, Labels::Absent(_)) {
        return Err(misuse(format!(
            "method '{}' learns from labels, and none are given; add --labels FILE, or --label-column \
             NAME if a view has them",
            method.method().id
        )));
    }
    let method = args.pairs.on(method, data.pairs.as_ref())?;
    let mut prepared = method.prepare(&data.views, &session.run)?;
    if method.reads_labels()? {
        prepared = prepared.with_labels(&data.labels)?;
    }
    let found = method.embed_prepared(&prepared, k, &session.run)?;
    refuse_nothing(&found.rows, found.report.status)?;
    let model = EmbeddingModel::new(&method, &prepared, k, &found)?;
    let mut lines = Vec::new();
    // Of an embedding that is not there for clusters, eigenvalues of graphs tell nothing.
    if args.plot.is_some() && method.method().tasks.contains(&Task::Cluster) {
        match spectra(prepared.bank(), picture::eigenvalues(k), &session.run) {
            Ok(found) => lines = found.unwrap_or_default(),
            Err(e) => session.notes([format!("the picture has no spectra: {e}")]),
        }
    }
    drop(prepared);
    session.clear_progress();
    let summary = model.inspect();
    session.remarks(&summary.report);
    let csv = instances_csv(&data.views, None, &columns(&found.rows));
    if let Some(path) = &args.model {
        model.save(path)?;
    }
    let width = session.width(args.output.is_none());
    let lines_of = format!(
        "  method    {}{}\n  status    {}\n  embedded  {} in {}\n",
        summary.method,
        parameters(&summary.params),
        how_it_went(&summary.report),
        count(summary.n_train, "instance", "instances"),
        count(summary.columns, "column", "columns")
    );
    let text =
        format!("{}\n{}", report::folded_lines(&lines_of, width), report::spectra(&summary, width));
    if let Some(path) = &args.plot {
        let labels = (!matches!(data.labels, Labels::Absent(_))).then_some(&data.labels);
        let (title, embedding) = (method.name(), &found.rows);
        let spectra = &lines;
        let picture = Picture { title: &title, embedding, clusters: None, labels, spectra, k };
        picture::draw(path, &picture, &session.run)?;
    }
    match &args.output {
        Some(output) => {
            write(output, csv.as_bytes())?;
            session.say(text)?;
            session.say(format!("\nembedding written to {}", output.display()))?;
        }
        None => {
            session.show_table(&csv)?;
            session.aside(&text);
        }
    }
    if let Some(path) = &args.model {
        session.say_model(path, &model, args.output.is_some())?;
    }
    if let Some(path) = &args.plot {
        session.say_picture(path, args.output.is_some())?;
    }
    session.show_json(&json!({
        "ids": data.views.ids(), "rows": Told(rows(&found.rows)), "embedding": Told(summary),
        "output": args.output.as_deref().map(in_json),
        "model": args.model.as_deref().map(in_json),
        "plot": args.plot.as_deref().map(in_json),
    }))?;
    Ok(session.end([found.report.status]))
}

fn apply(args: &Args, path: &Path, global: &GlobalArgs) -> Result<ExitCode> {
    let model = load(path)?;
    let mut settings = Settings::load(&args.data, &[], global)?;
    // A project file may list views that this model does not look at.
    let names: Vec<String> = model.views().iter().map(|v| v.name.clone()).collect();
    settings.require_views(&names, &[])?;
    // Nothing is scored.
    (settings.input.labels, settings.input.label_column) = (None, None);
    settings.check_outputs([&args.output])?;
    if let Some(output) = &args.output {
        not_an_input(output, [path])?;
    }
    let session = Session::start(&settings.options)?;
    let data = data::load_new(&settings, &session, false)?;
    let embedded = model.transform_in(&data.views, &session.run)?;
    let clusters = model.centers().map(|_| model.clusters_of(&embedded)).transpose()?;
    session.clear_progress();
    let csv = instances_csv(&data.views, clusters.as_deref(), &columns(&embedded));
    match &args.output {
        Some(output) => {
            write(output, csv.as_bytes())?;
            let n = count(embedded.rows(), "instance", "instances");
            let n_train = thousands(model.n_train());
            let learned = format!("beside the {n_train} of {}", path.display());
            session.say(format!("{n} embedded {learned}, written to {}", output.display()))?;
        }
        None => session.show_table(&csv)?,
    }
    session.show_json(&json!({
        "ids": data.views.ids(), "rows": Told(rows(&embedded)), "clusters": clusters,
        "output": args.output.as_deref().map(in_json),
    }))?;
    Ok(session.end([]))
}

/// A model that embeds; of one that labels it is said what can be done with it.
fn load(path: &Path) -> Result<EmbeddingModel> {
    let model = match Saved::load(path)? {
        Saved::Embedding(model) => *model,
        Saved::Classifier(_) => {
            return Err(misuse(format!(
                "{0} holds a classification model, which labels new instances: use `cokernel \
                 predict {0}`",
                path.display()
            )));
        }
    };
    if !model.extends() {
        return Err(misuse(format!("{}: {}", path.display(), model.why_not_new())));
    }
    Ok(model)
}

fn columns(m: &Matrix) -> Vec<Vec<f64>> {
    (0..m.cols()).map(|j| m.col(j)).collect()
}

fn rows(m: &Matrix) -> Vec<&[f64]> {
    (0..m.rows()).map(|i| m.row(i)).collect()
}

impl Session {
    /// Says that a picture was drawn; on the standard error if the standard output holds a table.
    pub fn say_picture(&self, path: &Path, said: bool) -> Result<()> {
        let text = format!("picture written to {}", path.display());
        if said {
            return self.say(text);
        }
        self.aside(&text);
        Ok(())
    }

    /// Says that a model was saved, and whether it is of use for new instances; on the standard
    /// error if the standard output holds a table.
    pub fn say_model(&self, path: &Path, model: &EmbeddingModel, said: bool) -> Result<()> {
        let text = format!("model written to {}", path.display());
        if said {
            self.say(&text)?;
        } else {
            self.aside(&text);
        }
        if !model.extends() {
            self.notes([format!(
                "the model can be inspected, but not applied: {}",
                model.why_not_new()
            )]);
        }
        Ok(())
    }
}
