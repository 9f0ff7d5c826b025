//! `cokernel cluster`: instances with several views into k groups.

use crate::args::{DataArgs, GlobalArgs, GraphArgs, KernelArgs};
use crate::clustering::{StartArgs, refuse_nothing};
use crate::data;
use crate::files::{in_json, write};
use crate::input::Loaded;
use crate::pairs::PairArgs;
use crate::picture::{self, Picture};
use crate::report::{clusterings, instances_csv};
use crate::session::Session;
use crate::settings::Settings;
use anyhow::Result;
use cokernel::data::Labels;
use cokernel::eval::{Candidate, ClusteringOptions, Found, compare_candidates};
use cokernel::json::Told;
use cokernel::model::EmbeddingModel;
use serde_json::{json, to_value};
use std::path::PathBuf;
use std::process::ExitCode;

/// Cluster instances by all their views
///
/// Writes one line per instance: its id or row number (from 0), and its cluster.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel cluster -k 10 --view fou=fou.csv --view fac=fac.csv -o clusters.csv
  cokernel cluster -k 10 --method spectral --similarity graph=K.npy
  Beside every single view, with a picture:
    cokernel cluster -k 10 --view fou=fou.csv --view fac=fac.csv --singles --plot digits.svg
  cokernel cluster -k 10 --view fou=fou.csv --view fac=fac.csv --graph knn:k=10
  By kernels whose weights come from pairs that belong together or apart (a line: p17,p4,must):
    cokernel cluster -k 10 --view fou=fou.csv --view fac=fac.csv --id sample --pairs pairs.csv
  Save what new instances need, and find their clusters:
    cokernel cluster -k 10 --method spectral --view fou=fou.csv --model clusters.ck -o old.csv
    cokernel embed --apply clusters.ck --view fou=new-fou.csv -o new.csv
Instances that lack a view (a row of NA, or an id that only other files have) are clustered by
their other views.
With --labels the clusters are scored: normalised mutual information, adjusted Rand index, pairwise
F, entropy and accuracy by best matching.")]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    kernels: KernelArgs,
    #[command(flatten)]
    graphs: GraphArgs,
    #[command(flatten)]
    pairs: PairArgs,
    /// The method; `cokernel methods` lists them [default: co_regularized]
    #[arg(long, short, value_name = "ID", help_heading = "Method")]
    method: Option<String>,
    /// A parameter of the method, as lambda=0.02. Repeatable; see `cokernel methods ID`
    #[arg(long = "set", value_name = "NAME=VALUE", help_heading = "Method")]
    set: Vec<String>,
    /// Number of clusters
    #[arg(
        long,
        short = 'k',
        value_name = "K",
        allow_negative_numbers = true,
        help_heading = "Method"
    )]
    clusters: Option<usize>,
    /// Cluster by every view alone, too, to compare with
    #[arg(long, help_heading = "Method")]
    singles: bool,
    #[command(flatten)]
    starts: StartArgs,
    /// The CSV file to write [default: the standard output]
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Save embedding and centres to this file, for `cokernel embed --apply`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    model: Option<PathBuf>,
    /// Draw two principal components of the embedding, coloured by cluster and by label, and the
    /// eigenvalues of each view, into this SVG or PNG file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    plot: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let mut settings = Settings::load(&args.data, &args.set, global)?;
    let method = settings.cluster_method(args.method.as_ref())?;
    picture::check("--plot", args.plot.as_deref())?;
    settings.check_outputs([&args.output, &args.model, &args.plot])?;
    let k = settings.clusters(args.clusters)?;
    let starts = settings.starts(&args.starts)?;
    let from = settings.similarities(&args.kernels, &args.graphs)?;
    let method = settings.multi_view(method, &[method], &from)?;
    settings.choose_similarity_pairs(&args.pairs, &method)?;
    let session = Session::start(&settings.options)?;
    let Loaded { views, labels, pairs } = data::load_incomplete(&settings, &session)?;
    let candidate = Candidate::from(args.pairs.on(method, pairs.as_ref())?);
    let labels = (!matches!(labels, Labels::Absent(_))).then_some(&labels);
    let mut model = None;
    let mut keep = |found: &Found<'_>| {
        if args.model.is_some() && !found.single {
            let made = &found.clustering;
            let one = EmbeddingModel::new(found.method, found.prepared, k, &made.embedding)?;
            model = Some(one.with_clusters(&made.kmeans, &starts)?);
        }
        Ok(())
    };
    let spectrum = if args.plot.is_some() { picture::eigenvalues(k) } else { 0 };
    let options =
        ClusteringOptions { starts, singles: args.singles, spectrum, ..Default::default() };
    let result =
        compare_candidates(&[candidate], &views, k, labels, &options, &mut keep, &session.run)?;
    session.clear_progress();
    session.notes(&result.notes);
    if let Some(row) = result.rows.last() {
        refuse_nothing(&row.embedding, row.report.status)?;
        session.warnings(row.report.warnings.iter().filter(|w| !result.notes.contains(w)));
    }
    let assignments = result.rows.last().map_or(&[][..], |r| &r.assignments);
    let csv = instances_csv(&views, Some(assignments), &[]);
    if let (Some(path), Some(model)) = (&args.model, &model) {
        model.save(path)?;
    }
    if let (Some(path), Some(row)) = (&args.plot, result.rows.last()) {
        let picture = Picture {
            title: &row.name,
            embedding: &row.embedding,
            clusters: Some(&row.assignments),
            labels,
            spectra: &result.spectra,
            k,
        };
        picture::draw(path, &picture, &session.run)?;
    }
    match &args.output {
        Some(output) => {
            write(output, csv.as_bytes())?;
            session.say(clusterings(&result, session.width(false)))?;
            session.say(format!("\nassignments written to {}", output.display()))?;
        }
        None => {
            session.show_table(&csv)?;
            session.aside(&clusterings(&result, session.width(true)));
        }
    }
    if let (Some(path), Some(model)) = (&args.model, &model) {
        session.say_model(path, model, args.output.is_some())?;
    }
    if let Some(path) = &args.plot {
        session.say_picture(path, args.output.is_some())?;
    }
    session.show_json(&json!({
        "ids": views.ids(), "clustering": to_value(Told(&result))?,
        "output": args.output.as_deref().map(in_json),
        "model": args.model.as_deref().map(in_json),
        "plot": args.plot.as_deref().map(in_json),
    }))?;
    Ok(session.end(result.rows.iter().map(|r| r.report.status)))
}
