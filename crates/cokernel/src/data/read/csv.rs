//! Text tables: comma-, tab- or semicolon-separated values with quotes, or white space between
//! numbers.

use super::{Header, ReadOptions, TableFile, parse_error, utf8};
use crate::data::{Matrix, Sequences, Table};
use crate::{Error, Result};
use std::path::Path;

/// Reads a text table of numbers.
///
/// Blank lines are skipped. A first line that starts with `#` is a header. A header may lack the
/// name of the first column, as R writes it.
///
/// # Errors
/// Line and column (field number) of the first field that is empty or not a finite number, or
/// line of the first row that has not as many fields as the first.
pub fn parse_csv(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    let rows = Rows::of(bytes, path, options.delimiter, true)?;
    let (mut header, named) = split_header(&rows, path, options)?;
    let width = rows.width(named);
    if let Some(names) = &mut header
        && names.len() + 1 == width
    {
        names.insert(0, String::new());
    }
    let columns = Columns::of(header.as_deref(), width, path, options)?;
    rows.check_widths(path, usize::from(named), width)?;
    if header.as_ref().is_some_and(|h| h[0].is_empty() && width > 1)
        && columns.features.first() == Some(&0)
    {
        let problem = "the first column has no name; if it counts or names the instances, give it \
                       as id column 1, otherwise give it a name";
        return Err(parse_error(path, (1, 1), problem));
    }

    let count = rows.len() - usize::from(named);
    if count == 0 {
        return Err(parse_error(path, (0, 0), "there are no rows"));
    }
    if columns.features.is_empty() {
        let problem = "there are no columns besides ids and labels";
        return Err(parse_error(path, (0, 0), problem));
    }
    if options.sequences {
        return sequences(&rows, &columns, (header.as_deref(), named), path, options);
    }
    let mut values = Vec::with_capacity(count * columns.features.len());
    let mut present = vec![true; count];
    // New instances have no value for an instance that a similarity does not have; in training it lacks its row, too.
    let mut lacking = vec![options.missing_rows && options.similarity; columns.features.len()];
    if lacking[0] {
        for (_, fields) in rows.iter().skip(usize::from(named)) {
            let body = columns.features.iter().zip(&mut lacking);
            body.for_each(|(&j, l)| *l &= is_missing(fields[j]));
        }
    }
    for (k, (line, fields)) in rows.iter().skip(usize::from(named)).enumerate() {
        let absent = columns.features.iter().all(|&j| is_missing(fields[j]));
        if options.missing_rows && absent {
            present[k] = false;
            values.extend(columns.features.iter().map(|_| f64::NAN));
            continue;
        }
        for (&j, lacks) in columns.features.iter().zip(&lacking) {
            if *lacks {
                values.push(f64::NAN);
                continue;
            }
            let hint = Hint { first: k == 0 && !named, first_column: j == 0, options };
            let x = number(fields[j], &hint).map_err(|p| parse_error(path, (line, j + 1), p))?;
            values.push(x);
        }
    }
    if let Some(id) = columns.id {
        rows.check_ids(path, usize::from(named), id)?;
    }
    let matrix = Matrix::new(count, columns.features.len(), values)?;
    let names = header.map(|h| columns.features.iter().map(|&j| h[j].clone()).collect::<Vec<_>>());
    Ok(TableFile {
        path: path.to_path_buf(),
        notes: counting_note(&matrix, named).into_iter().collect(),
        table: if options.similarity { Table::Similarity(matrix) } else { Table::Dense(matrix) },
        columns: names,
        ids: texts(&rows, named, columns.id),
        labels: texts(&rows, named, columns.label),
        present: present.contains(&false).then_some(present),
    })
}

/// The fields of a column.
fn texts(rows: &Rows, named: bool, column: Option<usize>) -> Option<Vec<String>> {
    column.map(|j| {
        let body = rows.iter().skip(usize::from(named));
        body.map(|(_, fields)| fields[j].to_string()).collect::<Vec<_>>()
    })
}

/// A column of sequences: the one that is named, or the only one beside ids and labels.
fn sequences(
    rows: &Rows,
    columns: &Columns,
    (header, named): (Option<&[String]>, bool),
    path: &Path,
    options: &ReadOptions,
) -> Result<TableFile> {
    let column = match (&options.variable, &columns.features[..]) {
        (Some(name), _) => {
            find_column(name, header, rows.width(named), path, "column of sequences")?
        }
        (None, &[one]) => one,
        (None, several) => {
            let name = |j: &usize| header.map_or_else(|| (j + 1).to_string(), |h| h[*j].clone());
            let names: Vec<String> = several.iter().map(name).collect();
            let problem =
                format!("which column holds the sequences? name one of {}", names.join(", "));
            return Err(parse_error(path, (0, 0), problem));
        }
    };
    if let Some(id) = columns.id {
        rows.check_ids(path, usize::from(named), id)?;
    }
    let (mut all, mut present) = (Vec::new(), Vec::new());
    for (line, fields) in rows.iter().skip(usize::from(named)) {
        let field = fields[column];
        let absent = is_missing(field);
        if absent && !options.missing_rows {
            let problem = format!("found '{field}', expected a sequence");
            return Err(parse_error(path, (line, column + 1), problem));
        }
        if let Some(c) = field.chars().find(|c| !c.is_ascii_graphic()) {
            let problem = format!(
                "found {c:?} in '{}'; a sequence is made of visible ASCII letters",
                shorten(field)
            );
            return Err(parse_error(path, (line, column + 1), problem));
        }
        all.push(if absent { "" } else { field });
        present.push(!absent);
    }
    Ok(TableFile {
        path: path.to_path_buf(),
        table: Table::Sequences(Sequences::new(all)?),
        columns: None,
        ids: texts(rows, named, columns.id),
        labels: texts(rows, named, columns.label),
        present: present.contains(&false).then_some(present),
        notes: Vec::new(),
    })
}

/// A first row 0, 1, 2, … is likely to be a header that was read as data.
fn counting_note(matrix: &Matrix, named: bool) -> Option<String> {
    let row = matrix.row(0);
    let from = |start: usize| row.iter().zip(start..).all(|(x, k)| *x == k as f64);
    (!named && row.len() > 2 && matrix.rows() > 1 && (from(0) || from(1))).then(|| {
        "the first line counts its columns; it was read as an instance: if it is a header, say \
         that the file has one"
            .to_string()
    })
}

/// Which fields hold what.
struct Columns {
    id: Option<usize>,
    label: Option<usize>,
    features: Vec<usize>,
}

impl Columns {
    fn of(
        header: Option<&[String]>,
        width: usize,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<Self> {
        let find = |name: &Option<String>, kind| {
            name.as_ref().map(|n| find_column(n, header, width, path, kind)).transpose()
        };
        let id = find(&options.id_column, "id column")?;
        let label = find(&options.label_column, "label column")?;
        if id.is_some() && id == label {
            let problem = "the same column is given for ids and labels";
            return Err(parse_error(path, (0, 0), problem));
        }
        let features = (0..width).filter(|j| Some(*j) != id && Some(*j) != label).collect();
        Ok(Columns { id, label, features })
    }
}

/// The 0-based place of a column given by name or by a number from 1.
pub(super) fn find_column(
    name: &str,
    header: Option<&[String]>,
    width: usize,
    path: &Path,
    kind: &'static str,
) -> Result<usize> {
    if let Some(names) = header {
        let mut places = (0..names.len()).filter(|&j| names[j] == name);
        if let Some(j) = places.next() {
            if places.next().is_some() {
                let problem = format!("the header names '{name}' twice; give its number from 1");
                return Err(parse_error(path, (1, 0), problem));
            }
            return Ok(j);
        }
    }
    if let Ok(k) = name.parse::<usize>() {
        if (1..=width).contains(&k) {
            return Ok(k - 1);
        }
        let problem = format!("{kind} {k}: there are columns 1 to {width}");
        return Err(parse_error(path, (0, 0), problem));
    }
    let problem = match header {
        Some(names) => Error::unknown(kind, name, names).to_string(),
        None => format!(
            "there is no header (the first line is like the others), so the {kind} '{name}' must be a number from 1"
        ),
    };
    Err(parse_error(path, (0, 0), problem))
}

/// The header, if there is one, and whether the first row is it.
fn split_header(
    rows: &Rows,
    path: &Path,
    options: &ReadOptions,
) -> Result<(Option<Vec<String>>, bool)> {
    let Some((_, first)) = rows.iter().next() else {
        return Err(parse_error(path, (0, 0), "the file is empty"));
    };
    let special = [options.id_column.as_deref(), options.label_column.as_deref()];
    let by_number = |j: usize| special.iter().flatten().any(|n| n.parse() == Ok(j + 1));
    let by_name =
        |field: &str| special.iter().flatten().any(|n| *n == field && n.parse::<usize>().is_err());
    let named = match options.header {
        Header::Yes => true,
        Header::No => false,
        Header::Auto => {
            rows.commented
                || first.iter().any(|f| by_name(f))
                || first
                    .iter()
                    .enumerate()
                    .any(|(j, f)| !by_number(j) && !is_missing(f) && f.parse::<f64>().is_err())
        }
    };
    let header = named.then(|| first.iter().map(|f| f.to_string()).collect());
    Ok((header, named))
}

/// What is known about a field when it has to be explained why it is wrong.
struct Hint<'a> {
    first: bool,
    first_column: bool,
    options: &'a ReadOptions,
}

fn number(field: &str, hint: &Hint<'_>) -> Result<f64, String> {
    let mut advice = String::new();
    if is_missing(field) {
        if hint.first && hint.first_column {
            advice.push_str("; if the first line is a header, say that the file has one");
        }
        if hint.options.missing_rows {
            advice.push_str("; only a row without any value counts as missing");
        }
        return Err(if field.is_empty() {
            format!("the field is empty, expected a number{advice}")
        } else {
            format!("'{field}' is a missing value, expected a number{advice}")
        });
    }
    match field.parse::<f64>() {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(_) => Err(format!("'{}' is not a finite number", shorten(field))),
        Err(_) => {
            if hint.first_column && hint.options.id_column.is_none() {
                advice.push_str("; if this column names the instances, give it as id column");
            }
            if field.replacen(',', ".", 1).parse::<f64>().is_ok() {
                advice.push_str("; decimals are written with a point");
            }
            Err(format!("'{}' is not a number{advice}", shorten(field)))
        }
    }
}

/// A field short enough for a sentence.
pub(super) fn shorten(field: &str) -> String {
    if field.chars().count() <= 40 {
        return field.to_string();
    }
    field.chars().take(40).chain(['…']).collect()
}

/// Whether a field stands for a value that is not known.
pub(super) fn is_missing(field: &str) -> bool {
    matches!(field, "" | "?")
        || field.eq_ignore_ascii_case("na")
        || field.eq_ignore_ascii_case("nan")
}

/// Fields of one line: far above any known table. Each takes a multiple of its bytes in memory.
const MOST_FIELDS: usize = 1 << 24;

/// All fields of a text file, trimmed, with the line at which each row starts.
pub(super) struct Rows {
    /// All fields one after the other, and where each ends.
    content: String,
    field_ends: Vec<usize>,
    /// Per row: 1-based line, end of its fields.
    ends: Vec<(usize, usize)>,
    /// Whether the first row began with `#`, now removed.
    pub(super) commented: bool,
}

impl Rows {
    /// Splits a file. Without a delimiter the first line decides; `white` says whether white
    /// space may be one.
    pub(super) fn of(
        bytes: &[u8],
        path: &Path,
        delimiter: Option<u8>,
        white: bool,
    ) -> Result<Self> {
        let text = utf8(bytes, path)?;
        if let Some(position) = text.find('\0') {
            let line = 1 + text[..position].matches('\n').count();
            return Err(parse_error(path, (line, 0), "a zero byte: this is not a text file"));
        }
        // Blank lines before the first row are left out, its leading white space is not.
        let blank = text.len() - text.trim_start().len();
        let start = text[..blank].rfind('\n').map_or(0, |p| p + 1);
        let before = text[..start].matches('\n').count();
        let body = &text[start..];
        let uncommented = body.strip_prefix('#');
        let mut rows = Rows {
            content: String::with_capacity(body.len()),
            field_ends: Vec::new(),
            ends: Vec::new(),
            commented: uncommented.is_some(),
        };
        let body = uncommented.unwrap_or(body);
        let delimiter = delimiter.unwrap_or_else(|| detect_delimiter(body, path, white));
        let ends = |b: &u8| *b == delimiter || delimiter == b' ' && b.is_ascii_whitespace();
        let long = |l: &str| {
            l.len() >= MOST_FIELDS && l.bytes().filter(|b| ends(b)).count() >= MOST_FIELDS
        };
        if let Some(k) = body.lines().position(long) {
            let problem = format!(
                "the line has more than {MOST_FIELDS} fields; expected one line for each instance"
            );
            return Err(parse_error(path, (before + k + 1, 0), problem));
        }
        match delimiter {
            b' ' => {
                for (k, line) in body.lines().enumerate() {
                    line.split_whitespace().for_each(|field| rows.add(field));
                    rows.end_row(before + k + 1);
                }
            }
            delimiter => rows.split(body, before, delimiter, path)?,
        }
        Ok(rows)
    }

    fn add(&mut self, field: &str) {
        self.content.push_str(field.trim());
        self.field_ends.push(self.content.len());
    }

    fn end_row(&mut self, line: usize) {
        if self.field_ends.len() > self.ends.last().map_or(0, |e| e.1) {
            self.ends.push((line, self.field_ends.len()));
        }
    }

    fn split(&mut self, text: &str, before: usize, delimiter: u8, path: &Path) -> Result<()> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(text.as_bytes());
        let mut record = csv::StringRecord::new();
        loop {
            // The reader passes over line breaks between rows without counting them to a row.
            let (position, rest) = (reader.position(), reader.position().byte() as usize);
            let rest = text.as_bytes().get(rest..).unwrap_or_default();
            let skipped = rest.iter().take_while(|b| matches!(b, b'\r' | b'\n'));
            let breaks = skipped.filter(|b| **b == b'\n').count();
            let line = before + position.line() as usize + breaks;
            let more = reader.read_record(&mut record).map_err(|e| {
                parse_error(path, (line, 0), format!("the row cannot be split into fields: {e}"))
            })?;
            if !more {
                return Ok(());
            }
            if record.len() == 1 && record[0].trim().is_empty() {
                continue;
            }
            record.iter().for_each(|field| self.add(field));
            self.end_row(line);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Line and fields of every row.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, Vec<&str>)> {
        self.ends.iter().enumerate().map(|(k, &(line, end))| {
            let start = if k == 0 { 0 } else { self.ends[k - 1].1 };
            let from = |j: usize| if j == 0 { 0 } else { self.field_ends[j - 1] };
            (line, (start..end).map(|j| &self.content[from(j)..self.field_ends[j]]).collect())
        })
    }

    /// The first blank line between two rows, if no field holds a line break.
    pub(super) fn blank(&self) -> Option<usize> {
        if self.content.contains(['\n', '\r']) {
            return None;
        }
        let after = self.ends.windows(2).find(|pair| pair[1].0 > pair[0].0 + 1);
        after.map(|pair| pair[0].0 + 1)
    }

    /// Number of fields of the first row below the header; of the first if there is no other.
    pub(super) fn width(&self, named: bool) -> usize {
        let first = self.ends.first().map_or(0, |e| e.1);
        match self.ends.get(1) {
            // One more field than names: R leaves out the name of the first column.
            Some((_, end)) if named && end - first == first + 1 => first + 1,
            _ => first,
        }
    }

    /// Refuses the first id that is empty or has occurred before.
    pub(super) fn check_ids(&self, path: &Path, from: usize, column: usize) -> Result<()> {
        let mut seen = std::collections::HashMap::new();
        for (line, fields) in self.iter().skip(from) {
            let id = fields[column];
            let problem = match seen.insert(id, line) {
                _ if id.is_empty() => "the id is empty".to_string(),
                Some(first) => {
                    format!("the id '{}' appears twice, first at line {first}", shorten(id))
                }
                None => continue,
            };
            return Err(parse_error(path, (line, column + 1), problem));
        }
        Ok(())
    }

    /// Refuses the first row that has not as many fields as expected.
    pub(super) fn check_widths(&self, path: &Path, from: usize, width: usize) -> Result<()> {
        for (line, fields) in self.iter().skip(from) {
            if fields.len() != width {
                let found = fields.len();
                let problem =
                    format!("number of fields: expected {width} like the first row, found {found}");
                return Err(parse_error(path, (line, 0), problem));
            }
        }
        Ok(())
    }
}

/// The delimiter that the first line shows.
fn detect_delimiter(text: &str, path: &Path, white: bool) -> u8 {
    let line = text.lines().next().unwrap_or("").trim_end();
    let mut quoted = false;
    let outside: Vec<char> = line
        .chars()
        .filter(|c| {
            quoted ^= *c == '"';
            !quoted && *c != '"'
        })
        .collect();
    let name = path.to_string_lossy().to_lowercase();
    let tab = outside.contains(&'\t');
    if tab && name.trim_end_matches(".gz").ends_with(".tsv") {
        b'\t'
    } else if outside.contains(&';') {
        b';'
    } else if outside.contains(&',') {
        b','
    } else if tab {
        b'\t'
    } else if white && outside.iter().any(|c| c.is_whitespace()) {
        b' '
    } else {
        b','
    }
}

#[cfg(test)]
mod tests;
