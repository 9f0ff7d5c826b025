//! Views that some instances lack: the part that is there, and what must be there.

use crate::data::{Csr, Table, View, Views};
use crate::{Error, Result};

/// One view on the instances that have it.
pub(super) fn only_present(view: &View) -> Result<Views> {
    let mut one = Views::new();
    one.push(view.clone())?;
    let Some(present) = &view.present else { return Ok(one) };
    let rows: Vec<usize> = (0..present.len()).filter(|i| present[*i]).collect();
    let cut = one.select(&rows);
    let mut complete = Views::new();
    for v in cut.iter() {
        complete.push(View { present: None, ..v.clone() })?;
    }
    Ok(complete)
}

/// An error about the instances that have a view, in the rows of all instances.
pub(super) fn in_rows_of(view: &View, error: Error) -> Error {
    match (error, &view.present) {
        (Error::Value { what, row, column, problem }, Some(present)) => {
            let row = (0..present.len()).filter(|i| present[*i]).nth(row).unwrap_or(row);
            Error::Value { what, row, column, problem }
        }
        (error, _) => error,
    }
}

/// The same views with zeros in place of what is not there.
pub(crate) fn placed(views: &Views) -> Result<Views> {
    let mut all = Views::new();
    for view in views.iter() {
        let Some(present) = &view.present else {
            all.push(view.clone())?;
            continue;
        };
        let mut table = view.table.clone();
        match &mut table {
            Table::Dense(m) => {
                (0..present.len()).filter(|i| !present[*i]).for_each(|i| m.row_mut(i).fill(0.0));
            }
            Table::Similarity(m) => {
                for i in 0..present.len() {
                    for (j, v) in m.row_mut(i).iter_mut().enumerate() {
                        if !(present[i] && present[j]) {
                            *v = 0.0;
                        }
                    }
                }
            }
            Table::Sparse(m) => *m = kept(m, present, |_| true)?,
            Table::Graph(m) => *m = kept(m, present, |j| present[j])?,
            Table::Sequences(s) => *s = s.only(present),
        }
        all.push(View { table, present: None, ..view.clone() })?;
    }
    if let Some(ids) = views.ids() {
        all.set_ids(ids.to_vec())?;
    }
    Ok(all)
}

/// The entries of present rows whose column is wanted.
fn kept(m: &Csr, present: &[bool], wanted: impl Fn(usize) -> bool) -> Result<Csr> {
    let row = |i: usize| {
        let (c, v) = m.row(i);
        let all = c.iter().copied().zip(v.iter().copied());
        all.filter(|(j, _)| present[i] && wanted(*j as usize)).collect()
    };
    Csr::from_rows(m.cols(), (0..m.rows()).map(row).collect())
}

/// New rows with zeros in place of what is not there.
pub(crate) fn placed_rows(views: &Views) -> Result<Views> {
    let mut all = Views::new();
    for view in views.iter() {
        let mut table = view.table.clone();
        let absent = |i: &usize| !view.has(*i);
        match &mut table {
            Table::Dense(m) | Table::Similarity(m) => {
                (0..m.rows()).filter(absent).for_each(|i| m.row_mut(i).fill(0.0));
            }
            Table::Sparse(m) | Table::Graph(m) => {
                if let Some(present) = &view.present {
                    *m = kept(m, present, |_| true)?;
                }
            }
            Table::Sequences(s) => {
                if let Some(present) = &view.present {
                    *s = s.only(present);
                }
            }
        }
        all.push(View { table, present: None, ..view.clone() })?;
    }
    Ok(all)
}

/// Refuses views that nobody has, and instances without any view.
pub(crate) fn check_present(views: &Views) -> Result<()> {
    let list: Vec<&View> = views.iter().collect();
    if let Some(view) = list.iter().find(|v| !(0..views.n()).any(|i| v.has(i))) {
        return Err(Error::Data(format!(
            "view '{}' is missing for every instance; leave the view out",
            view.name
        )));
    }
    let names: Vec<String> = list.iter().map(|v| format!("'{}'", v.name)).collect();
    if let Some(i) = (0..views.n()).find(|i| !list.iter().any(|v| v.has(*i))) {
        let (instance, names) = (views.instance(i), names.join(", "));
        return Err(Error::Data(if list.len() == 1 {
            format!(
                "{instance} lacks view {names}, and there is no other view from which its \
                 similarities could be estimated; leave it out"
            )
        } else {
            format!("{instance} has none of the views {names}; leave it out")
        }));
    }
    Ok(())
}

/// Refuses what [`check_present`] does, and views that share no instance with the others.
pub(crate) fn check_sources(views: &Views) -> Result<()> {
    check_present(views)?;
    let list: Vec<&View> = views.iter().collect();
    let has = |v: &View, i: usize| v.has(i);
    let names: Vec<String> = list.iter().map(|v| format!("'{}'", v.name)).collect();
    // Views that can be reached from the first one by common instances.
    let mut reached = vec![false; list.len()];
    let mut next = vec![0];
    reached[0] = true;
    while let Some(v) = next.pop() {
        for w in 0..list.len() {
            if !reached[w] && (0..views.n()).any(|i| has(list[v], i) && has(list[w], i)) {
                reached[w] = true;
                next.push(w);
            }
        }
    }
    match reached.iter().position(|r| !r) {
        None => Ok(()),
        Some(w) => {
            let within: Vec<&str> =
                (0..list.len()).filter(|v| reached[*v]).map(|v| names[v].as_str()).collect();
            Err(Error::Data(format!(
                "no instance has view {} together with any of the views {}, so that nothing \
                 relates them; are the instances named alike in all files?",
                names[w],
                within.join(", ")
            )))
        }
    }
}
