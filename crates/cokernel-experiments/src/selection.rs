//! Which instances of a data set an experiment takes, as which classes, and which of them it tests on.

use super::plan::Learning;
use super::source::Source;
use crate::misuse::misuse;
use anyhow::{Context, Result};
use cokernel::data::{Labels, Views};
use cokernel::eval::{self, Split, Splits};
use cokernel::method::Task;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// What an experiment takes of its data.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Selection {
    /// Classes, and those of the data that each is made of; empty: all as they are.
    pub classes: BTreeMap<String, Vec<String>>,
    /// About so many instances, drawn by class: the share of each is rounded.
    pub take: Option<usize>,
    /// The file with the numbers of the rows to test on.
    pub test: Option<String>,
}

/// What is left of a data set.
pub struct Selected {
    pub views: Views,
    pub labels: Labels,
    /// Rows to test on, where the data has such.
    pub test: Option<Vec<usize>>,
}

impl Selection {
    /// Whether everything is taken as it is.
    pub fn is_all(&self) -> bool {
        *self == Selection::default()
    }

    /// Reads or draws a data set and takes its part.
    ///
    /// # Errors
    /// The data cannot be read; a class or row that it does not have.
    pub fn load(
        &self,
        source: &Source,
        folder: Option<&Path>,
        swept: Option<(&str, f64)>,
        seed: u64,
        real: bool,
    ) -> Result<Selected> {
        let (views, labels) = source.load(folder, swept, seed, real)?;
        if self.is_all() {
            return Ok(Selected { views, labels, test: None });
        }
        let mut tested = vec![false; views.n()];
        if let Some(path) = source.beside(self.test.as_deref(), folder)? {
            for row in row_numbers(&path, views.n())? {
                tested[row] = true;
            }
        }
        let (mut rows, mut labels) = self.merged(labels)?;
        if let Some(take) = self.take.filter(|t| *t < rows.len()) {
            let drawn = part(&labels, &rows, &tested, take, seed)?;
            labels = labels.select(&drawn);
            rows = drawn.into_iter().map(|i| rows[i]).collect();
        }
        let test = (0..rows.len()).filter(|i| tested[rows[*i]]).collect();
        let test = self.test.as_ref().map(|_| test);
        Ok(Selected { views: views.select(&rows), labels, test })
    }

    /// The rows of the wanted classes, and their labels.
    fn merged(&self, labels: Labels) -> Result<(Vec<usize>, Labels)> {
        if self.classes.is_empty() {
            return Ok(((0..labels.len()).collect(), labels));
        }
        let all = labels.classes()?;
        let mut of_code: Vec<Option<&str>> = vec![None; all.names.len()];
        for (class, parts) in &self.classes {
            for part in parts {
                let Some(code) = all.names.iter().position(|n| n == part) else {
                    let names = all.names.iter().map(String::as_str);
                    return Err(cokernel::Error::unknown("class", part, names).into());
                };
                of_code[code] = Some(class);
            }
        }
        let (mut rows, mut texts) = (Vec::new(), Vec::new());
        for (i, &code) in all.codes.iter().enumerate() {
            if let Some(class) = of_code[code as usize] {
                rows.push(i);
                texts.push(class);
            }
        }
        Ok((rows, Labels::from_texts(&texts)))
    }
}

/// About `take` of the rows with these labels: by class, and by whether they are tested on.
fn part(
    labels: &Labels,
    rows: &[usize],
    tested: &[bool],
    take: usize,
    seed: u64,
) -> Result<Vec<usize>> {
    let left = 1.0 - take as f64 / rows.len() as f64;
    let draw = eval::Protocol::Shuffle { repeats: 1, test: left };
    let mut drawn = Vec::new();
    for side in [false, true] {
        let here: Vec<usize> = (0..rows.len()).filter(|i| tested[rows[*i]] == side).collect();
        if !here.is_empty() {
            let splits = draw.split(&labels.select(&here), seed)?.splits;
            drawn.extend(splits[0].train.iter().map(|i| here[*i]));
        }
    }
    drawn.sort_unstable();
    Ok(drawn)
}

/// Row numbers from 0, separated by commas or lines.
fn row_numbers(path: &Path, n: usize) -> Result<Vec<usize>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let words = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|w| !w.is_empty());
    let number = |word: &str| match word.parse::<usize>() {
        Ok(row) if row < n => Ok(row),
        _ => Err(misuse(format!(
            "{}: expected row numbers from 0 to {}, found '{word}'",
            path.display(),
            n.saturating_sub(1)
        ))),
    };
    words.map(number).collect()
}

/// The splits of some data: those that are given, else those of the protocol; rows that the data says to test on are those
/// that are reserved.
///
/// # Errors
/// Too few instances of a class; splits of other data.
pub fn splits(
    (task, Learning { splits: protocol, transductive, .. }): (Task, Learning),
    given: Option<&Splits>,
    (views, labels): (&Views, &Labels),
    test: Option<&Vec<usize>>,
    seed: u64,
) -> cokernel::Result<Splits> {
    let of_classes = task == Task::Classify;
    let found = match given {
        Some(given) => {
            given.check(labels, views.ids())?;
            if of_classes {
                given.check_classes(labels)?;
            }
            given.clone()
        }
        None => {
            let found = drawn(protocol, labels, test, seed)?;
            if of_classes && test.is_some() {
                found.check_classes(labels)?;
            }
            found
        }
    };
    Ok(if transductive { found.transductive() } else { found })
}

fn drawn(
    protocol: eval::Protocol,
    labels: &Labels,
    test: Option<&Vec<usize>>,
    seed: u64,
) -> cokernel::Result<Splits> {
    let (Some(test), eval::Protocol::Reserved { .. }) = (test, protocol) else {
        return protocol.split(labels, seed);
    };
    let there: HashSet<&usize> = test.iter().collect();
    let rest: Vec<usize> = (0..labels.len()).filter(|i| !there.contains(i)).collect();
    let halves = eval::Protocol::FiveByTwo.split(&labels.select(&rest), seed)?.splits;
    let of = |rows: &[usize]| rows.iter().map(|i| rest[*i]).collect();
    let one =
        |s: &Split| Split { train: of(&s.train), validation: of(&s.test), test: test.clone() };
    Splits::given(halves.iter().map(one).collect(), labels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cokernel::data::Matrix;

    #[test]
    fn classes_are_merged_rows_taken_and_tests_given() {
        let folder = tempfile::tempdir().unwrap();
        let n = 60;
        let x: Vec<String> = (0..n).map(|i| format!("{i}.0,1.0")).collect();
        let y: Vec<String> = (0..n).map(|i| (i % 4).to_string()).collect();
        std::fs::create_dir(folder.path().join("own")).unwrap();
        let put = |name: &str, text: String| {
            std::fs::write(folder.path().join("own").join(name), text).unwrap();
        };
        put("x.csv", x.join("\n"));
        put("labels.csv", y.join("\n"));
        put("test.csv", (40..60).map(|i| i.to_string()).collect::<Vec<_>>().join(","));
        let source = Source::Folder(crate::source::Folder {
            name: "own".to_string(),
            views: vec!["x".to_string()],
        });
        let texts = |t: &[&str]| t.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let classes = [("a".to_string(), texts(&["0", "2"])), ("b".to_string(), texts(&["3"]))];
        let mut wanted = Selection {
            classes: classes.into_iter().collect(),
            take: None,
            test: Some("test.csv".to_string()),
        };
        let load = |s: &Selection| s.load(&source, Some(folder.path()), None, 0, false);
        let all = load(&wanted).unwrap();
        assert_eq!(all.views.n(), 45);
        assert_eq!(all.labels.classes().unwrap().names, ["a", "b"]);
        assert_eq!(all.labels.classes().unwrap().codes.iter().filter(|c| **c == 0).count(), 30);
        assert_eq!(all.test.as_ref().unwrap().len(), 15);
        let first = |m: &Views, i: usize| match &m.get("x").unwrap().table {
            cokernel::data::Table::Dense(m) => Matrix::row(m, i)[0],
            _ => f64::NAN,
        };
        assert!(all.test.unwrap().iter().all(|&i| first(&all.views, i) >= 40.0));
        wanted.take = Some(15);
        let some = load(&wanted).unwrap();
        assert_eq!((some.views.n(), some.test.as_ref().unwrap().len()), (15, 5));
        let reserved = eval::Protocol::Reserved { test: 0.3 };
        let learning = Learning { splits: reserved, transductive: false, inner_folds: 2 };
        let of = (&some.views, &some.labels);
        let halves =
            splits((Task::Classify, learning), None, of, some.test.as_ref(), 3).unwrap().splits;
        assert_eq!(halves.len(), 10);
        for split in &halves {
            assert_eq!(&split.test, some.test.as_ref().unwrap());
            assert_eq!(split.train.len() + split.validation.len(), 10);
            assert!(split.train.iter().chain(&split.validation).all(|i| !split.test.contains(i)));
        }
        wanted.classes.insert("c".to_string(), texts(&["9"]));
        assert!(load(&wanted).err().unwrap().to_string().starts_with("unknown class '9'"));
        put("test.csv", "60".to_string());
        wanted.classes.remove("c");
        let said = load(&wanted).err().unwrap().to_string();
        assert!(
            said.ends_with("test.csv: expected row numbers from 0 to 59, found '60'"),
            "{said}"
        );
    }
}
