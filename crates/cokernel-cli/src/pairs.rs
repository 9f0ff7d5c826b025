//! Pairs of instances that belong together or apart: which file, and what clusterings learn from them.

use crate::args::name_and_rest;
use crate::settings::Settings;
use anyhow::{Context, Result};
use clap::Args;
use cokernel::Error;
use cokernel::data::Pairs;
use cokernel::model::{Combine, Mkl, MultiView, PairKernels};
use cokernel::params::Value;
use std::path::{Path, PathBuf};

/// Similarities that are learned from pairs, for commands that cluster or embed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Pairs")]
pub struct PairArgs {
    /// Pairs of instances that belong together or apart (a line: p17,p4,must or p17,p9,cannot; a weight may
    /// follow), from which the kernels get their weights
    #[arg(long, value_name = "FILE")]
    pub pairs: Option<PathBuf>,
    /// What is made of the weighted kernels: one similarity of all (sum), or one for each view, for
    /// methods that compare views [default: sum]
    #[arg(long, value_name = "sum|views")]
    pub combine: Option<String>,
    /// The method that learns from the pairs [default: two_stage]
    #[arg(long, value_name = "ID")]
    pub pairs_method: Option<String>,
    /// A parameter of that method, as penalty=l1. Repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    pub pairs_set: Vec<String>,
}

impl PairArgs {
    fn learner(&self) -> Result<Mkl> {
        let id = self.pairs_method.as_deref().unwrap_or("two_stage");
        let mut learner = Mkl::new(id).context("--pairs-method")?;
        for text in &self.pairs_set {
            let (name, value) = name_and_rest("--pairs-set", "NAME=VALUE, as penalty=l1", text)?;
            learner = learner.param(name, Value::parse(value));
        }
        learner.params().context("--pairs-set")?;
        learner.require_pairs().context("--pairs-method")?;
        Ok(learner)
    }

    fn combine(&self) -> Result<Combine> {
        let word = self.combine.as_deref();
        word.map_or(Ok(Combine::default()), |w| Combine::from_id(w).context("--combine"))
    }

    /// The method on similarities that are learned from the pairs, where there are some.
    pub fn on(&self, method: MultiView, pairs: Option<&Pairs>) -> Result<MultiView> {
        let Some(pairs) = pairs else { return Ok(method) };
        let combine = self.combine()?;
        let made = PairKernels::new(self.learner()?, pairs.clone(), combine)?;
        Ok(method.pairs(made))
    }
}

impl Settings {
    /// The pairs of the flag, else of the file, if the method has a use for similarities that are learned from
    /// them.
    pub fn choose_similarity_pairs(&mut self, args: &PairArgs, method: &MultiView) -> Result<()> {
        self.choose(args.pairs.as_deref(), method.require_similarities())?;
        let beside =
            args.combine.is_some() || args.pairs_method.is_some() || !args.pairs_set.is_empty();
        if beside && self.input.pairs.is_none() {
            let problem = "there are no pairs to learn from; expected --pairs FILE beside --combine, \
                           --pairs-method and --pairs-set";
            return Err(Error::parameter("pairs", problem).into());
        }
        args.combine()?;
        args.learner().map(|_| ())
    }

    /// The pairs of the flag, else of the file, if the method learns from pairs.
    pub fn choose_pairs(&mut self, flag: Option<&Path>, mkl: &Mkl) -> Result<()> {
        self.choose(flag, mkl.require_pairs())
    }

    /// It is told where pairs are of no use: a flag is refused, the pairs of a file may be those of another
    /// method.
    fn choose(&mut self, flag: Option<&Path>, use_: cokernel::Result<()>) -> Result<()> {
        let of_file = self
            .project
            .as_ref()
            .and_then(|project| project.content.pairs.as_ref().map(|path| project.resolve(path)));
        match (flag, of_file, use_) {
            (Some(_), _, Err(why)) => Err(why).context("--pairs"),
            (None, Some(_), Err(why)) => {
                self.remarks.push(format!("the pairs of the project file are not used: {why}"));
                Ok(())
            }
            (flag, of_file, _) => {
                self.input.pairs = flag.map(Path::to_path_buf).or(of_file);
                Ok(())
            }
        }
    }

    /// Says of a command that compares methods on the same instances that it does not look at pairs.
    pub fn leave_pairs(&mut self) {
        if self.content().is_some_and(|f| f.pairs.is_some()) {
            let remark = "the pairs of the project file are not used: methods are compared on the labels, \
                          which all of them learn from";
            self.remarks.push(remark.to_string());
        }
    }
}
