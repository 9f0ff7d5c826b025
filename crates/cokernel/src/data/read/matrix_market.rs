//! MatrixMarket files (`.mtx`): `coordinate` gives a sparse table, `array` a dense one.
//! Format: R. Boisvert, R. Pozo, K. Remington, "The Matrix Market exchange formats", NISTIR 5935.

use super::csv::shorten;
use super::{
    ReadOptions, TableFile, dense_table, no_text_options, parse_error, plausible, sparse_table,
    utf8,
};
use crate::Result;
use crate::data::Csr;
use std::path::Path;

/// Reads a real, integer or pattern matrix, general or symmetric. Entries of a pattern are 1.
///
/// # Errors
/// Line (and field) of the first thing that the format does not allow: an unknown banner, an
/// index outside the declared size, an entry given twice, a value that is not a finite number, or
/// fewer or more entries than declared.
pub fn parse_matrix_market(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    no_text_options(path, options)?;
    let text = utf8(bytes, path)?;
    let banner = Banner::of(text.lines().next().unwrap_or(""))
        .map_err(|problem| parse_error(path, (1, 0), problem))?;
    // Every other line that is neither blank nor a comment, with its number.
    let lines = text.lines().enumerate().skip(1).map(|(k, line)| (k + 1, line.trim()));
    let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('%'));
    let Some((line, size)) = lines.next() else {
        return Err(parse_error(path, (0, 0), "the line with the size of the matrix is missing"));
    };
    let expected = if banner.coordinate { "rows, columns and entries" } else { "rows and columns" };
    let sizes: Result<Vec<usize>, _> = size.split_whitespace().map(str::parse).collect();
    let sizes = sizes.unwrap_or_default();
    if sizes.len() != 2 + usize::from(banner.coordinate) {
        let found = shorten(size);
        let problem = format!("expected the numbers of {expected}, found '{found}'");
        return Err(parse_error(path, (line, 0), problem));
    }
    if banner.symmetric && sizes[0] != sizes[1] {
        let problem = format!("a symmetric matrix cannot be {} × {}", sizes[0], sizes[1]);
        return Err(parse_error(path, (line, 0), problem));
    }
    if banner.coordinate {
        let csr = coordinate(lines, &banner, [sizes[0], sizes[1], sizes[2]], path)?;
        sparse_table(csr, path, options)
    } else {
        let values = array(lines, &banner, sizes[0], sizes[1], path)?;
        dense_table(sizes[0], sizes[1], values, path, options)
    }
}

struct Banner {
    coordinate: bool,
    pattern: bool,
    symmetric: bool,
}

impl Banner {
    fn of(line: &str) -> Result<Self, String> {
        let words = line.to_lowercase();
        let words: Vec<&str> = words.split_whitespace().collect();
        let ["%%matrixmarket", object, layout, field, symmetry] = words[..] else {
            return Err(format!(
                "expected '%%MatrixMarket matrix …' and three more words, found '{}'",
                shorten(line)
            ));
        };
        let one_of = |what: &str, word: &str, known: &[&str]| {
            let known_words = known.join(" or ");
            if known.contains(&word) {
                Ok(())
            } else {
                Err(format!("the {what} '{word}' is not supported, only {known_words}"))
            }
        };
        one_of("object", object, &["matrix"])?;
        one_of("layout", layout, &["coordinate", "array"])?;
        let coordinate = layout == "coordinate";
        let fields: &[&str] =
            if coordinate { &["real", "integer", "pattern"] } else { &["real", "integer"] };
        one_of("field", field, fields)?;
        one_of("symmetry", symmetry, &["general", "symmetric"])?;
        Ok(Banner { coordinate, pattern: field == "pattern", symmetric: symmetry == "symmetric" })
    }
}

fn value(word: &str) -> Result<f64, String> {
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        _ => Err(format!("'{}' is not a finite number", shorten(word))),
    }
}

fn coordinate<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    banner: &Banner,
    [rows, cols, declared]: [usize; 3],
    path: &Path,
) -> Result<Csr> {
    if u32::try_from(rows.max(cols)).is_err() {
        return Err(parse_error(path, (0, 0), format!("{rows} × {cols} is too large")));
    }
    // (row, column, line, value)
    let mut entries: Vec<(u32, u32, usize, f64)> = Vec::new();
    let mut found = 0_usize;
    for (line, text) in lines {
        let words: Vec<&str> = text.split_whitespace().collect();
        let expected = if banner.pattern { 2 } else { 3 };
        if words.len() != expected {
            let problem = format!("expected {expected} fields, found {}", words.len());
            return Err(parse_error(path, (line, 0), problem));
        }
        found += 1;
        if found > declared {
            let problem = format!("more entries than the {declared} declared");
            return Err(parse_error(path, (line, 0), problem));
        }
        let index = |field: usize, limit: usize, what: &str| match words[field].parse::<usize>() {
            Ok(k) if (1..=limit).contains(&k) => Ok(k as u32 - 1),
            _ => {
                let word = shorten(words[field]);
                let problem = format!("expected a {what} from 1 to {limit}, found '{word}'");
                Err(parse_error(path, (line, field + 1), problem))
            }
        };
        let (i, j) = (index(0, rows, "row")?, index(1, cols, "column")?);
        let x = match words.get(2) {
            Some(word) => value(word).map_err(|p| parse_error(path, (line, 3), p))?,
            None => 1.0,
        };
        entries.push((i, j, line, x));
        if banner.symmetric && i != j {
            entries.push((j, i, line, x));
        }
    }
    if found != declared {
        let problem = format!("{declared} entries are declared, found {found}");
        return Err(parse_error(path, (0, 0), problem));
    }
    plausible(path, &format!("{rows} rows"), Some(rows), found)?;
    entries.sort_unstable_by_key(|&(i, j, line, _)| (i, j, line));
    if let Some(pair) = entries.windows(2).find(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1)) {
        let (i, j, line, _) = pair[1];
        let (i, j, first) = (i + 1, j + 1, pair[0].2);
        let problem = format!("entry ({i}, {j}) was given before, at line {first}");
        return Err(parse_error(path, (line, 0), problem));
    }
    let mut starts = vec![0; rows + 1];
    entries.iter().for_each(|e| starts[e.0 as usize + 1] += 1);
    for i in 0..rows {
        starts[i + 1] += starts[i];
    }
    let indices = entries.iter().map(|e| e.1).collect();
    Csr::from_parts(cols, starts, indices, entries.iter().map(|e| e.3).collect())
}

/// Row-major values of a file that holds them by columns.
fn array<'a>(
    lines: impl Iterator<Item = (usize, &'a str)>,
    banner: &Banner,
    rows: usize,
    cols: usize,
    path: &Path,
) -> Result<Vec<f64>> {
    let mut stored = Vec::new();
    for (line, text) in lines {
        for (k, word) in text.split_whitespace().enumerate() {
            stored.push(value(word).map_err(|p| parse_error(path, (line, k + 1), p))?);
        }
    }
    // The lower triangle of a symmetric matrix, column by column.
    let declared = if banner.symmetric {
        rows.checked_add(1).and_then(|n| n.checked_mul(rows)).map(|n| n / 2)
    } else {
        rows.checked_mul(cols)
    };
    if declared != Some(stored.len()) {
        let found = stored.len();
        let problem = match declared {
            Some(n) => format!("a matrix of {rows} × {cols} has {n} entries here, found {found}"),
            None => format!("{rows} × {cols} is too large"),
        };
        return Err(parse_error(path, (0, 0), problem));
    }
    let place = |i: usize, j: usize| {
        if !banner.symmetric {
            return j * rows + i;
        }
        let (i, j) = (i.max(j), i.min(j));
        j * rows - j * j.saturating_sub(1) / 2 - j + i
    };
    Ok((0..rows * cols).map(|p| stored[place(p / cols, p % cols)]).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::{Matrix, Table};

    fn read(text: &str, similarity: bool) -> Result<Table> {
        let options = ReadOptions { similarity, ..Default::default() };
        parse_matrix_market(text.as_bytes(), Path::new("a.mtx"), &options).map(|f| f.table)
    }

    const BANNER: &str = "%%MatrixMarket matrix";

    #[test]
    fn coordinate_files() {
        let text = format!("{BANNER} coordinate real general\n% c\n\n2 3 2\n2 3 -1.5e0\n1 1 2\n");
        let rows = vec![vec![(0, 2.0)], vec![(2, -1.5)]];
        assert_eq!(read(&text, false).unwrap(), Table::Sparse(Csr::from_rows(3, rows).unwrap()));
        let text = format!("{BANNER} Coordinate Pattern Symmetric\n2 2 2\n1 1\n2 1\n");
        // The other triangle of a symmetric file is filled in.
        let expected = Csr::from_rows(2, vec![vec![(0, 1.0), (1, 1.0)], vec![(0, 1.0)]]).unwrap();
        assert_eq!(read(&text, true).unwrap(), Table::Graph(expected));
    }

    #[test]
    fn array_files() {
        let text = format!("{BANNER} array integer general\n2 3\n1\n2\n3\n4\n5\n6\n");
        let expected = Matrix::new(2, 3, vec![1.0, 3.0, 5.0, 2.0, 4.0, 6.0]).unwrap();
        assert_eq!(read(&text, false).unwrap(), Table::Dense(expected));
        let text = format!("{BANNER} array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n");
        let expected = vec![1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 3.0, 5.0, 6.0];
        let expected = Matrix::new(3, 3, expected).unwrap();
        assert_eq!(read(&text, true).unwrap(), Table::Similarity(expected));
    }

    #[test]
    fn refusals() {
        let general = |body: &str| format!("{BANNER} coordinate real general\n{body}");
        for (text, expected) in [
            ("1 2 3".to_string(), ", line 1: expected '%%MatrixMarket matrix …'"),
            (
                format!("{BANNER} coordinate complex general"),
                ", line 1: the field 'complex' is not supported, only real or integer or pattern",
            ),
            (
                format!("{BANNER} array real skew-symmetric"),
                ", line 1: the symmetry 'skew-symmetric' is not supported, only general or symmetric",
            ),
            (general(""), ": the line with the size of the matrix is missing"),
            (
                general("2 2"),
                ", line 2: expected the numbers of rows, columns and entries, found '2 2'",
            ),
            (general("2 2 1\n3 1 1"), ", line 3, column 1: expected a row from 1 to 2, found '3'"),
            (
                general("2 2 1\n1 0 1"),
                ", line 3, column 2: expected a column from 1 to 2, found '0'",
            ),
            (general("2 2 1\n1 1 x"), ", line 3, column 3: 'x' is not a finite number"),
            (general("2 2 1\n1 1"), ", line 3: expected 3 fields, found 2"),
            (general("2 2 1\n1 1 1\n%\n1 2 1"), ", line 5: more entries than the 1 declared"),
            (general("2 2 2\n1 1 1"), ": 2 entries are declared, found 1"),
            (general("2 2 2\n1 1 1\n1 1 1"), ", line 4: entry (1, 1) was given before, at line 3"),
            (general("2 99999999999 0"), ": 2 × 99999999999 is too large"),
            (general("4000000000 2 0"), ": the file declares 4000000000 rows, but holds 0"),
            (
                format!("{BANNER} coordinate real symmetric\n2 3 0"),
                ", line 2: a symmetric matrix cannot be 2 × 3",
            ),
            (
                format!("{BANNER} array real general\n99999999999 99999999999\n1"),
                ": 99999999999 × 99999999999 is too large",
            ),
            (
                format!("{BANNER} array real general\n2 2\n1"),
                ": a matrix of 2 × 2 has 4 entries here, found 1",
            ),
        ] {
            let e = read(&text, false).unwrap_err().to_string();
            assert!(e.starts_with(&format!("a.mtx{expected}")), "{e} / {expected}");
        }
        // A sparse similarity takes memory for its entries only.
        assert!(read(&general("100000 100000 1\n1 1 1"), true).is_ok());
    }
}
