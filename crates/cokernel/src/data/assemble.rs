//! From files to [`Views`] and [`Labels`] over the same instances.

use super::{Csr, LabelFile, Labels, Matrix, Sequences, Table, TableFile, View, Views};
use crate::{Error, Result};
use std::collections::{HashMap, HashSet};

/// How tables are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AssembleOptions {
    /// Instances may lack views or labels: all ids that occur count, in the order of their first
    /// occurrence. Otherwise every table must have the same ids.
    pub allow_missing: bool,
    /// Labels are real targets, not classes.
    pub real_targets: bool,
    /// The instances are new ones: the columns of a similarity are the training instances, in
    /// the order of training.
    pub new_instances: bool,
}

/// Views and labels of the same instances.
#[derive(Debug, Clone, PartialEq)]
pub struct Assembled {
    /// The views, in the order of the tables.
    pub views: Views,
    /// The labels; absent if no file had any.
    pub labels: Labels,
    /// Sentences about the data that a user should read.
    pub notes: Vec<String>,
}

/// Matches the rows of several tables, and labels: by id if all have ids (in the order of the
/// first table), by position if none has.
///
/// Labels come from the label file; without one, from the tables that have a label column.
///
/// # Errors
/// Some tables have ids and some have not; an id is empty or appears twice in a table; ids or
/// numbers of rows differ (the error lists up to five ids); a training similarity is not square;
/// two tables contradict each other about a label; or what [`Views::push`] refuses.
pub fn assemble(
    tables: Vec<(String, TableFile)>,
    labels: Option<LabelFile>,
    options: &AssembleOptions,
) -> Result<Assembled> {
    let label_ids = labels.as_ref().map(|l| ("the label file".to_string(), l.ids.as_deref()));
    let sources: Vec<(String, Option<&[String]>)> = tables
        .iter()
        .map(|(name, t)| (format!("view '{name}'"), t.ids.as_deref()))
        .chain(label_ids)
        .collect();
    if tables.is_empty() {
        return Err(Error::Data("no view is given".to_string()));
    }
    let order = match common_ids(&sources)? {
        Some(all) => Some(id_order(&all, tables.len(), options)?),
        None => {
            same_length(&tables, labels.as_ref())?;
            None
        }
    };
    let texts = match &labels {
        Some(file) => Some(match (&order, &file.ids) {
            (Some(order), Some(ids)) => {
                let rows = rows_of(order, ids);
                rows.iter().map(|r| r.map_or(String::new(), |r| file.texts[r].clone())).collect()
            }
            _ => file.texts.clone(),
        }),
        None => labels_of_tables(&tables, order.as_deref())?,
    };
    let mut views = Views::new();
    let mut notes = Vec::new();
    if let (Some(order), Some(ids)) = (&order, labels.as_ref().and_then(|l| l.ids.as_ref())) {
        let surplus: Vec<&String> =
            rows_of(ids, order).iter().zip(ids).filter(|(r, _)| r.is_none()).map(|p| p.1).collect();
        if !surplus.is_empty() {
            notes.push(format!("labels of instances without any view: {}", list(&surplus)));
        }
    }
    for (name, mut file) in tables {
        let file_notes = std::mem::take(&mut file.notes);
        notes.extend(file_notes.into_iter().map(|note| format!("view '{name}': {note}")));
        views.push(view(name, file, order.as_deref(), options)?)?;
    }
    for (name, absent) in views.missing() {
        notes.push(format!("view '{name}' is missing for {absent} of {} instances", views.n()));
    }
    if let Some(order) = order {
        views.set_ids(order)?;
    }
    let labels = match texts {
        None => Labels::Absent(views.n()),
        Some(texts) if options.real_targets => Labels::real_from_texts(&texts)?,
        Some(texts) => Labels::from_texts(&texts),
    };
    Ok(Assembled { views, labels, notes })
}

/// What each source is called and its ids.
type Named<'a> = Vec<(&'a str, &'a [String])>;

/// The ids of every source, if they have any; each id is unique within its source.
fn common_ids<'a>(sources: &'a [(String, Option<&'a [String]>)]) -> Result<Option<Named<'a>>> {
    let with: Named<'a> =
        sources.iter().filter_map(|(what, ids)| Some((what.as_str(), (*ids)?))).collect();
    let without = sources.iter().find(|(_, ids)| ids.is_none());
    match (with.first(), without) {
        (None, _) => return Ok(None),
        (Some((has, _)), Some((lacks, _))) => {
            return Err(Error::Match(format!(
                "{has} has instance ids, but {lacks} has none; give an id column for all of them, \
                 or for none to match rows by position"
            )));
        }
        _ => {}
    }
    for (what, ids) in &with {
        let mut seen = HashSet::new();
        for (row, id) in ids.iter().enumerate() {
            if id.is_empty() {
                return Err(Error::Match(format!("{what}: the id of row {row} is empty")));
            }
            if !seen.insert(id) {
                return Err(Error::Match(format!("{what}: the id '{id}' appears twice")));
            }
        }
    }
    Ok(Some(with))
}

/// The ids of all instances in order; the first `views` sources are views.
fn id_order(all: &Named<'_>, views: usize, options: &AssembleOptions) -> Result<Vec<String>> {
    let (first, ids) = all[0];
    if options.allow_missing {
        let mut seen = HashSet::new();
        let every = all[..views].iter().flat_map(|(_, ids)| ids.iter());
        return Ok(every.filter(|id| seen.insert(id.as_str())).cloned().collect());
    }
    let expected: HashSet<&String> = ids.iter().collect();
    let mut problems = Vec::new();
    for (what, ids) in &all[1..] {
        let found: HashSet<&String> = ids.iter().collect();
        let missing: Vec<&String> = all[0].1.iter().filter(|id| !found.contains(id)).collect();
        let surplus: Vec<&String> = ids.iter().filter(|id| !expected.contains(id)).collect();
        for (word, ids) in [("lacks", missing), ("has in addition", surplus)] {
            if !ids.is_empty() {
                problems.push(format!("{what} {word} {}", list(&ids)));
            }
        }
    }
    if problems.is_empty() {
        return Ok(ids.to_vec());
    }
    Err(Error::Match(format!(
        "the instances differ from those of {first}: {}; make the ids equal, or allow missing views",
        problems.join("; ")
    )))
}

/// Up to five ids.
fn list(ids: &[&String]) -> String {
    let shown: Vec<String> = ids.iter().take(5).map(|id| format!("'{id}'")).collect();
    let more = ids.len().saturating_sub(5);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn same_length(tables: &[(String, TableFile)], labels: Option<&LabelFile>) -> Result<()> {
    let (first, n) = (&tables[0].0, tables[0].1.table.rows());
    let views = tables.iter().map(|(name, file)| {
        (format!("view '{name}' ({})", file.path.display()), file.table.rows())
    });
    let blank = labels.and_then(|l| l.blank);
    let labels = labels.map(|l| (format!("the label file ({})", l.path.display()), l.texts.len()));
    for (what, rows) in views.chain(labels) {
        if rows != n {
            let blank = blank.filter(|_| rows < n && what.starts_with("the label file"));
            let hint = match blank {
                Some(line) => format!(
                    "; line {line} of the label file is blank, which is no row: a missing label is written NA"
                ),
                None if rows.abs_diff(n) == 1 => "; is a header read as a row?".to_string(),
                None => String::new(),
            };
            return Err(Error::Match(format!(
                "{what} has {rows} rows, but view '{first}' ({}) has {n}; rows are matched by \
                 position{hint}",
                tables[0].1.path.display()
            )));
        }
    }
    Ok(())
}

/// For each id of `order` its row among `ids`.
fn rows_of(order: &[String], ids: &[String]) -> Vec<Option<usize>> {
    let rows: HashMap<&String, usize> = ids.iter().zip(0..).collect();
    order.iter().map(|id| rows.get(id).copied()).collect()
}

/// The labels that tables hold; where several do, they must agree.
fn labels_of_tables(
    tables: &[(String, TableFile)],
    order: Option<&[String]>,
) -> Result<Option<Vec<String>>> {
    let mut merged: Option<(&str, Vec<String>)> = None;
    for (name, file) in tables {
        let Some(labels) = &file.labels else { continue };
        let texts: Vec<String> = match (order, &file.ids) {
            (Some(order), Some(ids)) => rows_of(order, ids)
                .iter()
                .map(|r| r.map_or(String::new(), |r| labels[r].clone()))
                .collect(),
            _ => labels.clone(),
        };
        let Some((first, known)) = &mut merged else {
            merged = Some((name, texts));
            continue;
        };
        for (row, (a, b)) in known.iter_mut().zip(texts).enumerate() {
            if a.is_empty() {
                *a = b;
            } else if !b.is_empty() && *a != b {
                let row = order.map_or(format!("row {row}"), |ids| format!("'{}'", ids[row]));
                return Err(Error::Match(format!(
                    "the label of {row} is '{a}' in view '{first}' but '{b}' in view '{name}'"
                )));
            }
        }
    }
    Ok(merged.map(|(_, texts)| texts))
}

/// The view of one table with its rows in order.
fn view(
    name: String,
    file: TableFile,
    order: Option<&[String]>,
    options: &AssembleOptions,
) -> Result<View> {
    let similarity = file.table.is_similarity();
    let (rows, cols) = (file.table.rows(), file.table.cols());
    if similarity && !options.new_instances && rows != cols {
        let expected = format!("{rows} × {rows}, one column for each instance");
        return Err(Error::shape(
            format!("similarity view '{name}'"),
            expected,
            format!("{rows} × {cols}"),
        ));
    }
    let columns = if similarity { None } else { file.columns.clone() };
    let picked = match (order, &file.ids) {
        (Some(order), Some(ids)) if order != ids.as_slice() => Some(rows_of(order, ids)),
        _ => None,
    };
    if let (Some(ids), Some(names), true) =
        (&file.ids, &file.columns, similarity && !options.new_instances)
    {
        check_header(&name, ids, names)?;
    }
    let column_order = match (order, &file.ids, &file.columns) {
        // A header that names the instances says in which order the columns are.
        (Some(order), Some(ids), Some(names)) if similarity && same_set(ids, names) => {
            Some(rows_of(order, names))
        }
        _ => picked.clone(),
    };
    let mut present = file.present;
    let mut table = file.table;
    if let Some(picked) = &picked {
        let own = |r: usize| present.as_ref().is_none_or(|p| p[r]);
        let mask: Vec<bool> = picked.iter().map(|r| r.is_some_and(own)).collect();
        present = mask.contains(&false).then_some(mask);
        table = pick_rows(table, picked)?;
    }
    if let (Some(columns), false) = (column_order, options.new_instances) {
        table = match table {
            Table::Similarity(m) => {
                Table::Similarity(Matrix::from_fn(m.rows(), columns.len(), |i, j| {
                    columns[j].map_or(0.0, |c| m.get(i, c))
                }))
            }
            // An instance that the graph does not have gets a column of zeros.
            Table::Graph(m) => {
                let nothing = m.cols();
                let places: Vec<usize> = columns.iter().map(|c| c.unwrap_or(nothing)).collect();
                Table::Graph(m.widened(nothing + 1).select_cols(&places))
            }
            features => features,
        };
    }
    Ok(View { name, table, columns, present })
}

/// Refuses a similarity whose header names some of its instances, but not all: columns would then be
/// taken by position. A header with none of them counts its columns or says nothing.
fn check_header(view: &str, ids: &[String], names: &[String]) -> Result<()> {
    let (rows, columns): (HashSet<&String>, HashSet<&String>) =
        (ids.iter().collect(), names.iter().collect());
    let lacking: Vec<&String> = ids.iter().filter(|id| !columns.contains(id)).collect();
    let surplus: Vec<&String> = names.iter().filter(|n| !rows.contains(n)).collect();
    if lacking.is_empty() && surplus.is_empty() || lacking.len() == ids.len() {
        return Ok(());
    }
    let part = |what: &str, ids: &[&String]| match ids {
        [] => String::new(),
        ids => format!("; {what} {}", list(ids)),
    };
    Err(Error::Match(format!(
        "similarity view '{view}': the header names some of the instances, but not all{}{}; name \
         all columns by the ids of their instances, or none",
        part("it lacks", &lacking),
        part("no row is called", &surplus)
    )))
}

fn same_set(a: &[String], b: &[String]) -> bool {
    a.len() == b.len() && a.iter().collect::<HashSet<_>>() == b.iter().collect::<HashSet<_>>()
}

/// The given rows; absent ones are NaN, so that reading one by mistake shows.
fn pick_rows(table: Table, rows: &[Option<usize>]) -> Result<Table> {
    let dense = |m: &Matrix| {
        Matrix::from_fn(rows.len(), m.cols(), |i, j| rows[i].map_or(f64::NAN, |r| m.get(r, j)))
    };
    Ok(match &table {
        Table::Dense(m) => Table::Dense(dense(m)),
        Table::Similarity(m) => Table::Similarity(dense(m)),
        Table::Sparse(m) | Table::Graph(m) => {
            let entries = |r: &Option<usize>| match r {
                Some(r) => {
                    let (c, v) = m.row(*r);
                    c.iter().copied().zip(v.iter().copied()).collect()
                }
                None => Vec::new(),
            };
            let picked = Csr::from_rows(m.cols(), rows.iter().map(entries).collect())?;
            if table.is_similarity() { Table::Graph(picked) } else { Table::Sparse(picked) }
        }
        Table::Sequences(s) => {
            let text =
                |r: &Option<usize>| r.map_or("", |r| std::str::from_utf8(s.row(r)).unwrap_or(""));
            Table::Sequences(Sequences::new(rows.iter().map(text))?)
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::{ReadOptions, read::parse_csv, read::parse_labels};
    use std::path::Path;

    fn table(name: &str, text: &str, options: &ReadOptions) -> (String, TableFile) {
        (name.to_string(), parse_csv(text.as_bytes(), Path::new(name), options).unwrap())
    }

    fn by_id() -> ReadOptions {
        ReadOptions { id_column: Some("id".into()), ..Default::default() }
    }

    fn values(views: &Views, name: &str) -> Vec<f64> {
        match &views.get(name).unwrap().table {
            Table::Dense(m) | Table::Similarity(m) => m.values().to_vec(),
            Table::Sparse(m) | Table::Graph(m) => m.to_dense().values().to_vec(),
            Table::Sequences(_) => Vec::new(),
        }
    }

    #[test]
    fn rows_are_matched_by_id_in_the_order_of_the_first() {
        let a = table("a", "id,x\np,1\nq,2\nr,3\n", &by_id());
        let b = table("b", "y,id\n30,r\n10,p\n20,q\n", &by_id());
        let labels = parse_labels(b"id,class\nq,no\nr,yes\np,yes\n", Path::new("y"), &by_id());
        let all = assemble(vec![a, b], Some(labels.unwrap()), &Default::default()).unwrap();
        assert_eq!(all.views.ids().unwrap(), ["p", "q", "r"]);
        assert_eq!(values(&all.views, "a"), [1.0, 2.0, 3.0]);
        assert_eq!(values(&all.views, "b"), [10.0, 20.0, 30.0]);
        assert_eq!(all.labels, Labels::from_texts(&["yes", "no", "yes"]));
        assert!(all.notes.is_empty());
    }

    #[test]
    fn instances_may_lack_views_if_allowed() {
        let a = table("a", "id,x\np,1\nq,2\n", &by_id());
        let b = table("b", "id,y\nq,20\nr,30\n", &by_id());
        let options = AssembleOptions { allow_missing: true, ..Default::default() };
        let labels = parse_labels(b"id,class\nq,no\nz,no\n", Path::new("y"), &by_id()).unwrap();
        let all = assemble(vec![a, b], Some(labels), &options).unwrap();
        assert_eq!(all.views.ids().unwrap(), ["p", "q", "r"]);
        assert_eq!(all.views.missing(), [("a", 1), ("b", 1)]);
        assert_eq!(all.views.complete_rows(), [1]);
        assert_eq!(values(&all.views.select(&[1]), "b"), [20.0]);
        assert_eq!(all.labels.known_rows(), [1]);
        assert_eq!(all.notes[0], "labels of instances without any view: 'z'");
        assert_eq!(all.notes[1], "view 'a' is missing for 1 of 3 instances");
    }

    /// Columns called like some rows were taken by position.
    #[test]
    fn similarities_name_all_their_columns_or_none() {
        let options = ReadOptions { similarity: true, ..by_id() };
        let s = table("s", "id,q,p,x\np,1,2,0\nq,2,1,0\nr,0,0,1\n", &options);
        let e = assemble(vec![s], None, &Default::default()).unwrap_err().to_string();
        let start = "similarity view 's': the header names some of the instances, but not all; it \
                     lacks 'r'; no row is called 'x'";
        assert!(e.starts_with(start), "{e}");
        let s = table("s", "id,a,b\np,1,2\nq,2,1\n", &options);
        assert!(assemble(vec![s], None, &Default::default()).is_ok());
        // Labels by id follow a similarity, or are refused with the ids.
        let s = || table("s", "id,q,p\np,5,1\nq,1,4\n", &options);
        let labels = |text: &str| parse_labels(text.as_bytes(), Path::new("y"), &by_id()).unwrap();
        let all =
            assemble(vec![s()], Some(labels("id,class\nq,b\np,a\n")), &Default::default()).unwrap();
        assert_eq!(all.labels, Labels::from_texts(&["a", "b"]));
        assert_eq!(values(&all.views, "s"), [1.0, 5.0, 4.0, 1.0]);
        let other = labels("id,class\nq,b\nz,a\n");
        let e = assemble(vec![s()], Some(other), &Default::default()).unwrap_err().to_string();
        assert!(e.contains("lacks 'p'") && e.contains("in addition 'z'"), "{e}");
    }

    #[test]
    fn similarities_follow_on_both_axes() {
        let a = table("a", "id,x\np,1\nq,2\n", &by_id());
        let options = ReadOptions { similarity: true, ..by_id() };
        // Rows q, p; in `s` the columns are p, q by name, in `t` q, p by position.
        let s = table("s", "id,p,q\nq,12,22\np,11,21\n", &options);
        let t = table("t", "id,u,v\nq,22,12\np,21,11\n", &options);
        let all = assemble(vec![a, s, t], None, &Default::default()).unwrap();
        assert_eq!(values(&all.views, "s"), [11.0, 21.0, 12.0, 22.0]);
        assert_eq!(values(&all.views, "t"), [11.0, 21.0, 12.0, 22.0]);
        assert_eq!(all.labels, Labels::Absent(2));
    }

    #[test]
    fn graphs_follow_on_both_axes() {
        let a = table("a", "id,x\np,1\nq,2\nr,3\n", &by_id());
        // Rows and columns r, p: q is not in the graph.
        let edges = vec![vec![(0, 1.0), (1, 5.0)], vec![(0, 5.0), (1, 2.0)]];
        let mut g = table("g", "id,u,v\nr,0,0\np,0,0\n", &by_id());
        (g.1.table, g.1.columns) = (Table::Graph(Csr::from_rows(2, edges).unwrap()), None);
        let options = AssembleOptions { allow_missing: true, ..Default::default() };
        let all = assemble(vec![a, g], None, &options).unwrap();
        let Table::Graph(m) = &all.views.get("g").unwrap().table else { panic!("graph") };
        assert_eq!(m.to_dense().values(), [2.0, 0.0, 5.0, 0.0, 0.0, 0.0, 5.0, 0.0, 1.0]);
        assert_eq!(all.views.missing(), [("g", 1)]);
    }

    #[test]
    fn labels_of_tables_are_used_and_compared() {
        let options = ReadOptions { label_column: Some("y".into()), ..by_id() };
        let a = || table("a", "id,x,y\np,1,u\nq,2,\n", &options);
        let b = |y: &str| table("b", &format!("id,x,y\nq,2,v\np,1,{y}\n"), &options);
        let all = assemble(vec![a(), b("u")], None, &Default::default()).unwrap();
        assert_eq!(all.labels, Labels::from_texts(&["u", "v"]));
        let e = assemble(vec![a(), b("w")], None, &Default::default()).unwrap_err();
        assert_eq!(e.to_string(), "the label of 'p' is 'u' in view 'a' but 'w' in view 'b'");
    }
}
