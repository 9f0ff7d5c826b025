//! The parts of the page as HTML: text goes through [`text`], which escapes it.

use crate::visible::tame;
use std::fmt::{Display, Formatter, Result, Write};

/// A cell of a table: what is shown, and what it is sorted by.
#[derive(Default)]
pub struct Shown {
    pub text: String,
    pub key: String,
    pub best: bool,
    pub sign: &'static str,
    pub tip: String,
}

impl Shown {
    pub fn new(text: impl Into<String>, key: f64) -> Self {
        Shown { text: text.into(), key: key.to_string(), ..Shown::default() }
    }
}

/// A table that is sorted by a click on its header.
pub struct HtmlTable {
    pub title: String,
    pub header: Vec<String>,
    pub rows: Vec<(String, Vec<Shown>)>,
    pub legend: String,
}

/// A figure.
pub struct HtmlFigure {
    pub name: String,
    pub title: String,
    pub caption: String,
    /// An SVG for each panel, so that narrow windows have them one below the other.
    pub panels: Vec<String>,
}

/// Text as it stands in HTML, in attributes too.
pub fn text<T: AsRef<str>>(text: T) -> impl Display {
    Text(text)
}

struct Text<T>(T);

impl<T: AsRef<str>> Display for Text<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.0.as_ref().chars().try_for_each(|c| match c {
            '&' => f.write_str("&amp;"),
            '<' => f.write_str("&lt;"),
            '>' => f.write_str("&gt;"),
            '"' => f.write_str("&quot;"),
            '\'' => f.write_str("&#x27;"),
            c => f.write_char(tame(c)),
        })
    }
}

fn joined<T>(all: &[T], each: impl Fn(&T) -> String) -> String {
    all.iter().map(each).collect()
}

/// An entry of the list of parts.
pub fn link(id: &str, title: &str) -> String {
    format!("<li><a href=\"#{}\">{}</a></li>\n", text(id), text(title))
}

/// A sentence that is a warning.
pub fn warning(sentence: &str) -> String {
    format!(r#"<p class="warning" role="status">{}</p>"#, text(sentence))
}

/// All tables, with a title each if there are several.
pub fn tables(all: &[HtmlTable]) -> String {
    joined(all, |t| {
        let title = match all.len() {
            1 => String::new(),
            _ => format!("<h3>{}</h3>\n", text(&t.title)),
        };
        title + &table(t)
    })
}

fn table(table: &HtmlTable) -> String {
    let head = joined(&table.header, |h| {
        format!(
            r#"<th scope="col" aria-sort="none"><button type="button">{}</button></th>"#,
            text(h)
        )
    });
    let rows = joined(&table.rows, |(label, cells)| {
        let (label, cells) = (text(label), joined(cells, cell));
        format!("<tr><th scope=\"row\" data-key=\"{label}\">{label}</th>{cells}</tr>\n")
    });
    let (title, legend) = (text(&table.title), text(&table.legend));
    format!(
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Comparison {title}\"><table>\n\
         <thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n\
         <p class=\"more\" hidden>More columns: scroll the table sideways →</p>\n\
         <p class=\"legend\">{legend}</p>\n"
    )
}

fn cell(cell: &Shown) -> String {
    let best = if cell.best { " class=\"best\"" } else { "" };
    let tip = match cell.tip.as_str() {
        "" => String::new(),
        tip => format!(" data-tip=\"{}\"", text(tip)),
    };
    let sign = match cell.sign {
        "" => String::new(),
        sign => format!(" <span class=\"sign\">{}</span>", text(sign)),
    };
    format!("<td data-key=\"{}\"{best}{tip}>{}{sign}</td>", text(&cell.key), text(&cell.text))
}

/// A section for each figure.
pub fn figures(all: &[HtmlFigure]) -> String {
    joined(all, |f| {
        let (name, title, caption) = (text(&f.name), text(&f.title), text(&f.caption));
        let panels = joined(&f.panels, |svg| format!("<div class=\"wide\">{svg}</div>"));
        format!(
            "<section id=\"{name}\"><h2>{title}</h2>\n\
             <figure tabindex=\"0\" role=\"group\" aria-label=\"{title}; arrow keys go from value to value\">\n\
             <div class=\"panels\">{panels}</div>\n\
             <figcaption>{caption} Files: {name}.svg, {name}.png</figcaption>\n\
             </figure>\n</section>\n"
        )
    })
}

/// A section with a list, or nothing.
pub fn notes(id: &str, title: &str, all: &[String]) -> String {
    let items = joined(all, |n| format!("<li>{}</li>\n", text(n)));
    section(id, title, "ul", &items)
}

/// A section with a list of names and what is said of each, or nothing.
pub fn troubles(id: &str, title: &str, all: &[(String, String)]) -> String {
    let items =
        joined(all, |(label, error)| format!("<dt>{}</dt><dd>{}</dd>\n", text(label), text(error)));
    section(id, title, "dl", &items)
}

fn section(id: &str, title: &str, list: &str, items: &str) -> String {
    if items.is_empty() {
        return String::new();
    }
    let (id, title) = (text(id), text(title));
    format!("<section id=\"{id}\"><h2>{title}</h2><{list}>\n{items}</{list}></section>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_wherever_it_stands() {
        assert_eq!(text("a\u{1b}[2J\nb\u{202e}").to_string(), "a␛[2J\nb\u{fffd}");
        let bad = r#"<a href="x" id='y'>&"#.to_string();
        let good = "&lt;a href=&quot;x&quot; id=&#x27;y&#x27;&gt;&amp;";
        let shown = Shown { tip: bad.clone(), ..Shown::new(bad.as_str(), 1.0) };
        let one = HtmlTable {
            title: bad.clone(),
            header: vec![bad.clone()],
            rows: vec![(bad.clone(), vec![shown])],
            legend: bad.clone(),
        };
        let figure = HtmlFigure {
            name: bad.clone(),
            title: bad.clone(),
            caption: bad.clone(),
            panels: vec!["<svg/>".into()],
        };
        let parts = [
            (tables(&[one]), 7),
            (figures(&[figure]), 6),
            (link(&bad, &bad), 2),
            (warning(&bad), 1),
            (notes("notes", "Notes", std::slice::from_ref(&bad)), 1),
            (troubles("troubles", "Troubles", &[(bad.clone(), bad.clone())]), 2),
        ];
        for (html, times) in parts {
            assert_eq!(html.matches(good).count(), times, "{html}");
            assert!(!html.contains("<a href=\"x\"") && !html.contains("'y'"), "{html}");
        }
        assert_eq!(notes("notes", "Notes", &[]), "");
    }
}
