//! What kernels cost, by flag or project file.

use crate::misuse::misuse;
use crate::settings::Settings;
use anyhow::{Context, Result};
use cokernel::model::Costs;
use std::collections::BTreeMap;
use std::path::Path;

/// Prices of kernels.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct CostArgs {
    /// What kernels cost, by which models of all methods are compared: prices by view, function or kernel (pix=4,
    /// gaussian=2, gaussian@pix=3, or a file with a line NAME,PRICE for each; 1 for those not named), features (root of the number of features)
    /// or measured (root of the seconds of a value)
    #[arg(long, value_name = "FILE|NAME=PRICE,…|features|measured", help_heading = "Costs")]
    pub costs: Option<String>,
}

impl Settings {
    /// What kernels cost, if that is told.
    pub fn costs(&self, args: &CostArgs) -> Result<Option<Costs>> {
        let Some((text, place)) = self.word(args.costs.as_ref(), "costs", |f| f.costs.as_ref())
        else {
            return Ok(None);
        };
        let path = match (&args.costs, &self.project) {
            (None, Some(project)) => project.resolve(Path::new(&text)),
            _ => Path::new(&text).to_path_buf(),
        };
        if path.is_file() {
            let place = path.display().to_string();
            let content = std::fs::read_to_string(&path).with_context(|| place.clone())?;
            return read(&content).context(place).map(Some);
        }
        if !text.contains('=') && !matches!(text.trim(), "features" | "measured") {
            let expected = "a file of prices, pix=4,mor=1, features or measured";
            return Err(misuse(format!("{place}: expected {expected}; there is no file '{text}'")));
        }
        text.parse::<Costs>().context(place).map(Some)
    }
}

/// Lines of a name and a price; a first line without a price is a header.
fn read(content: &str) -> Result<Costs> {
    let mut prices = BTreeMap::new();
    for (i, line) in content.lines().enumerate().filter(|(_, l)| !l.trim().is_empty()) {
        let parts = line.rsplit_once([',', '\t', ';', '=']);
        let found = parts.map(|(n, p)| (n.trim().trim_matches('"'), p.trim().parse::<f64>()));
        match found {
            Some((name, Ok(price))) if !name.is_empty() => {
                if prices.insert(name.to_string(), price).is_some() {
                    return Err(misuse(format!("line {}: '{name}' is there twice", i + 1)));
                }
            }
            Some(_) if prices.is_empty() && i == 0 => {}
            _ => {
                let expected = "expected NAME,PRICE, as pix,4";
                return Err(misuse(format!("line {}: {expected}; found '{line}'", i + 1)));
            }
        }
    }
    if prices.is_empty() {
        return Err(misuse("expected a line NAME,PRICE for each price, found none"));
    }
    Ok(Costs::named(prices)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read_from_lines() {
        let named = |pairs: &[(&str, f64)]| {
            Costs::Named(pairs.iter().map(|(n, p)| (n.to_string(), *p)).collect())
        };
        let expected = named(&[("gaussian@a(sigma=1,gamma=2)", 2.0), ("mor", 0.5)]);
        assert_eq!(
            read("name,price\n\"gaussian@a(sigma=1,gamma=2)\",2\n\nmor\t0.5\n").unwrap(),
            expected
        );
        for (text, part) in [
            ("a,b\nc,d\n", "line 2: expected NAME,PRICE"),
            ("a,1\na,2\n", "'a' is there twice"),
            ("", "found none"),
            ("a,0\n", "above 0"),
        ] {
            let said = format!("{:#}", read(text).unwrap_err());
            assert!(said.contains(part), "{text:?}: {said}");
        }
    }
}
