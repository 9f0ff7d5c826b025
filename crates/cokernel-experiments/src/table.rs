//! Aligned text tables, bars and numbers for people.

use crate::visible::on_one_line;

/// A text table; the first column is aligned left, the others as asked.
#[derive(Clone)]
pub struct Table {
    header: Vec<String>,
    left: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column titles. A title that starts with `<` has its column aligned left
    /// (the sign is not shown); the first column always is.
    pub fn new(header: &[&str]) -> Self {
        Table {
            header: header.iter().map(|h| on_one_line(h.trim_start_matches('<')).into()).collect(),
            left: header.iter().enumerate().map(|(i, h)| i == 0 || h.starts_with('<')).collect(),
            rows: Vec::new(),
        }
    }

    /// A table whose columns have these names, whatever they begin with.
    pub fn of_names(names: &[&str]) -> Self {
        Table {
            header: names.iter().map(|name| on_one_line(name).into()).collect(),
            left: (0..names.len()).map(|i| i == 0).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, one cell per column.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.header.len());
        self.rows.push(cells.iter().map(|c| on_one_line(c).into_owned()).collect());
    }

    /// The table as text without the columns of the titles `spare`, from the first on, that have no
    /// room in lines of `width` characters; and the titles of those that are left out. Where that is too wide still, columns of
    /// text become several lines, and then the table stands in parts, one below the other.
    pub fn fitting(mut self, width: Option<usize>, spare: &[&str]) -> (String, Vec<String>) {
        let mut left_out = Vec::new();
        for title in spare {
            if width.is_none_or(|w| self.width() <= w) {
                break;
            }
            if let Some(c) = self.header.iter().position(|h| h == title) {
                left_out.push(self.header.remove(c));
                self.left.remove(c);
                self.rows.iter_mut().for_each(|r| drop(r.remove(c)));
            }
        }
        let Some(width) = width else { return (self.text(), left_out) };
        self.fold(width);
        (self.in_parts(width), left_out)
    }

    /// The table as text, in parts that have the first column and as many of the others as lines of `most` characters have room
    /// for, at least one.
    fn in_parts(&self, most: usize) -> String {
        let widths = self.widths();
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut taken = usize::MAX;
        for (c, width) in widths.iter().enumerate().skip(1) {
            match parts.last_mut().filter(|_| taken.saturating_add(width + 2) <= most) {
                Some(part) => (part.push(c), taken += width + 2).0,
                None => (parts.push(vec![0, c]), taken = widths[0] + width + 4).0,
            }
        }
        let part = |columns: &Vec<usize>| {
            let of = |row: &Vec<String>| columns.iter().map(|c| row[*c].clone()).collect();
            let (header, rows) = (of(&self.header), self.rows.iter().map(of).collect());
            let left = columns.iter().map(|c| self.left[*c]).collect();
            Table { header, left, rows }.text()
        };
        match parts.len() {
            0 | 1 => self.text(),
            _ => parts.iter().map(part).collect::<Vec<_>>().join("\n"),
        }
    }

    /// Folds columns of text to one width, [`NARROWEST`] or more, with which lines have at most `most` characters.
    fn fold(&mut self, most: usize) {
        let (widths, whole) = (self.widths(), self.width());
        let text: Vec<usize> = (1..widths.len()).filter(|c| self.left[*c]).collect();
        let saved = |cap: usize| text.iter().map(|c| widths[*c].saturating_sub(cap)).sum::<usize>();
        let widest = text.iter().map(|c| widths[*c]).max().unwrap_or(0);
        let fits = |cap: &usize| whole - saved(*cap) <= most;
        let cap = (NARROWEST..=widest).rev().find(fits).unwrap_or(NARROWEST);
        for c in text.into_iter().filter(|c| widths[*c] > cap) {
            self.rows.iter_mut().for_each(|r| r[c] = wrap(&r[c], 0, cap).trim_end().to_string());
        }
    }

    /// Characters of each column.
    fn widths(&self) -> Vec<usize> {
        let cells = |c: usize| self.rows.iter().map(move |r| width(&r[c]));
        let widest = |c: usize| cells(c).chain([width(&self.header[c])]).max().unwrap_or(0);
        (0..self.header.len()).map(widest).collect()
    }

    /// Characters of a whole line: each column comes after two spaces.
    fn width(&self) -> usize {
        self.widths().iter().map(|w| w + 2).sum()
    }

    /// The table as text, every line indented by two spaces and ended by a line break.
    pub fn text(&self) -> String {
        let widths = self.widths();
        let mut text = String::new();
        let rule: Vec<String> = widths.iter().map(|w| "─".repeat(*w)).collect();
        for row in [&self.header, &rule].into_iter().chain(&self.rows) {
            let height = row.iter().map(|cell| cell.lines().count()).max().unwrap_or(1).max(1);
            for l in 0..height {
                let mut line = String::from("  ");
                for (c, cell) in row.iter().enumerate() {
                    let cell = cell.lines().nth(l).unwrap_or_default();
                    let pad = " ".repeat(widths[c] - width(cell));
                    match self.left[c] {
                        true => line.push_str(&format!("{cell}{pad}  ")),
                        false => line.push_str(&format!("{pad}{cell}  ")),
                    }
                }
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        text
    }
}

/// Characters of the longest line.
pub fn width(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// Characters to which a column of text is folded at least.
const NARROWEST: usize = 12;

/// A bar for a number in `0..=full`, at most `cells` wide, drawn in eighths of a cell.
pub fn bar(value: f64, full: f64, cells: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if !(value > 0.0 && full > 0.0) {
        return String::new();
    }
    let eighths = ((value / full).min(1.0) * (8 * cells) as f64).round() as usize;
    match eighths {
        0 => PARTS[1].to_string(),
        e => "█".repeat(e / 8) + PARTS[e % 8],
    }
}

/// `97.3`: a fraction in percent, with one digit.
pub fn percent(fraction: f64) -> String {
    format!("{:.1}", 100.0 * fraction)
}

/// `97.3 ± 0.4`: a fraction and its spread in percent; the spread only where there is one.
pub fn percent_spread(fraction: f64, spread: Option<f64>) -> String {
    match spread {
        Some(s) => format!("{} ± {:.1}", percent(fraction), 100.0 * s),
        None => percent(fraction),
    }
}

/// Seconds with a sensible number of digits: `0.013`, `1.42`, `87`.
pub fn seconds(s: f64) -> String {
    match s {
        s if s < 0.1 => format!("{s:.3}"),
        s if s < 20.0 => format!("{s:.2}"),
        s => format!("{s:.0}"),
    }
}

/// A duality gap: `8.1e-4`, or a dash where the method has none.
pub fn gap(gap: Option<f64>) -> String {
    match gap {
        Some(g) => format!("{g:.1e}"),
        None => "–".to_string(),
    }
}

/// A weight with four digits after the point, `0` if it is exactly zero.
pub fn weight(w: f64) -> String {
    if w == 0.0 { "0".to_string() } else { format!("{w:.4}") }
}

/// `1 kernel`, `2 kernels`.
pub fn count(n: usize, singular: &str, plural: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { singular } else { plural })
}

/// `12,345`.
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(d);
    }
    text
}

/// The text broken into lines of at most `columns` characters, each indented by `indent` spaces.
pub fn wrap(text: &str, indent: usize, columns: usize) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && indent + width(&line) + 1 + width(word) > columns {
            lines.push_str(&format!("{:indent$}{line}\n", ""));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines + &format!("{:indent$}{line}\n", "")
}

/// The text with its lines of more than `columns` characters broken, what comes after the first part indented by `more`. Lines
/// with several blanks between words are laid out, as rows of tables, and stay, but for notes, warnings and errors.
pub fn fold_sentences(text: &str, columns: usize, more: usize) -> String {
    let mut out = String::new();
    for (l, line) in text.split('\n').enumerate() {
        if l > 0 {
            out.push('\n');
        }
        let words = line.trim_start_matches(' ');
        let said = ["note: ", "warning: ", "error: "].iter().any(|kind| line.starts_with(kind));
        if width(line) <= columns || (!said && words.trim_end().contains("  ")) {
            out.push_str(line);
            continue;
        }
        let indent = line.len() - words.len();
        let mut at = indent;
        out.push_str(&line[..indent]);
        for (w, word) in words.split_whitespace().enumerate() {
            let length = width(word);
            if w > 0 && at + 1 + length > columns {
                out.push_str(&format!("\n{:1$}", "", indent + more));
                at = indent + more;
            } else if w > 0 {
                out.push(' ');
                at += 1;
            }
            out.push_str(word);
            at += length;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_by_characters() {
        let mut t = Table::new(&["method", "accuracy", "<status"]);
        t.row(vec!["mean".into(), "97.3 ± 0.4".into(), "converged".into()]);
        t.row(vec!["simple_mkl".into(), "8".into(), "ok".into()]);
        let lines: Vec<String> = t.text().lines().map(str::to_string).collect();
        assert_eq!(lines[0], "  method        accuracy  status");
        assert_eq!(lines[2], "  mean        97.3 ± 0.4  converged");
        assert_eq!(lines[3], "  simple_mkl           8  ok");
    }

    /// Labels of classes may begin with the sign that says how a column is aligned.
    #[test]
    fn names_are_shown_as_they_are() {
        let text = Table::of_names(&["true", "<=50K", "<b>"]).text();
        assert_eq!(text.lines().next(), Some("  true  <=50K  <b>"));
    }

    /// A table took 105 columns of a terminal that has 80.
    #[test]
    fn columns_that_have_no_room_are_left_out_in_the_given_order() {
        let table = || {
            let mut t = Table::new(&["method", "NMI", "F", "seconds", "<status"]);
            t.row(["mean", "0.5", "0.25", "1.5", "converged"].map(String::from).to_vec());
            t
        };
        let all = table().text();
        assert_eq!(table().fitting(None, &["F"]), (all.clone(), vec![]));
        let longest = all.lines().map(width).max().unwrap();
        assert_eq!(table().fitting(Some(longest), &["F"]), (all, vec![]));
        let (text, out) = table().fitting(Some(longest - 1), &["F", "seconds"]);
        assert_eq!(out, ["F"]);
        assert_eq!(text.lines().next().unwrap(), "  method  NMI  seconds  status");
        assert!(text.lines().all(|l| width(l) < longest), "{text}");
        // What is not spare stays, whatever the width.
        let (text, out) = table().fitting(Some(1), &["none", "seconds", "F"]);
        assert_eq!(out, ["seconds", "F"]);
        assert_eq!(text.lines().nth(2).unwrap(), "  mean    0.5");
        assert_eq!(text.lines().last().unwrap(), "  mean    converged");
    }

    /// Means of ten methods took 110 columns of a terminal that has 80.
    #[test]
    fn many_columns_stand_in_parts() {
        let mut t = Table::new(&["data", "aa", "bb", "<cc"]);
        t.row(["x", "1", "22", "three"].map(String::from).to_vec());
        let parts = "  data  aa  bb\n  ────  ──  ──\n  x      1  22\n\n  data  cc\n  ────  ─────\n  x     three\n";
        assert_eq!(t.clone().fitting(Some(15), &[]).0, parts);
        assert_eq!(t.clone().fitting(Some(21), &[]).0, t.text());
    }

    #[test]
    fn sentences_are_folded_and_tables_are_not() {
        let text = "  a  table  row  that  is  long\n\n  one two three four\nfive\n";
        let folded = "  a  table  row  that  is  long\n\n  one two three\n    four\nfive\n";
        assert_eq!(fold_sentences(text, 15, 2), folded);
        assert_eq!(fold_sentences(text, 40, 2), text);
        assert_eq!(fold_sentences("note: a  b 'c  d'", 10, 2), "note: a b\n  'c d'");
        assert_eq!(fold_sentences("/a/path/without/blanks", 5, 2), "/a/path/without/blanks");
    }

    #[test]
    fn columns_of_text_are_folded() {
        let mut t = Table::new(&["id", "number", "<what it is", "<where"]);
        t.row(
            ["a", "1", "several words that take much room in a line", "a_very_long_word"]
                .map(String::from)
                .to_vec(),
        );
        t.row(["b", "22", "short", "here"].map(String::from).to_vec());
        let (text, out) = t.fitting(Some(50), &[]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(out.is_empty() && lines.iter().all(|l| width(l) <= 50), "{text}");
        assert_eq!(lines[2], "  a        1  several words that  a_very_long_word", "{text}");
        assert_eq!(lines[3], "              take much room in", "{text}");
        assert_eq!(lines.last(), Some(&"  b       22  short               here"), "{text}");
    }

    #[test]
    fn a_cell_stays_on_its_line() {
        let mut t = Table::new(&["me\nthod", "x"]);
        t.row(vec!["a\nb\u{1b}[2J".into(), "1".into()]);
        let text = t.text();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains("  a b␛[2J  1") && text.contains("me thod"), "{text}");
    }

    #[test]
    fn bars_are_proportional_and_never_vanish() {
        assert_eq!(bar(1.0, 1.0, 4), "████");
        assert_eq!(bar(0.5, 1.0, 4), "██");
        assert_eq!(bar(1e-9, 1.0, 4), "▏");
        assert_eq!(bar(0.0, 1.0, 4), "");
        assert_eq!(bar(f64::NAN, 1.0, 4), "");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(999), "999");
        assert_eq!(percent_spread(0.973, Some(0.004)), "97.3 ± 0.4");
        assert_eq!(gap(Some(0.00081)), "8.1e-4");
        assert_eq!(wrap("aa bb cc", 1, 6), " aa bb\n cc\n");
    }
}
