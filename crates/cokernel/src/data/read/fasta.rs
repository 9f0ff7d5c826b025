//! FASTA: sequences under their names.
//!
//! ```text
//! >p17 any words
//! MKTAYIAKQR
//! QISFVKSHFS
//! ; a comment
//! >p18
//! MDSKGS
//! ```
//!
//! The word after `>` is the id; lines after it are put together without white space. `*` at the end, which some
//! programs write, is left out. As for all formats without named columns there are no labels.

use super::{ReadOptions, TableFile, no_text_options, parse_error, plain, utf8};
use crate::Result;
use crate::data::{Sequences, Table};
use std::path::Path;

/// Reads sequences; an empty one is an instance that lacks the view where `options.missing_rows` is set.
///
/// # Errors
/// There is no sequence, letters before the first name, a name that is empty or there twice, a character that is no
/// letter, an empty sequence that is not to be missing, or columns are asked for.
pub fn parse_fasta(bytes: &[u8], path: &Path, options: &ReadOptions) -> Result<TableFile> {
    no_text_options(path, &ReadOptions { id_column: None, ..options.clone() })?;
    let text = utf8(bytes, path)?;
    let (mut ids, mut sequences, mut lines): (Vec<String>, Vec<String>, Vec<usize>) =
        (Vec::new(), Vec::new(), Vec::new());
    let mut seen = std::collections::HashSet::new();
    for (k, line) in text.lines().enumerate() {
        let fail = |problem: String| Err(parse_error(path, (k + 1, 0), problem));
        if let Some(name) = line.strip_prefix('>') {
            let id = name.split_whitespace().next().unwrap_or_default().to_string();
            if id.is_empty() {
                return fail("expected the name of a sequence after '>'".to_string());
            }
            if !seen.insert(id.clone()) {
                return fail(format!("the id '{id}' appears twice"));
            }
            ids.push(id);
            sequences.push(String::new());
            lines.push(k + 1);
            continue;
        }
        if line.starts_with(';') || line.trim().is_empty() {
            continue;
        }
        let Some(sequence) = sequences.last_mut() else {
            return fail(
                "letters stand before the first name; expected a line like '>id'".to_string(),
            );
        };
        for (j, c) in line.chars().enumerate().filter(|c| !c.1.is_whitespace()) {
            if !c.is_ascii_graphic() {
                let problem = format!("found {c:?}; expected visible ASCII letters");
                return Err(parse_error(path, (k + 1, j + 1), problem));
            }
            sequence.push(c);
        }
    }
    if ids.is_empty() {
        return Err(parse_error(path, (0, 0), "there is no sequence; expected lines like '>id'"));
    }
    sequences.iter_mut().filter(|s| s.ends_with('*')).for_each(|s| {
        s.pop();
    });
    let present: Vec<bool> = sequences.iter().map(|s| !s.is_empty()).collect();
    if let (Some(k), false) = (present.iter().position(|p| !p), options.missing_rows) {
        let problem = format!("the sequence '{}' is empty", ids[k]);
        return Err(parse_error(path, (lines[k], 0), problem));
    }
    let table = Table::Sequences(Sequences::new(&sequences)?);
    let ids = options.id_column.is_some().then_some(ids);
    Ok(TableFile { ids, ..plain(path, table, present) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, options: &ReadOptions) -> Result<TableFile> {
        parse_fasta(text.as_bytes(), Path::new("a.fasta"), options)
    }

    #[test]
    fn lines_are_put_together() {
        let by_id = ReadOptions { id_column: Some("id".into()), ..ReadOptions::default() };
        let file = read("\u{feff}>a x y\nAC GT\r\n\r\nTT\n; no\n>b\nM*\n", &by_id).unwrap();
        assert_eq!(file.ids, Some(vec!["a".to_string(), "b".to_string()]));
        assert_eq!(file.table, Table::Sequences(Sequences::new(["ACGTTT", "M"]).unwrap()));
        assert_eq!(read(">a\nAC\n", &ReadOptions::default()).unwrap().ids, None);
        let missing = ReadOptions { missing_rows: true, ..ReadOptions::default() };
        assert_eq!(read(">a\n>b\nAC", &missing).unwrap().present, Some(vec![false, true]));
    }

    #[test]
    fn errors_name_line_and_column() {
        for (text, said) in [
            ("", "there is no sequence"),
            ("ACGT\n", "a.fasta, line 1: letters stand before"),
            (">a\nAC\n>a\nGT\n", "line 3: the id 'a' appears twice"),
            (">\nAC\n", "line 1: expected the name"),
            (">a\nA\u{e9}C\n", "line 2, column 2: found 'é'"),
            (">a\n>b\nAC\n", "line 1: the sequence 'a' is empty"),
        ] {
            let e = read(text, &ReadOptions::default()).unwrap_err().to_string();
            assert!(e.contains(said), "{e}");
        }
    }
}
