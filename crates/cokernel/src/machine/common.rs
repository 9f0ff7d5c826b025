//! What all machines share: parameters of the solver, checks, and the block of one problem.

use super::{Block, Free, Head, How, Role, Solution};
use crate::error::room_for;
use crate::params::{Param, Params, Range};
use crate::solve::Rows;
use crate::solve::ridge::Ridge;
use crate::solve::smo::Settings;
use crate::solve::solved::Solved;
use crate::{Counts, Error, Result, Status, Watch};

/// How near to its bound, relatively, a coefficient counts as being there.
pub(super) const NEAR: f64 = 1e-9;

pub(super) const TOL: Param = Param {
    name: "tol",
    doc: "Relative duality gap to stop at.",
    range: Range::Real { default: 1e-3, min: 0.0, max: 0.999, closed: false },
};

pub(super) const SHRINKING: Param = Param {
    name: "shrinking",
    doc: "Whether variables at their bounds are set aside while they stay there.",
    range: Range::Choice { default: "yes", of: &["yes", "no"] },
};

pub(super) const CACHE: Param = Param {
    name: "cache",
    doc: "Bytes for the row cache of the solver.",
    range: Range::Int { default: 256 << 20, min: 0, max: i64::MAX },
};

pub(super) const MAX_STEPS: Param = Param {
    name: "max_steps",
    doc: "Limit on pair steps of each problem.",
    range: Range::Int { default: 1_000_000_000, min: 1, max: i64::MAX },
};

/// The parameters of the solver.
pub(super) fn settings(p: &Params) -> Settings {
    Settings {
        tol: p.real("tol"),
        shrinking: p.text("shrinking") == "yes",
        cache: p.count("cache"),
        max_steps: p.count("max_steps") as u64,
    }
}

/// C · weight_i, for each instance.
pub(super) fn costs(c: f64, n: usize, weights: Option<&[f64]>) -> Result<Vec<f64>> {
    let costs: Vec<f64> = (0..n).map(|i| c * weights.map_or(1.0, |w| w[i])).collect();
    match costs.iter().position(|c| !c.is_finite()) {
        None => Ok(costs),
        Some(i) => {
            let problem = format!(
                "{c:e} times the weight of instance {i} is {}; use a smaller C or smaller weights",
                costs[i]
            );
            Err(Error::parameter("c", problem))
        }
    }
}

/// Refuses a kernel, weights or a start for another number of instances or with other heads.
pub(super) fn check(kernel: &dyn Rows, n: usize, roles: &[Role], how: &How<'_>) -> Result<()> {
    if kernel.n() != n {
        return Err(Error::shape("kernel", format!("{n} rows, one per label"), kernel.n()));
    }
    if let Some(weights) = how.weights {
        if weights.len() != n {
            return Err(Error::shape(
                "instance weights",
                format!("{n}, one per label"),
                weights.len(),
            ));
        }
        if let Some(i) = weights.iter().position(|w| !(*w >= 0.0 && w.is_finite())) {
            let problem = format!(
                "the weight of instance {i} is {}; expected a finite number, 0 or more",
                weights[i]
            );
            return Err(Error::parameter("weights", problem));
        }
    }
    let Some(warm) = how.warm else { return Ok(()) };
    if warm.roles() != roles {
        return Err(Error::shape(
            "warm start",
            format!("the {} machines of this decomposition and these classes", roles.len()),
            format!("{} other machines", warm.heads().count()),
        ));
    }
    if let Some(head) = warm.heads().find(|h| h.coef.len() != n) {
        let expected = format!("{n} coefficients per machine, one per label");
        return Err(Error::shape("warm start", expected, head.coef.len()));
    }
    if warm.heads().flat_map(|h| &h.coef).any(|c| !c.is_finite()) {
        return Err(Error::shape("warm start", "finite coefficients", "one that is not"));
    }
    Ok(())
}

/// For a machine with one head: checks what it is given; gives the coefficients to start from and the
/// settings with the tolerance that is asked for.
pub(super) fn asked<'a>(
    kernel: &dyn Rows,
    n: usize,
    role: Role,
    settings: &Settings,
    how: &How<'a>,
) -> Result<(Option<&'a [f64]>, Settings)> {
    check(kernel, n, &[role], how)?;
    let start = how.warm.and_then(|w| w.heads().next()).map(|h| h.coef.as_slice());
    Ok((start, Settings { tol: how.tol.unwrap_or(settings.tol), ..*settings }))
}

/// Refuses a kernel whose diagonal is not finite; gives its largest entry.
pub(super) fn largest_entry(kernel: &dyn Rows, c: f64) -> Result<f64> {
    let size = |a: f64, d: &f64| if d.is_finite() { a.max(d.abs()) } else { f64::INFINITY };
    let largest = kernel.diagonal().iter().fold(0.0, size);
    match largest.is_finite() {
        true => Ok(largest),
        false => Err(overflow("a diagonal entry of the kernel", largest, c)),
    }
}

fn overflow(what: &str, largest: f64, c: f64) -> Error {
    Error::Data(format!(
        "{what} is beyond what f64 can hold (the largest diagonal entry of the kernel is \
         {largest:.1e}, C is {c:.1e}); normalise the kernel, scale the features or use another C"
    ))
}

/// The blocks as a solution, if all their numbers are finite. `largest` and `c` are for the message.
pub(super) fn solution(solved: Vec<(Block, u64)>, largest: f64, c: f64) -> Result<Solution> {
    let counts = Counts {
        machine_solves: solved.len() as u64,
        smo_steps: solved.iter().map(|s| s.1).sum(),
        ..Counts::default()
    };
    let blocks: Vec<Block> = solved.into_iter().map(|s| s.0).collect();
    if blocks.iter().any(|b| !b.is_finite()) {
        return Err(overflow("a number of the machine", largest, c));
    }
    Ok(Solution { blocks, counts })
}

/// Objectives beside the terms they are sums of, below which they are rounding.
const NOTHING: f64 = 1e-14;

/// A block whose objectives are rounding of terms of this size has found its optimum, which is 0: a relative gap says
/// nothing there.
pub(super) fn settled(mut block: Block, terms: f64) -> Block {
    if block.primal.abs().max(block.objective.abs()) <= NOTHING * terms {
        block.gap = 0.0;
        if block.status == Status::Stalled {
            block.status = Status::Converged;
        }
    }
    block
}

/// The block of a machine with one head and bounds |c_i| ≤ C_i.
pub(super) fn block(solved: Solved, role: Role, costs: &[f64], at_bound: (usize, usize)) -> Block {
    let linear = solved.dual + 0.5 * solved.norm();
    let coef = solved.coef;
    let inside = |i: &usize| coef[*i] != 0.0 && coef[*i].abs() < (1.0 - NEAR) * costs[*i];
    let rows = (0..coef.len()).filter(inside).map(|i| i as u32).collect();
    Block {
        linear,
        primal: solved.primal,
        objective: solved.dual,
        gap: solved.gap,
        hidden: 0.0,
        status: solved.status,
        free: Some(Free { rows, sum: true, ..Free::default() }),
        at_bound,
        heads: vec![Head { role, coef, bias: solved.bias }],
    }
}

/// What moves in a machine of several classes at once: the coefficient of the own class up, that of another one down.
pub(super) fn free_between(pairs: &[(u32, u32, u32)]) -> Free {
    Free {
        rows: pairs.iter().map(|(i, _, _)| *i).collect(),
        between: pairs.iter().map(|(_, own, other)| (*own, *other)).collect(),
        sum: true,
        ..Free::default()
    }
}

/// Whether an instance with this weight takes part: its ridge λ/v, the less it weighs the larger, is a number.
pub(super) fn takes_part(lambda: f64, weight: f64) -> bool {
    (lambda / weight).is_finite()
}

/// Of the instances that take part those that are chosen, and their ridges λ/v.
///
/// # Errors
/// There are none.
pub(super) fn ridged<'a>(
    rows: &'a dyn Rows,
    lambda: f64,
    weights: Option<&[f64]>,
    chosen: impl Fn(usize) -> bool,
) -> Result<(Part<'a>, Vec<f64>)> {
    let weight = |i: usize| weights.map_or(1.0, |w| w[i]);
    let part = Part::of(rows, weights, |i| chosen(i) && takes_part(lambda, weight(i)))?;
    let ridges = part.kept.iter().map(|i| lambda / weight(*i)).collect();
    Ok((part, ridges))
}

/// The matrix of these instances with a ridge, factored.
///
/// # Errors
/// No room for it, no factor, a stop.
pub(super) fn factor<'a>(
    part: &'a Part<'_>,
    ridges: &'a [f64],
    watch: &Watch,
) -> Result<Ridge<'a>> {
    let n = part.kept.len();
    room_for::<f64>(n.checked_mul(2 * n), || format!("the factor of {n} × {n} kernel values"))?;
    Ridge::new(part, ridges, true, watch).map_err(|status| match status {
        Status::Stalled => Error::Data(
            "the kernel matrix with the ridge on its diagonal has no factor: it is not positive \
             semi-definite; use a larger lambda or other kernels"
                .to_string(),
        ),
        status => Error::Stopped { status, what: "the factor of the kernel".to_string() },
    })
}

/// The block of a machine in closed form on these instances, all of which are free to move.
pub(super) fn closed(found: Solved, role: Role, part: &Part<'_>, ridges: &[f64]) -> Block {
    Block {
        linear: found.dual + 0.5 * found.norm(),
        primal: found.primal,
        objective: found.dual,
        gap: found.gap,
        hidden: 0.0,
        status: found.status,
        free: Some(Free {
            rows: part.kept.iter().map(|i| *i as u32).collect(),
            ridge: ridges.to_vec(),
            sum: true,
            ..Free::default()
        }),
        at_bound: (0, 0),
        heads: vec![Head { role, coef: part.spread(&found.coef), bias: found.bias }],
    }
}

/// The instances with a weight, as a matrix of their own.
pub(super) struct Part<'a> {
    rows: &'a dyn Rows,
    /// Which they are, increasing.
    pub kept: Vec<usize>,
}

impl<'a> Part<'a> {
    /// # Errors
    /// No instance has a weight.
    pub fn with_weight(rows: &'a dyn Rows, weights: Option<&[f64]>) -> Result<Self> {
        Part::of(rows, weights, |_| true)
    }

    /// Of the instances with a weight those that are chosen.
    ///
    /// # Errors
    /// There are none.
    pub fn of(
        rows: &'a dyn Rows,
        weights: Option<&[f64]>,
        chosen: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let weight = |i: &usize| weights.is_none_or(|w| w[*i] > 0.0) && chosen(*i);
        let kept: Vec<usize> = (0..rows.n()).filter(weight).collect();
        match kept.is_empty() {
            true => Err(Error::Labels("there is no instance with a weight to learn from".into())),
            false => Ok(Part { rows, kept }),
        }
    }

    /// Coefficients of all instances from those of these.
    pub fn spread(&self, coef: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.rows.n()];
        self.kept.iter().zip(coef).for_each(|(i, c)| all[*i] = *c);
        all
    }

    fn gather(&self, all: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(&self.kept).for_each(|(o, i)| *o = all[*i]);
    }
}

impl Rows for Part<'_> {
    fn n(&self) -> usize {
        self.kept.len()
    }

    fn terms(&self) -> usize {
        self.rows.terms()
    }

    fn diagonal(&self) -> Vec<f64> {
        let all = self.rows.diagonal();
        self.kept.iter().map(|i| all[*i]).collect()
    }

    fn fill(&self, i: usize, columns: Option<&[u32]>, out: &mut [f32]) {
        let place = |j: u32| self.kept[j as usize] as u32;
        let all: Vec<u32> = match columns {
            Some(columns) => columns.iter().map(|j| place(*j)).collect(),
            None => self.kept.iter().map(|j| *j as u32).collect(),
        };
        self.rows.fill(self.kept[i], Some(&all), out);
    }

    fn row<'a>(&'a self, i: usize, room: &'a mut [f64]) -> &'a [f64] {
        let mut whole = vec![0.0; self.rows.n()];
        let row = self.rows.row(self.kept[i], &mut whole);
        self.gather(row, room);
        room
    }

    fn multiply(&self, coef: &[f64], out: &mut [f64]) {
        let mut whole = vec![0.0; self.rows.n()];
        self.rows.multiply(&self.spread(coef), &mut whole);
        self.gather(&whole, out);
    }
}
