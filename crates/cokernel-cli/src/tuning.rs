//! The choice of parameters on the command line.

use crate::misuse::misuse;
use crate::settings::Settings;
use anyhow::{Context, Result};
use clap::Args;
use cokernel::eval::tune::{Axis, Tuning};

/// Parameters that are chosen by a cross-validation inside the training instances.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Choice of parameters")]
pub struct TuneArgs {
    /// Choose a parameter inside the training instances: of the machine (c), of the method, width (a factor on the
    /// widths of kernels) or method. Values separated by commas; a..b for a, 10a, …; 2^-3..3 for powers.
    /// Repeat for a grid
    #[arg(long, value_name = "NAME=VALUES")]
    pub tune: Vec<String>,
    /// Folds inside the training instances [default: 5]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub tune_folds: Option<usize>,
    /// The measure by which it is chosen, as balanced_accuracy or mse [default: accuracy; R² for numbers]
    #[arg(long, value_name = "ID")]
    pub tune_score: Option<String>,
}

impl Settings {
    /// What is chosen by flags, else by the file; `None`: nothing.
    pub fn tuning(&self, args: &TuneArgs) -> Result<Option<Tuning>> {
        let given: Vec<(String, String)> = match (args.tune.is_empty(), &self.project) {
            (false, _) => args.tune.iter().map(|t| (t.clone(), "--tune".to_string())).collect(),
            (true, Some(project)) => {
                let listed = project.content.tune.iter().flatten();
                listed.map(|t| (t.get_ref().clone(), project.place(t))).collect()
            }
            (true, None) => Vec::new(),
        };
        let folds = self.or_file(args.tune_folds, |f| f.tune_folds);
        let score = self.or_file(args.tune_score.clone(), |f| f.tune_score.clone());
        if given.is_empty() {
            if args.tune_folds.is_some() || args.tune_score.is_some() {
                let flags = "--tune-folds and --tune-score go with --tune NAME=VALUES";
                return Err(misuse(format!("{flags}, as --tune c=0.01..100")));
            }
            return Ok(None);
        }
        let parse = |(text, place): &(String, String)| Axis::parse(text).context(place.clone());
        let axes = given.iter().map(parse).collect::<Result<_>>()?;
        Ok(Some(Tuning { axes, folds: folds.unwrap_or(5), score }))
    }
}
