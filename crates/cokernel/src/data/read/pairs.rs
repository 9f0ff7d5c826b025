//! Files of pairs: two instances and their link on each line.
//!
//! In text `p17,p4,must` or `0 12 -1` (see [`Link::from_text`]); the first line may name the columns, the
//! third of them `link`, `sign`, `pair`, `label` or `y`. In the formats of numbers a table of three columns.
//! A fourth field, in every line or in some, is the weight of a pair (1 where there is none). Instances go by their ids where the views have some, otherwise by their row numbers, from 0.

use super::csv::{Rows, shorten};
use super::{Format, Header, ReadOptions, parse_error, read_bytes};
use crate::data::pairs::{Collected, Problem};
use crate::data::{Link, Pairs, Table, Views};
use crate::{Error, Result};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Column names that say "this is the link", in any letter case.
const LINK_NAMES: [&str; 5] = ["link", "sign", "pair", "label", "y"];

/// The pairs of a file, as they are written there.
#[derive(Debug, Clone, PartialEq)]
pub struct PairFile {
    /// Where they were read from.
    pub path: PathBuf,
    /// One for each pair.
    pub lines: Vec<PairLine>,
}

/// A line of a file of pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct PairLine {
    /// Its number, from 1; of a table of numbers that of its row.
    pub line: usize,
    /// The two instances, by id or row number.
    pub instances: [String; 2],
    /// What is known about them.
    pub link: Link,
    /// How much the pair counts, 1 where the line does not say.
    pub weight: f64,
}

/// Reads a file of pairs; the ending of its name says in which format.
///
/// # Errors
/// The file cannot be read or has no pairs; a line has not three or four fields, its third is no link, or its
/// fourth no number.
pub fn read_pairs(path: &Path, options: &ReadOptions) -> Result<PairFile> {
    let format = Format::of(path)?;
    let bytes = read_bytes(path, options)?;
    if format == Format::Text {
        return parse_pairs(&bytes, path, options);
    }
    let file = format.parser()(&bytes, path, options)?;
    let (Table::Dense(table), None) = (&file.table, &file.labels) else {
        let problem = "pairs are read from text files and from dense tables of numbers";
        return Err(parse_error(path, (0, 0), problem));
    };
    if !matches!(table.cols(), 3 | 4) {
        let problem = format!(
            "expected 3 columns (two row numbers, and 1 or -1) or 4 (and a weight), found {}",
            table.cols()
        );
        return Err(parse_error(path, (0, 0), problem));
    }
    let line = |p: usize| {
        let row = table.row(p);
        let link = Link::from_sign(row[2])
            .ok_or_else(|| parse_error(path, (p + 1, 3), no_link(&row[2].to_string())))?;
        let weight = row.get(3).copied().unwrap_or(1.0);
        let instances = [row[0].to_string(), row[1].to_string()];
        Ok(PairLine { line: p + 1, instances, link, weight })
    };
    let lines = (0..table.rows()).map(line).collect::<Result<_>>()?;
    Ok(PairFile { path: path.to_path_buf(), lines })
}

/// Reads pairs from the bytes of a text file.
///
/// # Errors
/// As [`read_pairs`].
pub fn parse_pairs(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<PairFile> {
    let rows = Rows::of(bytes, path, options.delimiter, true)?;
    let mut lines = Vec::new();
    for (place, (line, fields)) in rows.iter().enumerate() {
        let (first, second, third, weight) = match fields[..] {
            [first, second, third] => (first, second, third, None),
            [first, second, third, weight] => (first, second, third, Some(weight)),
            _ => {
                let problem = format!(
                    "expected 3 fields (two instances, and must or cannot) or 4 (and a weight), found {}",
                    fields.len()
                );
                return Err(parse_error(path, (line, 0), problem));
            }
        };
        let names_link = LINK_NAMES.iter().any(|n| n.eq_ignore_ascii_case(third));
        let named = match options.header {
            Header::Yes => true,
            Header::No => false,
            Header::Auto => rows.commented || names_link,
        };
        if place == 0 && named {
            continue;
        }
        let link = Link::from_text(third)
            .ok_or_else(|| parse_error(path, (line, 3), no_link(&shorten(third))))?;
        if let Some(empty) = [first, second].iter().position(|text| text.is_empty()) {
            return Err(parse_error(
                path,
                (line, empty + 1),
                "expected an instance, found nothing",
            ));
        }
        let weight = match weight.filter(|w| !w.is_empty()) {
            Some(text) => text.parse().map_err(|_| {
                let problem = format!("expected a weight, found '{}'", shorten(text));
                parse_error(path, (line, 4), problem)
            })?,
            None => 1.0,
        };
        let instances = [first.to_string(), second.to_string()];
        lines.push(PairLine { line, instances, link, weight });
    }
    if lines.is_empty() {
        return Err(parse_error(path, (0, 0), "there are no pairs"));
    }
    Ok(PairFile { path: path.to_path_buf(), lines })
}

fn no_link(found: &str) -> String {
    format!("expected must or cannot (or +1 or -1), found '{found}'")
}

impl PairFile {
    /// The pairs among the instances of these views: by their ids, where they have some, else by row number.
    ///
    /// # Errors
    /// The line with an instance that is not there, with an instance and itself, or with a pair that is both
    /// must-link and cannot-link.
    pub fn pairs(&self, views: &Views) -> Result<Pairs> {
        let ids: Option<HashMap<&str, usize>> =
            views.ids().map(|ids| ids.iter().enumerate().map(|(i, id)| (id.as_str(), i)).collect());
        let at = |line: usize, field: usize, problem: String| -> Error {
            parse_error(&self.path, (line, field), problem)
        };
        let row = |text: &str| match &ids {
            Some(ids) => ids.get(text).copied().ok_or_else(|| {
                format!("there is no instance '{}' among the ids of the views", shorten(text))
            }),
            None => whole(text).ok_or_else(|| {
                format!(
                    "expected a row number from 0 on, because the views have no ids, found '{}'",
                    shorten(text)
                )
            }),
        };
        let name = |i: usize| match views.ids() {
            Some(ids) => format!("'{}'", shorten(&ids[i])),
            None => format!("row {i}"),
        };
        let mut collected = Collected::new(views.n());
        for PairLine { line, instances: [first, second], link, weight } in &self.lines {
            let i = row(first).map_err(|problem| at(*line, 1, problem))?;
            let j = row(second).map_err(|problem| at(*line, 2, problem))?;
            let added = collected.add((i, j, *link, *weight), *line, name);
            let said = |p: Problem| at(*line, 0, p.text(|line| format!("line {line}")));
            added.map_err(said)?;
        }
        Ok(collected.pairs())
    }
}

/// A whole number from 0 on, also as tables of numbers have it.
fn whole(text: &str) -> Option<usize> {
    text.parse().ok().or_else(|| {
        let value: f64 = text.parse().ok()?;
        let whole = value >= 0.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX);
        whole.then_some(value as usize)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Matrix;

    fn views(ids: Option<&[&str]>) -> Views {
        let mut views = Views::new().dense("x", Matrix::zeros(4, 1)).unwrap();
        if let Some(ids) = ids {
            views.set_ids(ids.iter().map(|id| id.to_string()).collect()).unwrap();
        }
        views
    }

    fn read(text: &str, ids: Option<&[&str]>) -> Result<Pairs> {
        let file = parse_pairs(text.as_bytes(), Path::new("p.csv"), &ReadOptions::default())?;
        file.pairs(&views(ids))
    }

    #[test]
    fn words_signs_and_headers() {
        let expected =
            Pairs::new(4, [(0, 1, Link::Must), (2, 3, Link::Cannot), (0, 3, Link::Cannot)])
                .unwrap();
        for text in [
            "0,1,must\n2,3,cannot\n3,0,cannot\n",
            "first;second;LINK\n0;1;+1\n2;3;-1\n0;3;-1\n0;3;-1\n",
            "0 1 must_link\n\n2 3 cannot-link\n0 3 -1\n",
            "# a\tb\tt\n0\t1\t1\n2\t3\t-1.0\n0\t3\t-1\n",
        ] {
            assert_eq!(read(text, None).unwrap(), expected, "{text}");
        }
        let weighted = [(0, 1, Link::Must, 1.0), (2, 3, Link::Cannot, 0.25)];
        let weighted = Pairs::weighted(4, weighted).unwrap();
        for text in ["a,b,link,weight\n0,1,must,1\n2,3,-1,0.25\n", "0,1,must\n3,2,cannot,2.5e-1\n"]
        {
            assert_eq!(read(text, None).unwrap(), weighted, "{text}");
        }
        let ids = ["a", "b b", "3", "-"];
        let text = "a,b b,must\n\"3\",-,cannot\n-,a,cannot\n";
        assert_eq!(read(text, Some(&ids)).unwrap(), expected);
    }

    #[test]
    fn every_mistake_names_its_line() {
        let ids = ["a", "b", "c", "d"];
        for (text, ids, said) in [
            (
                "0,1,must\n0,4,must\n",
                None,
                "p.csv, line 2: there is no row 4; rows are numbered from 0 to 3",
            ),
            (
                "0,1,must\n2,2,must\n",
                None,
                "p.csv, line 2: row 2 is paired with itself; expected two instances",
            ),
            (
                "0,1,must\n2,3,must\n1,0,cannot\n",
                None,
                "p.csv, line 3: row 1 and row 0 are cannot-link here, but must-link in line 1; keep one of the two",
            ),
            (
                "a,e,must\n",
                Some(&ids[..]),
                "p.csv, line 1, column 2: there is no instance 'e' among the ids of the views",
            ),
            (
                "a,a,must\n",
                Some(&ids[..]),
                "p.csv, line 1: 'a' is paired with itself; expected two instances",
            ),
            (
                "0,x,must\n",
                None,
                "p.csv, line 1, column 2: expected a row number from 0 on, because the views have no ids, \
                 found 'x'",
            ),
            ("-1,0,must\n", None, "p.csv, line 1, column 1: expected a row number from 0 on"),
            (
                "0,1,mst\n",
                None,
                "p.csv, line 1, column 3: expected must or cannot (or +1 or -1), found 'mst'",
            ),
            ("i,j,link\n0,1,0\n", None, "p.csv, line 2, column 3: expected must or cannot"),
            (
                "0,1\n",
                None,
                "p.csv, line 1: expected 3 fields (two instances, and must or cannot) or 4 (and a weight), found 2",
            ),
            ("0,1,must,much\n", None, "p.csv, line 1, column 4: expected a weight, found 'much'"),
            (
                "0,1,must,-2\n",
                None,
                "p.csv, line 1: its weight is -2; expected a finite number, 0 or more",
            ),
            (",1,must\n", None, "p.csv, line 1, column 1: expected an instance, found nothing"),
            ("i,j,link\n", None, "p.csv: there are no pairs"),
            ("", None, "p.csv: there are no pairs"),
        ] {
            let e = read(text, ids).unwrap_err().to_string();
            assert!(e.starts_with(said), "{e}\n{said}");
        }
    }

    #[test]
    fn tables_of_numbers_are_pairs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.npy");
        let npy = |rows: &[[f64; 3]]| {
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            let header = format!(
                "{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, 3), }}\n",
                rows.len()
            );
            bytes.extend((header.len() as u16).to_le_bytes());
            bytes.extend(header.bytes());
            rows.iter().flatten().for_each(|v| bytes.extend(v.to_le_bytes()));
            std::fs::write(&path, bytes).unwrap();
            let file = read_pairs(&path, &ReadOptions::default());
            file.and_then(|f| f.pairs(&views(None))).map_err(|e| e.to_string())
        };
        let expected = Pairs::new(4, [(0, 1, Link::Must), (2, 3, Link::Cannot)]).unwrap();
        assert_eq!(npy(&[[0.0, 1.0, 1.0], [3.0, 2.0, -1.0]]).unwrap(), expected);
        let said = npy(&[[0.0, 1.0, 0.0]]).unwrap_err();
        assert!(said.contains("line 1, column 3: expected must or cannot"), "{said}");
        let said = npy(&[[0.0, 1.5, 1.0]]).unwrap_err();
        assert!(said.contains("expected a row number from 0 on"), "{said}");
    }
}
