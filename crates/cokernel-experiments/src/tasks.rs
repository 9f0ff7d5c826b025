//! Which methods a task has.

use crate::misuse::misuse;
use anyhow::Result;
use cokernel::catalogue::methods;
use cokernel::method::{Method, Task};

/// The method, if it can do this.
pub fn for_task(method: &'static Method, task: Task) -> Result<&'static Method> {
    // What clusters has an embedding, too.
    let can = |m: &Method| {
        m.tasks.contains(&task) || (task == Task::Embed && m.tasks.contains(&Task::Cluster))
    };
    if can(method) {
        return Ok(method);
    }
    let able: Vec<&str> = methods().filter(|m| can(m)).map(|m| m.id).collect();
    let (does, instead) = match task {
        _ if method.tasks.contains(&Task::Embed) => {
            let other = if task == Task::Cluster { "to cluster" } else { "to learn from labels" };
            ("embeds, which `cokernel embed` is for", other)
        }
        Task::Cluster => ("learns from labels; it does not cluster", "to cluster"),
        Task::Embed => ("learns from labels; it does not embed", "to embed"),
        _ if method.tasks.contains(&Task::Cluster) => {
            ("clusters; it does not learn from labels", "to learn from labels")
        }
        Task::Regress => ("learns classes; it does not learn numbers", "to learn numbers"),
        _ => ("needs classes to learn from", "to detect outliers"),
    };
    let able = able.join(", ");
    Err(misuse(format!("method '{}' {does}; methods {instead}: {able}", method.id)))
}
