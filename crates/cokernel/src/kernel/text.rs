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
//! tanimoto@bits | minmax | pearson | spearman
//! spectrum@dna:k=3,4                       words of three letters, and of four, in common
//! mismatch@protein:k=5:mismatches=1:alphabet=ACDEFGHIKLMNPQRSTVWY
//! precomputed@graph                        a similarity view
//! distances@d:scale=mean                   exp(−d/s) of distances that a view gives
//! diffusion@net:beta=0.5 | random_walk@net:steps=3
//! linear@"x:y"                             a view whose name holds a colon
//! …:per_feature                            one kernel for each single column
//! …:normalize=center,unit_diagonal         in this order
//! ```

use super::registry::{FAMILIES, FamilyEntry, Given, Holds, Key};
use super::{Convention, Family, KernelSpec, Metric, Width, WidthRule};
use crate::{Error, Result};
use serde::de::value::{Error as NameError, StrDeserializer};
use serde::de::{Deserialize, IntoDeserializer};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

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

impl KernelSpec {
    /// Reads one item of a kernel list; a list of degrees (`polynomial:degree=2,3`) gives one
    /// specification for each.
    ///
    /// # Errors
    /// Unknown family, key, rule or normalisation (with a suggestion), numbers that are not
    /// numbers or out of range.
    pub fn parse_list(text: &str) -> Result<Vec<KernelSpec>> {
        let (family_name, view, parts) = split(text, "kernel")?;
        let Some(entry) = FamilyEntry::named(family_name) else {
            return Err(Error::unknown("kernel", family_name, FAMILIES.iter().map(|f| f.name)));
        };
        let more: &[&str] =
            if entry.per_feature { &["normalize", "per_feature"] } else { &["normalize"] };
        let known: Vec<&str> =
            entry.keys.iter().map(|k| k.name).chain(more.iter().copied()).collect();
        let mut lists: Vec<(&'static str, Vec<f64>)> = Vec::new();
        let mut words: Vec<(&'static str, &str)> = Vec::new();
        let mut given_width = None;
        let (mut per_feature, mut normalize) = (false, Vec::new());
        let mut seen: Vec<&str> = Vec::new();
        for part in parts {
            let (key, value) = match part.split_once('=') {
                Some((k, v)) => (k.trim(), Some(v.trim())),
                None => (part.trim(), None),
            };
            if !known.contains(&key) {
                return Err(Error::unknown("kernel key", key, known.iter().copied()));
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
            if key == "normalize" {
                normalize = value
                    .split(',')
                    .map(|v| named("normalisation", v.trim(), &NORMALIZATIONS))
                    .collect::<Result<_>>()?;
                continue;
            }
            let Some(known) = entry.keys.iter().find(|k| k.name == key) else { continue };
            match known.holds {
                Holds::Number { .. } => lists.push((known.name, vec![number(key, value)?])),
                Holds::Wholes { .. } => lists.push((known.name, wholes(key, value)?)),
                Holds::Letters => words.push((known.name, value)),
                Holds::Choice { of } => {
                    if !of.contains(&value) {
                        return Err(Error::unknown(known.name, value, of.iter().copied()));
                    }
                    words.push((known.name, value));
                }
                Holds::Widths => {
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
        // In the order of the keys.
        let value = |key: &Key| {
            let given = lists.iter().find(|l| l.0 == key.name).cloned();
            given.or(match key.holds {
                Holds::Number { default } => Some((key.name, vec![default?])),
                Holds::Wholes { default } => Some((key.name, vec![f64::from(default)])),
                _ => None,
            })
        };
        let lists: Vec<_> = entry.keys.iter().filter_map(value).collect();
        let families = combinations(&lists)
            .iter()
            .map(|numbers| (entry.build)(&Given { numbers, words: &words }))
            .collect::<Result<Vec<Family>>>()?;
        let metric = match families.first() {
            Some(Family::Exponential(metric)) => *metric,
            _ => Metric::Euclidean,
        };
        let exponential = entry.keys.iter().any(|k| k.name == "metric");
        // The scale of `gaussian` is that of the distance, not of its square.
        let squared = exponential && metric == Metric::SquaredEuclidean;
        families
            .into_iter()
            .map(|family| {
                let width = match &given_width {
                    Some(width) if squared && width.convention == Convention::Scale => {
                        Width { convention: Convention::SquaredScale, ..width.clone() }
                    }
                    Some(width) => width.clone(),
                    None if exponential => Width::of_exponential(metric),
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

/// Whole numbers: `2`, `2,3`.
fn wholes(key: &str, text: &str) -> Result<Vec<f64>> {
    let one = |d: &str| {
        let problem = format!("found '{d}', expected a whole number from 1 to {}", u32::MAX);
        d.trim()
            .parse::<u32>()
            .map(f64::from)
            .map_err(|_| Error::parameter(format!("kernel {key}"), problem))
    };
    text.split(',').map(one).collect()
}

/// One number for each key, of every combination, the last key changing first.
fn combinations(lists: &[(&'static str, Vec<f64>)]) -> Vec<Vec<(&'static str, f64)>> {
    lists.iter().fold(vec![Vec::new()], |all, (key, values)| {
        let with = |before: &Vec<(&'static str, f64)>| {
            let before = before.clone();
            values.iter().map(move |v| [before.as_slice(), &[(*key, *v)]].concat())
        };
        all.iter().flat_map(with).collect()
    })
}

impl FromStr for KernelSpec {
    type Err = Error;

    /// Reads one specification; see [`KernelSpec::parse_list`] for text that gives several.
    fn from_str(text: &str) -> Result<Self> {
        let mut all = KernelSpec::parse_list(text)?;
        match all.pop() {
            Some(one) if all.is_empty() => Ok(one),
            _ => Err(Error::parameter(
                "kernel",
                format!("'{text}' is a list of kernels; one is expected here"),
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
        let name = if squared { "exponential" } else { self.family.name() };
        f.write_str(name)?;
        if let Some(view) = &self.view {
            write!(f, "@{}", quoted(view))?;
        }
        let entry = self.family.entry();
        match squared {
            true => f.write_str(":metric=squared_euclidean")?,
            false => {
                for (key, value) in (entry.told)(&self.family).unwrap_or_default() {
                    write!(f, ":{key}={value}")?;
                }
            }
        }
        if entry.has_width() {
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
            "tanimoto@bits:per_feature",
            "minmax:normalize=center",
            "pearson",
            "spearman@x",
            "spectrum@dna:k=4",
            "spectrum:alphabet=TGCA",
            "mismatch@p:k=5:mismatches=2:normalize=unit_diagonal",
            "distances@d:gamma=2^-1..2",
            "distances:scale=median*2",
            "diffusion@net:beta=0.25:laplacian=plain",
            "random_walk:steps=3:a=2.5",
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
        let four: Vec<String> = KernelSpec::parse_list("mismatch:k=4,5:mismatches=1,2")
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        let want = ["k=4:mismatches=1", "k=4:mismatches=2", "k=5:mismatches=1", "k=5:mismatches=2"];
        assert_eq!(four, want.map(|k| format!("mismatch:{k}")));
        assert_eq!(KernelSpec::distances().to_string(), "distances:scale=mean");
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
        assert!(refusal("tanimotto").contains("did you mean 'tanimoto'"));
        assert!(refusal("pearson:per_feature").contains("unknown kernel key"));
        assert!(refusal("mismatch:k=3:mismatches=3").contains("fewer than the 3 letters"));
        assert!(refusal("mismatch:k=3:mismatches=0").contains("the kernel 'spectrum'"));
        assert!(refusal("spectrum:k=0").contains("at least 1"));
        assert!(refusal("spectrum:k=9:alphabet=ACDEFGHIKLMNPQRSTVWY").contains("4 billion"));
        assert!(refusal("diffusion:beta=0").contains("above 0"));
        assert!(refusal("diffusion:laplacian=normalised").contains("did you mean 'normalized'"));
        assert!(refusal("random_walk:a=1").contains("at least 2"));
        assert!(refusal("distances:sigma=1").contains("unknown kernel key"));
    }
}
