//! LIBSVM text: one line per instance, `label index:value index:value …`, indices from 1 and
//! rising, zeros left out, comments from `#` to the end of the line.

use super::csv::shorten;
use super::{ReadOptions, TableFile, no_text_options, parse_error, sparse_table, utf8};
use crate::Result;
use crate::data::Csr;
use std::path::Path;

/// The largest index; far above any known data set.
const MAX_INDEX: u64 = i32::MAX as u64;

/// Reads LIBSVM text. The number of columns is the largest index that occurs.
///
/// # Errors
/// Line and field of the first thing that is not `index:value`, an index that is 0 or does not
/// rise, or a value that is not a finite number.
pub fn parse_libsvm(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    no_text_options(path, options)?;
    let text = utf8(bytes, path)?;
    let mut labels = Vec::new();
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    let mut cols = 0_u32;
    for (k, line) in text.lines().enumerate() {
        let content = line.split_once('#').map_or(line, |(content, _)| content);
        let mut fields = content.split_whitespace().enumerate();
        let Some((_, label)) = fields.next() else { continue };
        let error =
            |field: usize, problem: String| Err(parse_error(path, (k + 1, field + 1), problem));
        if label.contains(':') {
            let problem = format!("expected a label first, found '{}'", shorten(label));
            return error(0, problem);
        }
        labels.push(label_text(label));
        let mut previous = 0_u32;
        for (field, pair) in fields {
            match entry(pair, previous) {
                Ok((index, value)) => {
                    indices.push(index - 1);
                    values.push(value);
                    previous = index;
                }
                Err(problem) => return error(field, problem),
            }
        }
        cols = cols.max(previous);
        starts.push(indices.len());
    }
    if labels.is_empty() {
        return Err(parse_error(path, (0, 0), "there are no instances"));
    }
    if cols == 0 {
        return Err(parse_error(path, (0, 0), "no instance has any value"));
    }
    let csr = Csr::from_parts(cols as usize, starts, indices, values)?;
    Ok(TableFile { labels: Some(labels), ..sparse_table(csr, path, options)? })
}

fn entry(pair: &str, previous: u32) -> Result<(u32, f64), String> {
    let Some((index, value)) = pair.split_once(':') else {
        return Err(format!("expected index:value, found '{}'", shorten(pair)));
    };
    if index == "qid" {
        return Err("query ids (qid) belong to ranking, which is not supported".to_string());
    }
    let index = match index.parse::<u64>() {
        Ok(0) => return Err("index 0: indices start at 1".to_string()),
        Ok(i) if i <= MAX_INDEX => i as u32,
        Ok(i) => return Err(format!("index {i} is above the limit of {MAX_INDEX}")),
        Err(_) => {
            return Err(format!("expected an index from 1, found '{}'", shorten(index)));
        }
    };
    if index == previous {
        return Err(format!("index {index} appears twice"));
    }
    if index < previous {
        return Err(format!("index {index} after {previous}: indices must rise"));
    }
    match value.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok((index, x)),
        _ => Err(format!("'{}' is not a finite number", shorten(value))),
    }
}

/// `+1` and `1.0` are the class 1.
fn label_text(label: &str) -> String {
    match label.parse::<f64>() {
        Ok(x) if x.is_finite() => x.to_string(),
        _ => label.to_string(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Table;

    fn parse(text: &str) -> Result<TableFile> {
        parse_libsvm(text.as_bytes(), Path::new("a.svm"), &ReadOptions::default())
    }

    #[test]
    fn reads_labels_and_entries() {
        let file = parse("+1 1:0.5 3:-2 # first\n\n-1\r\n# nothing\n1.0 2:1e3\n").unwrap();
        assert_eq!(file.labels.unwrap(), ["1", "-1", "1"]);
        let rows = vec![vec![(0, 0.5), (2, -2.0)], vec![], vec![(1, 1000.0)]];
        assert_eq!(file.table, Table::Sparse(Csr::from_rows(3, rows).unwrap()));
    }

    #[test]
    fn says_what_is_wrong_where() {
        for (text, expected) in [
            ("1 0:1", "a.svm, line 1, column 2: index 0: indices start at 1"),
            ("1 1:1\n1 2:1 1:3", "a.svm, line 2, column 3: index 1 after 2: indices must rise"),
            ("1 2:1 2:1", "a.svm, line 1, column 3: index 2 appears twice"),
            ("1 2:x", "a.svm, line 1, column 2: 'x' is not a finite number"),
            ("1 2:inf", "a.svm, line 1, column 2: 'inf' is not a finite number"),
            ("1 2", "a.svm, line 1, column 2: expected index:value, found '2'"),
            ("1 -2:1", "a.svm, line 1, column 2: expected an index from 1, found '-2'"),
            ("2:1", "a.svm, line 1, column 1: expected a label first, found '2:1'"),
            (
                "1 9999999999:1",
                "a.svm, line 1, column 2: index 9999999999 is above the limit of 2147483647",
            ),
            ("1\n", "a.svm: no instance has any value"),
            ("", "a.svm: there are no instances"),
        ] {
            assert_eq!(parse(text).unwrap_err().to_string(), expected);
        }
    }
}
