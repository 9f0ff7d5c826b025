//! `cokernel methods`: the registries, for people, programs and the README.

use crate::args::GlobalArgs;
use crate::misuse::misuse;
use crate::session::{Options, Session};
use crate::table::{Table, wrap};
use anyhow::{Context, Result};
use cokernel::catalogue::{find, machines, methods, partners};
use cokernel::json::Told;
use cokernel::method::{Certificate, Group, Method, Task};
use serde_json::{Value, json};
use std::process::ExitCode;

/// List the methods, or explain one
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples
  cokernel methods                   all methods with their sources
  cokernel methods simple_mkl        one method and its parameters
  cokernel methods svc               one machine and its parameters
  cokernel methods one_stage         the methods of a group
  cokernel methods --task regress    those for a task
  cokernel methods --json            the same for programs")]
pub struct Args {
    /// The method or machine to explain, or the group to list
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Only what is for this task: classify, regress, detect, cluster, embed
    #[arg(long, conflicts_with = "markdown")]
    task: Option<String>,
    /// The table of the README
    #[arg(long, hide = true)]
    markdown: bool,
}

/// Runs the command.
pub fn run(args: Args, global: &GlobalArgs) -> Result<ExitCode> {
    let session =
        Session::start(&Options { json: global.json, wide: global.wide, ..Options::default() })?;
    let task = args.task.as_deref().map(Task::from_id).transpose().context("--task")?;
    let group = args.id.as_deref().and_then(Group::from_id);
    if let (Some(id), None) = (&args.id, group) {
        let method = match machines().find(|m| m.id == id) {
            Some(machine) => machine,
            None => find(id)?,
        };
        if let Some(task) = task.filter(|t| !method.tasks.contains(t)) {
            let (kind, tasks) = (kind(method), tasks(method).join(", "));
            return Err(misuse(format!(
                "{kind} '{id}' is for {tasks}, not for {}; `cokernel methods --task {}` lists those \
                 that are",
                task.id(),
                task.id()
            )));
        }
        session.show_json(&as_json(method))?;
        session.show(explain(method, session.width(false)))?;
    } else if args.markdown {
        session.show(markdown())?;
    } else {
        let asked = |m: &&Method| {
            group.is_none_or(|g| m.group == g) && task.is_none_or(|t| m.tasks.contains(&t))
        };
        session.show_json(&methods().chain(machines()).filter(asked).map(as_json).collect())?;
        session.show(list(group, task, session.width(false)))?;
    }
    Ok(session.end([]))
}

/// The methods that are asked for, group by group.
fn list(asked: Option<Group>, task: Option<Task>, width: Option<usize>) -> String {
    let able = |m: &&Method| task.is_none_or(|t| m.tasks.contains(&t));
    let (mut text, mut left_out) = (String::new(), false);
    for group in Group::ALL.into_iter().filter(|g| asked.is_none_or(|a| a == *g)) {
        let all = methods().chain(machines()).filter(|m| m.group == group);
        let found: Vec<&Method> = all.filter(able).collect();
        if found.is_empty() {
            continue;
        }
        let mut table = Table::new(&["id", "<what it does", "<tasks", "<certificate", "<source"]);
        for m in found {
            let mark = if m.recommended { " +" } else { "" };
            let (tasks, says) = (tasks(m).join(", "), m.certificate.says().to_string());
            table.row(vec![
                format!("{}{mark}", m.id),
                m.title.to_string(),
                tasks,
                says,
                m.source.to_string(),
            ]);
        }
        let about = wrap(&format!("{}: {}", group.id(), group.says()), 0, width.unwrap_or(200));
        let (table, gone) = table.fitting(width, &["certificate", "source", "tasks"]);
        left_out |= !gone.is_empty();
        text.push_str(&format!("{about}{table}\n"));
    }
    if let (true, Some(group), Some(task)) = (text.is_empty(), asked, task) {
        let able = |g: &Group| {
            methods().chain(machines()).any(|m| m.group == *g && m.tasks.contains(&task))
        };
        let able: Vec<&str> = Group::ALL.into_iter().filter(able).map(|g| g.id()).collect();
        return format!(
            "Nothing of the group {} is for {}; groups with something for it: {}.\n",
            group.id(),
            task.id(),
            able.join(", ")
        );
    }
    if left_out {
        text.push_str(
            "What is left out for want of room (certificates, sources, tasks): --wide.\n",
        );
    }
    text + "+ recommended: compared, beside the controls, where no method is named.\n"
        + "`cokernel methods ID` explains a method or a machine and lists its parameters.\n"
}

fn explain(m: &Method, width: Option<usize>) -> String {
    let columns = width.unwrap_or(96).min(96);
    let mut text = format!("{}: {}\n\n{}\n", m.id, m.title, wrap(m.summary, 2, columns));
    let line = |name: &str, text: &str| format!("  {name:<8} {}\n", wrap(text, 11, columns).trim());
    text.push_str(&line("source", m.source));
    if !is_machine(m) {
        text.push_str(&line("group", m.group.id()));
        text.push_str(&line("weights", m.weights.says));
    }
    text.push_str(&line("tells", &certificate(m)));
    let control =
        if m.is_control() { " (a control: something simple that others should beat)" } else { "" };
    let control = if m.recommended { " (recommended)" } else { control };
    text.push_str(&line("tasks", &format!("{}{control}", tasks(m).join(", "))));
    let partners = partners(m);
    if !partners.is_empty() {
        let kind = if is_machine(m) { "methods" } else { "machines" };
        text.push_str(&line(kind, &partners.join(", ")));
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
    text + &table.fitting(width, &[]).0
        + &format!("\nParameters are set by flags such as `{example}`.\n")
}

/// What its result says of itself, in a sentence's part.
fn certificate(m: &Method) -> String {
    match m.certificate {
        Certificate::Gap => "its duality gap: how far from the optimum it is at most".to_string(),
        Certificate::Trace => {
            "its objective, which never gets worse; others may be better".to_string()
        }
        Certificate::Formula => "no more than its formula".to_string(),
        Certificate::None => "nothing of how good it is".to_string(),
    }
}

fn is_machine(m: &Method) -> bool {
    machines().any(|machine| machine.id == m.id)
}

fn kind(m: &Method) -> &'static str {
    if is_machine(m) { "machine" } else { "method" }
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
                "name": p.name, "doc": p.doc, "default": Told(p.default()), "range": p.range_text(),
            })
        })
        .collect();
    let kind = kind(m);
    json!({
        "id": m.id, "kind": kind, "title": m.title, "source": m.source, "summary": m.summary,
        "tasks": m.tasks, "group": m.group, "certificate": m.certificate, "control": m.is_control(), "recommended": m.recommended, "weights": m.weights, "params": params,
        "goes_with": partners(m),
    })
}

fn markdown() -> String {
    let mut text = String::from(
        "| group | id | method | tasks | certificate | source |\n|---|---|---|---|---|---|\n",
    );
    for m in Group::ALL.into_iter().flat_map(|g| methods().filter(move |m| m.group == g)) {
        let (group, tasks, says) = (m.group.id(), tasks(m).join(", "), m.certificate.says());
        text.push_str(&format!(
            "| {group} | `{}` | {} | {tasks} | {says} | {} |\n",
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
