//! `cokernel demo`: the whole story on the digit views that come with the library.

use crate::args::GlobalArgs;
use crate::cmd::compare::splits_text;
use crate::files::{csv_line, write, write_json};
use crate::report::{clusterings, comparison, mean_weights};
use crate::session::{Options, Session, interrupted};
use crate::table::{Table, count, percent, thousands};
use anyhow::{Context, Result};
use cokernel::catalogue::methods;
use cokernel::data::{Labels, Scale, Table as Content, Views, digits};
use cokernel::eval::{
    Candidate, ClusteringOptions, Clusterings, Comparison, Protocol, Scores, Split, Splits,
    compare, compare_candidates,
};
use cokernel::json::Told;
use cokernel::kernel::KernelSpec;
use cokernel::method::Task;
use cokernel::model::{Mkl, Model, MultiView};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compare methods on the six digit views that come with the program
///
/// 2,000 handwritten digits, each described in six ways. Every single kernel, the concatenated
/// features, the mean kernel, SimpleMKL and two-stage MKL are trained on the same instances and
/// tested on the same others; then the digits are clustered without their labels, by every method and
/// by each view alone. A model, the
/// results, and files to try it on are written to a folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel demo
  cokernel demo --out /somewhere/else --seed 7
  cokernel demo --quick              a tenth of the digits, in seconds")]
pub struct Args {
    /// The folder to write to; it is made if it does not exist
    #[arg(long, value_name = "FOLDER", default_value = "cokernel-demo")]
    out: PathBuf,
    /// Use a tenth of the digits
    #[arg(long)]
    quick: bool,
}

/// Two kernels for each view; unit variance in feature space makes weights comparable.
const KERNELS: [&str; 2] = [
    "gaussian:sigma=median:normalize=center_unit_variance",
    "linear:normalize=center_unit_variance",
];
/// Spectral clustering needs similarities that are not negative, so these are not centred.
const SIMILARITY: &str = "gaussian:sigma=median";
const SCALE: Scale = Scale::Standard;
const C: f64 = 10.0;
const METHODS: [&str; 4] = ["concat", "mean", "simple_mkl", "two_stage"];
/// Instances of the test set that are written as files.
const NEW: usize = 100;

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    std::fs::create_dir_all(args.out.join("new"))
        .with_context(|| format!("cannot make the folder {}", args.out.display()))?;
    let session = Session::start(&Options {
        seed: global.seed,
        threads: global.threads,
        time_limit: global.time_limit,
        memory: None,
        quiet: global.quiet,
        wide: global.wide,
        json: global.json,
    })?;
    let (views, labels) = data(args.quick)?;
    let specs: Vec<KernelSpec> =
        KERNELS.iter().map(|k| k.parse()).collect::<cokernel::Result<_>>()?;
    session.say(introduction(&views, &labels, session.width(false)))?;
    let splits =
        Protocol::Shuffle { repeats: 3, test: 1.0 / 3.0 }.split(&labels, session.run.seed)?;

    let result = compared(&specs, &views, &labels, &splits, &session)?;
    session.clear_progress();
    session.say(format!(
        "\nClassification: {}, the same for every row\n\n{}\n  ± is the standard deviation over \
         the splits; seconds without the kernels\n",
        splits_text(&result),
        comparison(&result, false, crate::report::SUPPORT, session.width(false))
    ))?;
    session.say(learned_weights(&result, session.width(false)))?;

    let mut results = json!({
        "cokernel": cokernel::VERSION, "seed": session.run.seed, "instances": views.n(),
        "kernels": KERNELS, "similarity": SIMILARITY, "scale": SCALE, "c": C, "comparison": Told(&result),
    });
    let mut statuses = vec![result.status];
    if !interrupted() {
        let (model, accuracy) = fitted(&specs, &views, &labels, &splits.splits[0], &session)?;
        let written = write_try_out(&args.out, &model, &views, &labels, &splits.splits[0])?;
        session.clear_progress();
        statuses.push(model.report().status);
        results["model"] = json!({ "accuracy": accuracy, "summary": Told(model.inspect()) });
        session.say(format!(
            "\nModel: simple_mkl on the first split, {} % right on its {} test instances;\n       {written} of \
             them are written as files\n",
            percent(accuracy),
            splits.splits[0].test.len()
        ))?;
    }
    if !interrupted() {
        let found = clustered(&views, &labels, &session)?;
        session.clear_progress();
        let left_out = found.left_out.iter();
        session.notes(left_out.map(|l| format!("{} is left out: {}", l.name, l.reason)));
        statuses.extend(found.rows.iter().map(|r| r.report.status));
        session.say(format!(
            "\nClustering of all {} instances (Gaussian kernels), scored against the digits:\n{}",
            thousands(views.n()),
            clusterings(&found, session.width(false))
        ))?;
        results["clusterings"] = without_assignments(&found)?;
    }
    write_json(&args.out.join("results.json"), &results)?;
    session.say(farewell(&args.out, interrupted()))?;
    session.show_json(&results)?;
    Ok(session.end(statuses))
}

fn data(quick: bool) -> Result<(Views, Labels)> {
    let (views, labels) = digits()?;
    if !quick {
        return Ok((views, labels));
    }
    let rows: Vec<usize> = (0..views.n()).step_by(10).collect();
    Ok((views.select(&rows), labels.select(&rows)))
}

fn introduction(views: &Views, labels: &Labels, width: Option<usize>) -> String {
    let classes = labels.classes().map_or(0, |c| c.n_classes());
    let mut text = format!(
        "Handwritten digits: {}, {}, {} (UCI Multiple Features, CC BY 4.0)\n\n",
        count(views.n(), "instance", "instances"),
        count(classes, "class", "classes"),
        count(views.len(), "view", "views")
    );
    let mut table = Table::new(&["view", "columns", "<what it describes", "<kernels"]);
    for view in views.iter() {
        let about = match view.name.as_str() {
            "fac" => "profile correlations",
            "fou" => "Fourier coefficients of the shape",
            "kar" => "Karhunen-Loève coefficients",
            "mor" => "morphological features",
            "pix" => "pixel averages",
            "zer" => "Zernike moments",
            _ => "",
        };
        let kernel = "Gaussian (σ = median distance), linear".to_string();
        table.row(vec![view.name.clone(), view.table.cols().to_string(), about.into(), kernel]);
    }
    text.push_str(&table.fitting(width, &[]).0);
    text + &format!(
        "\n  columns scaled to mean 0 and deviation 1, kernels centred to unit variance; C = {C}\n"
    )
}

fn mkl(id: &str, specs: &[KernelSpec]) -> Result<Mkl> {
    Ok(Mkl::new(id)?.kernels(specs.to_vec()).scale(SCALE).c(C))
}

fn compared(
    specs: &[KernelSpec],
    views: &Views,
    labels: &Labels,
    splits: &Splits,
    session: &Session,
) -> Result<Comparison> {
    let methods: Vec<Mkl> = METHODS.iter().map(|id| mkl(id, specs)).collect::<Result<_>>()?;
    Ok(compare(&methods, true, views, labels, splits, &session.run)?)
}

fn learned_weights(result: &Comparison, width: Option<usize>) -> String {
    let mut text = String::new();
    for (id, title) in [("simple_mkl", "SimpleMKL"), ("two_stage", "two-stage MKL")] {
        if let Some(row) = result.rows.iter().find(|r| r.method == id) {
            text.push_str(&format!(
                "\nWeights that {title} learned, mean over the splits\n\n{}",
                mean_weights(&row.weights, width)
            ));
        }
    }
    text
}

/// SimpleMKL on the training instances of one split, and its accuracy on the test instances.
fn fitted(
    specs: &[KernelSpec],
    views: &Views,
    labels: &Labels,
    split: &Split,
    session: &Session,
) -> Result<(Model, f64)> {
    let (train, test) = (views.select(&split.train), views.select(&split.test));
    let model =
        mkl("simple_mkl", specs)?.fit(&train, &labels.select(&split.train), &session.run)?;
    let truth = labels.select(&split.test).classes()?;
    let truth: Vec<&str> = truth.codes.iter().map(|c| truth.names[*c as usize].as_str()).collect();
    let accuracy = Scores::new(&truth, &model.predict(&test)?.labels)?.accuracy;
    Ok((model, accuracy))
}

/// Every method that clusters, each view alone, and how far the views agree.
fn clustered(views: &Views, labels: &Labels, session: &Session) -> Result<Clusterings> {
    let specs = KernelSpec::parse_list(SIMILARITY)?;
    let one = |id: &str| -> cokernel::Result<Candidate> {
        let method = MultiView::new(id)?.kernels(specs.clone()).scale(SCALE);
        Ok(Candidate { method, required: false })
    };
    let all = methods().filter(|m| m.tasks.contains(&Task::Cluster));
    let candidates: Vec<Candidate> = all.map(|m| one(m.id)).collect::<cokernel::Result<_>>()?;
    let k = labels.classes()?.n_classes();
    let options = ClusteringOptions { singles: true, agreement: true, ..Default::default() };
    Ok(compare_candidates(
        &candidates,
        views,
        k,
        Some(labels),
        &options,
        &mut |_| Ok(()),
        &session.run,
    )?)
}

/// Scores and reports without the 2,000 cluster numbers of each row.
fn without_assignments(clusterings: &Clusterings) -> Result<Value> {
    let mut value = serde_json::to_value(Told(clusterings))?;
    for row in value["rows"].as_array_mut().into_iter().flatten() {
        if let Some(row) = row.as_object_mut() {
            row.remove("assignments");
        }
    }
    Ok(value)
}

/// The model, and test instances (as many as returned) as the files that `predict` reads, with a project file.
fn write_try_out(
    out: &Path,
    model: &Model,
    views: &Views,
    labels: &Labels,
    split: &Split,
) -> Result<usize> {
    model.save(out.join("demo-model.ck"))?;
    let step = (split.test.len() / NEW).max(1);
    let rows: Vec<usize> = split.test.iter().copied().step_by(step).take(NEW).collect();
    let mut project = String::from(
        "# Test instances that the model has not seen, for `cokernel predict`.\n\
         labels = \"new/labels.csv\"\nid = \"id\"\n\n[views]\n",
    );
    let new = views.select(&rows);
    for view in new.iter() {
        let Content::Dense(table) = &view.table else { continue };
        let names = (1..=table.cols()).map(|j| format!("{}{j}", view.name));
        let mut text = csv_line(std::iter::once("id".to_string()).chain(names));
        for (i, row) in rows.iter().enumerate() {
            let values = table.row(i).iter().map(f64::to_string);
            text.push_str(&csv_line(std::iter::once(format!("digit{row}")).chain(values)));
        }
        write(&out.join("new").join(format!("{}.csv", view.name)), text.as_bytes())?;
        project.push_str(&format!("{0} = \"new/{0}.csv\"\n", view.name));
    }
    let classes = labels.select(&rows).classes()?;
    let mut text = csv_line(["id", "label"]);
    for (row, code) in rows.iter().zip(&classes.codes) {
        text.push_str(&csv_line([format!("digit{row}"), classes.names[*code as usize].clone()]));
    }
    write(&out.join("new").join("labels.csv"), text.as_bytes())?;
    write(&out.join("cokernel.toml"), project.as_bytes())?;
    Ok(rows.len())
}

fn farewell(out: &Path, interrupted: bool) -> String {
    let out = out.display();
    if interrupted {
        return format!("\nStopped; what was complete is in {out}/results.json");
    }
    format!(
        "
Written to {out}: demo-model.ck, results.json, cokernel.toml, new/

Next, try
  cokernel inspect {out}/demo-model.ck
  cokernel predict {out}/demo-model.ck --project {out}/cokernel.toml
and with your own files
  cokernel fit --view a=a.csv --view b=b.csv --labels y.csv -o model.ck"
    )
}
