//! Which commands learn probabilities, and how these are told.

use crate::misuse::misuse;
use crate::settings::Settings;
use crate::table::count;
use anyhow::{Context, Result};
use clap::Args;
use cokernel::calibrate::{Calibrating, Curve, Shape};
use cokernel::method::Task;
use cokernel::model::Model;

/// Probabilities of classes beside decisions.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Probabilities")]
pub struct ProbabilityArgs {
    /// Learn probabilities of the classes, too: a sigmoid for each machine, or any curve that does not
    /// fall (for a thousand instances or more), on decision values of instances that were held out.
    /// Takes one more fit for each calibration fold [default: none]
    #[arg(long, value_name = "none|sigmoid|isotonic")]
    pub probabilities: Option<String>,
    /// Folds of the calibration, at least 2 [default: 5]
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    pub calibration_folds: Option<usize>,
}

impl ProbabilityArgs {
    /// Refuses these flags where there are no classes to learn.
    pub fn refuse(&self, why: &str) -> Result<()> {
        match (&self.probabilities, self.calibration_folds) {
            (Some(_), _) => Err(misuse(format!("--probabilities needs {why}"))),
            (None, Some(_)) => Err(misuse(format!("--calibration-folds needs {why}"))),
            (None, None) => Ok(()),
        }
    }
}

impl Settings {
    /// How decision values become probabilities, if they shall: flags, else file.
    pub fn calibrating(&self, args: &ProbabilityArgs, task: Task) -> Result<Option<Calibrating>> {
        let word = self
            .word(args.probabilities.as_ref(), "probabilities", |f| f.probabilities.as_ref())
            .filter(|(word, _)| word != "none");
        let Some((word, place)) = word else {
            return match args.calibration_folds {
                Some(_) => Err(misuse("--calibration-folds needs --probabilities")),
                None => Ok(None),
            };
        };
        let shape = Shape::from_id(&word).with_context(|| place.clone())?;
        if task != Task::Classify {
            return Err(misuse(format!(
                "{place}: probabilities are of classes; this machine does not learn classes"
            )));
        }
        let mut how = Calibrating::new(shape);
        if let Some(folds) = self.or_file(args.calibration_folds, |f| f.calibration_folds) {
            how = how.folds(folds);
        }
        how.check()?;
        Ok(Some(how))
    }
}

/// `sigmoid, on 5 folds`.
pub fn told(how: &Calibrating) -> String {
    format!("{}, on {}", how.shape, count(how.folds, "fold", "folds"))
}

/// The curve of each machine in a few words, if there is one.
pub fn curves(model: &Model) -> Option<Vec<String>> {
    let words = |curve: &Curve| match curve {
        Curve::Sigmoid { slope, offset } => {
            let sign = if *offset < 0.0 { '-' } else { '+' };
            format!("1 / (1 + exp({slope:.4} f {sign} {:.4}))", offset.abs())
        }
        Curve::Isotonic { values, .. } => count(values.len(), "point", "points"),
    };
    model.calibration().map(|c| c.curves.iter().map(words).collect())
}
