//! Kernel specifications as text: `family[@view][:key=value]…`, read and written.
//!
//! ```text
//! linear                                   every feature view
//! polynomial@fou:degree=2:coef0=1:gamma=1  (also: poly)
//! gaussian:sigma=median                    exp(−d²/2σ²)   (also: rbf)
//! gaussian:gamma=0.1,1,10                  exp(−γd²), three kernels
//! gaussian:scale=mean_nearest              exp(−d²/s²)
//! gaussian:sigma=median*2^-2..2            five widths around the median
//! laplacian | chi2                         exp(−d/s), d Manhattan or χ², s the mean distance
//! exponential:metric=euclidean:scale=mean  exp(−d/s), d Euclidean, squared Euclidean, …
//! sigmoid:gamma=0.01:coef0=0
//! precomputed@graph                        a similarity view
//! linear@"x:y"                             a view whose name holds a colon
//! …:per_feature                            one kernel for each single column
//! …:normalize=center,unit_diagonal         in this order
//! ```

use super::{Convention, Family, KernelSpec, Metric, Width, WidthRule};
use crate::{Error, Result};
use serde::de::value::{Error as NameError, StrDeserializer};
use serde::de::{Deserialize, IntoDeserializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

const FAMILIES: [&str; 8] = [
    "linear",
    "polynomial",
    "gaussian",
    "laplacian",
    "chi2",
    "exponential",
    "sigmoid",
    "precomputed",
];
const METRICS: [&str; 4] = ["euclidean", "squared_euclidean", "manhattan", "chi_squared"];
const RULES: [&str; 3] = ["median", "mean", "mean_nearest"];
const NORMALIZATIONS: [&str; 5] =
    ["unit_diagonal", "unit_trace", "center", "center_unit_variance", "frobenius"];

/// The family, the view, and the parts after it of `family[@view][:part]…`. The name of a view may
/// stand in double quotes, with a quote in it doubled; a name with a colon must.
pub(super) fn split<'a>(
    text: &'a str,
    kind: &str,
) -> Result<(&'a str, Option<String>, Vec<&'a str>)> {
    let wrong = |problem: &str| Err(Error::parameter(kind, format!("'{text}': {problem}")));
    let whole = text.trim();
    let (family, rest) = whole.split_at(whole.find([':', '@']).unwrap_or(whole.len()));
    let parts =
        |rest: &'a str| rest.strip_prefix(':').map_or(Vec::new(), |r| r.split(':').collect());
    let Some(named) = rest.strip_prefix('@') else {
        return Ok((family.trim(), None, parts(rest)));
    };
    let (view, rest) = match named.trim_start().strip_prefix('"') {
        None => {
            let (view, rest) = named.split_at(named.find(':').unwrap_or(named.len()));
            (view.trim().to_string(), rest)
        }
        Some(inside) => {
            // A quote that is not doubled ends the name.
            let bytes = inside.as_bytes();
            let mut end = 0;
            while end < bytes.len() && (bytes[end] != b'"' || bytes.get(end + 1) == Some(&b'"')) {
                end += 1 + usize::from(bytes[end] == b'"');
            }
            let Some(rest) = inside.get(end + 1..).map(str::trim_start) else {
                return wrong("the quote after '@' is not closed");
            };
            if !(rest.is_empty() || rest.starts_with(':')) {
                return wrong("expected ':' or the end after the quoted name of a view");
            }
            (inside[..end].replace("\"\"", "\""), rest)
        }
    };
    if view.is_empty() {
        return wrong("expected the name of a view after '@'");
    }
    Ok((family.trim(), Some(view), parts(rest)))
}

/// The name of a view as it stands in a specification.
pub(super) fn quoted(view: &str) -> Cow<'_, str> {
    if view.contains([':', '"']) || view.trim() != view {
        return format!("\"{}\"", view.replace('"', "\"\"")).into();
    }
    view.into()
}

/// The value of a fieldless enum with this serde name.
fn named<'a, T: Deserialize<'a>>(
    kind: &'static str,
    name: &'a str,
    known: &[&'static str],
) -> Result<T> {
    let deserializer: StrDeserializer<'a, NameError> = name.into_deserializer();
    T::deserialize(deserializer).map_err(|_| Error::unknown(kind, name, known))
}

/// The number in `text`.
fn number(key: &str, text: &str) -> Result<f64> {
    match text.trim().parse::<f64>() {
        Ok(v) if v.is_finite() => Ok(v),
        _ => Err(Error::parameter(
            format!("kernel {key}"),
            format!("found '{text}', expected a finite number such as 0.5"),
        )),
    }
}

/// A list of numbers: `0.5`, `0.1,1,10`, `2^-3`, `2^-3..6`.
fn numbers(key: &str, text: &str) -> Result<Vec<f64>> {
    let mut all = Vec::new();
    for item in text.split(',').map(str::trim) {
        let Some((base, exponents)) = item.split_once('^') else {
            all.push(number(key, item)?);
            continue;
        };
        let base = number(key, base)?;
        let power = |t: &str| -> Result<i32> {
            t.trim().parse().ok().filter(|e: &i32| e.abs() <= 300).ok_or_else(|| {
                Error::parameter(
                    format!("kernel {key}"),
                    format!("'{t}' in '{item}': expected a whole exponent, as in 2^-3..6"),
                )
            })
        };
        match exponents.split_once("..") {
            None => all.push(base.powi(power(exponents)?)),
            Some((first, last)) => {
                let (first, last) = (power(first)?, power(last)?);
                if first > last {
                    return Err(Error::parameter(
                        format!("kernel {key}"),
                        format!("'{item}' is empty: the first exponent is above the last"),
                    ));
                }
                all.extend((first..=last).map(|e| base.powi(e)));
            }
        }
    }
    Ok(all)
}

/// `median`, `median*0.5,1,2`, `0.1,1`, `2^-3..6`.
fn width(key: &str, convention: Convention, text: &str) -> Result<Width> {
    let (head, factors) = match text.split_once('*') {
        Some((rule, factors)) => (Some(rule.trim()), Some(factors)),
        None if text.trim().starts_with(|c: char| c.is_ascii_alphabetic()) => {
            (Some(text.trim()), None)
        }
        None => (None, Some(text)),
    };
    let rule: Option<WidthRule> = head.map(|r| named("width rule", r, &RULES)).transpose()?;
    if rule.is_some() && convention == Convention::Gamma {
        return Err(Error::parameter(
            "kernel gamma",
            format!("'{text}': a rule gives a distance; write sigma={text} or scale={text}"),
        ));
    }
    let factors = factors.map_or(Ok(vec![1.0]), |f| numbers(key, f))?;
    Ok(Width { convention, rule, factors })
}

fn keys_of(family: &str) -> &'static [&'static str] {
    match family {
        "polynomial" => &["degree", "gamma", "coef0", "normalize", "per_feature"],
        "sigmoid" => &["gamma", "coef0", "normalize", "per_feature"],
        "gaussian" => &["gamma", "sigma", "scale", "normalize", "per_feature"],
        "laplacian" | "chi2" => &["gamma", "scale", "normalize", "per_feature"],
        "exponential" => &["metric", "gamma", "sigma", "scale", "normalize", "per_feature"],
        "linear" => &["normalize", "per_feature"],
        _ => &["normalize"],
    }
}

impl KernelSpec {
    /// Reads one item of a kernel list; a list of degrees (`polynomial:degree=2,3`) gives one
    /// specification for each.
    ///
    /// # Errors
    /// Unknown family, key, rule or normalisation (with a suggestion), numbers that are not
    /// numbers or out of range.
    pub fn parse_list(text: &str) -> Result<Vec<KernelSpec>> {
        let (family_name, view, parts) = split(text, "kernel")?;
        let family_name = match family_name {
            "poly" => "polynomial",
            "rbf" => "gaussian",
            "chi_squared" => "chi2",
            other => other,
        };
        if !FAMILIES.contains(&family_name) {
            return Err(Error::unknown("kernel", family_name, FAMILIES));
        }
        let mut degrees = vec![2_u32];
        let (mut gamma, mut coef0) = (1.0, if family_name == "polynomial" { 1.0 } else { 0.0 });
        let mut metric = match family_name {
            "gaussian" => Metric::SquaredEuclidean,
            "laplacian" => Metric::Manhattan,
            "chi2" => Metric::ChiSquared,
            _ => Metric::Euclidean,
        };
        let dots = matches!(family_name, "polynomial" | "sigmoid");
        let mut given_width = None;
        let (mut per_feature, mut normalize) = (false, Vec::new());
        let mut seen: Vec<&str> = Vec::new();
        for part in parts {
            let (key, value) = match part.split_once('=') {
                Some((k, v)) => (k.trim(), Some(v.trim())),
                None => (part.trim(), None),
            };
            let known = keys_of(family_name);
            if !known.contains(&key) {
                return Err(Error::Unknown {
                    kind: "kernel key",
                    name: key.to_string(),
                    known: known.iter().map(|s| s.to_string()).collect(),
                });
            }
            if seen.contains(&key) {
                return Err(Error::parameter(
                    format!("kernel {key}"),
                    format!("given twice in '{text}'"),
                ));
            }
            seen.push(key);
            if key == "per_feature" {
                per_feature = match value {
                    None | Some("true") => true,
                    Some("false") => false,
                    Some(v) => {
                        let problem = format!("found '{v}', expected the word alone");
                        return Err(Error::parameter("kernel per_feature", problem));
                    }
                };
                continue;
            }
            let Some(value) = value.filter(|v| !v.is_empty()) else {
                return Err(Error::parameter(
                    format!("kernel {key}"),
                    format!("expected '{key}=value' in '{text}'"),
                ));
            };
            match key {
                "degree" => {
                    degrees = value
                        .split(',')
                        .map(|d| {
                            d.trim().parse().map_err(|_| {
                                Error::parameter(
                                    "kernel degree",
                                    format!(
                                        "found '{d}', expected a whole number from 1 to {}",
                                        u32::MAX
                                    ),
                                )
                            })
                        })
                        .collect::<Result<_>>()?;
                }
                "gamma" if dots => gamma = number(key, value)?,
                "coef0" => coef0 = number(key, value)?,
                "metric" => metric = named("metric", value, &METRICS)?,
                "normalize" => {
                    normalize = value
                        .split(',')
                        .map(|v| named("normalisation", v.trim(), &NORMALIZATIONS))
                        .collect::<Result<_>>()?;
                }
                _ => {
                    if given_width.is_some() {
                        return Err(Error::parameter(
                            format!("kernel {key}"),
                            "a width is already given; use one of gamma, sigma and scale",
                        ));
                    }
                    let convention = match key {
                        "gamma" => Convention::Gamma,
                        "sigma" => Convention::Sigma,
                        _ => Convention::Scale,
                    };
                    given_width = Some(width(key, convention, value)?);
                }
            }
        }
        let families: Vec<Family> = match family_name {
            "linear" => vec![Family::Linear],
            "polynomial" => degrees
                .into_iter()
                .map(|degree| Family::Polynomial { degree, gamma, coef0 })
                .collect(),
            "sigmoid" => vec![Family::Sigmoid { gamma, coef0 }],
            "precomputed" => vec![Family::Precomputed],
            _ => vec![Family::Exponential(metric)],
        };
        // The scale of `gaussian` is that of the distance, not of its square.
        let squared = family_name == "exponential" && metric == Metric::SquaredEuclidean;
        families
            .into_iter()
            .map(|family| {
                let width = match &given_width {
                    Some(width) if squared && width.convention == Convention::Scale => {
                        Width { convention: Convention::SquaredScale, ..width.clone() }
                    }
                    Some(width) => width.clone(),
                    None if family_name == "exponential" => Width::of_exponential(metric),
                    None => Width::default_of(family),
                };
                let (view, normalize) = (view.clone(), normalize.clone());
                let spec = KernelSpec { view, family, width, per_feature, normalize };
                spec.check()?;
                Ok(spec)
            })
            .collect()
    }
}

impl FromStr for KernelSpec {
    type Err = Error;

    /// Reads one specification; see [`KernelSpec::parse_list`] for text that gives several.
    fn from_str(text: &str) -> Result<Self> {
        let mut all = KernelSpec::parse_list(text)?;
        match all.pop() {
            Some(one) if all.is_empty() => Ok(one),
            _ => Err(Error::parameter(
                "kernel degree",
                format!("'{text}' is a list; one degree is expected here"),
            )),
        }
    }
}

/// Consecutive powers of two as `2^a..b`, other numbers as a list.
fn write_numbers(f: &mut fmt::Formatter<'_>, values: &[f64]) -> fmt::Result {
    let exponents: Vec<i32> = values.iter().map(|v| v.log2().round() as i32).collect();
    let ladder = values.len() > 2
        && exponents.windows(2).all(|w| w[1] == w[0] + 1)
        && values.iter().zip(&exponents).all(|(v, e)| *v == 2_f64.powi(*e));
    if ladder {
        return write!(f, "2^{}..{}", exponents[0], exponents[exponents.len() - 1]);
    }
    for (k, v) in values.iter().enumerate() {
        write!(f, "{}{v:?}", if k > 0 { "," } else { "" })?;
    }
    Ok(())
}

/// The serde name of a fieldless enum.
pub(super) fn name_of(value: impl serde::Serialize) -> String {
    serde_json::to_string(&value).unwrap_or_default().trim_matches('"').to_string()
}

impl fmt::Display for KernelSpec {
    /// Text that reads back as the same specification.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let squared = self.width.convention == Convention::SquaredScale;
        f.write_str(if squared { "exponential" } else { self.family.name() })?;
        if let Some(view) = &self.view {
            write!(f, "@{}", quoted(view))?;
        }
        match self.family {
            Family::Polynomial { degree, gamma, coef0 } => {
                write!(f, ":degree={degree}:gamma={gamma:?}:coef0={coef0:?}")?;
            }
            Family::Sigmoid { gamma, coef0 } => write!(f, ":gamma={gamma:?}:coef0={coef0:?}")?,
            Family::Exponential(metric) => {
                if squared || metric == Metric::Euclidean {
                    write!(f, ":metric={}", name_of(metric))?;
                }
                f.write_str(match self.width.convention {
                    Convention::Gamma => ":gamma=",
                    Convention::Sigma => ":sigma=",
                    Convention::Scale | Convention::SquaredScale => ":scale=",
                })?;
                match self.width.rule {
                    Some(rule) => {
                        f.write_str(&name_of(rule))?;
                        if self.width.factors != [1.0] {
                            f.write_str("*")?;
                            write_numbers(f, &self.width.factors)?;
                        }
                    }
                    None => write_numbers(f, &self.width.factors)?,
                }
            }
            Family::Linear | Family::Precomputed => {}
        }
        if self.per_feature {
            f.write_str(":per_feature")?;
        }
        for (k, step) in self.normalize.iter().enumerate() {
            write!(f, "{}{}", if k == 0 { ":normalize=" } else { "," }, name_of(step))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        KernelSpec::parse_list(text).unwrap_err().to_string()
    }

    #[test]
    fn text_reads_back_as_the_same_specification() {
        for text in [
            "linear",
            "polynomial@fou:degree=3:coef0=0.5:gamma=2:normalize=unit_diagonal",
            "gaussian@fou:sigma=median",
            "gaussian:gamma=0.1,1,10:per_feature",
            "gaussian:sigma=2^-3..6",
            "gaussian:sigma=median*2^-2..2:normalize=center,unit_diagonal",
            "gaussian:scale=mean_nearest",
            "laplacian",
            "chi2@h:gamma=1e-3",
            "exponential@v:metric=euclidean:scale=mean",
            "exponential:metric=manhattan",
            "exponential:metric=squared_euclidean",
            "exponential@v:scale=2,3:metric=squared_euclidean",
            "exponential:metric=squared_euclidean:scale=median*2",
            "exponential:metric=squared_euclidean:gamma=2",
            "linear@\"a:b\":per_feature",
            "gaussian@\"say \"\"a:b\"\"\":sigma=median",
            "sigmoid:gamma=0.1:coef0=-1",
            "precomputed@s:normalize=frobenius",
        ] {
            let spec: KernelSpec = text.parse().unwrap();
            let again: KernelSpec = spec.to_string().parse().unwrap();
            assert_eq!(spec, again, "{text} -> {spec}");
        }
        let spec: KernelSpec = "gaussian:sigma=median".parse().unwrap();
        assert_eq!(spec, KernelSpec::gaussian().sigma_median());
        let spec: KernelSpec = "rbf:sigma=2^-3..6".parse().unwrap();
        assert_eq!(spec.width.factors.len(), 10);
        assert_eq!(spec.to_string(), "gaussian:sigma=2^-3..6");
        assert_eq!(KernelSpec::parse_list("poly:degree=2,3").unwrap().len(), 2);
        let spec: KernelSpec = "linear@ \"say \"\"a:b\"\" @c\" :normalize=center".parse().unwrap();
        assert_eq!(spec.view.as_deref(), Some("say \"a:b\" @c"));
        assert_eq!(spec.normalize.len(), 1);
        let squared = KernelSpec::exponential(Metric::SquaredEuclidean);
        assert_eq!(squared, "exponential:metric=squared_euclidean:scale=mean".parse().unwrap());
    }

    #[test]
    fn refusals_say_what_was_expected() {
        assert!(refusal("gausian").contains("did you mean 'gaussian'"));
        assert!(refusal("gaussian:sigmas=1").contains("did you mean 'sigma'"));
        assert!(refusal("gaussian:sigma=medain").contains("did you mean 'median'"));
        assert!(refusal("gaussian:gamma=-1").contains("above 0"));
        assert!(refusal("gaussian:gamma=x1").contains("unknown width rule 'x1'"));
        assert!(refusal("gaussian:gamma=1x").contains("expected a finite number"));
        assert!(refusal("gaussian:gamma=median").contains("sigma=median"));
        assert!(refusal("gaussian:gamma=1:sigma=2").contains("already given"));
        assert!(refusal("gaussian:gamma=1:gamma=2").contains("given twice"));
        assert!(refusal("gaussian:sigma=2^3..1").contains("empty"));
        assert!(refusal("exponential:sigma=1").contains("Gaussian"));
        assert!(refusal("poly:degree=0").contains("at least 1"));
        assert!(refusal("poly:degree=1.5").contains("whole number"));
        assert!(refusal("linear:gamma=1").contains("unknown kernel key 'gamma'"));
        assert!(refusal("linear:normalize=centre").contains("did you mean 'center'"));
        assert!(refusal("linear@").contains("name of a view"));
        assert!(refusal("linear@\"\"").contains("name of a view"));
        assert!(refusal("linear@\"a:b").contains("not closed"));
        assert!(refusal("linear@\"a\"b").contains("expected ':' or the end"));
        assert!("poly:degree=2,3".parse::<KernelSpec>().is_err());
    }
}
