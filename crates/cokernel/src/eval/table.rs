//! Aligned text tables for people.

/// Lines of a table: the first column aligned left, the others right, widths in characters.
pub(super) fn aligned(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |text: &str| text.chars().count();
    let widths: Vec<usize> = (0..header.len())
        .map(|c| rows.iter().map(|r| width(&r[c])).chain([width(header[c])]).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    let header: Vec<String> = header.iter().map(|h| h.to_string()).collect();
    for row in std::iter::once(&header).chain(rows) {
        let mut line = String::new();
        for (c, cell) in row.iter().enumerate() {
            let pad = " ".repeat(widths[c] - width(cell));
            line.push_str(&if c == 0 { format!("{cell}{pad}") } else { format!("  {pad}{cell}") });
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// `3.2e-4`, or `-`.
pub(super) fn gap(gap: Option<f64>) -> String {
    gap.map_or("-".to_string(), |g| format!("{g:.1e}"))
}

/// Kernel names under which values from several splits can be put together: the names themselves
/// if all splits have the same, else without the numbers in parentheses, numbered where that
/// leaves several alike.
pub(super) fn common_names(splits: &[Vec<String>]) -> Vec<String> {
    let Some(first) = splits.first() else { return Vec::new() };
    if splits.iter().all(|s| s == first) {
        return first.clone();
    }
    let stem = |name: &String| match name.split_once('(') {
        Some((stem, _)) => stem.to_string(),
        None => name.clone(),
    };
    let stems: Vec<String> = first.iter().map(stem).collect();
    let numbered = |(i, s): (usize, &String)| {
        let before = stems[..i].iter().filter(|t| *t == s).count();
        match stems.iter().filter(|t| *t == s).count() {
            1 => s.clone(),
            _ => format!("{s} #{}", before + 1),
        }
    };
    stems.iter().enumerate().map(numbered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_characters() {
        let rows = [vec!["é".to_string(), "1.0".to_string()], vec!["bcd".into(), "10.0".into()]];
        assert_eq!(aligned(&["a", "x"], &rows), "a       x\né     1.0\nbcd  10.0\n");
    }

    #[test]
    fn names_lose_what_differs() {
        let names = |g: &str| vec![format!("gaussian@a(gamma={g})"), "linear@a".to_string()];
        assert_eq!(common_names(&[names("1"), names("1")]), names("1"));
        assert_eq!(common_names(&[names("1"), names("2")]), ["gaussian@a", "linear@a"]);
        let two = |g: &str| vec![format!("g@a(gamma={g})"), format!("g@a(gamma=3{g})")];
        assert_eq!(common_names(&[two("1"), two("2")]), ["g@a #1", "g@a #2"]);
    }
}
