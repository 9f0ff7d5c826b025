//! `cokernel cluster`: instances with several views into k groups.

use crate::args::{DataArgs, GlobalArgs, GraphArgs, KernelArgs};
use crate::data::{self, Data};
use crate::files::{csv_line, write};
use crate::misuse::misuse;
use crate::session::Session;
use crate::settings::{Settings, for_task};
use crate::table::{Table, count, seconds};
use anyhow::Result;
use cokernel::data::{Labels, Views};
use cokernel::eval::{Clusterings, compare_clusterings};
use cokernel::method::{Method, Task};
use cokernel::model::MultiView;
use cokernel::multiview::Starts;
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
  cokernel cluster -k 10 --view fou=fou.csv --view fac=fac.csv --graph knn:k=10
Instances that lack a view (a row of NA, or an id that only other files have) are clustered by
their other views.
With --labels, normalised mutual information and adjusted Rand index are printed as well.")]
pub struct Args {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    kernels: KernelArgs,
    #[command(flatten)]
    graphs: GraphArgs,
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
    /// The CSV file to write [default: the standard output]
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
}

/// Clusterings with the data they are of.
pub struct Clustered {
    pub data: Data,
    pub result: Clusterings,
    pub session: Session,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let mut settings = Settings::load(&args.data, &args.set, global)?;
    let method = settings.cluster_method(args.method.as_ref())?;
    if let Some(output) = &args.output {
        settings.check_output(output)?;
    }
    let Clustered { data, result, session } =
        cluster(&mut settings, &[method], &args.kernels, &args.graphs, args.clusters)?;
    let assignments = &result.rows[0].assignments;
    let csv = as_csv(assignments, &data.views);
    match &args.output {
        Some(output) => {
            write(output, csv.as_bytes())?;
            session.say(clusterings_table(&result))?;
            session.say(format!("\nassignments written to {}", output.display()))?;
        }
        None => {
            session.show(&csv)?;
            session.aside(&clusterings_table(&result));
        }
    }
    session.show_json(&json!({
        "ids": data.views.ids(), "clustering": to_value(&result)?, "output": args.output,
    }))?;
    Ok(session.end(result.rows.iter().map(|r| r.report.status)))
}

/// Reads the data, builds the kernels once and clusters them by each method.
pub fn cluster(
    settings: &mut Settings,
    methods: &[&'static Method],
    kernels: &KernelArgs,
    graphs: &GraphArgs,
    clusters: Option<usize>,
) -> Result<Clustered> {
    let k = settings
        .or_file(clusters, |f| f.clusters)
        .ok_or_else(|| misuse("clustering needs a number of clusters: give -k K"))?;
    let graphs = settings.graphs(graphs)?;
    let specs = match settings.kernels(kernels)? {
        Some(specs) => specs,
        None => settings.default_kernels(&graphs),
    };
    let (scale, storage) = (settings.scale(kernels)?, settings.storage(kernels)?);
    let mut chosen = Vec::new();
    for method in methods {
        let mut one =
            MultiView::new(method.id)?.kernels(specs.clone()).scale(scale).storage(storage);
        one = one.graphs(graphs.clone());
        for (name, value) in settings.params(method, methods)? {
            one = one.param(name, value);
        }
        chosen.push(one);
    }
    let session = Session::start(&settings.options)?;
    let data = data::load_incomplete(settings, &session)?;
    let labels = (!matches!(data.labels, Labels::Absent(_))).then_some(&data.labels);
    let result =
        compare_clusterings(&chosen, &data.views, k, labels, &Starts::default(), &session.run)?;
    session.clear_progress();
    let mut notes: Vec<&String> = Vec::new();
    for note in result.rows.iter().flat_map(|r| &r.report.notes) {
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
    session.notes(notes);
    Ok(Clustered { data, result, session })
}

impl Settings {
    fn cluster_method(&self, flag: Option<&String>) -> Result<&'static Method> {
        let method = self.method(flag, "co_regularized")?;
        // A project file may name the method for `fit`; then this command takes its own default.
        if flag.is_none() && !method.tasks.contains(&Task::Cluster) {
            return Ok(cokernel::method::find("co_regularized")?);
        }
        for_task(method, Task::Cluster)
    }
}

fn as_csv(assignments: &[u32], views: &Views) -> String {
    let first = if views.ids().is_some() { "id" } else { "row" };
    let mut text = csv_line([first, "cluster"]);
    for (i, cluster) in assignments.iter().enumerate() {
        let name = views.ids().map_or_else(|| i.to_string(), |ids| ids[i].clone());
        text.push_str(&csv_line([name, cluster.to_string()]));
    }
    text
}

/// One row per clustering.
pub fn clusterings_table(result: &Clusterings) -> String {
    let scored = result.rows.iter().any(|r| r.nmi.is_some());
    let mut titles = vec!["clustering"];
    if scored {
        titles.extend(["NMI", "adjusted Rand"]);
    }
    titles.extend(["smallest", "largest", "seconds", "<status"]);
    let mut table = Table::new(&titles);
    let score = |s: Option<f64>| s.map_or("–".to_string(), |s| format!("{s:.3}"));
    for r in &result.rows {
        let mut cells = vec![r.name.clone()];
        if scored {
            cells.extend([score(r.nmi), score(r.ari)]);
        }
        cells.push(r.sizes.iter().min().map_or(String::new(), usize::to_string));
        cells.push(r.sizes.iter().max().map_or(String::new(), usize::to_string));
        cells.extend([seconds(r.report.seconds), r.report.status.to_string()]);
        table.row(cells);
    }
    let kernels = count(result.kernels.len(), "kernel", "kernels");
    let clusters = count(result.k, "cluster", "clusters");
    format!("{clusters} from {kernels}\n\n{}", table.text())
}
