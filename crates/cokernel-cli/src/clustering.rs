//! Flags and project file of the commands that embed and cluster.

use crate::args::{GraphArgs, KernelArgs};
use crate::misuse::misuse;
use crate::settings::Settings;
use crate::tasks::for_task;
use anyhow::{Context, Result, anyhow};
use clap::Args;
use cokernel::Status;
use cokernel::bank::Storage;
use cokernel::catalogue::methods;
use cokernel::data::{Matrix, Scale};
use cokernel::eval::Candidate;
use cokernel::kernel::{GraphSpec, KernelSpec};
use cokernel::method::{Method, Task};
use cokernel::model::MultiView;
use cokernel::multiview::Starts;
use cokernel_experiments::MOST_STARTS;
use std::path::{Path, PathBuf};

/// Refuses what was stopped before there was anything: an embedding of zeros is no result.
pub fn refuse_nothing(embedding: &Matrix, status: Status) -> Result<()> {
    let stopped = matches!(status, Status::Interrupted | Status::TimeLimit);
    match stopped && embedding.values().iter().all(|v| *v == 0.0) {
        true => Err(anyhow!("stopped before there was an embedding; nothing is written")),
        false => Ok(()),
    }
}

/// How k-means starts.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Starts")]
pub struct StartArgs {
    /// Number of starts of k-means, 1 to 10000 [default: 20]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub starts: Option<usize>,
    /// What the starts are for. best_of: from k-means++ seeds, and the start with the least
    /// inertia is the result; published: from random instances, each start is a result, and mean
    /// and standard deviation are shown, as in the tables of the papers [default: best_of]
    #[arg(long, value_name = "best_of|published")]
    pub protocol: Option<String>,
}

impl StartArgs {
    /// Refuses them where nothing is clustered.
    pub fn refuse(&self) -> Result<()> {
        let flag = match (self.starts, &self.protocol) {
            (Some(_), _) => "--starts",
            (_, Some(_)) => "--protocol",
            _ => return Ok(()),
        };
        Err(misuse(format!("{flag} needs --task cluster")))
    }
}

/// The similarities that embedding starts from.
pub struct Similarities {
    specs: Vec<KernelSpec>,
    graphs: Vec<GraphSpec>,
    scale: Scale,
    storage: Storage,
}

impl Settings {
    /// The number of clusters.
    pub fn clusters(&self, flag: Option<usize>) -> Result<usize> {
        let k = self.or_file(flag, |f| f.clusters);
        k.ok_or_else(|| misuse("clustering needs a number of clusters: give -k K"))
    }

    /// The starts of k-means.
    pub fn starts(&self, args: &StartArgs) -> Result<Starts> {
        let starts = self.or_file(args.starts, |f| f.starts);
        let starts = starts.unwrap_or(Starts::default().starts);
        if !(1..=MOST_STARTS).contains(&starts) {
            return Err(misuse(format!(
                "starts: expected from 1 to {MOST_STARTS}, found {starts}"
            )));
        }
        match self.word(args.protocol.as_ref(), "protocol", |f| f.protocol.as_ref()) {
            Some((word, place)) => Starts::named(&word, starts).context(place),
            None => Ok(Starts { starts, ..Starts::default() }),
        }
    }

    /// Refuses output files as [`check_output`](Self::check_output) does, and two that are one.
    pub fn check_outputs<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Option<PathBuf>>,
    ) -> Result<()> {
        let mut before: Vec<&Path> = Vec::new();
        for path in paths.into_iter().flatten() {
            self.check_output(path)?;
            if before.contains(&path.as_path()) {
                let path = path.display();
                return Err(misuse(format!("{path} is named for two outputs; name another file")));
            }
            before.push(path);
        }
        Ok(())
    }

    /// The similarities.
    pub fn similarities(&mut self, args: &KernelArgs, graphs: &GraphArgs) -> Result<Similarities> {
        let graphs = self.graphs(graphs)?;
        let specs = match self.kernels(args)? {
            Some(specs) => specs,
            None => self.default_kernels(&graphs),
        };
        let (scale, storage) = (self.scale(args)?, self.storage(args)?);
        Ok(Similarities { specs, graphs, scale, storage })
    }

    /// A method on these similarities, with its parameters; see [`params`](Self::params).
    pub fn multi_view(
        &self,
        method: &'static Method,
        methods: &[&'static Method],
        from: &Similarities,
    ) -> Result<MultiView> {
        let mut one = MultiView::new(method.id)?
            .kernels(from.specs.clone())
            .graphs(from.graphs.clone())
            .scale(from.scale)
            .storage(from.storage.clone());
        for (name, value) in self.params(method, methods)? {
            one = one.param(name, value);
        }
        Ok(one)
    }

    /// The method of a command that clusters.
    pub fn cluster_method(&self, flag: Option<&String>) -> Result<&'static Method> {
        let method = self.method(flag, "co_regularized", &[Task::Cluster])?;
        // A project file may name the method for `fit`; then this command takes its own default.
        if flag.is_none() && !method.tasks.contains(&Task::Cluster) {
            return Ok(cokernel::catalogue::find("co_regularized")?);
        }
        for_task(method, Task::Cluster)
    }

    /// The method of a command that embeds: one that clusters, or one for that alone.
    pub fn embed_method(&self, flag: Option<&String>) -> Result<&'static Method> {
        let method = self.method(flag, "co_regularized", &[Task::Cluster, Task::Embed])?;
        match flag {
            None if !method.tasks.contains(&Task::Embed) => self.cluster_method(flag),
            _ => for_task(method, Task::Embed),
        }
    }

    /// The methods of a comparison: those that were named, which must be able to use the views,
    /// and the others that can; without names all are others. With `controls`, every control is
    /// among them.
    pub fn candidates(
        &self,
        flags: &[String],
        controls: bool,
        from: &Similarities,
    ) -> Result<Vec<Candidate>> {
        let named = self.names_methods(flags);
        let listed = self.methods(flags, Task::Cluster)?;
        let mut all: Vec<(&'static Method, bool)> = Vec::new();
        for method in methods().filter(|m| m.tasks.contains(&Task::Cluster)) {
            let asked = named && listed.iter().any(|l| l.id == method.id);
            if method.is_control() && controls && !asked {
                all.push((method, false));
            }
        }
        let others = listed.into_iter().filter(|m| named || !m.is_control());
        all.extend(others.map(|m| (m, self.names(flags, m.id))));
        let known: Vec<&'static Method> = all.iter().map(|(m, _)| *m).collect();
        let candidate = |(method, required): (&'static Method, bool)| {
            Ok(Candidate { method: self.multi_view(method, &known, from)?, required })
        };
        all.into_iter().map(candidate).collect()
    }
}
