//! Prices of kernels, by which models of any method are compared: what predicting an instance costs (LMKA §2.8).
//!
//! c = (support vectors in percent of the training instances) · Σ_{m active} d_m / Σ_m d_m, with d_m > 0 the price of kernel m, as the
//! tables of LMKA §5.2 print it: 100 is every training instance with every kernel, whatever n and the unit of the prices. Of methods that put
//! the views side by side every kernel reads all of them, so that prices by view do not tell their kernels apart.

use super::{Model, Prepared, Recipe};
use crate::kernel::{Kernel, number};
use crate::mkl::{Arrangement, kernel_costs};
use crate::{Error, Result, Run};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// What kernels cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Costs {
    /// By kernel (`gaussian@fou`), view (`fou`) or function (`gaussian`); 1 for those not named.
    Named(BTreeMap<String, f64>),
    /// √(features of the kernel's view / the fewest).
    Features,
    /// √(seconds of a value / the least), measured once, on up to 256 instances.
    Measured,
}

impl Costs {
    /// Prices by name.
    ///
    /// # Errors
    /// A price that is not above 0.
    pub fn named(prices: BTreeMap<String, f64>) -> Result<Self> {
        match prices.iter().find(|(_, p)| !(**p > 0.0 && p.is_finite())) {
            None => Ok(Costs::Named(prices)),
            Some((name, p)) => Err(Error::parameter(
                "costs",
                format!("the price of '{name}': expected a number above 0, found {p}"),
            )),
        }
    }
}

impl FromStr for Costs {
    type Err = Error;

    /// `features`, `measured` or `pix=4,mor=1`.
    fn from_str(text: &str) -> Result<Self> {
        match text.trim() {
            "features" => return Ok(Costs::Features),
            "measured" => return Ok(Costs::Measured),
            _ => {}
        }
        let mut prices = BTreeMap::new();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let found = part.rsplit_once('=').and_then(|(name, price)| {
                Some((name.trim().to_string(), price.trim().parse::<f64>().ok()?))
            });
            let Some((name, price)) = found.filter(|f| !f.0.is_empty()) else {
                let expected = "expected features, measured, or prices by kernel, view or function, as pix=4,gaussian=2";
                return Err(Error::parameter("costs", format!("{expected}; found '{part}'")));
            };
            if prices.insert(name, price).is_some() {
                return Err(Error::parameter(
                    "costs",
                    format!("'{part}': the name is there twice"),
                ));
            }
        }
        if prices.is_empty() {
            return Err(Error::parameter("costs", "expected at least one price, as pix=4"));
        }
        Costs::named(prices)
    }
}

impl fmt::Display for Costs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Costs::Features => f.write_str("features"),
            Costs::Measured => f.write_str("measured"),
            Costs::Named(prices) => {
                let one =
                    |(name, price): (&String, &f64)| format!("{name}={}", crate::brief(*price));
                f.write_str(&prices.iter().map(one).collect::<Vec<_>>().join(","))
            }
        }
    }
}

/// The prices of the models of several splits: what is measured is measured once.
#[derive(Debug)]
pub(crate) struct Priced<'a> {
    costs: Option<&'a Costs>,
    measured: Vec<(Recipe, Vec<f64>)>,
}

impl<'a> Priced<'a> {
    pub(crate) fn new(costs: Option<&'a Costs>) -> Self {
        Priced { costs, measured: Vec::new() }
    }

    /// What a model on these kernels costs: by the prices that were given, else by those of its method, if it had some.
    ///
    /// # Errors
    /// A name that is neither of a kernel, nor of a view, nor of a function; kernels that are not computed from features, where these
    /// are asked for.
    pub(crate) fn total(
        &mut self,
        prepared: &Prepared,
        model: &Model,
        run: &Run,
    ) -> Result<Option<f64>> {
        let Some(costs) = self.costs else {
            return model.prices().map(|d| model.total_cost(d)).transpose();
        };
        let prices = match costs {
            Costs::Measured => match self.measured.iter().find(|m| m.0 == prepared.recipe) {
                Some((_, prices)) => prices.clone(),
                None => {
                    let prices = prepared.prices(costs, run)?;
                    self.measured.push((prepared.recipe.clone(), prices.clone()));
                    prices
                }
            },
            _ => prepared.prices(costs, run)?,
        };
        model.total_cost_on(&prices, prepared).map(Some)
    }
}

impl Prepared {
    /// The price of each kernel.
    ///
    /// # Errors
    /// A name that is neither of a kernel, nor of a view, nor of a function; kernels that are not computed from features, where these
    /// are asked for.
    pub fn prices(&self, costs: &Costs, run: &Run) -> Result<Vec<f64>> {
        let (bank, views) = (self.bank(), Some(&self.views));
        match costs {
            Costs::Features => kernel_costs::features(bank, views, "costs = features")
                .map(|c| kernel_costs::prices(&c)),
            Costs::Measured => kernel_costs::seconds(bank, views, "costs = measured", run)
                .map(|c| kernel_costs::prices(&c)),
            Costs::Named(given) => named(given, self),
        }
    }
}

/// The prices of prepared kernels by name.
fn named(given: &BTreeMap<String, f64>, prepared: &Prepared) -> Result<Vec<f64>> {
    let apart = prepared.recipe.arrangement == Arrangement::Views;
    by_name(given, prepared.kernels(), if apart { Some(&prepared.names) } else { None })
}

/// The prices of kernels by name, 1 of those not named. Names that are neither of a kernel or function nor of one of these views are
/// refused, unless no views are given.
fn by_name(
    given: &BTreeMap<String, f64>,
    kernels: &[Kernel],
    views: Option<&[String]>,
) -> Result<Vec<f64>> {
    if let Some(views) = views {
        let own = || kernels.iter().flat_map(Kernel::names);
        let known = || own().chain(views.iter().map(String::as_str));
        if let Some(name) = given.keys().find(|n| !known().any(|k| k == n.as_str())) {
            return Err(Error::unknown("kernel, view or function in costs", name, known()));
        }
    }
    Ok(kernels.iter().map(|k| number(given, k.names()).unwrap_or(1.0)).collect())
}

impl Model {
    /// d_m of every kernel, where the method had some.
    pub fn prices(&self) -> Option<&[f64]> {
        let d = self.info.report.details.get("d")?;
        (d.len() == self.info.kernels.len()).then_some(d)
    }

    /// What predicting an instance costs with these prices of the kernels, LMKA §2.8: support vectors in percent of the training
    /// instances, times the share that the prices of the active kernels have of all prices; from 0 to 100. To compare models, give
    /// them the same prices.
    ///
    /// # Errors
    /// Not one price above 0 for each kernel.
    pub fn total_cost(&self, prices: &[f64]) -> Result<f64> {
        let kernels = self.info.kernels.len();
        if prices.len() != kernels {
            let expected = format!("{kernels}, one for each kernel");
            return Err(Error::shape("prices", expected, prices.len()));
        }
        if let Some(price) = prices.iter().find(|p| !(**p > 0.0 && p.is_finite())) {
            return Err(Error::parameter(
                "prices",
                format!("expected numbers above 0, found {price}"),
            ));
        }
        // In parts of the largest, of which no sum overflows, where that of all does.
        let largest = prices.iter().fold(0.0_f64, |a, p| a.max(*p));
        let unit = if prices.iter().sum::<f64>().is_finite() { 1.0 } else { largest };
        let active: f64 = self.active().into_iter().map(|m| prices[m] / unit).sum();
        let all: f64 = prices.iter().map(|p| p / unit).sum();
        Ok(self.support_percent() * active / all)
    }

    /// [`total_cost`](Self::total_cost) of a model that was learned on these kernels, by their prices; kernels that the model has
    /// beside them cost what another kernel on their view does.
    ///
    /// # Errors
    /// Not one price above 0 for each prepared kernel.
    pub fn total_cost_on(&self, prices: &[f64], prepared: &Prepared) -> Result<f64> {
        let (kernels, known) = (&self.info.kernels, prepared.kernels());
        if kernels.len() == known.len() || prices.len() != known.len() {
            return self.total_cost(prices);
        }
        let of = |kernel: &Kernel| {
            let same = known.iter().position(|k| k.name == kernel.name);
            let same = same.or_else(|| known.iter().position(|k| k.view == kernel.view));
            same.map_or(1.0, |m| prices[m])
        };
        self.total_cost(&kernels.iter().map(of).collect::<Vec<_>>())
    }

    /// [`total_cost`](Self::total_cost) with prices by the name of a kernel, view or function; 1 for those not named.
    ///
    /// # Errors
    /// A name that is neither of a kernel, nor of a view, nor of a function; a price that is not above 0.
    pub fn total_cost_by_name(&self, prices: &BTreeMap<String, f64>) -> Result<f64> {
        let views = super::all_views(&self.info.all_views, &self.info.views);
        self.total_cost(&by_name(prices, &self.info.kernels, Some(&views))?)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::{Labels, Matrix, Views};
    use crate::eval::{How, Protocol, compare_how};
    use crate::kernel::{Function, KernelSpec};
    use crate::model::Mkl;

    /// Views of 1 and 16 features cost 1 and 4.
    #[test]
    fn every_method_has_a_cost_by_the_same_prices() {
        let labels = Labels::from_texts(&(0..40).map(|i| ["p", "q"][i % 2]).collect::<Vec<_>>());
        let entry = |i: usize, j: usize| ((3 * i + 7 * j) as f64).sin() + (i % 2) as f64;
        let views = Views::new().dense("few", Matrix::from_fn(40, 1, entry)).unwrap();
        let views = views.dense("many", Matrix::from_fn(40, 16, entry)).unwrap();
        let kernels = || ["few", "many"].map(|v| KernelSpec::linear().view(v));
        let methods = ["mean", "best_single", "concat"];
        let mkls = methods.map(|id| Mkl::new(id).unwrap().kernels(kernels()));
        let splits = Protocol::KFold { folds: 2, repeats: 1 }.split(&labels, 0).unwrap();
        let run = Run::default();
        let by = |costs: &Costs| {
            let how = How { costs: Some(costs), ..How::default() };
            compare_how(&mkls, true, how, &views, &labels, &splits, &run)
        };
        let found = by(&Costs::Features).unwrap();
        let named = by(&"many=4".parse().unwrap()).unwrap();
        for (row, same) in found.rows.iter().zip(&named.rows) {
            let support = row.support_percent.mean;
            let share = match row.name.as_str() {
                "mean" | "concat" => 1.0,
                _ => 0.2 + 0.6 * row.weights.last().unwrap().mean,
            };
            let cost = row.total_cost.as_ref().unwrap();
            // best_single may take another view on each split.
            if row.weights.iter().all(|w| w.sd == 0.0) {
                assert!((cost.mean - support * share).abs() < 1e-9, "{}: {cost:?}", row.name);
            }
            assert_eq!(cost, same.total_cost.as_ref().unwrap(), "{}", row.name);
        }
        assert!(by(&Costs::Measured).unwrap().rows.iter().all(|r| r.total_cost.is_some()));
        let said = by(&"mani=4".parse().unwrap()).unwrap_err().to_string();
        assert!(said.contains("in costs 'mani' (did you mean 'many'?)"), "{said}");
        let model = mkls[1].fit(&views, &labels, &run).unwrap();
        let [few, many] = [1.0, 4.0].map(|p| BTreeMap::from([("many".to_string(), p)]));
        let active = model.weights()[1].active;
        let ratio =
            model.total_cost_by_name(&many).unwrap() / model.total_cost_by_name(&few).unwrap();
        assert!((ratio - if active { 1.6 } else { 0.4 }).abs() < 1e-12, "{ratio}");
        // Prices whose sum is no number of f64.
        let kernels = model.kernels().len();
        let [one, huge] = [1.0, 1.7e308].map(|p| model.total_cost(&vec![p; kernels]).unwrap());
        assert!((one - huge).abs() < 1e-12, "{one} {huge}");
        for (wrong, part) in [("many", "as pix=4"), ("a=0", "above 0"), ("a=1,a=2", "twice")] {
            assert!(wrong.parse::<Costs>().unwrap_err().to_string().contains(part), "{wrong}");
        }
    }

    /// The most exact name counts: the whole one, that before the parentheses, the view, the function.
    #[test]
    fn prices_by_kernel_view_and_function() {
        let name = |kernel: &str, view: &str| Kernel {
            name: kernel.to_string(),
            view: view.to_string(),
            column: None,
            function: Function::Linear,
            normalize: Vec::new(),
        };
        let kernels = [
            name("gaussian@a(gamma=0.5)", "a"),
            name("gaussian@b(gamma=2)", "b"),
            name("linear@b", "b"),
        ];
        let views = ["a".to_string(), "b".to_string()];
        let of = |text: &str| {
            let Costs::Named(prices) = text.parse().unwrap() else { panic!("{text}") };
            by_name(&prices, &kernels, Some(&views))
        };
        assert_eq!(of("gaussian=2").unwrap(), [2.0, 2.0, 1.0]);
        assert_eq!(of("gaussian=2,gaussian@a=3").unwrap(), [3.0, 2.0, 1.0]);
        assert_eq!(of("b=4,gaussian=2").unwrap(), [2.0, 4.0, 4.0]);
        assert_eq!(of("gaussian@a(gamma=0.5)=5,gaussian@a=3,linear=7").unwrap(), [5.0, 1.0, 7.0]);
        let said = of("gaussian@c=2").unwrap_err().to_string();
        assert!(said.contains("did you mean 'gaussian@a'?"), "{said}");
    }
}
