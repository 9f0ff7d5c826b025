//! [`Labels`]: classes or real targets, some of which may be missing.

use crate::{Error, Result};
use std::collections::HashMap;

/// What is known about the instances.
#[derive(Debug, Clone, PartialEq)]
pub enum Labels {
    /// Classes by code into `names`; `None` where the label is missing.
    Classes {
        /// Class names in code order: sorted as numbers if all are numbers, else as text.
        names: Vec<String>,
        /// Code of each instance.
        codes: Vec<Option<u32>>,
    },
    /// Real targets; `None` where missing.
    Real(Vec<Option<f64>>),
    /// No labels at all, for this many instances.
    Absent(usize),
}

/// Complete class labels: what a classification method works on.
#[derive(Debug, Clone, PartialEq)]
pub struct Classes {
    /// Class names in code order; at least two, each with at least one instance.
    pub names: Vec<String>,
    /// Code of each instance.
    pub codes: Vec<u32>,
}

/// Class labels some of which are not known: what a method that learns from unlabelled instances, too, works on.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialClasses {
    /// Class names in code order; at least two, each with at least one instance.
    pub names: Vec<String>,
    /// Code of each instance; `None` where the class is not known.
    pub codes: Vec<Option<u32>>,
}

/// A text without surrounding space; `None` if it says that the label is missing.
fn known(text: &str) -> Option<&str> {
    let text = text.trim();
    let missing = matches!(text, "" | "?")
        || text.eq_ignore_ascii_case("na")
        || text.eq_ignore_ascii_case("nan");
    (!missing).then_some(text)
}

impl Labels {
    /// Class labels from their texts; an empty text, `?`, `NA` or `nan` is a missing label.
    ///
    /// If all labels are numbers, texts with the same value (`1`, `1.0`, `+1`) are one class,
    /// named by the shortest of them.
    pub fn from_texts<S: AsRef<str>>(texts: &[S]) -> Self {
        let mut names: Vec<&str> = texts.iter().filter_map(|t| known(t.as_ref())).collect();
        names.sort_unstable();
        names.dedup();
        let numbers: Option<Vec<f64>> = names.iter().map(|t| t.parse().ok()).collect();
        let mut classes: Vec<Vec<&str>> = Vec::new();
        match numbers {
            Some(numbers) => {
                let value = |x: f64| if x == 0.0 { 0.0 } else { x };
                let mut pairs: Vec<(f64, &str)> =
                    numbers.into_iter().map(value).zip(names).collect();
                pairs.sort_by(|a, b| {
                    a.0.total_cmp(&b.0).then(a.1.len().cmp(&b.1.len())).then(a.1.cmp(b.1))
                });
                for same in pairs.chunk_by(|a, b| a.0 == b.0) {
                    classes.push(same.iter().map(|p| p.1).collect());
                }
            }
            None => classes.extend(names.into_iter().map(|n| vec![n])),
        }
        let code: HashMap<&str, u32> = (0_u32..)
            .zip(&classes)
            .flat_map(|(c, texts)| texts.iter().map(move |t| (*t, c)))
            .collect();
        let codes = texts.iter().map(|t| known(t.as_ref()).map(|t| code[t])).collect();
        let names = classes.iter().map(|texts| texts[0].to_string()).collect();
        Labels::Classes { names, codes }
    }

    /// Real targets from their texts; an empty text, `?`, `NA` or `nan` is a missing target.
    ///
    /// # Errors
    /// Row (from 0) of the first text that is neither missing nor a finite number.
    pub fn real_from_texts<S: AsRef<str>>(texts: &[S]) -> Result<Self> {
        let real = |(row, text): (usize, &S)| {
            let Some(text) = known(text.as_ref()) else { return Ok(None) };
            match text.parse::<f64>() {
                Ok(x) if x.is_finite() => Ok(Some(x)),
                _ => Err(Error::Labels(format!(
                    "expected a finite number in row {row}, found '{text}'"
                ))),
            }
        };
        texts.iter().enumerate().map(real).collect::<Result<_>>().map(Labels::Real)
    }

    /// Number of instances.
    pub fn len(&self) -> usize {
        match self {
            Labels::Classes { codes, .. } => codes.len(),
            Labels::Real(v) => v.len(),
            Labels::Absent(n) => *n,
        }
    }

    /// Whether there is no instance.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The labels of the instances with these indices (class names are kept).
    pub fn select(&self, rows: &[usize]) -> Labels {
        match self {
            Labels::Classes { names, codes } => Labels::Classes {
                names: names.clone(),
                codes: rows.iter().map(|&i| codes[i]).collect(),
            },
            Labels::Real(v) => Labels::Real(rows.iter().map(|&i| v[i]).collect()),
            Labels::Absent(_) => Labels::Absent(rows.len()),
        }
    }

    /// The same without the labels of these instances.
    pub fn without(&self, rows: &[usize]) -> Labels {
        let mut found = self.clone();
        match &mut found {
            Labels::Classes { codes, .. } => rows.iter().for_each(|&i| codes[i] = None),
            Labels::Real(values) => rows.iter().for_each(|&i| values[i] = None),
            Labels::Absent(_) => {}
        }
        found
    }

    /// Indices of the instances whose label is known.
    pub fn known_rows(&self) -> Vec<usize> {
        match self {
            Labels::Classes { codes, .. } => {
                (0..codes.len()).filter(|&i| codes[i].is_some()).collect()
            }
            Labels::Real(v) => (0..v.len()).filter(|&i| v[i].is_some()).collect(),
            Labels::Absent(_) => Vec::new(),
        }
    }

    /// The labels as complete real numbers.
    ///
    /// # Errors
    /// Labels are classes or absent, there is none, or one is missing.
    pub fn real(&self) -> Result<Vec<f64>> {
        let Labels::Real(values) = self else {
            return Err(Error::Labels(match self {
                Labels::Classes { .. } => "expected real numbers, found classes".to_string(),
                _ => "expected real numbers, found none; give a label file".to_string(),
            }));
        };
        if values.is_empty() {
            return Err(Error::Labels("there are no instances".to_string()));
        }
        let complete = |(row, v): (usize, &Option<f64>)| match v {
            Some(v) if v.is_finite() => Ok(*v),
            Some(v) => {
                let problem = format!("the target of row {row} is {v}; expected a finite number");
                Err(Error::Labels(problem))
            }
            None => Err(Error::Labels(format!(
                "the target of row {row} is missing; keep the labelled instances only"
            ))),
        };
        values.iter().enumerate().map(complete).collect()
    }

    /// The labels as complete classes; class names without an instance are left out.
    ///
    /// # Errors
    /// Labels are real or absent, one is missing, or there are fewer than two classes.
    pub fn classes(&self) -> Result<Classes> {
        let Labels::Classes { names, codes } = self else {
            return Err(Error::Labels(match self {
                Labels::Real(_) => "expected classes, found real targets".to_string(),
                _ => "expected classes, found none; give a label file".to_string(),
            }));
        };
        if let Some(row) = codes.iter().position(Option::is_none) {
            return Err(Error::Labels(format!(
                "the label of row {row} is missing; keep the labelled instances only"
            )));
        }
        let found = used_classes(names, codes)?;
        Ok(Classes { names: found.names, codes: found.codes.into_iter().flatten().collect() })
    }

    /// The labels as classes of which some may be missing; class names without an instance are left out.
    ///
    /// # Errors
    /// Labels are real or absent, or there are fewer than two classes.
    pub fn partial_classes(&self) -> Result<PartialClasses> {
        match self {
            Labels::Classes { names, codes } => used_classes(names, codes),
            _ => self.classes().map(PartialClasses::from),
        }
    }
}

/// The classes that some instance has.
fn used_classes(names: &[String], codes: &[Option<u32>]) -> Result<PartialClasses> {
    let mut used = vec![false; names.len()];
    for code in codes.iter().flatten() {
        used[*code as usize] = true;
    }
    let mut new_code = vec![0_u32; names.len()];
    let mut kept = Vec::new();
    for (c, name) in names.iter().enumerate() {
        if used[c] {
            new_code[c] = kept.len() as u32;
            kept.push(name.clone());
        }
    }
    match kept.as_slice() {
        [] if codes.is_empty() => Err(Error::Labels("there are no instances".to_string())),
        [] => Err(Error::Labels("every label is missing".to_string())),
        [one] => {
            let which = if codes.contains(&None) { "labelled instance" } else { "instance" };
            Err(Error::Labels(format!(
                "every {which} is in class '{one}'; at least two classes are needed"
            )))
        }
        _ => Ok(PartialClasses {
            names: kept,
            codes: codes.iter().map(|c| c.map(|c| new_code[c as usize])).collect(),
        }),
    }
}

impl PartialClasses {
    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.names.len()
    }

    /// The labelled instances: which they are, and their classes.
    pub fn labelled(&self) -> (Vec<usize>, Classes) {
        let known = (0..self.codes.len()).filter(|i| self.codes[*i].is_some()).collect();
        (
            known,
            Classes {
                names: self.names.clone(),
                codes: self.codes.iter().flatten().copied().collect(),
            },
        )
    }
}

impl From<Classes> for PartialClasses {
    fn from(classes: Classes) -> Self {
        PartialClasses {
            names: classes.names,
            codes: classes.codes.into_iter().map(Some).collect(),
        }
    }
}

impl Classes {
    /// Complete classes from their texts.
    ///
    /// # Errors
    /// A label is missing, or there are fewer than two classes.
    pub fn from_texts<S: AsRef<str>>(texts: &[S]) -> Result<Self> {
        Labels::from_texts(texts).classes()
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.names.len()
    }

    /// Number of instances of each class.
    pub fn counts(&self) -> Vec<usize> {
        let mut counts = vec![0; self.names.len()];
        for &c in &self.codes {
            counts[c as usize] += 1;
        }
        counts
    }
}

/// Rows that are given class by class, dealt out to folds in turn: every fold gets as many of each
/// class as any other, or one more or less.
pub(crate) fn dealt(rows: impl Iterator<Item = usize>, folds: usize) -> Vec<Vec<usize>> {
    let mut parts = vec![Vec::new(); folds];
    for (k, row) in rows.enumerate() {
        parts[k % folds].push(row);
    }
    parts
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_as_numbers() {
        let Labels::Classes { names, codes } = Labels::from_texts(&["10", "9", "", "9"]) else {
            panic!("classes");
        };
        assert_eq!(names, ["9", "10"]);
        assert_eq!(codes, [Some(1), Some(0), None, Some(0)]);
    }

    #[test]
    fn equal_numbers_are_one_class() {
        let Labels::Classes { names, codes } = Labels::from_texts(&["+1", "-1", "1.0", "1"]) else {
            panic!("classes");
        };
        assert_eq!(names, ["-1", "1"]);
        assert_eq!(codes, [Some(1), Some(0), Some(1), Some(1)]);
        let Labels::Classes { names, .. } = Labels::from_texts(&["1", "1.0", "a"]) else {
            panic!("classes");
        };
        assert_eq!(names, ["1", "1.0", "a"]);
    }

    #[test]
    fn real_targets() {
        let labels = Labels::real_from_texts(&["1e3", " NA", "-0.5"]).unwrap();
        assert_eq!(labels, Labels::Real(vec![Some(1000.0), None, Some(-0.5)]));
        let e = Labels::real_from_texts(&["1", "high"]).unwrap_err();
        assert_eq!(e.to_string(), "labels: expected a finite number in row 1, found 'high'");
    }

    #[test]
    fn one_class_is_refused() {
        let e = Classes::from_texts(&["a", "a"]).unwrap_err();
        assert!(e.to_string().contains("every instance is in class 'a'"));
    }
}
