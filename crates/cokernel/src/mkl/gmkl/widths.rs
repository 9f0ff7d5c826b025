//! Products of Gaussians and polynomials of features that are multiplied by √w_d first: kernels of views that are
//! [learned](LearnedView), with the derivative of J by every w_d.

use super::super::parametric::{Inside, Use};
use super::super::{Learned, Problem, mixed};
use super::{Kernel, Penalty};
use crate::bank::{Bank, Feature};
use crate::data::{LearnedView, Table, View, Views, mapped};
use crate::kernel::{Function, Metric, Normalization};
use crate::machine::Solution;
use crate::rule::{Combination, Mix, Polynomial, Product};
use crate::run::Pass;
use crate::{Error, Report, Result, Run, Watch};
use std::cell::RefCell;

/// The method that has other forms, too.
const GMKL: &str = "gmkl";

/// A kernel of features with widths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::mkl) enum Form {
    /// exp(−Σ_d w_d (x_d − z_d)²).
    Product,
    /// (1 + Σ_d w_d x_d z_d)^q.
    Polynomial(u32),
}

/// A view that kernels look at.
struct Part<'a> {
    view: &'a View,
    /// What its kernels multiply squared distances or products by.
    gamma: f64,
    /// w of θ = 1 for each column; 0 for columns with one value.
    units: Vec<f64>,
    /// The parameter of each column.
    places: Vec<Option<usize>>,
}

/// Widths of the features of the views that the kernels look at.
pub(in crate::mkl) struct Widths<'a> {
    problem: &'a Problem<'a>,
    views: &'a Views,
    form: Form,
    parts: Vec<Part<'a>>,
    count: usize,
    penalty: Penalty,
    /// The kernels of the last parameters.
    made: RefCell<Option<(Vec<f64>, Bank)>>,
}

impl<'a> Widths<'a> {
    /// # Errors
    /// There are no views, or not one that varies; kernels of another kind.
    pub(in crate::mkl) fn new(
        method: &'static str,
        problem: &'a Problem<'a>,
        form: Form,
        by_view: bool,
    ) -> Result<Self> {
        let views = problem.views.ok_or_else(|| {
            let or = otherwise(method);
            Error::Data(format!("{method}: widths are those of features; give the views{or}"))
        })?;
        if views.n() != problem.bank.n() {
            return Err(Error::shape("views of the widths", problem.bank.n(), views.n()));
        }
        let mut parts: Vec<Part<'a>> = Vec::new();
        for kernel in problem.bank.kernels() {
            let whole = kernel.column.is_none();
            let gaussian = Metric::SquaredEuclidean;
            let own = |n: &Normalization| *n == Normalization::UnitDiagonal;
            let gamma = match (form, kernel.function) {
                (Form::Product, Function::Exponential { metric, gamma })
                    if whole && metric == gaussian && kernel.normalize.iter().all(own) =>
                {
                    Some(gamma)
                }
                (Form::Polynomial(_), Function::Linear) if whole && kernel.normalize.is_empty() => {
                    Some(1.0)
                }
                _ => None,
            };
            let Some(gamma) = gamma else { return Err(refused(method, form, &kernel.name)) };
            match parts.iter_mut().find(|p| p.view.name == kernel.view) {
                Some(part) => part.gamma += gamma,
                None => {
                    let view = views.get(&kernel.view)?;
                    parts.push(Part { view, gamma, units: Vec::new(), places: Vec::new() });
                }
            }
        }
        let mut count = 0;
        for part in &mut parts {
            let sizes = sizes(&part.view.table, form);
            let all = sizes.iter().flatten().sum::<f64>();
            let first = count;
            let unit = |size: &Option<f64>| {
                let unit = 1.0 / if by_view { all } else { (*size)? };
                (unit.is_finite() && unit > 0.0).then_some(unit)
            };
            let units: Vec<Option<f64>> = sizes.iter().map(|s| s.and_then(|_| unit(s))).collect();
            let used = units.iter().flatten().count();
            count += if by_view { usize::from(used > 0) } else { used };
            let mut next = first;
            let mut place = |known: &Option<f64>| {
                known.map(|_| {
                    next += usize::from(!by_view);
                    if by_view { first } else { next - 1 }
                })
            };
            part.places = units.iter().map(&mut place).collect();
            part.units = units.iter().map(|u| u.unwrap_or(0.0)).collect();
        }
        if count == 0 {
            return Err(Error::Data(format!(
                "{method}: every column of the views has one value only; there is no width to learn"
            )));
        }
        let share = match form {
            Form::Product => 0.5 / count as f64,
            Form::Polynomial(_) => 1.0 / count as f64,
        };
        parts.iter_mut().for_each(|p| p.units.iter_mut().for_each(|u| *u *= share));
        let (penalty, made) = (Penalty { squared: false, strength: 0.0 }, RefCell::new(None));
        Ok(Widths { problem, views, form, parts, count, penalty, made })
    }

    /// θ of each column of a part.
    fn relevance(part: &Part<'_>, parameters: &[f64]) -> Vec<f64> {
        part.places.iter().map(|p| p.map_or(0.0, |p| parameters[p])).collect()
    }

    /// w of each column of a part.
    fn widths(part: &Part<'_>, parameters: &[f64]) -> Vec<f64> {
        let relevance = Self::relevance(part, parameters);
        relevance.iter().zip(&part.units).map(|(r, u)| r * u).collect()
    }

    fn maps(&self, parameters: &[f64]) -> Result<Vec<LearnedView>> {
        let map = |part: &Part<'_>| {
            let factor = |w: &f64| (w / part.gamma).sqrt();
            let factors = Self::widths(part, parameters).iter().map(factor).collect();
            LearnedView::scaled(part.view.name.clone(), factors)
        };
        self.parts.iter().map(map).collect()
    }

    /// The kernels of these parameters.
    pub(in crate::mkl) fn bank(&self, parameters: &[f64], run: &Run) -> Result<Bank> {
        let views = mapped(self.views, &self.maps(parameters)?)?;
        let given = self.problem.bank;
        Bank::from_kernels(&views, given.kernels().to_vec(), given.storage().passing(), run)
    }

    fn rule(&self) -> Combination {
        let kernels = self.problem.bank.len();
        match self.form {
            Form::Product => Product::rule(kernels),
            Form::Polynomial(degree) => {
                Combination::new(Polynomial::new(vec![1.0; kernels], degree).with_constant(1.0))
            }
        }
    }

    /// The derivatives by θ, of a bank of these widths.
    fn slopes_in(&self, bank: &Bank, machines: &Solution, watch: &Watch) -> Option<Vec<f64>> {
        let pass = Pass::under(watch);
        let tables = self.tables();
        let (coefs, of) = match self.form {
            Form::Product => (machines.coefs(), Feature::Differences),
            Form::Polynomial(_) => (machines.coefs(), Feature::Products),
        };
        let form = self.form;
        let factor = |values: &[&[f64]], out: &mut [f64]| match form {
            Form::Product => {
                out.fill(1.0);
                for values in values {
                    out.iter_mut().zip(*values).for_each(|(o, v)| *o *= v);
                }
            }
            Form::Polynomial(degree) => {
                out.fill(1.0);
                for values in values {
                    out.iter_mut().zip(*values).for_each(|(o, v)| *o += v);
                }
                out.iter_mut().for_each(|o| *o = o.powi(degree as i32 - 1));
            }
        };
        let forms = bank.feature_forms(&coefs, factor, &tables, of, &pass);
        let by = match self.form {
            Form::Product => 0.5,
            Form::Polynomial(degree) => -0.5 * f64::from(degree),
        };
        (!pass.is_given_up()).then(|| self.of_parameters(by, &forms))
    }

    /// The tables of the views that the kernels look at.
    pub(in crate::mkl) fn tables(&self) -> Vec<&Table> {
        self.parts.iter().map(|p| &p.view.table).collect()
    }

    /// Numbers of all columns of the [tables](Self::tables), times `by` and what a parameter is multiplied by there, added
    /// up for each parameter.
    pub(in crate::mkl) fn of_parameters(&self, by: f64, forms: &[f64]) -> Vec<f64> {
        let mut slopes = vec![0.0; self.count];
        let places = self.parts.iter().flat_map(|p| p.places.iter().zip(&p.units));
        for ((place, unit), form) in places.zip(forms) {
            if let Some(place) = place {
                slopes[*place] += by * unit * form;
            }
        }
        slopes
    }
}

fn refused(method: &str, form: Form, name: &str) -> Error {
    let (form, of, give) = match form {
        Form::Product => ("form=product", "Gaussian", "gaussian"),
        Form::Polynomial(_) => ("form=polynomial", "linear", "linear"),
    };
    let what = if method == GMKL { form } else { "it" };
    Error::Data(format!(
        "{method}: {what} needs {of} kernels of all columns of a view, without other normalisations, and '{name}' \
         is none; give {give}{}",
        otherwise(method)
    ))
}

/// What else a method can do.
fn otherwise(method: &str) -> &'static str {
    if method == GMKL { ", or form=sum" } else { "" }
}

/// The variance of each column (Gaussian kernels) or the mean of its squares; `None` of columns with one value.
fn sizes(table: &Table, form: Form) -> Vec<Option<f64>> {
    let (n, d) = (table.rows(), table.cols());
    let count = n.max(1) as f64;
    let (mut stored, mut means, mut squares) = (vec![0_usize; d], vec![0.0; d], vec![0.0; d]);
    each(table, |j, x| {
        stored[j] += 1;
        means[j] += x / count;
        squares[j] += x / count * x;
    });
    let mut variances = vec![0.0; d];
    each(table, |j, x| variances[j] += (x - means[j]) / count * (x - means[j]));
    let one = |j: usize| {
        // What sparse tables do not store is 0.
        let rest = (n - stored[j]) as f64 / count;
        let (variance, mean) = (variances[j] + rest * means[j] * means[j], means[j]);
        // Columns with one value up to rounding.
        let varies = variance.sqrt() > 1e-12 * mean.abs() && variance.is_finite();
        let size = if form == Form::Product { variance } else { squares[j] };
        (varies && size.is_finite()).then_some(size)
    };
    (0..d).map(one).collect()
}

/// All stored entries with their columns.
fn each(table: &Table, mut visit: impl FnMut(usize, f64)) {
    for i in 0..table.rows() {
        match table {
            Table::Dense(m) | Table::Similarity(m) => {
                m.row(i).iter().enumerate().for_each(|(j, x)| visit(j, *x));
            }
            Table::Sequences(_) => {}
            Table::Sparse(m) | Table::Graph(m) => {
                let (places, values) = m.row(i);
                places.iter().zip(values).for_each(|(j, x)| visit(*j as usize, *x));
            }
        }
    }
}

impl Inside for Widths<'_> {
    fn with_kernel(
        &self,
        parameters: &[f64],
        run: &Run,
        watch: &Watch,
        then: &mut Use<'_>,
    ) -> Result<Solution> {
        self.made.replace(None);
        let bank = self.bank(parameters, run)?;
        let rule = self.rule();
        let mix: &dyn Mix = rule.pointwise().ok_or_else(|| refused(GMKL, self.form, rule.id()))?;
        let found = then(mixed(&bank, mix, None, run, watch)?.as_ref())?;
        self.made.replace(Some((parameters.to_vec(), bank)));
        Ok(found)
    }

    fn slopes(&self, parameters: &[f64], machines: &Solution, watch: &Watch) -> Option<Vec<f64>> {
        let made = self.made.borrow();
        if let Some((known, bank)) = made.as_ref()
            && known == parameters
        {
            return self.slopes_in(bank, machines, watch);
        }
        drop(made);
        let bank = self.bank(parameters, &Run::default()).ok()?;
        self.slopes_in(&bank, machines, watch)
    }

    fn is_nonnegative(&self) -> bool {
        true
    }

    fn penalty(&self, parameters: &[f64]) -> Option<(f64, Vec<f64>)> {
        Some(self.penalty.of(parameters))
    }
}

impl Kernel for Widths<'_> {
    fn count(&self) -> usize {
        self.count
    }

    fn regularise(&mut self, penalty: Penalty) {
        self.penalty = penalty;
    }

    fn learned(&self, parameters: &[f64], mut report: Report) -> Result<Learned> {
        let all = |of: fn(&Part<'_>, &[f64]) -> Vec<f64>| -> Vec<f64> {
            self.parts.iter().flat_map(|p| of(p, parameters)).collect()
        };
        report.details.insert("relevance".to_string(), all(Self::relevance));
        report.details.insert("widths".to_string(), all(Self::widths));
        let views = self.maps(parameters)?;
        Ok(Learned { views, ..Learned::of(self.rule(), report) })
    }
}
