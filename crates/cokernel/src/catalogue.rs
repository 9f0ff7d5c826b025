//! All methods of all registries.

use crate::method::{Group, Integration, Method, Task};
use crate::{Error, Result};

/// All methods, in the order in which they are listed to users. One that both learns a kernel and embeds is in two
/// registries, and here once.
pub fn methods() -> impl Iterator<Item = &'static Method> {
    let learners = || crate::mkl::REGISTRY.iter().map(|e| e.method);
    let others = crate::multiview::REGISTRY.iter().map(|e| e.method);
    learners().chain(others.filter(move |m| learners().all(|l| l.id != m.id)))
}

/// All machines that learn on a combination.
pub fn machines() -> impl Iterator<Item = &'static Method> {
    crate::machine::REGISTRY.iter().map(|e| e.method)
}

/// What a comparison shows that names no method: the controls and the recommended methods of a
/// task.
pub fn recommended(task: Task) -> impl Iterator<Item = &'static Method> {
    methods().filter(move |m| m.tasks.contains(&task) && (m.is_control() || m.recommended))
}

/// The machine that is meant for a task where none is named: the first that is recommended.
pub fn default_machine(task: Task) -> Option<&'static Method> {
    machines().find(|m| m.tasks.contains(&task) && m.recommended)
}

/// Refuses a machine that is there for another task.
///
/// # Errors
/// Its own task, and the machines for this one.
pub fn for_task(machine: &Method, task: Task) -> Result<()> {
    if machine.tasks.contains(&task) {
        return Ok(());
    }
    let able: Vec<&str> = machines().filter(|m| m.tasks.contains(&task)).map(|m| m.id).collect();
    let problem = format!(
        "'{}' is there to {}, not to {}; machines for that: {}",
        machine.id,
        machine.tasks[0].id(),
        task.id(),
        if able.is_empty() { "none".to_string() } else { able.join(", ") }
    );
    Err(Error::parameter("machine", problem))
}

/// Whether a method and a machine of the registries go together: they have a task in common, and the machine is
/// what the method [takes](crate::mkl::Learner::takes).
pub fn together(method: &Method, machine: &Method) -> bool {
    let learner = crate::mkl::REGISTRY.iter().find(|e| e.id == method.id);
    let found = crate::machine::REGISTRY.iter().find(|e| e.id == machine.id);
    let takes = match (learner, found) {
        (Some(learner), Some(machine)) => {
            let machine = (machine.build)(&machine.defaults());
            (learner.build)(&learner.defaults()).takes(machine.as_ref())
        }
        _ => true,
    };
    takes && machine.tasks.iter().any(|t| method.tasks.contains(t))
}

/// Refuses a method and a machine that do not go together.
///
/// # Errors
/// The machines that go with the method, and the methods of its registry that go with the machine.
pub fn goes_with(method: &Method, machine: &Method) -> Result<()> {
    if together(method, machine) {
        return Ok(());
    }
    let list = |m| in_a_sentence(&partners(m));
    Err(Error::Data(format!(
        "method '{}' does not go with machine '{}' ({}): the method goes with {}; the machine goes with {}",
        method.id,
        machine.id,
        machine.tasks[0].id(),
        list(method),
        list(machine)
    )))
}

/// Most ids that a sentence lists.
const IN_A_SENTENCE: usize = 12;

/// All ids, or those that are recommended and how many others there are.
fn in_a_sentence(ids: &[&'static str]) -> String {
    let recommended = |id: &&str| {
        let known = methods().chain(machines()).find(|m| m.id == *id);
        known.is_some_and(|m| m.recommended || m.is_control())
    };
    let shown: Vec<&str> = match ids.len() > IN_A_SENTENCE {
        true => ids.iter().copied().filter(recommended).take(IN_A_SENTENCE).collect(),
        false => ids.to_vec(),
    };
    match (shown.len(), ids.len() - shown.len()) {
        (0, 0) => "none".to_string(),
        (_, 0) => shown.join(", "),
        (0, _) => ids.join(", "),
        (_, others) => format!("{} and {others} others", shown.join(", ")),
    }
}

/// The machines that go with a method that learns a combination; of a machine the methods.
pub fn partners(of: &Method) -> Vec<&'static str> {
    let learners = crate::mkl::REGISTRY.iter().map(|e| e.method);
    match machines().find(|m| m.id == of.id) {
        Some(machine) => learners.filter(|m| together(m, machine)).map(|m| m.id).collect(),
        None => machines().filter(|m| together(of, m)).map(|m| m.id).collect(),
    }
}

/// The method with this id.
///
/// # Errors
/// No such method; the error lists all and suggests the closest.
pub fn find(id: &str) -> Result<&'static Method> {
    find_for(id, &[])
}

/// [`find`] for whoever has one of these tasks: the methods that are known, where there is none of this id, are those for them.
/// One that is there for another task is found, too.
///
/// # Errors
/// As [`find`].
pub fn find_for(id: &str, tasks: &[Task]) -> Result<&'static Method> {
    let wanted = |m: &&Method| tasks.is_empty() || m.tasks.iter().any(|t| tasks.contains(t));
    let known = || methods().filter(|m| wanted(m)).map(|m| m.id);
    methods().find(|m| m.id == id).ok_or_else(|| Error::unknown("method", id, known()))
}

/// Whether new rows have a place in what a method learned.
pub fn places_new_rows(method: &Method) -> bool {
    let entry = crate::multiview::REGISTRY.iter().find(|e| e.id == method.id);
    entry.is_none_or(|e| (e.build)(&e.defaults()).places_new_rows())
}

/// The word for the methods of all kinds of [integration](Integration) side by side.
pub const INTEGRATION: &str = "integration";

/// Where a method that learns a combination puts the views together.
pub fn integration(method: &Method) -> Option<Integration> {
    let entry = crate::mkl::REGISTRY.iter().find(|e| e.id == method.id)?;
    Some((entry.build)(&entry.defaults()).integration())
}

/// The methods of a word for a kind of integration, or for all kinds: early and late ones, and of the many
/// intermediate ones the controls, the plain sum and the recommended.
fn by_integration(word: &str, task: Task) -> Option<Vec<&'static Method>> {
    let able = || methods().filter(|m| m.tasks.contains(&task));
    if let Some(kind) = Integration::from_id(word) {
        return Some(able().filter(|m| integration(m) == Some(kind)).collect());
    }
    let shown = |m: &&'static Method| match integration(m) {
        Some(Integration::Intermediate) => m.is_control() || m.recommended || m.id == "sum",
        kind => kind.is_some(),
    };
    (word == INTEGRATION).then(|| {
        let mut found: Vec<_> = able().filter(shown).collect();
        found.sort_by_key(|m| integration(m));
        found
    })
}

/// The methods that a word stands for: one with this id, all of a [group](Group) for a task, or those of a kind of
/// [integration](Integration), early, intermediate or late; `integration` for all three kinds.
///
/// # Errors
/// Neither a method nor a group with methods; the error lists both and suggests the closest.
pub fn named(word: &str, task: Task) -> Result<Vec<&'static Method>> {
    let able = |m: &&'static Method| m.tasks.contains(&task);
    if let Some(found) = by_integration(word, task).filter(|f| !f.is_empty()) {
        return Ok(found);
    }
    if let Some(group) = Group::from_id(word) {
        let found: Vec<_> = methods().filter(able).filter(|m| m.group == group).collect();
        if found.is_empty() {
            let others: Vec<&str> = groups(task).map(Group::id).collect();
            let problem = format!(
                "the group '{word}' has nothing to {}; groups for that: {}",
                task.id(),
                others.join(", ")
            );
            return Err(Error::parameter("methods", problem));
        }
        return Ok(found);
    }
    if let Some(method) = methods().find(|m| m.id == word) {
        return Ok(vec![method]);
    }
    let groups = groups(task).map(Group::id);
    Err(Error::unknown("method", word, methods().map(|m| m.id).chain(groups)))
}

/// The groups that have methods for a task, in the order in which they are listed to users.
pub fn groups(task: Task) -> impl Iterator<Item = Group> {
    let some = move |g: &Group| methods().any(|m| m.group == *g && m.tasks.contains(&task));
    Group::ALL.into_iter().filter(some)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_word_names_a_method_or_a_group() {
        let kinds = |word: &str| -> Vec<_> {
            let found = named(word, Task::Classify).unwrap();
            found.iter().map(|m| integration(m).unwrap()).collect()
        };
        for kind in Integration::ALL {
            assert!(kinds(kind.id()).iter().all(|k| *k == kind));
        }
        let all = kinds(INTEGRATION);
        assert!(all.is_sorted() && Integration::ALL.iter().all(|k| all.contains(k)), "{all:?}");
        assert!(named(INTEGRATION, Task::Cluster).is_err());
        for m in methods().chain(machines()) {
            assert!(Integration::from_id(m.id).is_none() && m.id != INTEGRATION);
            assert!(Group::from_id(m.id).is_none(), "{} names a method and a group", m.id);
        }
        let ids = |w: &str, t| named(w, t).unwrap().iter().map(|m| m.id).collect::<Vec<_>>();
        assert_eq!(ids("mean", Task::Classify), ["mean"]);
        for task in [Task::Classify, Task::Cluster] {
            let found: Vec<&str> = groups(task).flat_map(|g| ids(g.id(), task)).collect();
            assert_eq!(found.len(), methods().filter(|m| m.tasks.contains(&task)).count());
        }
        let e = named("control", Task::Classify).unwrap_err().to_string();
        assert!(e.contains("controls"), "{e}");
        let e = named("multi_view", Task::Classify).unwrap_err().to_string();
        assert!(e.contains("has nothing to classify; groups for that: controls"), "{e}");
    }
    use crate::params::{Params, Value};

    #[test]
    fn former_names_are_understood() {
        for (id, former) in [("co_trained", "iterations"), ("co_regularized", "max_iter")] {
            let method = find(id).unwrap();
            let given = method.check([(former, &Value::Int(7))]).unwrap();
            assert_eq!(given.count("max_iterations"), 7);
            assert_eq!(method.param(former).unwrap().name, "max_iterations");
            let text = serde_json::to_string(&given).unwrap();
            assert!(text.contains("\"max_iterations\":7"), "{text}");
            let old = text.replace("max_iterations", former);
            assert_eq!(serde_json::from_str::<Params>(&old).unwrap(), given);
            let e = method.check([(former, &Value::Int(-1))]).unwrap_err().to_string();
            assert!(e.starts_with("parameter 'max_iterations'"), "{e}");
        }
    }
}
