//! Connected components of similarities.

use super::{Csr, Matrix, Table, View};

/// Sizes that a sentence lists.
const LISTED: usize = 5;

/// The sizes of the connected components of a square similarity, largest first: two instances are
/// joined if their similarity is not 0. Instances that lack the view do not count. Empty for
/// features.
///
/// Cost: one pass over the stored entries; for a dense similarity at most n² / 2 entries, far
/// fewer if it is connected.
pub fn components(view: &View) -> Vec<usize> {
    let has = |i: usize| view.present.as_ref().is_none_or(|p| p[i]);
    let mut sizes = match &view.table {
        Table::Graph(m) => of_graph(m, &has),
        Table::Similarity(m) => of_matrix(m, &has),
        _ => Vec::new(),
    };
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

fn of_graph(m: &Csr, has: &impl Fn(usize) -> bool) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..m.rows()).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for i in (0..m.rows()).filter(|i| has(*i)) {
        let (c, v) = m.row(i);
        for (&j, _) in c.iter().zip(v).filter(|(j, v)| **v != 0.0 && has(**j as usize)) {
            let (a, b) = (root(&mut parent, i), root(&mut parent, j as usize));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut sizes = vec![0; m.rows()];
    for i in (0..m.rows()).filter(|i| has(*i)) {
        sizes[root(&mut parent, i)] += 1;
    }
    sizes.retain(|s| *s > 0);
    sizes
}

fn of_matrix(m: &Matrix, has: &impl Fn(usize) -> bool) -> Vec<usize> {
    let mut rest: Vec<usize> = (0..m.rows()).filter(|i| has(*i)).collect();
    let mut sizes = Vec::new();
    while let Some(first) = rest.pop() {
        let (mut open, mut size) = (vec![first], 1);
        while let Some(i) = open.pop() {
            let row = m.row(i);
            let before = open.len();
            rest.retain(|&j| {
                if row[j] != 0.0 {
                    open.push(j);
                }
                row[j] == 0.0
            });
            size += open.len() - before;
        }
        sizes.push(size);
    }
    sizes
}

/// What a user should read about a similarity that falls into parts.
pub fn components_note(view: &View) -> Option<String> {
    let sizes = components(view);
    if sizes.len() < 2 {
        return None;
    }
    let listed: Vec<String> = sizes.iter().take(LISTED).map(usize::to_string).collect();
    let list = match sizes.len() - listed.len() {
        0 => format!("{} and {}", listed[..listed.len() - 1].join(", "), listed[listed.len() - 1]),
        more => format!("{} and {more} of at most {}", listed.join(", "), sizes[LISTED]),
    };
    let single = sizes.iter().filter(|s| **s == 1).count();
    let single = match single {
        0 => String::new(),
        _ => format!(" ({single} of a single instance)"),
    };
    Some(format!(
        "view '{}': the graph has {} connected components of {list} instances{single}; its \
         leading eigenvectors tell components apart before anything within them",
        view.name,
        sizes.len()
    ))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn view(table: Table, present: Option<Vec<bool>>) -> View {
        View { name: "a".into(), table, columns: None, present }
    }

    /// Instances i and j are joined if i mod `parts` = j mod `parts` and they are neighbours there.
    fn chains(n: usize, parts: usize) -> Matrix {
        Matrix::from_fn(n, n, |i, j| f64::from(u8::from(i == j || i.abs_diff(j) == parts)))
    }

    fn sparse(m: &Matrix) -> Csr {
        let row = |i: usize| {
            let all = m.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0);
            all.map(|(j, v)| (j as u32, *v)).collect()
        };
        Csr::from_rows(m.cols(), (0..m.rows()).map(row).collect()).unwrap()
    }

    #[test]
    fn dense_and_sparse_agree() {
        for (n, parts) in [(10, 1), (10, 3), (7, 7), (1, 1)] {
            let m = chains(n, parts);
            let mut want: Vec<usize> = (0..parts).map(|p| (p..n).step_by(parts).count()).collect();
            want.sort_unstable_by(|a, b| b.cmp(a));
            assert_eq!(components(&view(Table::Graph(sparse(&m)), None)), want);
            assert_eq!(components(&view(Table::Similarity(m), None)), want);
        }
        assert!(components(&view(Table::Dense(chains(4, 2)), None)).is_empty());
    }

    #[test]
    fn absent_instances_and_stored_zeros_join_nothing() {
        // A chain 0-1-2-3-4 without its middle.
        let present = Some((0..5).map(|i| i != 2).collect());
        let m = chains(5, 1);
        assert_eq!(components(&view(Table::Graph(sparse(&m)), present.clone())), [2, 2]);
        assert_eq!(components(&view(Table::Similarity(m), present)), [2, 2]);
        let zero = Csr::from_rows(2, vec![vec![(1, 0.0)], vec![(0, 0.0)]]).unwrap();
        assert_eq!(components(&view(Table::Graph(zero), None)), [1, 1]);
    }

    #[test]
    fn notes_list_sizes() {
        let note = |n, parts| components_note(&view(Table::Similarity(chains(n, parts)), None));
        assert_eq!(note(5, 1), None);
        let text = note(10, 3).unwrap();
        assert!(text.starts_with("view 'a': the graph has 3 connected components of 4, 3 and 3"));
        let text = note(9, 7).unwrap();
        let want = "of 2, 2, 1, 1, 1 and 2 of at most 1 instances (5 of a single instance); its";
        assert!(text.contains(want), "{text}");
    }
}
