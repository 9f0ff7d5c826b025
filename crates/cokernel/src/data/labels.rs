//! [`Labels`]: classes or real targets, some of which may be missing.

use crate::{Error, Result};

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

impl Labels {
    /// Class labels from their texts; an empty text, `?`, `NA` or `nan` is a missing label.
    pub fn from_texts<S: AsRef<str>>(texts: &[S]) -> Self {
        let known = |t: &str| {
            let t = t.trim();
            !(t.is_empty()
                || t == "?"
                || t.eq_ignore_ascii_case("na")
                || t.eq_ignore_ascii_case("nan"))
        };
        let mut names: Vec<String> =
            texts.iter().map(|t| t.as_ref().trim().to_string()).filter(|t| known(t)).collect();
        let numbers: Option<Vec<f64>> = names.iter().map(|t| t.parse().ok()).collect();
        if numbers.is_some() {
            names.sort_by(|a, b| {
                let (x, y): (f64, f64) = (a.parse().unwrap_or(0.0), b.parse().unwrap_or(0.0));
                x.total_cmp(&y).then_with(|| a.cmp(b))
            });
        } else {
            names.sort();
        }
        names.dedup();
        let code = |t: &S| {
            let t = t.as_ref().trim();
            names.iter().position(|n| n == t).map(|c| c as u32)
        };
        let codes = texts.iter().map(code).collect();
        Labels::Classes { names, codes }
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
            [] => Err(Error::Labels("there are no instances".to_string())),
            [one] => Err(Error::Labels(format!(
                "every instance is in class '{one}'; at least two classes are needed"
            ))),
            _ => Ok(Classes {
                names: kept,
                codes: codes.iter().flatten().map(|c| new_code[*c as usize]).collect(),
            }),
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

#[cfg(test)]
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
    fn one_class_is_refused() {
        let e = Classes::from_texts(&["a", "a"]).unwrap_err();
        assert!(e.to_string().contains("every instance is in class 'a'"));
    }
}
