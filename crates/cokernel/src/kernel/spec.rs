//! What a user writes: a family, the views it looks at, widths and normalisations.

use super::of_graph::{check_beta, check_walk};
use super::registry::{FAMILIES, FamilyEntry, ViewKind};
use super::text::{name_of, quoted};
use super::width::{base_width, gamma_of};
use super::words::{Letters, Words};
use super::{Convention, Function, Kernel, Metric, Normalization, Width, WidthRule};
use crate::data::{Table, View, Views};
use crate::{Error, Result, Run, brief};
use serde::{Deserialize, Serialize};

/// A kernel family; widths are separate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// ⟨x, z⟩.
    Linear,
    /// (γ⟨x, z⟩ + c₀)^q.
    Polynomial {
        /// q.
        degree: u32,
        /// γ.
        gamma: f64,
        /// c₀.
        coef0: f64,
    },
    /// exp(−γ d) of a distance: Gaussian, Laplacian, χ², given distances and others.
    Exponential(Metric),
    /// tanh(γ⟨x, z⟩ + c₀).
    Sigmoid {
        /// γ.
        gamma: f64,
        /// c₀.
        coef0: f64,
    },
    /// The view's own similarity.
    Precomputed,
    /// A function without a width that is like this on every view; of words without an alphabet, with that of the
    /// view.
    Fixed(Function),
}

impl Family {
    /// Its line in the registry.
    pub fn entry(&self) -> &'static FamilyEntry {
        // Of the distances only some have a family of their own; all others are written with `metric`.
        let own = FAMILIES.iter().find(|f| (f.told)(self).is_some());
        own.unwrap_or(&FAMILIES[0])
    }

    /// The name used in kernel specifications.
    pub fn name(&self) -> &'static str {
        self.entry().name
    }

    /// What a view has to hold.
    pub fn takes(&self) -> ViewKind {
        self.entry().takes
    }
}

/// One line of a kernel list: may become many kernels (views × columns × widths).
///
/// Read from text (`"gaussian@fou:sigma=median".parse()`) or built:
///
/// ```
/// use cokernel::kernel::KernelSpec;
/// let spec = KernelSpec::gaussian().view("fou").sigma([0.5, 1.0]);
/// assert_eq!(spec.to_string(), "gaussian@fou:sigma=0.5,1.0");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelSpec {
    /// The view, or every view (that the family can use).
    pub view: Option<String>,
    /// The family.
    pub family: Family,
    /// Widths, for families that have one.
    pub width: Width,
    /// One kernel for each single column.
    pub per_feature: bool,
    /// Normalisations in order.
    pub normalize: Vec<Normalization>,
}

impl KernelSpec {
    /// A family on every view that it can use, at its default width.
    pub fn new(family: Family) -> Self {
        let width = Width::default_of(family);
        KernelSpec { view: None, family, width, per_feature: false, normalize: Vec::new() }
    }

    /// ⟨x, z⟩.
    pub fn linear() -> Self {
        KernelSpec::new(Family::Linear)
    }

    /// (⟨x, z⟩ + 1)^degree.
    pub fn polynomial(degree: u32) -> Self {
        KernelSpec::new(Family::Polynomial { degree, gamma: 1.0, coef0: 1.0 })
    }

    /// exp(−d²/2σ²), σ the median distance unless a width is given.
    pub fn gaussian() -> Self {
        KernelSpec::new(Family::Exponential(Metric::SquaredEuclidean))
    }

    /// exp(−d/s), d the Manhattan distance, s its mean unless a width is given.
    pub fn laplacian() -> Self {
        KernelSpec::new(Family::Exponential(Metric::Manhattan))
    }

    /// exp(−d/s), d the χ² distance, s its mean unless a width is given.
    pub fn chi2() -> Self {
        KernelSpec::new(Family::Exponential(Metric::ChiSquared))
    }

    /// exp(−d/s) of a distance, s its mean unless a width is given; of the squared Euclidean
    /// distance it is a Gaussian kernel, written in another way.
    pub fn exponential(metric: Metric) -> Self {
        let mut spec = KernelSpec::new(Family::Exponential(metric));
        spec.width = Width::of_exponential(metric);
        spec
    }

    /// tanh(γ⟨x, z⟩ + c₀).
    pub fn sigmoid(gamma: f64, coef0: f64) -> Self {
        KernelSpec::new(Family::Sigmoid { gamma, coef0 })
    }

    /// The similarity given by a view.
    pub fn precomputed() -> Self {
        KernelSpec::new(Family::Precomputed)
    }

    /// A function without a width: [`Function::Tanimoto`], [`Function::MinMax`] and others.
    pub fn of(function: Function) -> Self {
        KernelSpec::new(match function {
            Function::Linear => Family::Linear,
            Function::Polynomial { degree, gamma, coef0 } => {
                Family::Polynomial { degree, gamma, coef0 }
            }
            Function::Sigmoid { gamma, coef0 } => Family::Sigmoid { gamma, coef0 },
            Function::Exponential { metric, gamma } => {
                return KernelSpec::exponential(metric).gamma([gamma]);
            }
            Function::Precomputed => Family::Precomputed,
            other => Family::Fixed(other),
        })
    }

    /// Words of `length` letters that sequences have in common.
    pub fn spectrum(length: u32) -> Self {
        KernelSpec::mismatch(length, 0)
    }

    /// The same up to some letters.
    pub fn mismatch(length: u32, mismatches: u32) -> Self {
        let words = Words { length, mismatches, letters: Letters::default() };
        KernelSpec::new(Family::Fixed(Function::Words(words)))
    }

    /// exp(−d/s) of the distances that a view gives, s their mean unless a width is given.
    pub fn distances() -> Self {
        KernelSpec::new(Family::Exponential(Metric::Given))
    }

    /// Only on this view.
    pub fn view(mut self, view: impl Into<String>) -> Self {
        self.view = Some(view.into());
        self
    }

    /// One kernel for each γ of exp(−γd), d squared for the Gaussian.
    pub fn gamma(self, values: impl Into<Vec<f64>>) -> Self {
        self.widths(Convention::Gamma, None, values.into())
    }

    /// One Gaussian kernel for each σ.
    pub fn sigma(self, values: impl Into<Vec<f64>>) -> Self {
        self.widths(Convention::Sigma, None, values.into())
    }

    /// One kernel for each s of exp(−d²/s²) (Gaussian) or exp(−d/s); for
    /// [`exponential`](Self::exponential) of the squared distance that is exp(−d²/s).
    pub fn scale(self, values: impl Into<Vec<f64>>) -> Self {
        let convention = match self.width.convention {
            Convention::SquaredScale => Convention::SquaredScale,
            _ => Convention::Scale,
        };
        self.widths(convention, None, values.into())
    }

    /// σ (Gaussian) is the median distance.
    pub fn sigma_median(self) -> Self {
        self.widths(Convention::Sigma, Some(WidthRule::Median), vec![1.0])
    }

    /// Widths `factors` × the number given by `rule`, read in `convention`.
    pub fn rule(
        self,
        convention: Convention,
        rule: WidthRule,
        factors: impl Into<Vec<f64>>,
    ) -> Self {
        self.widths(convention, Some(rule), factors.into())
    }

    /// One kernel for each single column.
    pub fn per_feature(mut self) -> Self {
        self.per_feature = true;
        self
    }

    /// Normalisations, applied in this order.
    pub fn normalize(mut self, steps: impl Into<Vec<Normalization>>) -> Self {
        self.normalize = steps.into();
        self
    }

    /// All distances at which values fall off, times `factor`; kernels without a width stay as they are.
    pub fn wider(mut self, factor: f64) -> Self {
        let Family::Exponential(metric) = self.family else { return self };
        let squared = metric == Metric::SquaredEuclidean;
        let times = match self.width.convention {
            Convention::Sigma | Convention::Scale => factor,
            Convention::SquaredScale if squared => factor * factor,
            Convention::SquaredScale => factor,
            Convention::Gamma if squared => 1.0 / (factor * factor),
            Convention::Gamma => 1.0 / factor,
        };
        self.width.factors.iter_mut().for_each(|f| *f *= times);
        self
    }

    fn widths(
        mut self,
        convention: Convention,
        rule: Option<WidthRule>,
        factors: Vec<f64>,
    ) -> Self {
        self.width = Width { convention, rule, factors };
        self
    }

    /// Checks the numbers and that the parts fit together.
    ///
    /// # Errors
    /// Numbers out of range, a width on the wrong family, a rule where a number is needed.
    pub fn check(&self) -> Result<()> {
        let positive = |name: &str, v: f64| {
            if v.is_finite() && v > 0.0 {
                return Ok(());
            }
            let problem = format!("found {}, expected a finite number above 0", brief(v));
            Err(Error::parameter(format!("kernel {name}"), problem))
        };
        match self.family {
            Family::Polynomial { degree, gamma, coef0 } => {
                positive("gamma", gamma)?;
                if degree == 0 {
                    return Err(Error::parameter("kernel degree", "found 0, expected at least 1"));
                }
                if !(coef0.is_finite() && coef0 >= 0.0) {
                    let problem = format!(
                        "found {}, expected at least 0 (a negative constant makes the polynomial \
                         kernel indefinite)",
                        brief(coef0)
                    );
                    return Err(Error::parameter("kernel coef0", problem));
                }
            }
            Family::Sigmoid { gamma, coef0 } => {
                positive("gamma", gamma)?;
                if !coef0.is_finite() {
                    return Err(Error::parameter("kernel coef0", "expected a finite number"));
                }
            }
            Family::Exponential(metric) => {
                let (name, sigma) = match self.width.convention {
                    Convention::Gamma => ("gamma", false),
                    Convention::Sigma => ("sigma", true),
                    Convention::Scale | Convention::SquaredScale => ("scale", false),
                };
                if self.width.convention == Convention::SquaredScale
                    && metric != Metric::SquaredEuclidean
                {
                    return Err(Error::parameter(
                        "kernel scale",
                        "exp(−d²/s) is the convention of the squared Euclidean distance",
                    ));
                }
                if sigma && metric != Metric::SquaredEuclidean {
                    return Err(Error::parameter(
                        "kernel sigma",
                        "σ belongs to the Gaussian kernel; use gamma or scale",
                    ));
                }
                if self.width.rule.is_some() && self.width.convention == Convention::Gamma {
                    return Err(Error::parameter(
                        "kernel gamma",
                        "a rule gives a distance; use it with sigma or scale",
                    ));
                }
                if self.width.factors.is_empty() {
                    return Err(Error::parameter(format!("kernel {name}"), "the list is empty"));
                }
                self.width.factors.iter().try_for_each(|v| positive(name, *v))?;
            }
            Family::Fixed(Function::Words(words)) => words.check()?,
            Family::Fixed(Function::Wave { .. }) => {
                let problem = "random features are asked for by storage fourier:rank=…";
                return Err(Error::parameter("kernel", problem.to_string()));
            }
            Family::Fixed(Function::Diffusion { beta, .. }) => check_beta(beta)?,
            Family::Fixed(Function::RandomWalk { steps, a }) => check_walk(steps, a)?,
            Family::Linear | Family::Precomputed | Family::Fixed(_) => {}
        }
        if self.per_feature && !self.family.entry().per_feature {
            let problem = match self.family.takes() {
                ViewKind::Features => "a correlation of one feature says nothing".to_string(),
                other => format!("{} has no single features", other.words()),
            };
            return Err(Error::parameter("kernel per_feature", problem));
        }
        Ok(())
    }

    /// Fixes widths on the training instances and expands views, columns and widths.
    ///
    /// # Errors
    /// Unknown view, a family the view cannot serve, a width that comes out as 0.
    pub fn resolve(&self, views: &Views, run: &Run) -> Result<Vec<Kernel>> {
        self.resolve_with_notes(views, run, &mut Vec::new())
    }

    /// [`resolve`](Self::resolve); remarks for the user (widths taken from a sample) are added
    /// to `notes`.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn resolve_with_notes(
        &self,
        views: &Views,
        run: &Run,
        notes: &mut Vec<String>,
    ) -> Result<Vec<Kernel>> {
        self.check()?;
        let takes = self.family.takes();
        let mut kernels = Vec::new();
        for view in self.chosen(views)? {
            if !takes.is(&view.table) {
                let other = match &view.table {
                    Table::Similarity(_) | Table::Graph(_) => "precomputed",
                    Table::Sequences(_) => "spectrum",
                    Table::Dense(_) | Table::Sparse(_) => "gaussian",
                };
                return Err(Error::Data(format!(
                    "kernel '{}' needs {}, but view '{}' is {}; use '{other}@{}' or another kernel of such views",
                    self.family.name(),
                    takes.words(),
                    view.name,
                    view.table.words(),
                    quoted(&view.name)
                )));
            }
            if self.family == Family::Exponential(Metric::Given)
                && matches!(view.table, Table::Graph(_))
            {
                return Err(no_distances(view));
            }
            if self.refuses_negative() {
                refuse_negative(view)?;
            }
            let columns: Vec<Option<usize>> = if self.per_feature {
                (0..view.table.cols()).map(Some).collect()
            } else {
                vec![None]
            };
            for column in columns {
                self.resolve_on(view, column, run, notes, &mut kernels)?;
            }
        }
        Ok(kernels)
    }

    fn refuses_negative(&self) -> bool {
        matches!(
            self.family,
            Family::Exponential(Metric::ChiSquared) | Family::Fixed(Function::MinMax)
        )
    }

    /// The views that it speaks of.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn chosen<'a>(&self, views: &'a Views) -> Result<Vec<&'a View>> {
        let takes = self.family.takes();
        let chosen: Vec<&View> = match &self.view {
            Some(name) => vec![views.get(name)?],
            None => views.iter().filter(|v| takes.is(&v.table)).collect(),
        };
        if chosen.is_empty() {
            let name = self.family.name();
            return Err(Error::Data(match takes {
                ViewKind::Similarities => format!("kernel '{name}': there is no similarity view"),
                ViewKind::Sequences => format!("kernel '{name}': there is no view of sequences"),
                ViewKind::Features => format!(
                    "kernel '{name}': there is no feature view; for similarity views use 'precomputed'"
                ),
            }));
        }
        Ok(chosen)
    }

    fn resolve_on(
        &self,
        view: &View,
        column: Option<usize>,
        run: &Run,
        notes: &mut Vec<String>,
        kernels: &mut Vec<Kernel>,
    ) -> Result<()> {
        let place = match column {
            None => format!("@{}", view.name),
            Some(c) => match &view.columns {
                Some(names) => format!("@{}[{}]", view.name, names[c]),
                None => format!("@{}[{c}]", view.name),
            },
        };
        let mut add = |function: Function, numbers: String| {
            let steps: Vec<String> = self.normalize.iter().map(name_of).collect();
            let inside: Vec<String> =
                [numbers, steps.join(" ")].into_iter().filter(|s| !s.is_empty()).collect();
            let mut name = format!("{}{place}", self.family.name());
            if !inside.is_empty() {
                name = format!("{name}({})", inside.join(", "));
            }
            kernels.push(Kernel {
                name,
                view: view.name.clone(),
                column,
                function,
                normalize: self.normalize.clone(),
            });
        };
        match self.family {
            Family::Linear => add(Function::Linear, String::new()),
            Family::Precomputed => add(Function::Precomputed, String::new()),
            Family::Fixed(function) => add(self.on_view(function, view)?, self.told()),
            Family::Polynomial { degree, gamma, coef0 } => {
                let numbers =
                    format!("degree={degree}, gamma={}, coef0={}", short(gamma), short(coef0));
                add(Function::Polynomial { degree, gamma, coef0 }, numbers);
            }
            Family::Sigmoid { gamma, coef0 } => {
                let numbers = format!("gamma={}, coef0={}", short(gamma), short(coef0));
                add(Function::Sigmoid { gamma, coef0 }, numbers);
            }
            Family::Exponential(metric) => {
                let base = match self.width.rule {
                    None => 1.0,
                    Some(rule) => {
                        let of = (metric, self.width.convention);
                        base_width(view, column, of, rule, run, notes)?
                    }
                };
                for factor in &self.width.factors {
                    let gamma = gamma_of(self.width.convention, metric, base * factor);
                    if !(gamma.is_finite() && gamma > 0.0) {
                        return Err(Error::parameter(
                            "kernel width",
                            format!(
                                "{}{place}: width {} gives gamma = {}, which is not a \
                                 positive finite number",
                                self.family.name(),
                                brief(base * factor),
                                brief(gamma)
                            ),
                        ));
                    }
                    add(Function::Exponential { metric, gamma }, format!("gamma={}", short(gamma)));
                }
            }
        }
        Ok(())
    }
}

impl KernelSpec {
    /// The values of its keys, for names.
    fn told(&self) -> String {
        let told = (self.family.entry().told)(&self.family).unwrap_or_default();
        let one = |(key, value): (&str, String)| match value.parse::<f64>() {
            Ok(number) => format!("{key}={}", short(number)),
            Err(_) => format!("{key}={value}"),
        };
        told.into_iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// The function with what it takes from the view.
    fn on_view(&self, function: Function, view: &View) -> Result<Function> {
        let problem = |said: String| Err(Error::Data(format!("view '{}': {said}", view.name)));
        match (function, &view.table) {
            (Function::Words(words), Table::Sequences(sequences)) if words.letters.is_empty() => {
                let words = Words { letters: Letters::of(sequences), ..words };
                if words.letters.is_empty() {
                    return problem("no sequence has a letter".to_string());
                }
                words.check()?;
                Ok(Function::Words(words))
            }
            (Function::Correlation { .. }, table) if table.cols() < 2 => {
                problem("a correlation needs at least two columns, found 1".to_string())
            }
            _ => Ok(function),
        }
    }
}

/// A number with up to four significant digits, for names.
fn short(v: f64) -> String {
    let rounded: f64 = format!("{v:.3e}").parse().unwrap_or(v);
    let a = rounded.abs();
    if a != 0.0 && !(1e-4..1e6).contains(&a) { format!("{rounded:e}") } else { rounded.to_string() }
}

/// A graph is no table of distances.
pub(crate) fn no_distances(view: &View) -> Error {
    Error::Data(format!(
        "kernel 'distances': view '{}' is a graph, whose pairs without an edge have no distance; give all distances",
        view.name
    ))
}

/// Distances, of training or of new rows, are not negative.
pub(crate) fn refuse_negative_distances(view: &View) -> Result<()> {
    let Table::Similarity(m) = &view.table else { return Ok(()) };
    let Some(place) = m.values().iter().position(|v| *v < 0.0) else { return Ok(()) };
    let problem = format!("found {}; a distance must not be negative", brief(m.values()[place]));
    let (row, column) = (place / m.cols(), place % m.cols());
    Err(Error::Value { what: format!("view '{}'", view.name), row, column, problem })
}

/// χ² and MinMax kernels need non-negative features.
pub(crate) fn refuse_negative(view: &View) -> Result<()> {
    let found = match &view.table {
        Table::Dense(m) => m
            .values()
            .iter()
            .position(|v| *v < 0.0)
            .map(|p| (p / m.cols(), p % m.cols(), m.values()[p])),
        Table::Sparse(m) => (0..m.rows()).find_map(|i| {
            let (c, v) = m.row(i);
            v.iter().position(|x| *x < 0.0).map(|p| (i, c[p] as usize, v[p]))
        }),
        Table::Similarity(_) | Table::Graph(_) | Table::Sequences(_) => None,
    };
    match found {
        None => Ok(()),
        Some((row, column, value)) => Err(Error::Value {
            what: format!("view '{}'", view.name),
            row,
            column,
            problem: format!(
                "found {}; χ² and MinMax kernels need features of at least 0 (counts, histograms): use \
                 another kernel or shift the features",
                brief(value)
            ),
        }),
    }
}
