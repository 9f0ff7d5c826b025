//! Columns of kernels, the base functions of [`boosting`](super).

use crate::Result;
use crate::bank::Bank;
use crate::error::room_for;

/// The columns that a decision function has so far.
#[derive(Debug)]
pub(in crate::mkl) struct Columns {
    /// The instances that take part, ascending: columns are of these, and are looked at on these.
    pub rows: Vec<u32>,
    /// What values of kernels are multiplied by.
    pub factor: f64,
    /// What each column is.
    pub places: Vec<Place>,
    /// One column after the other with their signs, `rows` long.
    pub values: Vec<f64>,
    /// Whether those with a positive and with a negative sign are there, by kernel and row.
    taken: Vec<[bool; 2]>,
}

/// A column: sign · k(x_i, ·).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::mkl) struct Place {
    pub kernel: usize,
    pub instance: u32,
    pub sign: f64,
}

/// The edge of a column that is not there, at this place among the rows.
#[derive(Debug, Clone, Copy)]
pub(in crate::mkl) struct Outside {
    pub edge: f64,
    kernel: usize,
    row: usize,
}

/// The edges of all columns.
pub(in crate::mkl) struct Priced {
    /// Of those that are not there.
    pub outside: Vec<Outside>,
    /// Σ e² over them.
    pub squares: f64,
    /// The largest |e| of all.
    pub largest: f64,
}

impl Columns {
    /// None yet.
    pub fn new(bank: &Bank, weights: &[f64], factor: f64) -> Result<Self> {
        let rows: Vec<u32> =
            (0..bank.n()).filter(|i| weights[*i] > 0.0).map(|i| i as u32).collect();
        let count = rows.len().checked_mul(bank.len());
        room_for::<f64>(count.and_then(|c| c.checked_mul(2)), || {
            format!("the edges of {} × {} columns", bank.len(), rows.len())
        })?;
        let taken = vec![[false; 2]; rows.len() * bank.len()];
        Ok(Columns { rows, factor, places: Vec::new(), values: Vec::new(), taken })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Values of column j.
    pub fn column(&self, j: usize) -> &[f64] {
        let n = self.rows.len();
        &self.values[j * n..(j + 1) * n]
    }

    /// Edges by kernel and instance.
    pub fn priced(&self, kernels: usize, edge: &dyn Fn(usize, usize) -> f64) -> Priced {
        let mut priced = Priced { outside: Vec::new(), squares: 0.0, largest: 0.0 };
        for kernel in 0..kernels {
            for (row, i) in self.rows.iter().enumerate() {
                let edge = edge(kernel, *i as usize);
                priced.largest = priced.largest.max(edge.abs());
                if !self.taken[kernel * self.rows.len() + row][usize::from(edge < 0.0)] {
                    priced.squares += edge * edge;
                    priced.outside.push(Outside { edge, kernel, row });
                }
            }
        }
        priced
    }

    /// The `most` columns with the largest edges above `least`, and with `ties` those that are equal to the last of them.
    pub fn choose(
        &self,
        mut outside: Vec<Outside>,
        least: f64,
        most: usize,
        ties: bool,
    ) -> Vec<Outside> {
        outside.retain(|o| o.edge.abs() > least);
        let place = |o: &Outside| (o.kernel, o.row);
        outside.sort_by(|a, b| {
            b.edge.abs().total_cmp(&a.edge.abs()).then_with(|| place(a).cmp(&place(b)))
        });
        match most.checked_sub(1).and_then(|k| outside.get(k)).copied() {
            Some(last) if ties => outside.retain(|o| o.edge.abs() >= last.edge.abs()),
            _ => outside.truncate(most),
        }
        outside
    }

    /// Adds columns; with the signs of their edges, or as they are.
    pub fn add(&mut self, bank: &Bank, chosen: &[Outside], signed: bool) {
        let n = self.rows.len();
        for Outside { edge, kernel, row } in chosen.iter().copied() {
            let (start, instance) = (self.values.len(), self.rows[row]);
            self.values.resize(start + n, 0.0);
            let out = &mut self.values[start..];
            bank.entries(kernel, instance as usize, &self.rows, out);
            let sign = if signed && edge < 0.0 { -1.0 } else { 1.0 };
            out.iter_mut().for_each(|v| *v *= sign * self.factor);
            self.places.push(Place { kernel, instance, sign });
            let taken = &mut self.taken[kernel * n + row];
            match signed {
                true => taken[usize::from(edge < 0.0)] = true,
                false => *taken = [true; 2],
            }
        }
    }
}
