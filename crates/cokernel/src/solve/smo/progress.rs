//! Whether looking on is worth it.

/// How many looks have brought nothing: neither a tenth off one of the measures (relative gap, gap,
/// violation), nor a thousandth of itself or a hundredth of the gap off the objective.
pub(super) struct Fruit {
    least: [f64; 3],
    objective: f64,
    patience: u64,
    since: u64,
    pub looks: u64,
}

impl Fruit {
    /// Gives up after `patience` looks without progress, beside a quarter of those before.
    pub fn new(patience: u64) -> Self {
        let objective = f64::INFINITY;
        Fruit { least: [f64::INFINITY; 3], objective, patience, since: 0, looks: 0 }
    }

    /// Whether this look is one too many.
    pub fn none_after(&mut self, measures: [f64; 3], objective: f64) -> bool {
        self.looks += 1;
        for (least, now) in self.least.iter_mut().zip(measures) {
            if now < 0.9 * *least {
                (*least, self.since) = (now, self.looks);
            }
        }
        if objective < self.objective - (1e-3 * objective.abs()).min(1e-2 * measures[1]) {
            (self.objective, self.since) = (objective, self.looks);
        }
        self.looks > self.since + self.since / 4 + self.patience
    }
}
