//! How instances are split, by flags and project file.

use crate::args::SplitArgs;
use crate::input::{Input, Loaded, names};
use crate::misuse::misuse;
use crate::settings::Settings;
use anyhow::{Context, Result};
use cokernel::brief;
use cokernel::eval::{Protocol, Splits};
use cokernel::method::Task;
use std::path::{Path, PathBuf};

/// How instances are split.
#[derive(Debug, Clone, PartialEq)]
pub struct Splitting {
    from: From,
    /// Test instances are learned from, too, whatever a file of splits says.
    transductive: bool,
}

/// Where splits come from.
#[derive(Debug, Clone, PartialEq)]
enum From {
    /// They are drawn; groups of instances stay together, if a column names some.
    Drawn(Protocol, Option<Column>),
    /// From a file of splits.
    File(PathBuf),
    /// A column says them.
    Column(Column),
}

/// A column of a text table, or the only one.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    name: Option<String>,
    path: PathBuf,
}

impl Column {
    /// `COLUMN@FILE`, or `FILE`. A file that is there may have an @ in its name.
    pub fn parse(text: &str) -> Self {
        match text.split_once('@') {
            Some((name, path)) if !name.is_empty() && !PathBuf::from(text).is_file() => {
                Column { name: Some(name.to_string()), path: path.into() }
            }
            _ => Column { name: None, path: text.into() },
        }
    }

    /// The value of each instance.
    pub fn read(&self, input: &Input, data: &Loaded) -> Result<Vec<String>> {
        names(&self.path, self.name.as_ref(), input, &data.views)
    }
}

impl Splitting {
    /// The splits of these instances, from which something can be learned for this task.
    pub fn splits(
        &self,
        settings: &Settings,
        data: &Loaded,
        task: Task,
        seed: u64,
    ) -> Result<Splits> {
        let labels = &data.labels;
        let splits = match &self.from {
            From::Drawn(protocol, None) => protocol.split(labels, seed)?,
            From::Drawn(protocol, Some(groups)) => {
                let groups = groups.read(&settings.input, data).context("--groups")?;
                protocol.split_groups(labels, &groups, seed)?
            }
            From::File(path) => {
                let splits = load(path)?;
                check(&splits, data, task).context(path.display().to_string())?;
                splits
            }
            From::Column(column) => {
                let texts = column.read(&settings.input, data).context("--split-column")?;
                let splits = Splits::of_column(&texts, labels)?;
                check(&splits, data, task).context("--split-column")?;
                splits
            }
        };
        Ok(if self.transductive { splits.transductive() } else { splits })
    }
}

/// Compares splits with data, and refuses training sets that lack a class where classes are learned.
pub fn check(splits: &Splits, data: &Loaded, task: Task) -> Result<()> {
    splits.check(&data.labels, data.views.ids())?;
    if task == Task::Classify {
        splits.check_classes(&data.labels)?;
    }
    Ok(())
}

/// A file of splits.
pub fn load(path: &Path) -> Result<Splits> {
    Splits::load(path).map_err(|e| match e {
        e @ cokernel::Error::Io { .. } => anyhow::Error::from(e),
        e => anyhow::Error::from(e).context(path.display().to_string()),
    })
}

impl Settings {
    /// How instances are split: flags, else file, else five folds.
    pub fn splitting(&self, args: &SplitArgs) -> Result<Splitting> {
        let transductive = args.transductive || self.content().is_some_and(|f| f.transductive);
        Ok(Splitting { from: self.origin(args)?, transductive })
    }

    fn origin(&self, args: &SplitArgs) -> Result<From> {
        // A flag for one kind of split overrides the other kinds in the file.
        let kinds = [
            args.folds.is_some(),
            args.test_fraction.is_some(),
            args.reserve.is_some(),
            args.per_class.is_some(),
            args.five_by_two,
            args.splits.is_some(),
            args.split_column.is_some(),
        ];
        let flagged = kinds.iter().any(|k| *k);
        let content = self.content().filter(|_| !flagged);
        let resolve = |p: &PathBuf| self.project.as_ref().map_or(p.clone(), |f| f.resolve(p));
        let folds = args.folds.or_else(|| content.and_then(|f| f.folds));
        let test = args.test_fraction.or_else(|| content.and_then(|f| f.test_fraction));
        let reserve = args.reserve.or_else(|| content.and_then(|f| f.reserve));
        let per_class = args.per_class.or_else(|| content.and_then(|f| f.per_class));
        let file =
            args.splits.clone().or_else(|| content.and_then(|f| f.splits.as_ref().map(resolve)));
        let several = [
            folds.is_some(),
            test.is_some(),
            reserve.is_some(),
            per_class.is_some(),
            file.is_some(),
        ];
        if content.is_some() && several.iter().filter(|k| **k).count() > 1 {
            return Err(misuse(
                "project file: give one of folds, test_fraction, reserve, per_class and splits",
            ));
        }
        let repeats = self.or_file(args.repeats, |f| f.repeats);
        if repeats == Some(0) {
            return Err(misuse("repeats: expected at least 1, found 0"));
        }
        let groups = args.groups.as_deref().map(Column::parse);
        if let Some(path) = file {
            refuse(
                args.repeats.is_some() || groups.is_some(),
                "--splits",
                "--repeats and --groups",
            )?;
            return Ok(From::File(path));
        }
        if let Some(column) = &args.split_column {
            let beside = args.repeats.is_some() || groups.is_some();
            refuse(beside, "--split-column", "--repeats and --groups")?;
            return Ok(From::Column(Column::parse(column)));
        }
        for (what, value) in [("test fraction", test), ("reserve", reserve)] {
            if let Some(v) = value.filter(|v| !(*v > 0.0 && *v < 1.0)) {
                let expected = "expected a number between 0 and 1";
                return Err(misuse(format!("{what}: {expected}, found {}", brief(v))));
            }
        }
        let protocol = if let Some(test) = test {
            Protocol::Shuffle { repeats: repeats.unwrap_or(5), test }
        } else if let Some(test) = reserve {
            refuse(args.repeats.is_some(), "--reserve", "--repeats: it has five times two folds")?;
            Protocol::Reserved { test }
        } else if args.five_by_two {
            refuse(args.repeats.is_some(), "--five-by-two", "--repeats: it has five")?;
            Protocol::FiveByTwo
        } else if let Some(train) = per_class {
            Protocol::PerClass { train, repeats: repeats.unwrap_or(5) }
        } else {
            Protocol::KFold { folds: folds.unwrap_or(5), repeats: repeats.unwrap_or(1) }
        };
        Ok(From::Drawn(protocol, groups))
    }
}

fn refuse(there: bool, flag: &str, others: &str) -> Result<()> {
    match there {
        true => Err(misuse(format!("{flag} does not go with {others}"))),
        false => Ok(()),
    }
}
