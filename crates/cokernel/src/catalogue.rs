//! All methods of all registries.

use crate::method::{Method, Task};
use crate::{Error, Result};

/// All methods, in the order in which they are listed to users.
pub fn methods() -> impl Iterator<Item = &'static Method> {
    let learners = crate::mkl::REGISTRY.iter().map(|e| e.method);
    learners.chain(crate::multiview::REGISTRY.iter().map(|e| e.method))
}

/// All machines that learn on a combination.
pub fn machines() -> impl Iterator<Item = &'static Method> {
    crate::machine::REGISTRY.iter().map(|e| e.method)
}

/// What a comparison shows that names no method: the controls and the recommended methods of a
/// task.
pub fn recommended(task: Task) -> impl Iterator<Item = &'static Method> {
    methods().filter(move |m| m.tasks.contains(&task) && (m.control || m.recommended))
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

/// Refuses a method and a machine that have no task in common.
///
/// # Errors
/// The machines that go with the method.
pub fn goes_with(method: &Method, machine: &Method) -> Result<()> {
    if machine.tasks.iter().any(|t| method.tasks.contains(t)) {
        return Ok(());
    }
    let fits = |m: &&Method| m.tasks.iter().any(|t| method.tasks.contains(t));
    let known: Vec<&str> = machines().filter(fits).map(|m| m.id).collect();
    Err(Error::Data(format!(
        "method '{}' does not go with machine '{}' ({}): it goes with {}",
        method.id,
        machine.id,
        machine.tasks[0].id(),
        if known.is_empty() { "none".to_string() } else { known.join(", ") }
    )))
}

/// The method with this id.
///
/// # Errors
/// No such method; the error lists all and suggests the closest.
pub fn find(id: &str) -> Result<&'static Method> {
    methods()
        .find(|m| m.id == id)
        .ok_or_else(|| Error::unknown("method", id, methods().map(|m| m.id)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
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
