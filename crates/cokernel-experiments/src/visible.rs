//! Text that others wrote (labels, names, titles, errors) where it is read: on a terminal, in a
//! Markdown table, in a spreadsheet. It is shown there, and commands nothing.

use std::borrow::Cow;

/// Whether a character commands a terminal, or turns the direction of what follows.
fn commands(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// What stands for such a character: `␛` for escape.
fn picture(c: char) -> char {
    match c {
        '\u{7f}' => '\u{2421}',
        c if c < ' ' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        _ => '\u{fffd}',
    }
}

/// The text for a terminal, with its line breaks.
pub fn visible(text: &str) -> Cow<'_, str> {
    match text.chars().any(|c| c != '\n' && commands(c)) {
        false => Cow::Borrowed(text),
        true => {
            text.chars().map(|c| if c != '\n' && commands(c) { picture(c) } else { c }).collect()
        }
    }
}

/// The text on one line: blanks for line breaks and tabs.
pub fn on_one_line(text: &str) -> Cow<'_, str> {
    match text.chars().any(commands) {
        false => Cow::Borrowed(text),
        true => {
            let lines = text.replace("\r\n", " ").replace(['\n', '\r', '\t'], " ");
            Cow::Owned(visible(&lines).into_owned())
        }
    }
}

/// JSON in which nothing commands a terminal: such characters stand in texts only, where an escape
/// means the same.
pub fn escaped_json(json: &str) -> Cow<'_, str> {
    match json.chars().any(|c| c != '\n' && commands(c)) {
        false => Cow::Borrowed(json),
        true => {
            let one = |c: char| match c != '\n' && commands(c) {
                true => format!("\\u{:04x}", c as u32),
                false => c.to_string(),
            };
            Cow::Owned(json.chars().map(one).collect())
        }
    }
}

/// A character where only those of lines and columns may command anything, as in HTML.
pub fn tame(c: char) -> char {
    if commands(c) && !matches!(c, '\n' | '\t') { picture(c) } else { c }
}

/// The text in Markdown, on one line: HTML, links, addresses, emphasis, formulas, code and the bars of tables are letters.
pub fn markdown(text: &str) -> String {
    let text = on_one_line(text);
    let mut out = String::new();
    let in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut before = None;
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '$' => out.push_str("&#36;"),
            // An entity would be an address still.
            '@' => out.push_str("<span>@</span>"),
            ':' if rest.starts_with("//") => out.push_str("&#58;"),
            '.' if out.to_lowercase().ends_with("www") => out.push_str("&#46;"),
            // Within a word it means nothing.
            '_' if in_word(before) && in_word(rest.chars().next()) => out.push(c),
            '|' | '\\' | '[' | ']' | '`' | '*' | '_' | '~' => out.extend(['\\', c]),
            c => out.push(c),
        }
        before = Some(c);
    }
    out
}

/// [`markdown`] for a line of its own, or what follows the mark of a list or a heading: its first and last characters are
/// letters, too.
pub fn markdown_line(text: &str) -> String {
    let mut line = markdown(text).trim().to_string();
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let mark = line[digits..].starts_with(['.', ')']);
    if mark && digits > 0 && !line[digits + 1..].starts_with(|c: char| !c.is_whitespace()) {
        line.insert(digits, '\\');
    } else if line.starts_with(['#', '-', '+', '=']) {
        line.insert(0, '\\');
    }
    if line.ends_with('#') && line.len() > 1 {
        line.insert(line.len() - 1, '\\');
    }
    line
}

/// The cell of a table meant for a spreadsheet: what would be a formula there gets an apostrophe
/// before it. Numbers stay.
pub fn defused(cell: &str) -> Cow<'_, str> {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
    match formula && cell.trim().parse::<f64>().is_err() {
        true => Cow::Owned(format!("'{cell}")),
        false => Cow::Borrowed(cell),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_commands_a_terminal() {
        let bad = "a\u{1b}]0;title\u{7}\u{1b}[31mred\u{9b}2J\r\u{202e}b\n";
        let shown = visible(bad);
        assert_eq!(shown, "a␛]0;title␇␛[31mred\u{fffd}2J␍\u{fffd}b\n");
        assert_eq!(on_one_line("a\r\nb\tc\u{1b}"), "a b c␛");
        assert_eq!(visible("λ = 0,5 ± ▲\n"), "λ = 0,5 ± ▲\n");
        let json = serde_json::to_string(&serde_json::json!({ "a": bad })).unwrap();
        let safe = escaped_json(&json);
        assert!(!safe.chars().any(commands), "{safe}");
        let back: serde_json::Value = serde_json::from_str(&safe).unwrap();
        assert_eq!(back["a"], bad);
    }

    #[test]
    fn tables_hold_any_text() {
        assert_eq!(markdown("a|b\n<script>&"), "a\\|b &lt;script&gt;&amp;");
        assert_eq!(markdown("a\\|b"), "a\\\\\\|b");
        assert_eq!(markdown("[x](https://a.b) `c`"), "\\[x\\](https&#58;//a.b) \\`c\\`");
        assert_eq!(
            markdown("**b** _u_ a_b ~s~ $a$"),
            "\\*\\*b\\*\\* \\_u\\_ a_b \\~s\\~ &#36;a&#36;"
        );
        assert_eq!(
            markdown("https://a.b www.c.d e@f.g"),
            "https&#58;//a.b www&#46;c.d e<span>@</span>f.g"
        );
        for (text, safe) in
            [("# h #", "\\# h \\#"), ("  - a", "\\- a"), ("1) b", "1\\) b"), ("0.5 of", "0.5 of")]
        {
            assert_eq!(markdown_line(text), safe);
        }
        for formula in ["=1+1", "+cmd|' /C calc'!A0", "-x", "@SUM(A1)", "\t=1", "\r=1"] {
            assert_eq!(defused(formula), format!("'{formula}"));
        }
        for cell in ["-1.5e-3", "+2", "-inf", "a=b", "", "–"] {
            assert_eq!(defused(cell), cell);
        }
    }
}
