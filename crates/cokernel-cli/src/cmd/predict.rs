//! `cokernel predict`: a model and new instances to labels and decision values.

use crate::args::{DataArgs, GlobalArgs};
use crate::data;
use crate::files::{csv_line, in_json, not_an_input, write};
use crate::misuse::misuse;
use crate::picture;
use crate::report::shortened;
use crate::session::Session;
use crate::settings::Settings;
use crate::table::count;
use anyhow::Result;
use cokernel::data::{Labels, Matrix, Views};
use cokernel::eval::{Importance, Measured, as_classes, importance};
use cokernel::json::Told;
use cokernel::method::Task;
use cokernel::model::{Certain, Gates, Model, Prediction, Saved};
use cokernel_experiments::subset;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Label new instances with a model, or predict their numbers
///
/// Writes one line per instance: its id or row number (from 0), the predicted label, and the
/// decision value of each machine. With two classes there is one machine, positive for the class
/// that its column begins with. Where the model was fitted with --probabilities or tells them by itself
/// (Bayesian methods, the machine kernel_logistic), a column P(CLASS) for each class follows; the most
/// probable class need not be the label, which the machines decide. A regression predicts a number, a
/// detector says outlier or inlier. A Gaussian process and BEMKL add a column deviation, the standard
/// deviation of a new observation. With --coverage there are a column set, the classes that an instance may
/// have, with | between them, or the columns lower and upper of a regression.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel predict model.ck --view fou=new-fou.csv --view fac=new-fac.npy -o out.csv
  cokernel predict model.ck --view fou=new-fou.csv --view fac=new-fac.csv --id sample | head
A similarity holds one row per new instance and one column per training instance, in their order:
  cokernel predict model.ck --similarity graph=K-new.npy -o out.csv
With a localized method, the gates of each instance as a table and as a picture:
  cokernel predict model.ck --view fou=new-fou.csv --gates gates.csv --plot-gates gates.svg -o out.csv
With --labels the accuracy (of a regression R²) is printed as well, and what it loses without each view:
  cokernel predict model.ck --view fou=fou.csv --view fac=fac.csv --labels y.csv --importance 10 -o out.csv
Sets of classes, or intervals of numbers, that hold the truth in 9 of 10 cases, of a model fitted with --hold-out:
  cokernel predict model.ck --view fou=new-fou.csv --view fac=new-fac.csv --coverage 0.9 -o out.csv")]
pub struct Args {
    /// The model file
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// The CSV file to write [default: the standard output]
    #[arg(long, short, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Also tell what each instance may be, so that the truth is among it with this probability, above 0 and below 1; of a
    /// model that was fitted with --hold-out
    #[arg(long, value_name = "SHARE", help_heading = "Output", allow_negative_numbers = true)]
    coverage: Option<f64>,
    /// What the accuracy (of a regression R²) loses when a view says of each instance what it says of another one: the mean
    /// over so many draws, for each view. Needs labels
    #[arg(long, value_name = "DRAWS", help_heading = "Output")]
    importance: Option<usize>,
    /// The CSV file to write the gates of a localized method to: one line per instance, one column per gate
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    gates: Option<PathBuf>,
    /// Draw the gates of a localized method into this SVG or PNG file: a panel for each kernel, an instance at the two
    /// columns that the gates look at, or at two principal components of these
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    plot_gates: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let model = load(&args.model)?;
    let mut settings = Settings::load(&args.data, &[], global)?;
    // A project file may list views that this model does not look at.
    let names: Vec<String> = model.views().iter().map(|v| v.name.clone()).collect();
    // Views of kernels without a weight are not looked at, but say who is there where rows are matched by ids.
    let beside: Vec<String> = model.kernels().iter().map(|k| k.view.clone()).collect();
    settings.require_views(&names, &beside)?;
    let given = [&args.data.views, &args.data.similarities, &args.data.sequences];
    if args.data.mudata.is_some() || given.iter().any(|g| !g.is_empty()) {
        // The labels of a project file are those of its views.
        settings.input.labels = args.data.labels.clone();
    }
    let outputs = [&args.output, &args.gates, &args.plot_gates];
    settings.check_outputs(outputs)?;
    for file in outputs.into_iter().flatten() {
        not_an_input(file, [args.model.as_path()])?;
    }
    picture::check("--plot-gates", args.plot_gates.as_deref())?;
    for (option, file) in [("--gates", &args.gates), ("--plot-gates", &args.plot_gates)] {
        if file.is_some() && model.gate_names().is_empty() {
            return Err(misuse(format!(
                "{option}: the model has no gates: its method is {}; models of localized_mkl, convex_localized and lpk do",
                model.method()
            )));
        }
    }
    let session = Session::start(&settings.options)?;
    let mut data = data::load_new(&settings, &session, model.task() == Task::Regress)?;
    if !names.is_empty() && data.views.len() > names.len() {
        data.views = subset(&data.views, &names)?;
    }
    let prediction = model.predict_in(&data.views, &session.run)?;
    let certain = args.coverage.map(|c| model.certain(&prediction, c)).transpose()?;
    session.clear_progress();
    session.notes(&prediction.notes);
    let csv = as_csv(&prediction, certain.as_ref(), &data.views);
    match &args.output {
        Some(output) => {
            write(output, csv.as_bytes())?;
            let n = count(prediction.labels.len(), "instance", "instances");
            session.say(format!("{n} predicted, written to {}", output.display()))?;
        }
        None => session.show_table(&csv)?,
    }
    if (args.gates.is_some() || args.plot_gates.is_some())
        && let Some(gates) = model.gates(&data.views)?
    {
        tell_gates(&args, &model, &data.views, &gates, &session)?;
    }
    let scores = match &data.labels {
        Labels::Absent(_) => None,
        labels => Measured::of(model.task(), labels, &prediction)?,
    };
    let unknown = match model.task() {
        Task::Classify => unknown_classes(&data.labels, model.classes()),
        _ => None,
    };
    if let Some((measure, value)) = scores.as_ref().and_then(|s| s.values().next()) {
        let said = format!("{} on the given labels: {}", measure.title, measure.text(value));
        session.notes(match unknown {
            Some(Unknown { all: true, sentence }) => vec![sentence],
            Some(Unknown { all: false, sentence }) => vec![said, sentence],
            None => vec![said],
        });
    }
    let lost = match args.importance {
        None => None,
        Some(draws) => {
            let run = &session.run;
            Some(importance(&model, &data.views, &data.labels, draws, run)?)
        }
    };
    if let Some(((measure, _), views)) = &lost {
        let tell = |i: &Importance| {
            let (mean, spread) = (measure.cell(i.mean), measure.cell(i.deviation));
            format!("{} lost without view '{}': {mean} ± {spread}", measure.heading(), i.view)
        };
        session.notes(views.iter().map(tell).collect::<Vec<_>>());
    }
    let mut told = as_json(&prediction, &data.views, scores.as_ref(), &args.output);
    if let Some(object) = told.as_object_mut() {
        object.insert("certain".to_string(), certain.as_ref().map_or(Value::Null, certain_json));
        let lost = lost.as_ref().map(|l| Told(&l.1));
        object.insert("importance".to_string(), json!(lost));
    }
    session.show_json(&told)?;
    Ok(session.end([]))
}

/// Writes and draws the gates.
fn tell_gates(
    args: &Args,
    model: &Model,
    views: &Views,
    gates: &Gates,
    session: &Session,
) -> Result<()> {
    if let Some(file) = &args.gates {
        write(file, gates_csv(gates, views).as_bytes())?;
        let (open, all) = (gates.active(), gates.names.len());
        session.say(format!(
            "gates written to {}: {open:.2} of {all} open on average",
            file.display()
        ))?;
    }
    if let Some(file) = &args.plot_gates
        && let Some(plane) = model.gate_plane(views, &session.run)?
    {
        session.notes(picture::draw_gates(file, gates, &plane)?);
        session.say_picture(file, args.output.is_some())?;
    }
    Ok(())
}

/// Labels that a model cannot give.
struct Unknown {
    /// Whether it can give none of them.
    all: bool,
    sentence: String,
}

/// Which of the labels are no class of the model, and what may be meant.
fn unknown_classes(labels: &Labels, classes: &[String]) -> Option<Unknown> {
    let Labels::Classes { names, codes } = labels else { return None };
    let written = as_classes(names, classes);
    let known = |c: u32| classes.iter().any(|class| class == written[c as usize]);
    let strange: Vec<u32> = codes.iter().flatten().copied().filter(|c| !known(*c)).collect();
    let (n, labelled) = (strange.len(), codes.iter().flatten().count());
    if n == 0 {
        return None;
    }
    let mut found = strange;
    found.sort_unstable();
    found.dedup();
    let found: Vec<String> = found.into_iter().map(|c| names[c as usize].clone()).collect();
    let (said, of) = (shortened(&found, 10), shortened(classes, 10));
    if n < labelled {
        let of_n = count(n, "instance", "instances");
        let sentence = format!(
            "{of_n} with labels that are no class of the model ({said}; its classes: {of}) count as wrong"
        );
        return Some(Unknown { all: false, sentence });
    }
    let are_numbers = |names: &[String]| names.iter().all(|t| t.parse::<f64>().is_ok());
    let hint = if are_numbers(&found) && !are_numbers(classes) {
        "if the numbers are codes of the classes, write the names of these; if they are what is to be \
         predicted, the model must be fitted with --task regress"
    } else {
        "check that the label file and its column are those of these instances"
    };
    let sentence = format!(
        "no accuracy, because no given label is a class of the model (given: {said}; its classes: {of}): \
         {hint}"
    );
    Some(Unknown { all: true, sentence })
}

/// A model that labels; of one that embeds it is said what can be done with it.
fn load(path: &Path) -> Result<Model> {
    match Saved::load(path)? {
        Saved::Classifier(model) => Ok(*model),
        Saved::Embedding(_) => Err(misuse(format!(
            "{0} holds an embedding model, not a classification model: use `cokernel embed \
             --apply {0}`",
            path.display()
        ))),
    }
}

/// Sets as the names of classes with | between them, or intervals.
fn certain_texts(certain: &Certain, classes: &[String], i: usize) -> Vec<String> {
    match certain {
        Certain::Sets(sets) => {
            let held = classes.iter().zip(&sets[i]).filter(|c| *c.1).map(|c| c.0.as_str());
            vec![held.collect::<Vec<_>>().join("|")]
        }
        Certain::Intervals(ends) => ends.row(i).iter().map(f64::to_string).collect(),
    }
}

fn certain_json(certain: &Certain) -> Value {
    match certain {
        Certain::Sets(sets) => json!(sets),
        Certain::Intervals(ends) => {
            let rows: Vec<&[f64]> = (0..ends.rows()).map(|i| ends.row(i)).collect();
            json!(Told(rows))
        }
    }
}

fn as_csv(prediction: &Prediction, certain: Option<&Certain>, views: &Views) -> String {
    let first = if views.ids().is_some() { "id" } else { "row" };
    let titles = [first, "label"].into_iter();
    let machines = prediction.machine_names.iter().map(String::as_str);
    let classes = prediction.classes.iter().filter(|_| prediction.probabilities.is_some());
    let probable: Vec<String> = classes.map(|c| format!("P({c})")).collect();
    let deviation = prediction.deviations.as_ref().map(|_| "deviation");
    let sure = probable.iter().map(String::as_str).chain(deviation);
    let may: &[&str] = match certain {
        None => &[],
        Some(Certain::Sets(_)) => &["set"],
        Some(Certain::Intervals(_)) => &["lower", "upper"],
    };
    let mut text = csv_line(titles.chain(machines).chain(sure).chain(may.iter().copied()));
    for (i, label) in prediction.labels.iter().enumerate() {
        let name = views.ids().map_or_else(|| i.to_string(), |ids| ids[i].clone());
        let more = [&prediction.probabilities, &prediction.deviations];
        let sure = more.into_iter().flatten().flat_map(|p| p.row(i));
        let values = prediction.decisions.row(i).iter().chain(sure).map(f64::to_string);
        let may = certain.map(|c| certain_texts(c, &prediction.classes, i)).unwrap_or_default();
        text.push_str(&csv_line([name, label.clone()].into_iter().chain(values).chain(may)));
    }
    text
}

fn gates_csv(gates: &Gates, views: &Views) -> String {
    let first = if views.ids().is_some() { "id" } else { "row" };
    let mut text = csv_line([first].into_iter().chain(gates.names.iter().map(String::as_str)));
    for i in 0..gates.values.rows() {
        let name = views.ids().map_or_else(|| i.to_string(), |ids| ids[i].clone());
        let values = gates.values.row(i).iter().map(f64::to_string);
        text.push_str(&csv_line([name].into_iter().chain(values)));
    }
    text
}

fn as_json(
    prediction: &Prediction,
    views: &Views,
    scores: Option<&Measured>,
    output: &Option<PathBuf>,
) -> Value {
    fn rows(matrix: &Matrix) -> Vec<&[f64]> {
        (0..matrix.rows()).map(|i| matrix.row(i)).collect()
    }
    json!({
        "ids": views.ids(), "labels": prediction.labels, "machines": prediction.machine_names,
        "decisions": Told(rows(&prediction.decisions)), "classes": prediction.classes,
        "probabilities": prediction.probabilities.as_ref().map(rows).map(Told),
        "deviations": prediction.deviations.as_ref().map(|d| d.col(0)).map(Told), "scores": Told(scores),
        "notes": prediction.notes,
        "output": output.as_deref().map(in_json),
    })
}

impl Settings {
    /// Keeps the views with these names, and where rows are matched by ids tables of those `beside`; says which are missing
    /// before any file is read.
    pub fn require_views(&mut self, names: &[String], beside: &[String]) -> Result<()> {
        let given: Vec<String> = self.input.views.iter().map(|v| v.name.clone()).collect();
        if let Some(missing) = names.iter().find(|name| !given.contains(name)) {
            let known = shortened(names, 20);
            let found = if given.is_empty() { "none".to_string() } else { shortened(&given, 20) };
            return Err(misuse(format!(
                "the model needs the view '{missing}' (its views: {known}; given: {found}); \
                 add --view {missing}=FILE"
            )));
        }
        // A model without any kernel tells all instances the same, whatever view names them.
        if !names.is_empty() {
            let by_id = self.input.id.is_some();
            self.input.views.retain(|v| {
                let tells = by_id && !v.similarity && !v.sequences && v.path.exists();
                names.contains(&v.name) || tells && beside.contains(&v.name)
            });
        }
        Ok(())
    }
}
