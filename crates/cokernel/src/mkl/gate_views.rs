//! What gates look at: the parameters, and the columns that they mean.

use super::{Problem, check};
use crate::data::{Matrix, Table, Views};
use crate::params::{Param, Params, Range};
use crate::rule::Input;
use crate::{Error, Report, Result};

const ALL: &str = "all";

/// The parameter.
pub(super) const GATE_VIEWS: Param = Param {
    name: "gate_views",
    doc: "Views that the gates look at, separated by commas; all: those of the kernels that have features, or the \
          similarities where there are no features.",
    range: Range::Text { default: ALL, expected: "all, or names of views separated by commas" },
};

/// The parameter beside it.
pub(super) const GATE_DIMENSIONS: Param = Param {
    name: "gate_dimensions",
    doc: "To how many principal components the columns that the gates look at are reduced; 0 keeps the columns.",
    range: Range::Int { default: 0, min: 0, max: 1_000_000 },
};

/// And another.
pub(super) const GATE_SCALE: Param = Param {
    name: "gate_scale",
    doc: "What the gates see of a column: standard (its mean taken off, divided by its standard deviation), or none (its \
          values as they are; on principal components, with the mean taken off).",
    range: Range::Choice { default: "standard", of: &["standard", "none"] },
};

/// How columns are shown to gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shown {
    /// To how many principal components they are reduced; 0: not.
    pub dimensions: usize,
    /// Whether they are as they are, not standardised.
    pub plain: bool,
}

impl Shown {
    pub fn new(params: &Params) -> Self {
        Shown {
            dimensions: params.count(GATE_DIMENSIONS.name),
            plain: params.text(GATE_SCALE.name) == "none",
        }
    }
}

/// The values of the parameters.
#[derive(Debug)]
pub(super) struct GateViews {
    views: String,
    shown: Shown,
}

/// What gates look at.
#[derive(Debug)]
pub(super) struct Seen {
    pub input: Input,
    /// What they see of the instances of training.
    pub features: Matrix,
    /// The share of the variance of the columns that is left, where they are reduced.
    kept: Option<f64>,
    /// Whether they are seen as they are.
    plain: bool,
}

impl Seen {
    /// These views.
    ///
    /// # Errors
    /// A view is not there; there is no memory for its columns.
    pub fn of(views: &Views, names: &[String], shown: Shown) -> Result<Self> {
        let Shown { dimensions, plain } = shown;
        let mut input = Input::of(views, names)?;
        if plain {
            input = input.unscaled(dimensions > 0);
        }
        let mut kept = None;
        if dimensions > 0 && input.varies() {
            let (reduced, share) = input.reduced(views, dimensions)?;
            (input, kept) = (reduced, Some(share));
        }
        let features = input.rows(views)?;
        Ok(Seen { input, features, kept, plain: plain && dimensions == 0 })
    }

    /// The mean squared length of what is seen of an instance, and of what is left of it without the mean. Of
    /// standardised columns, and of principal components, that is how many of them vary.
    pub fn squares(&self) -> (f64, f64) {
        let (rows, cols) = (self.features.rows(), self.features.cols());
        let n = rows.max(1) as f64;
        let of = |j: usize| -> (f64, f64) {
            let column = || (0..rows).map(|i| self.features.get(i, j));
            if !self.plain {
                let varies = f64::from(u8::from(column().any(|v| v != 0.0)));
                return (varies, varies);
            }
            let mean = column().sum::<f64>() / n;
            let about = |c: f64| column().map(|v| (v - c) * (v - c) / n).sum::<f64>();
            (about(0.0), about(mean))
        };
        (0..cols).map(of).fold((0.0, 0.0), |(a, b), (c, d)| (a + c, b + d))
    }

    /// Tells what a user should know of it.
    pub fn tell(&self, report: &mut Report) {
        let (seen, columns) = (self.input.width(), self.input.columns());
        if let Some(kept) = self.kept {
            report.notes.push(format!(
                "the gates look at {seen} principal components of {columns} columns, which have {:.1} % of \
                 their variance",
                100.0 * kept
            ));
            report.details.insert("gate_variance".to_string(), vec![kept]);
        }
        if !self.input.varies() {
            report.notes.push(format!(
                "every column that the gates look at ('{}') has one value in training: the gates are the same for \
                 all instances",
                self.input.views().join("', '")
            ));
        }
    }
}

impl GateViews {
    pub fn new(params: &Params) -> Self {
        let views = params.text(GATE_VIEWS.name).to_string();
        GateViews { views, shown: Shown::new(params) }
    }

    fn is_all(&self) -> bool {
        self.views.trim() == ALL
    }

    /// The views that are named, each once; none where gates look at all.
    pub fn named(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        if self.is_all() {
            return names;
        }
        for name in self.views.split(',').map(str::trim).filter(|n| !n.is_empty()) {
            if !names.iter().any(|n| n == name) {
                names.push(name.to_string());
            }
        }
        names
    }

    /// What they mean.
    ///
    /// # Errors
    /// No view is named; as [`Seen::of`].
    pub fn seen(&self, views: &Views) -> Result<Seen> {
        let named = self.named();
        if !named.is_empty() {
            return Seen::of(views, &named, self.shown);
        }
        if !self.is_all() {
            let problem = format!(
                "expected all, or names of views separated by commas, found '{}'",
                self.views
            );
            return Err(Error::parameter(GATE_VIEWS.name, problem));
        }
        let of = |wanted: fn(&Table) -> bool| -> Vec<String> {
            views.iter().filter(|v| wanted(&v.table)).map(|v| v.name.clone()).collect()
        };
        let features = of(Table::is_features);
        let names = if features.is_empty() { of(Table::is_similarity) } else { features };
        Seen::of(views, &names, self.shown)
    }
}

/// Refuses what method `id` cannot learn gates with, and gives the views.
pub(super) fn check_all<'a>(problem: &Problem<'a>, id: &str) -> Result<&'a Views> {
    check(problem)?;
    if !problem.machine.has_free_dual() {
        let text = format!(
            "the kernel enters its dual in another way than {id} relies on; choose another machine"
        );
        return Err(Error::parameter("machine", text));
    }
    views_of(problem, id)
}

/// The views of the instances, which gates look at; refuses a problem without.
pub(super) fn views_of<'a>(problem: &Problem<'a>, id: &str) -> Result<&'a Views> {
    check(problem)?;
    let views = problem.views.ok_or_else(|| {
        Error::Data(format!("{id}: gates look at features; give the views, not kernels alone"))
    })?;
    match views.n() == problem.bank.n() {
        true => Ok(views),
        false => Err(Error::shape("views of the gates", problem.bank.n(), views.n())),
    }
}
