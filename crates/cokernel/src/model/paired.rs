//! Pairs of instances ([`Pairs`]) beside their labels, for methods that learn from them.
//!
//! Instances of pairs need no label: where some have none, the kernels of training (the same functions with
//! the same widths, and the same scaling of features) are computed once more over the instances with a label
//! or in a pair, normalised over all of them, and the pairs are compared there. Memory: that of the kernels
//! again. The machine learns from the instances with a label, as without pairs.

use super::Prepared;
use crate::bank::Bank;
use crate::data::{Link, Pairs, Views};
use crate::mkl::GivenPairs;
use crate::{Error, Result, Run};

/// Pairs, and the kernels that compare their instances.
pub(super) struct Paired {
    pairs: Pairs,
    /// None where all instances of the pairs are learned from.
    bank: Option<Bank>,
}

impl Paired {
    /// As methods are given them.
    pub(super) fn given<'a>(&'a self, own: &'a Bank) -> GivenPairs<'a> {
        GivenPairs { bank: self.bank.as_ref().unwrap_or(own), pairs: &self.pairs }
    }
}

impl Prepared {
    /// With pairs among the instances that were given to [`Mkl::prepare`](super::Mkl::prepare), which are
    /// `views`; for methods that learn from pairs (`two_stage`). Instances of pairs need no label.
    ///
    /// # Errors
    /// Pairs among another number of instances; must-link or cannot-link pairs are missing; an instance of a
    /// pair that lacks a view; as [`Bank::from_kernels`].
    pub fn with_pairs(mut self, views: &Views, pairs: &Pairs, run: &Run) -> Result<Self> {
        let n = self.rows.len() + self.n_dropped;
        for (what, found) in [("pairs", pairs.n()), ("views", views.n())] {
            if found != n {
                let expected = format!("{n} instances, as many as were prepared");
                return Err(Error::shape(what, expected, found));
            }
        }
        pairs.require_both()?;
        let mut learned = vec![false; n];
        self.rows.iter().for_each(|&i| learned[i] = true);
        let mut all: Vec<usize> = pairs.rows().into_iter().filter(|i| !learned[*i]).collect();
        let strange = all.len();
        let mut note = format!(
            "the weights are learned from {} must-link and {} cannot-link pairs",
            pairs.of(Link::Must).len(),
            pairs.of(Link::Cannot).len()
        );
        self.notes.extend(self.contradictions(views, pairs));
        let paired = match strange {
            0 => Paired { pairs: pairs.select(&self.rows), bank: None },
            _ => {
                all.extend_from_slice(&self.rows);
                all.sort_unstable();
                let views = self.preparation.apply_among(&views.select(&all))?;
                let (kernels, storage) =
                    (self.bank.kernels().to_vec(), self.recipe.storage.clone());
                let bank = Bank::from_kernels(&views, kernels, storage, run)?;
                note.push_str(&format!(
                    "; instances without a label that are in them: {strange}, for the pairs kernels are \
                     normalised over {} instances",
                    all.len()
                ));
                Paired { pairs: pairs.select(&all), bank: Some(bank) }
            }
        };
        self.paired = Some(Box::new(paired));
        self.notes.push(note);
        self.known = Default::default();
        Ok(self)
    }

    /// A remark where pairs say something else than the classes of their instances.
    fn contradictions(&self, views: &Views, pairs: &Pairs) -> Option<String> {
        let Ok(classes) = self.target.classes() else { return None };
        let labelled = pairs.select(&self.rows);
        let class = |i: u32| classes.codes[i as usize];
        let wrong = |link: Link| {
            let pairs = labelled.of(link).iter();
            pairs.filter(move |(i, j)| (class(*i) == class(*j)) != (link == Link::Must))
        };
        let count = Link::ALL.map(|link| wrong(link).count()).iter().sum::<usize>();
        let (link, (i, j)) =
            Link::ALL.iter().find_map(|link| Some((link, wrong(*link).next()?)))?;
        let name = |i: u32| {
            let row = self.rows[i as usize];
            views.ids().map_or_else(|| format!("row {row}"), |ids| format!("'{}'", ids[row]))
        };
        let named = |i: u32| format!("'{}'", classes.names[class(i) as usize]);
        let are = match class(*i) == class(*j) {
            true => format!("are both of class {}", named(*i)),
            false => format!("are of classes {} and {}", named(*j), named(*i)),
        };
        Some(format!(
            "pairs that contradict the labels of their instances: {count} of {}; {} and {} are a {link} \
             pair, and {are}",
            labelled.len(),
            name(*j),
            name(*i)
        ))
    }
}
