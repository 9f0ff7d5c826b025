//! [`Features`]: C_m(x) = k_m(x, Z) towards landmarks Z, computed where they are needed and kept nowhere.
//!
//! Distances are computed once for all kernels of a view, the widths of a ladder by squaring. Cost for an instance: r products
//! of its columns for each view, and M r values.

use crate::bank::{Bank, Cross, RowMeans, Storage};
use crate::data::Views;
use crate::kernel::Kernel;
use crate::{Result, Run};
use std::cell::Cell;

/// Numbers of C that are worked on at once: a few rows that stay in a cache.
const AT_ONCE: usize = 1 << 17;

/// Where rows of views come from.
pub(crate) trait Source: Sync {
    /// These rows, in this order, of the views whose name is wanted.
    ///
    /// # Errors
    /// They cannot be read.
    fn select(&self, rows: &[usize], wanted: &dyn Fn(&str) -> bool) -> Result<Views>;
}

impl Source for Views {
    fn select(&self, rows: &[usize], wanted: &dyn Fn(&str) -> bool) -> Result<Views> {
        let mut some = Views::new();
        for view in self.iter().filter(|v| wanted(&v.name)) {
            some = some.with(view.name.clone(), view.table.select_rows(rows))?;
        }
        Ok(some)
    }
}

/// Kernels towards landmarks.
#[derive(Debug)]
pub(crate) struct Features {
    landmarks: usize,
    kernels: Vec<Kernel>,
    cross: Cross,
}

/// Room for the features of a few rows.
#[derive(Debug, Default)]
struct Room {
    measures: Vec<f64>,
    values: Vec<f64>,
}

thread_local! {
    /// That of the last visit: about a megabyte, which some allocators would ask the system for in each tile (those of Dask's
    /// workers; about a tenth of their CPU time).
    static ROOM: Cell<Room> = Cell::default();
}

impl Features {
    /// Towards all rows of these views, the landmarks. Also gives the kernels among them.
    ///
    /// # Errors
    /// As [`Bank::from_kernels`].
    pub fn new(own: &Views, kernels: Vec<Kernel>, run: &Run) -> Result<(Self, Bank)> {
        let bank = Bank::from_kernels(own, kernels, Storage::OnDemand, run)?;
        let norms: Vec<_> = (0..bank.len()).map(|m| bank.norms(m).to_vec()).collect();
        let places: Vec<usize> = (0..own.n()).collect();
        let cross = Cross::new(own, &places, own.n(), bank.kernels(), &norms, RowMeans::Exact)?;
        let kernels = bank.kernels().to_vec();
        Ok((Features { landmarks: own.n(), kernels, cross }, bank))
    }

    /// Along the directions of random features.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn of_directions(rows: &Views, kernels: Vec<Kernel>) -> Result<Self> {
        let places: Vec<usize> = (0..rows.n()).collect();
        let norms = vec![Vec::new(); kernels.len()];
        let cross = Cross::new(rows, &places, rows.n(), &kernels, &norms, RowMeans::Exact)?;
        Ok(Features { landmarks: rows.n(), kernels, cross })
    }

    /// The kernels.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The kernels, without the rest.
    pub fn into_kernels(self) -> Vec<Kernel> {
        self.kernels
    }

    /// Number of landmarks.
    pub fn landmarks(&self) -> usize {
        self.landmarks
    }

    /// Features C of some rows a few at a time: `each(first of them, count, values)`, row after row, kernel after kernel,
    /// landmark after landmark.
    pub fn visit(
        &self,
        source: &dyn Source,
        rows: &[usize],
        kernels: &[usize],
        mut each: impl FnMut(usize, usize, &[f64]),
    ) -> Result<()> {
        let wide = kernels.len() * self.landmarks;
        if wide == 0 || rows.is_empty() {
            return Ok(());
        }
        // Those of single features are looked at together.
        let single = kernels.iter().any(|m| self.kernels[*m].column.is_some());
        let wanted = |name: &str| single || kernels.iter().any(|m| self.kernels[*m].view == name);
        let new = self.cross.new_rows(&source.select(rows, &wanted)?, kernels)?;
        let strip = (AT_ONCE / wide).clamp(8, 256);
        // What is called may visit others in this thread, which then have room of their own.
        let mut room = ROOM.take();
        for first in (0..rows.len()).step_by(strip) {
            let count = strip.min(rows.len() - first);
            room.values.resize(count * wide, 0.0);
            self.cross.values(&new, kernels, first, count, &mut room.measures, &mut room.values);
            each(first, count, &room.values);
        }
        ROOM.set(room);
        Ok(())
    }
}
