//! Which variables of a MATLAB file are meant, and whether their rows or their columns are the
//! instances.

use super::super::ReadOptions;
use super::tree::{Class, Variable};
use crate::Error;

/// What labels are called in public data, in small letters.
const LABELS: [&str; 17] = [
    "y",
    "y0",
    "gt",
    "gnd",
    "gtruth",
    "truth",
    "truelabel",
    "truelabels",
    "true_label",
    "ground_truth",
    "groundtruth",
    "label",
    "labels",
    "class",
    "classes",
    "target",
    "targets",
];

fn is_called_labels(variable: &Variable<'_>) -> bool {
    LABELS.contains(&variable.own_name().to_lowercase().as_str())
}

/// Whether there is text in it, and no matrix.
fn holds_text(variable: &Variable<'_>) -> bool {
    let leaves = variable.leaves();
    leaves.iter().any(|v| v.class == Class::Text && !v.is_text_vector())
        && !leaves.iter().any(|v| v.is_matrix())
}

/// Why labels that are text are refused, and what to do.
fn no_texts(path: &str) -> String {
    format!(
        "'{path}' holds text, and labels of a MAT file are numbers; save one number for each class, \
         or give the labels as a text file with one label on each line"
    )
}

/// A vector of numbers that is called like labels.
fn is_labels(variable: &Variable<'_>) -> bool {
    variable.class == Class::Numeric
        && is_called_labels(variable)
        && matches!(variable.shape[..], [1, n] | [n, 1] if n > 1)
}

/// A matrix of numbers, sparse or not, that is called like labels, and no vector.
fn is_indicators(variable: &Variable<'_>) -> bool {
    variable.is_matrix()
        && is_called_labels(variable)
        && matches!(variable.shape[..], [n, k] if n > 1 && k > 1)
}

/// All matrices of a file: those that are called like labels, and the others.
fn matrices<'v, 'a>(
    variables: &'v [Variable<'a>],
) -> (Vec<&'v Variable<'a>>, Vec<&'v Variable<'a>>) {
    variables.iter().flat_map(Variable::matrices).partition(|v| is_labels(v))
}

/// Refuses to take what is left beside something that cannot be read.
fn all_readable(variables: &[Variable<'_>], left: &str) -> Result<(), String> {
    let mut leaves = variables.iter().flat_map(Variable::leaves);
    match leaves.find(|v| v.class == Class::Other) {
        None => Ok(()),
        Some(other) => Err(format!(
            "'{}' cannot be read (it is an object or a function); if {left} is meant, name it",
            other.path
        )),
    }
}

/// A few of the names.
fn list(variables: &[&Variable<'_>]) -> String {
    const SHOWN: usize = 20;
    let names: Vec<&str> = variables.iter().take(SHOWN).map(|v| v.path.as_str()).collect();
    let more = if variables.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", names.join(", "))
}

fn unknown(variables: &[Variable<'_>], asked: &str) -> String {
    let whole = variables.iter().filter(|v| v.holds_parts() && !v.matrices().is_empty());
    let names = whole.chain(variables.iter().flat_map(Variable::matrices)).map(|v| &v.path);
    Error::unknown("matrix", asked, names.take(50)).to_string()
}

/// The one matrix that is meant.
pub(super) fn chosen<'v, 'a>(
    variables: &'v [Variable<'a>],
    options: &ReadOptions,
) -> Result<&'v Variable<'a>, String> {
    if let Some(asked) = &options.variable {
        let Some(found) = variables.iter().find_map(|v| v.find(asked)) else {
            return Err(unknown(variables, asked));
        };
        // What exists but cannot be used is explained when it is read.
        if !found.holds_parts() {
            return Ok(found);
        }
        let what = match found.class {
            Class::Cell => "cell array",
            Class::Stack => "stack of matrices",
            _ if found.parts.iter().any(|v| v.path.contains('/')) => "group",
            _ => "struct",
        };
        return Err(match &found.matrices()[..] {
            [] => format!("'{asked}' is a {what} that holds no matrix of numbers"),
            all => format!("'{asked}' is a {what}; name one of {}", list(all)),
        });
    }
    let (labels, others) = matrices(variables);
    match (&others[..], &labels[..]) {
        ([one], _) => all_readable(variables, &one.path).map(|()| *one),
        ([], []) => Err("the file holds no matrix of numbers".to_string()),
        ([], _) => Err(format!(
            "the file holds no matrix of numbers besides what is called like labels ({}); if \
             that is meant, name it",
            list(&labels)
        )),
        _ => Err(format!("the file holds several; name one of {}", list(&others))),
    }
}

/// The variables that are views together, after what their names add to that of the view:
/// the matrices of a cell array or struct, or the only matrix.
pub(super) fn expanded(
    variables: &[Variable<'_>],
    options: &ReadOptions,
) -> Result<super::Expanded, String> {
    let asked = options.variable.as_deref();
    let whole = match asked {
        Some(asked) => variables.iter().find_map(|v| v.find(asked)),
        None => {
            let (_, others) = matrices(variables);
            let mut tops: Vec<_> =
                variables.iter().filter(|v| v.matrices().iter().any(|m| !is_labels(m))).collect();
            // Beside several views a matrix that is called like labels holds indicators of classes.
            let rest: Vec<_> = tops.iter().copied().filter(|v| !is_indicators(v)).collect();
            if matches!(rest[..], [views] if views.matrices().len() > 1) {
                tops = rest;
            }
            if others.len() > 1 && tops.len() > 1 {
                return Err(format!("the file holds several; name one of {}", list(&tops)));
            }
            tops.first().copied()
        }
    };
    let views: Vec<&Variable<'_>> = match whole {
        Some(whole) if whole.holds_parts() => {
            whole.matrices().into_iter().filter(|v| !is_labels(v)).collect()
        }
        _ => Vec::new(),
    };
    let skipped = whole.filter(|w| w.holds_parts()).map_or(String::new(), skipped);
    if views.len() < 2 {
        let one = match views[..] {
            [one] if asked.is_some() => one,
            _ => chosen(variables, options)?,
        };
        let note = (!skipped.is_empty()).then(|| format!("{} is read{skipped}", one.path));
        return Ok((vec![(String::new(), one.path.clone())], Vec::from_iter(note)));
    }
    all_readable(std::slice::from_ref(whole.unwrap_or(views[0])), &list(&views))?;
    if asked.is_none() {
        all_readable(variables, &list(&views))?;
    }
    instances(variables, &views, options)?;
    let shared = shared_prefix(&views);
    let suffix = |path: &str| {
        let own = path[shared..].replace("(:,:,", "").replace("}{", ".").replace('/', ".");
        own.replace(['{', '}', '(', ')', '[', ']'], "")
    };
    let named = views.iter().map(|v| (suffix(&v.path), v.path.clone())).collect();
    let mut labels = matrices(variables).0;
    labels.extend(variables.iter().filter(|v| is_indicators(v)));
    let left = match asked.is_none() && !labels.is_empty() {
        true => format!("; {} is taken for labels and left out", list(&labels)),
        false => String::new(),
    };
    let lies_either_way =
        |v: &&Variable<'_>| columns_are_instances(variables, v, options).is_none();
    let square = match options.similarity {
        true => String::new(),
        false => square(&views.iter().copied().filter(lies_either_way).collect::<Vec<_>>()),
    };
    Ok((named, vec![format!("{} are read as views{left}{skipped}{square}", list(&views))]))
}

/// What is said of matrices of cells that may lie either way, or be similarities.
fn square(views: &[&Variable<'_>]) -> String {
    let is_square = |v: &&Variable<'_>| v.size().is_ok_and(|(rows, cols)| rows == cols);
    let found: Vec<_> = views.iter().copied().filter(is_square).collect();
    let whose = match found[..] {
        [] => return String::new(),
        [one] => format!("{} has as many columns as rows: rows", one.path),
        _ => format!("{} have as many columns as rows: rows", list(&found)),
    };
    format!(
        "; {whose} are instances, and columns are features, or similarities where they are read as \
         such (--similarity)"
    )
}

/// What is said of the parts of a cell array or struct that are no matrices.
fn skipped(whole: &Variable<'_>) -> String {
    let leaves = whole.leaves();
    let of = |text: bool| -> Vec<&Variable<'_>> {
        let other = |v: &&&Variable<'_>| !v.is_matrix() && (v.class == Class::Text) == text;
        leaves.iter().filter(other).copied().collect()
    };
    let said = [(of(true), "text"), (of(false), "empty")].map(|(parts, what)| match &parts[..] {
        [] => String::new(),
        [one] => format!("; {} is left out ({what})", one.path),
        all => format!("; {} are left out ({what})", list(all)),
    });
    said.concat()
}

/// How many bytes at the beginning of the paths are those of what holds them all.
fn shared_prefix(views: &[&Variable<'_>]) -> usize {
    let first = &views[0].path;
    let common = |path: &str| first.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
    let length = views[1..].iter().map(|v| common(&v.path)).min().unwrap_or(0);
    first.as_bytes()[..length].iter().rposition(|b| b".{([/".contains(b)).unwrap_or(0)
}

/// The variables that hold the labels; several must agree.
pub(super) fn chosen_labels<'v, 'a>(
    variables: &'v [Variable<'a>],
    options: &ReadOptions,
) -> Result<Vec<&'v Variable<'a>>, String> {
    let Some(asked) = &options.variable else {
        let (labels, others) = matrices(variables);
        let mut names: Vec<&str> = labels.iter().map(|v| v.own_name()).collect();
        names.dedup();
        let texts = variables.iter().find(|v| is_called_labels(v) && v.is_text_vector());
        if let (true, Some(texts)) = (labels.is_empty(), texts) {
            return Ok(vec![texts]);
        }
        let text = variables.iter().find(|v| is_called_labels(v) && holds_text(v));
        if let (true, Some(text)) = (labels.is_empty(), text) {
            return Err(no_texts(&text.path));
        }
        return match (names.len(), &others[..]) {
            (1, _) => Ok(labels),
            (0, [one]) => all_readable(variables, &one.path).map(|()| vec![*one]),
            (0, []) => Err("the file holds no vector of numbers".to_string()),
            (0, several) if several.iter().filter(|v| is_indicators(v)).count() == 1 => {
                Ok(several.iter().copied().filter(|v| is_indicators(v)).collect())
            }
            (0, _) => Err(format!("the file holds several; name one of {}", list(&others))),
            _ => Err(format!("the file holds several; name one of {}", list(&labels))),
        };
    };
    match variables.iter().find_map(|v| v.find(asked)) {
        None => Err(unknown(variables, asked)),
        Some(whole) if holds_text(whole) => Err(no_texts(asked)),
        Some(whole) if whole.holds_parts() => match whole.matrices() {
            none if none.is_empty() => Err(format!("'{asked}' holds no vector of numbers")),
            all => Ok(all),
        },
        Some(one) => Ok(vec![one]),
    }
}

/// Why the columns of a matrix are the instances, if they are.
pub(super) fn columns_are_instances(
    variables: &[Variable<'_>],
    variable: &Variable<'_>,
    options: &ReadOptions,
) -> Option<String> {
    let (rows, cols) = variable.size().ok()?;
    let together = siblings(variables, variable);
    let (n, why) = instances(variables, &together, options).ok()??;
    if is_labels(variable) || cols != n {
        return None;
    }
    if rows != n {
        return Some(why);
    }
    // A square one lies as those that lie one way only.
    let sizes = || together.iter().filter_map(|v| v.size().ok());
    let others = sizes().any(|(r, c)| r != n && c == n) && !sizes().any(|(r, c)| r == n && c != n);
    others.then(|| format!("those of the others are ({why})"))
}

/// How many instances the matrices of one cell array or struct have, and what tells so: the
/// labels, or that all agree in their rows or in their columns. One alone need not fit anything.
fn instances(
    variables: &[Variable<'_>],
    together: &[&Variable<'_>],
    options: &ReadOptions,
) -> Result<Option<(usize, String)>, String> {
    let sizes: Vec<(usize, usize)> = together.iter().filter_map(|v| v.size().ok()).collect();
    let labels = matrices(variables).0;
    let length = |v: &&Variable<'_>| v.shape.iter().product::<usize>();
    let by_labels = match (options.instances, &labels[..]) {
        (Some(n), _) => Some((n, format!("there are {n} labels"))),
        (None, [first, others @ ..]) if others.iter().all(|v| length(v) == length(first)) => {
            let n = length(first);
            Some((n, format!("'{}' holds {n} labels", first.path)))
        }
        _ => None,
    };
    if let Some((n, why)) = by_labels {
        let Some(place) = sizes.iter().position(|s| s.0 != n && s.1 != n) else {
            return Ok(Some((n, why)));
        };
        if together.len() < 2 {
            return Ok(None);
        }
        let ((rows, cols), what) = (sizes[place], &together[place].path);
        return Err(format!(
            "'{what}' is {rows} × {cols}, but {why}; expected as many rows or columns"
        ));
    }
    let Some((rows, cols)) = sizes.first().copied() else { return Ok(None) };
    if sizes.iter().all(|s| s.0 == rows) {
        return Ok(Some((rows, format!("all have {rows} rows"))));
    }
    if sizes.iter().all(|s| s.1 == cols) {
        let all = list(together);
        return Ok(Some((cols, format!("{all} agree in their columns, not in their rows"))));
    }
    let sizes: Vec<String> = together
        .iter()
        .zip(&sizes)
        .map(|(v, (rows, cols))| format!("{} is {rows} × {cols}", v.path))
        .collect();
    Err(format!(
        "the matrices agree neither in their rows nor in their columns ({}), so they are not \
         views of the same instances; name one of them",
        sizes.join(", ")
    ))
}

/// The matrices, labels left out, of what holds this one; only itself if nothing does.
fn siblings<'v, 'a>(
    variables: &'v [Variable<'a>],
    variable: &'v Variable<'a>,
) -> Vec<&'v Variable<'a>> {
    fn holder<'v, 'a>(within: &'v [Variable<'a>], path: &str) -> Option<&'v [Variable<'a>]> {
        if within.iter().any(|v| v.path == path) {
            return Some(within);
        }
        within.iter().find_map(|v| holder(&v.parts, path))
    }
    let top = variables.iter().any(|v| v.path == variable.path);
    let all = if top { None } else { holder(variables, &variable.path) };
    match all {
        Some(all) => all.iter().filter(|v| v.is_matrix() && !is_labels(v)).collect(),
        None => vec![variable],
    }
}
