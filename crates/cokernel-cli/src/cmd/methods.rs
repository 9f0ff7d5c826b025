//! `cokernel methods`: the registries, for people, programs and the README.

use crate::args::GlobalArgs;
use crate::session::{Options, Session};
use crate::table::{Table, wrap};
use anyhow::Result;
use cokernel::catalogue::{find, machines, methods, partners};
use cokernel::method::{Method, Task};
use serde_json::{Value, json};
use std::process::ExitCode;

/// List the methods, or explain one
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel methods                   all methods with their sources
  cokernel methods simple_mkl        one method and its parameters
  cokernel methods svc               one machine and its parameters
  cokernel methods --json            the same for programs")]
pub struct Args {
    /// The method or machine to explain
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// The table of the README
    #[arg(long, hide = true)]
    markdown: bool,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let session = Session::start(&Options { json: global.json, ..Options::default() })?;
    if let Some(id) = &args.id {
        let method = match machines().find(|m| m.id == id) {
            Some(machine) => machine,
            None => find(id)?,
        };
        session.show_json(&as_json(method))?;
        session.show(explain(method))?;
    } else if args.markdown {
        session.show(markdown())?;
    } else {
        session.show_json(&methods().chain(machines()).map(as_json).collect())?;
        session.show(list())?;
    }
    Ok(session.end([]))
}

fn list() -> String {
    let mut text = String::new();
    for (task, title) in [(Task::Classify, "Learn from labels"), (Task::Cluster, "Cluster")] {
        let mut table = Table::new(&["id", "<what it does", "<source"]);
        for m in methods().filter(|m| m.tasks.contains(&task)) {
            let id = match (m.control, m.recommended) {
                (true, _) => format!("{} *", m.id),
                (false, true) => format!("{} +", m.id),
                (false, false) => m.id.to_string(),
            };
            table.row(vec![id, m.title.to_string(), m.source.to_string()]);
        }
        text.push_str(&format!("{title}\n{}\n", table.text()));
    }
    let mut table = Table::new(&["id", "<what it does", "<source"]);
    for m in machines() {
        let tasks = tasks(m).join(", ");
        table.row(vec![m.id.to_string(), format!("{} ({tasks})", m.title), m.source.to_string()]);
    }
    text.push_str(&format!(
        "Machines on the combination (--machine ID:NAME=VALUE:…)\n{}\n",
        table.text()
    ));
    text + "* control: something simple that other methods should beat.\n"
        + "+ recommended: compared, beside the controls, where no method is named.\n"
        + "`cokernel methods ID` explains a method or a machine and lists its parameters.\n"
}

fn explain(m: &Method) -> String {
    let mut text = format!("{}: {}\n\n{}\n", m.id, m.title, wrap(m.summary, 2, 96));
    text.push_str(&format!("  source   {}\n", m.source));
    if !is_machine(m) {
        text.push_str(&format!("  weights  {}\n", m.weights.says));
    }
    let control =
        if m.control { " (a control: something simple that others should beat)" } else { "" };
    let control = if m.recommended { " (recommended)" } else { control };
    text.push_str(&format!("  tasks    {}{control}\n", tasks(m).join(", ")));
    let partners = partners(m);
    if !partners.is_empty() {
        let kind = if is_machine(m) { "methods" } else { "machines" };
        let lines = wrap(&partners.join(", "), 11, 96);
        text.push_str(&format!("  {kind:<8} {}\n", lines.trim()));
    }
    text.push('\n');
    if m.params.is_empty() {
        return text + "It has no parameters.\n";
    }
    let mut table = Table::new(&["parameter", "default", "<range", "<meaning"]);
    for p in m.params {
        let default = p.default().to_string();
        table.row(vec![p.name.to_string(), default, p.range_text(), p.doc.to_string()]);
    }
    let first = &m.params[0];
    let example = match is_machine(m) {
        true => format!("--machine {}:{}={}", m.id, first.name, first.default()),
        false => format!("--set {}={}", first.name, first.default()),
    };
    text + &table.text() + &format!("\nParameters are set by flags such as `{example}`.\n")
}

fn is_machine(m: &Method) -> bool {
    machines().any(|machine| machine.id == m.id)
}

fn tasks(m: &Method) -> Vec<&'static str> {
    m.tasks.iter().map(|t| t.id()).collect()
}

fn as_json(m: &Method) -> Value {
    let params: Vec<Value> = m
        .params
        .iter()
        .map(|p| {
            json!({
                "name": p.name, "doc": p.doc, "default": p.default(), "range": p.range_text(),
            })
        })
        .collect();
    let kind = if is_machine(m) { "machine" } else { "method" };
    json!({
        "id": m.id, "kind": kind, "title": m.title, "source": m.source, "summary": m.summary,
        "tasks": m.tasks, "control": m.control, "recommended": m.recommended, "weights": m.weights, "params": params,
        "goes_with": partners(m),
    })
}

fn markdown() -> String {
    let mut text =
        String::from("| id | method | tasks | weights | source |\n|---|---|---|---|---|\n");
    for m in methods() {
        let (tasks, weights) = (tasks(m).join(", "), m.weights.says);
        text.push_str(&format!(
            "| `{}` | {} | {tasks} | {weights} | {} |\n",
            m.id, m.title, m.source
        ));
    }
    text.push_str("\n| machine on the combination | | task | source |\n|---|---|---|---|\n");
    for m in machines() {
        let (tasks, source) = (tasks(m).join(", "), m.source);
        text.push_str(&format!("| `{}` | {} | {tasks} | {source} |\n", m.id, m.title));
    }
    text
}
