//! A table of scores, methods by data sets and splits, with everything that is asked of it: tests on the splits of each
//! data set, wins, ties and losses, signed ranks and mean ranks over data sets.

use super::{
    Ranking, Tested, corrected_t_test, f_5x2, friedman, holm, nemenyi, wilcoxon,
    wilcoxon_with_zeros,
};
use crate::eval::Stat;
use crate::{Error, Result, brief};
use serde::Serialize;

/// Scores of methods on splits of data sets.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreTable {
    /// Names of the methods.
    pub methods: Vec<String>,
    /// For each split the name of its data set and the score of each method. Splits of a data set are in order: the two of
    /// a replication of 5×2 cross-validation after each other.
    pub rows: Vec<(String, Vec<f64>)>,
    /// Columns of the file that were not read.
    pub unread: Vec<String>,
}

/// The test on the splits of a data set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Paired {
    /// [`corrected_t_test`] with this ratio of test to training instances; 0 for independent blocks.
    T(f64),
    /// [`f_5x2`].
    F5x2,
}

/// What is compared, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparing {
    /// All methods are compared with this one; `None`: all pairs.
    pub baseline: Option<String>,
    /// The level of significance.
    pub alpha: f64,
    /// The test on splits.
    pub paired: Paired,
    /// Whether smaller scores are better, as of errors.
    pub lower: bool,
    /// Whether the signed ranks are those of LMKA, [`wilcoxon_with_zeros`].
    pub with_zeros: bool,
}

impl Default for Comparing {
    fn default() -> Self {
        let paired = Paired::T(0.0);
        Comparing { baseline: None, alpha: 0.05, paired, lower: false, with_zeros: false }
    }
}

/// Two methods on the splits of one data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pair {
    /// The data set.
    pub data: String,
    /// The first method.
    pub first: String,
    /// The second method.
    pub second: String,
    /// Mean of first − second.
    pub difference: f64,
    /// The test, where the data set has several splits.
    pub test: Option<Tested>,
    /// Its p-value among those of all pairs on this data set (Holm).
    pub holm: Option<f64>,
}

/// Two methods over all data sets. A win is one of the first method.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Versus {
    /// The first method.
    pub first: String,
    /// The second method.
    pub second: String,
    /// Data sets on which the mean of the first is better, equal, worse.
    pub direct: [usize; 3],
    /// The same, where only a p-value below the level (without Holm's correction, as LMKA counts) is a win or a loss; of
    /// data sets with several splits.
    pub tested: Option<[usize; 3]>,
    /// Signed ranks of the means; of several data sets.
    pub wilcoxon: Option<Tested>,
    /// Its p-value among those of all pairs (Holm).
    pub holm: Option<f64>,
}

/// The means of one data set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Means {
    /// The data set.
    pub data: String,
    /// Mean and standard deviation over the splits, by method.
    pub scores: Vec<Stat>,
}

/// Everything that is told of a table of scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Names of the methods.
    pub methods: Vec<String>,
    /// The level of significance.
    pub alpha: f64,
    /// By data set, in the order of the table.
    pub means: Vec<Means>,
    /// By data set and pair of methods.
    pub pairs: Vec<Pair>,
    /// By pair of methods.
    pub versus: Vec<Versus>,
    /// Mean ranks over the data sets, and whether they are all alike; of several data sets.
    pub ranking: Option<Ranking>,
    /// Mean ranks that are this far apart differ ([`nemenyi`]).
    pub critical_difference: Option<f64>,
}

/// The difference of two scores, 0 where it is that of rounding (10⁻¹² of the larger).
pub fn apart(a: f64, b: f64) -> f64 {
    let difference = a - b;
    if difference.abs() <= 1e-12 * a.abs().max(b.abs()) { 0.0 } else { difference }
}

/// Rows by the numbers of their splits, where all are numbers; data sets stay in the order of their first row.
fn in_order(rows: Vec<(String, Vec<f64>)>, splits: &[String]) -> Vec<(String, Vec<f64>)> {
    let numbers: Option<Vec<f64>> =
        splits.iter().map(|s| s.parse::<f64>().ok().filter(|v| v.is_finite())).collect();
    let Some(numbers) = numbers.filter(|n| n.len() == rows.len()) else { return rows };
    let first = |data: &str| rows.iter().position(|r| r.0 == data);
    let mut order: Vec<(Option<usize>, f64, usize)> =
        rows.iter().enumerate().map(|(i, r)| (first(&r.0), numbers[i], i)).collect();
    order.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    order.into_iter().map(|(_, _, i)| rows[i].clone()).collect()
}

/// Wins, ties and losses by signs.
fn counted(signs: impl Iterator<Item = f64>) -> [usize; 3] {
    let mut counts = [0; 3];
    for sign in signs {
        counts[if sign > 0.0 {
            0
        } else if sign < 0.0 {
            2
        } else {
            1
        }] += 1;
    }
    counts
}

impl ScoreTable {
    /// Reads CSV. Wide: a column for each method, a line for each split, with the columns `data` (name of the data set; one
    /// without it) and `split` where there are some. Long: the columns `method` and `score`, `data` and `split` if there are
    /// several, of which none may have a name that is nearly that. Splits are in the order of the column `split`, where all its entries are numbers, else in that of the lines.
    ///
    /// # Errors
    /// A column lacks or is there twice; a score is not a finite number; a split of a data set is there twice; methods have not
    /// the same splits.
    pub fn from_csv(text: &str) -> Result<Self> {
        let wrong = |line: usize, what: String| Error::Data(format!("scores, line {line}: {what}"));
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let of_csv = |e: csv::Error| Error::Data(format!("scores: {e}"));
        let header: Vec<String> =
            reader.headers().map_err(of_csv)?.iter().map(str::to_string).collect();
        if let Some(at) = header.iter().position(String::is_empty) {
            let problem =
                format!("column {} has no name; a column without one is no method", at + 1);
            return Err(wrong(1, problem));
        }
        if let Some(twice) = header.iter().enumerate().find(|(i, h)| header[..*i].contains(h)) {
            return Err(wrong(1, format!("there are two columns '{}'", twice.1)));
        }
        let place = |name: &str| header.iter().position(|h| h == name);
        let (data, split, method) = (place("data"), place("split"), place("method"));
        for (own, found) in [("data", data), ("split", split)] {
            let nearly = |h: &&String| h.to_lowercase().starts_with(own);
            if let (None, Some(name)) = (found, header.iter().find(nearly)) {
                let problem =
                    format!("column '{name}' would be no {own}: call it '{own}', or leave it out");
                return Err(wrong(1, problem));
            }
        }
        let number = |line: usize, column: usize, text: &str| {
            let value = text.parse::<f64>().ok().filter(|v| v.is_finite());
            value.ok_or_else(|| {
                wrong(
                    line,
                    format!("column '{}': expected a number, found '{text}'", header[column]),
                )
            })
        };
        let records: Vec<csv::StringRecord> =
            reader.records().collect::<std::result::Result<_, _>>().map_err(of_csv)?;
        let lines = || records.iter().zip(2..);
        let name = |r: &csv::StringRecord| data.map_or(String::new(), |d| r[d].to_string());
        let table = match method {
            None => {
                let of_methods: Vec<usize> =
                    (0..header.len()).filter(|c| Some(*c) != data && Some(*c) != split).collect();
                let (mut rows, mut splits) = (Vec::new(), Vec::new());
                for (r, line) in lines() {
                    let scores = of_methods.iter().map(|&c| number(line, c, &r[c]));
                    rows.push((name(r), scores.collect::<Result<Vec<f64>>>()?));
                    if let Some(split) = split {
                        let key = (name(r), r[split].to_string());
                        if splits.contains(&key) {
                            let problem =
                                format!("split '{}' of data set '{}' is there twice", key.1, key.0);
                            return Err(wrong(line, problem));
                        }
                        splits.push(key);
                    }
                }
                let splits: Vec<String> = splits.into_iter().map(|key| key.1).collect();
                ScoreTable {
                    methods: of_methods.iter().map(|&c| header[c].clone()).collect(),
                    rows: in_order(rows, &splits),
                    unread: Vec::new(),
                }
            }
            Some(method) => {
                let score = place("score").ok_or_else(|| {
                    wrong(1, "expected a column 'score' beside 'method'".to_string())
                })?;
                let known = ["data", "split", "method", "score"].map(String::from);
                let unread: Vec<String> =
                    header.iter().filter(|h| !known.contains(h)).cloned().collect();
                let mut long = Vec::new();
                for (r, line) in lines() {
                    let split = split.map(|s| r[s].to_string());
                    long.push((
                        name(r),
                        split,
                        r[method].to_string(),
                        number(line, score, &r[score])?,
                    ));
                }
                let beside = match unread.is_empty() {
                    true => String::new(),
                    false => format!(" (columns that are not read: {})", unread.join(", ")),
                };
                let table =
                    Self::from_long(long).map_err(|e| Error::Data(format!("{e}{beside}")))?;
                ScoreTable { unread, ..table }
            }
        };
        table.checked()
    }

    /// One line for each method and split: data set, split (or `None`: in the order of the lines), method, score.
    fn from_long(lines: Vec<(String, Option<String>, String, f64)>) -> Result<Self> {
        let mut methods: Vec<String> = Vec::new();
        let mut keys: Vec<(String, String)> = Vec::new();
        let mut found: std::collections::HashMap<(usize, usize), f64> = Default::default();
        let mut seen: std::collections::HashMap<(String, usize), usize> = Default::default();
        for (data, split, method, score) in lines {
            let m = methods.iter().position(|n| *n == method).unwrap_or_else(|| {
                methods.push(method.clone());
                methods.len() - 1
            });
            let nth = seen.entry((data.clone(), m)).or_insert(0);
            let split = split.unwrap_or_else(|| nth.to_string());
            *nth += 1;
            let key = (data, split);
            let k = keys.iter().position(|n| *n == key).unwrap_or_else(|| {
                keys.push(key.clone());
                keys.len() - 1
            });
            if found.insert((k, m), score).is_some() {
                let (data, split) = key;
                return Err(Error::Data(format!(
                    "scores: method '{method}' has two scores on split '{split}' of data set '{data}'"
                )));
            }
        }
        let row = |(k, (data, split)): (usize, &(String, String))| {
            let scores = methods.iter().enumerate().map(|(m, method)| {
                found.get(&(k, m)).copied().ok_or_else(|| {
                    Error::Data(format!(
                        "scores: method '{method}' has no score on split '{split}' of data set '{data}'"
                    ))
                })
            });
            Ok((data.clone(), scores.collect::<Result<Vec<f64>>>()?))
        };
        let rows = keys.iter().enumerate().map(row).collect::<Result<_>>()?;
        let splits: Vec<String> = keys.into_iter().map(|key| key.1).collect();
        Ok(ScoreTable { methods, rows: in_order(rows, &splits), unread: Vec::new() })
    }

    fn checked(self) -> Result<Self> {
        let (methods, rows) = (self.methods.len(), self.rows.len());
        if methods < 2 || rows == 0 {
            return Err(Error::Data(format!(
                "scores: expected at least 2 methods and a split, found {methods} and {rows}"
            )));
        }
        if let Some(at) = (0..methods).find(|&m| self.methods[..m].contains(&self.methods[m])) {
            return Err(Error::Data(format!(
                "scores: there are two methods '{}'",
                self.methods[at]
            )));
        }
        for (data, scores) in &self.rows {
            if scores.len() != methods || scores.iter().any(|v| !v.is_finite()) {
                return Err(Error::Data(format!(
                    "scores: expected {methods} finite numbers on each split of data set '{data}'"
                )));
            }
        }
        Ok(self)
    }

    /// Compares the methods.
    ///
    /// # Errors
    /// Fewer than two methods or no split; an unknown baseline; a level outside (0, 1); for [`Paired::F5x2`] a data set
    /// whose splits are not ten.
    pub fn compare(&self, how: &Comparing) -> Result<Verdict> {
        let table = self.clone().checked()?;
        if !(how.alpha > 0.0 && how.alpha < 1.0) {
            let problem = format!("expected a number between 0 and 1, found {}", brief(how.alpha));
            return Err(Error::parameter("alpha", problem));
        }
        let m = table.methods.len();
        let pairs: Vec<(usize, usize)> = match &how.baseline {
            None => (0..m).flat_map(|a| (a + 1..m).map(move |b| (a, b))).collect(),
            Some(name) => {
                let known = || Error::unknown("method", name, table.methods.iter().map(|n| &**n));
                let b = table.methods.iter().position(|n| n == name).ok_or_else(known)?;
                (0..m).filter(|a| *a != b).map(|a| (a, b)).collect()
            }
        };
        let mut names: Vec<&String> = Vec::new();
        for (data, _) in &table.rows {
            if !names.contains(&data) {
                names.push(data);
            }
        }
        let sign = if how.lower { -1.0 } else { 1.0 };
        let (mut means, mut tests, mut signs) = (Vec::new(), Vec::new(), Vec::new());
        for data in &names {
            let of_data: Vec<&Vec<f64>> =
                table.rows.iter().filter(|r| r.0 == **data).map(|r| &r.1).collect();
            let column = |a: usize| Stat::new(of_data.iter().map(|s| s[a]).collect());
            let scores: Vec<Stat> = (0..m).map(column).collect();
            let tested = |&(a, b): &(usize, usize)| {
                let differences: Vec<f64> = of_data.iter().map(|s| apart(s[a], s[b])).collect();
                match (differences.len(), how.paired) {
                    (1, Paired::T(_)) => Ok(None),
                    (_, Paired::T(ratio)) => corrected_t_test(&differences, ratio).map(Some),
                    (_, Paired::F5x2) => f_5x2(&differences)
                        .map(Some)
                        .map_err(|e| Error::Data(format!("scores of data set '{data}': {e}"))),
                }
            };
            let found: Vec<Option<Tested>> = pairs.iter().map(tested).collect::<Result<_>>()?;
            let p: Vec<f64> = found.iter().flatten().map(|t| t.p).collect();
            let mut corrected = holm(&p).into_iter();
            for (&(a, b), test) in pairs.iter().zip(&found) {
                let difference = apart(scores[a].mean, scores[b].mean);
                let sure = test.is_some_and(|t| t.p < how.alpha);
                signs.push(if sure { sign * difference } else { 0.0 });
                tests.push(Pair {
                    data: (*data).clone(),
                    first: table.methods[a].clone(),
                    second: table.methods[b].clone(),
                    difference,
                    test: *test,
                    holm: test.and_then(|_| corrected.next()),
                });
            }
            means.push(Means { data: (*data).clone(), scores });
        }
        let several = names.len() > 1;
        let mut versus = Vec::new();
        for (k, &(a, b)) in pairs.iter().enumerate() {
            let differences: Vec<f64> =
                means.iter().map(|d| apart(d.scores[a].mean, d.scores[b].mean)).collect();
            let of_pair = || tests.iter().zip(&signs).skip(k).step_by(pairs.len());
            let is_tested = of_pair().any(|(t, _)| t.test.is_some());
            let signed = if how.with_zeros { wilcoxon_with_zeros } else { wilcoxon };
            versus.push(Versus {
                first: table.methods[a].clone(),
                second: table.methods[b].clone(),
                direct: counted(differences.iter().map(|d| sign * d)),
                tested: is_tested
                    .then(|| counted(of_pair().filter(|(t, _)| t.test.is_some()).map(|(_, s)| *s))),
                wilcoxon: several.then(|| signed(&differences)).transpose()?,
                holm: None,
            });
        }
        let p: Vec<f64> = versus.iter().filter_map(|v| v.wilcoxon.map(|t| t.p)).collect();
        if several {
            versus.iter_mut().zip(holm(&p)).for_each(|(v, p)| v.holm = Some(p));
        }
        let turned = |d: &Means| d.scores.iter().map(|s| sign * s.mean).collect::<Vec<f64>>();
        let ranking = several.then(|| friedman(&means.iter().map(turned).collect::<Vec<_>>()));
        let critical = several.then(|| nemenyi(m, names.len(), how.alpha)).transpose()?;
        Ok(Verdict {
            methods: table.methods,
            alpha: how.alpha,
            means,
            pairs: tests,
            versus,
            ranking: ranking.transpose()?,
            critical_difference: critical,
        })
    }
}
