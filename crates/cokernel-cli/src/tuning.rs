//! The choice of parameters on the command line.

use crate::misuse::misuse;
use crate::settings::Settings;
use anyhow::{Context, Result};
use clap::Args;
use cokernel::calibrate::Calibrating;
use cokernel::eval::tune::{Axis, Search, Tuning};

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
    /// How values are tried: grid, all combinations; surface, a quadratic surface fitted to the scores between the least
    /// and the largest value of each number, for few fits that are dear [default: grid]
    #[arg(long, value_name = "grid|surface")]
    pub tune_search: Option<String>,
}

impl Settings {
    /// What is chosen by flags, else by the file; `None`: nothing.
    pub fn tuning(
        &self,
        args: &TuneArgs,
        calibrating: Option<Calibrating>,
    ) -> Result<Option<Tuning>> {
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
            if args.tune_folds.is_some() || args.tune_score.is_some() || args.tune_search.is_some()
            {
                let flags =
                    "--tune-folds, --tune-score and --tune-search go with --tune NAME=VALUES";
                return Err(misuse(format!("{flags}, as --tune c=0.01..100")));
            }
            return Ok(None);
        }
        let parse = |(text, place): &(String, String)| Axis::parse(text).context(place.clone());
        let axes = given.iter().map(parse).collect::<Result<_>>()?;
        let search =
            self.word(args.tune_search.as_ref(), "tune-search", |f| f.tune_search.as_ref());
        let search =
            search.map(|(word, place)| Search::from_id(&word).context(place)).transpose()?;
        let (folds, search) = (folds.unwrap_or(5), search.unwrap_or_default());
        Ok(Some(Tuning { axes, folds, score, search, calibrating }))
    }
}
