//! Ranges, ticks and their labels.

use crate::text::Style;

/// Magnitude above which a value is not drawn, so that differences stay finite.
const LARGEST: f64 = 1e300;

/// An axis from `lo` to `hi` (of logarithms, if it is logarithmic).
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    lo: f64,
    hi: f64,
    log: bool,
    /// Whether the low end is where the high one would be.
    flipped: bool,
    /// Fractions of the axis, each with its label, ascending.
    pub ticks: Vec<(f64, String)>,
    /// Fractions of the axis with a small tick.
    pub small: Vec<f64>,
}

impl Axis {
    /// Around these values, or between given ends. `None` if there is neither.
    pub fn new(
        values: impl Iterator<Item = f64>,
        log: bool,
        given: Option<(f64, f64)>,
    ) -> Option<Self> {
        let (lo, hi) = match given {
            Some((a, b)) if log => (a.log10(), b.log10()),
            Some(ends) => ends,
            None => around(values.filter_map(|v| coordinate(v, log)), log)?,
        };
        Some(Axis { lo, hi, log, flipped: false, ticks: Vec::new(), small: Vec::new() })
    }

    /// With names at 0, 1, …, each in a band of the same width, from the high end on if `flipped`.
    pub fn of_names(names: impl ExactSizeIterator<Item = String>, flipped: bool) -> Self {
        let hi = names.len() as f64 - 0.5;
        let mut axis =
            Axis { lo: -0.5, hi, log: false, flipped, ticks: Vec::new(), small: Vec::new() };
        let ticks = names.enumerate().filter_map(|(i, name)| Some((axis.at(i as f64)?, name)));
        axis.ticks = ticks.collect();
        axis
    }

    /// Where a value is, 0 at the low end and 1 at the high one.
    pub fn at(&self, value: f64) -> Option<f64> {
        let t = (coordinate(value, self.log)? - self.lo) / (self.hi - self.lo);
        t.is_finite().then_some(if self.flipped { 1.0 - t } else { t })
    }

    /// Chooses about `count` ticks.
    pub fn tick(&mut self, count: usize) {
        let count = count.max(2);
        let (mut values, mut small) = (Vec::new(), Vec::new());
        if self.log {
            (values, small) = self.decades(count);
        }
        if values.len() < 2 {
            // Within about a decade: round numbers, on whichever scale.
            let (a, b) =
                if self.log { (power(self.lo), power(self.hi)) } else { (self.lo, self.hi) };
            values = round_numbers(a, b, count);
            small.clear();
        }
        let inside = |t: &f64| (-1e-9..=1.0 + 1e-9).contains(t);
        self.ticks = labels(&values)
            .into_iter()
            .zip(&values)
            .filter_map(|(label, v)| Some((self.at(*v).filter(inside)?, label)))
            .collect();
        self.small = small.into_iter().filter_map(|v| self.at(v).filter(inside)).collect();
    }

    /// Chooses as many ticks as have room with their labels side by side.
    pub fn tick_within(&mut self, width: f64, style: &Style) {
        for count in (2..=8).rev() {
            self.tick(count);
            let room = 14.0;
            let edges = self.ticks.iter().map(|(t, label)| (t * width, style.width(label) / 2.0));
            let edges: Vec<(f64, f64)> = edges.collect();
            if edges.windows(2).all(|p| p[0].0 + p[0].1 + room <= p[1].0 - p[1].1) {
                return;
            }
        }
    }

    /// Powers of ten, in steps of several if there are many; with 2 and 5 in between if there are
    /// few; the small ticks are at the other whole multiples.
    fn decades(&self, count: usize) -> (Vec<f64>, Vec<f64>) {
        let (first, last) = (self.lo.floor() as i32, self.hi.ceil() as i32);
        let whole = (first..=last).filter(|k| self.holds(f64::from(*k))).count();
        if whole > count {
            let step = (whole.div_ceil(count)).max(1) as i32;
            let ticks = (first..=last).filter(|k| k.rem_euclid(step) == 0);
            return (ticks.map(|k| power(f64::from(k))).collect(), Vec::new());
        }
        let multiples = |of: &[i32]| -> Vec<f64> {
            (first..=last)
                .flat_map(|k| of.iter().map(move |m| decimal(*m, k)))
                .filter(|v| self.holds(v.log10()))
                .collect()
        };
        let fine = multiples(&[1, 2, 5]);
        let small = multiples(&[2, 3, 4, 5, 6, 7, 8, 9]);
        let ticks = if fine.len() <= count { fine } else { multiples(&[1]) };
        (ticks, if whole <= 5 { small } else { Vec::new() })
    }

    fn holds(&self, coordinate: f64) -> bool {
        coordinate >= self.lo - 1e-9 && coordinate <= self.hi + 1e-9
    }
}

fn coordinate(value: f64, log: bool) -> Option<f64> {
    if !value.is_finite() || value.abs() > LARGEST || (log && value <= 0.0) {
        return None;
    }
    Some(if log { value.log10() } else { value })
}

/// Both ends of the values, and 4 % more on each side; around a constant, a tenth of it.
fn around(values: impl Iterator<Item = f64>, log: bool) -> Option<(f64, f64)> {
    let (lo, hi) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), v| (v.min(lo), v.max(hi)));
    if lo > hi {
        return None;
    }
    let magnitude = lo.abs().max(hi.abs());
    if hi - lo <= (1e-9 * magnitude).max(1e-290) {
        let room = match magnitude {
            _ if log => 0.5,
            m if m < 1e-290 => 1.0,
            m => 0.1 * m,
        };
        return Some((lo - room, hi + room));
    }
    let room = 0.04 * (hi - lo);
    Some((lo - room, hi + room))
}

fn power(k: f64) -> f64 {
    10_f64.powf(k)
}

/// m · 10^k, the closest number to it.
fn decimal(m: i32, k: i32) -> f64 {
    format!("{m}e{k}").parse().unwrap_or(f64::INFINITY)
}

/// About `count` multiples of 1, 2 or 5 times a power of ten from `lo` to `hi`.
fn round_numbers(lo: f64, hi: f64, count: usize) -> Vec<f64> {
    let span = hi - lo;
    let mut exponent = (span / count as f64).log10().floor() as i32;
    let mut factor = 1;
    while span / decimal(factor, exponent) > count as f64 {
        (factor, exponent) = match factor {
            1 => (2, exponent),
            2 => (5, exponent),
            _ => (1, exponent + 1),
        };
    }
    let step = decimal(factor, exponent);
    let (first, last) = ((lo / step - 1e-6).ceil(), (hi / step + 1e-6).floor());
    if step == 0.0 || !first.is_finite() || last - first > 100.0 {
        return vec![lo, hi];
    }
    (0..=(last - first) as i32).map(|i| (first + f64::from(i)) * step).collect()
}

/// The values as short as tells them apart: with a common number of decimals, or as powers.
fn labels(values: &[f64]) -> Vec<String> {
    let largest = values.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    let closest = values.windows(2).map(|p| (p[1] - p[0]).abs()).fold(largest, f64::min);
    let smallest = values.iter().filter(|v| **v != 0.0).fold(largest, |a, v| a.min(v.abs()));
    let same = |text: &str, v: f64| {
        text.parse::<f64>().is_ok_and(|t| (t - v).abs() <= 1e-3 * closest.min(v.abs().max(closest)))
    };
    let plain = largest < 1e6 && (smallest >= 1e-4 || closest >= 1e-4);
    values
        .iter()
        .map(|&v| {
            if v.abs() < 1e-6 * closest {
                return "0".to_string();
            }
            let digits = 0..=17_usize;
            let texts =
                digits.map(|d| if plain { format!("{v:.d$}") } else { format!("{v:.d$e}") });
            texts.into_iter().find(|t| same(t, v)).unwrap_or_else(|| v.to_string())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(values: &[f64], log: bool, count: usize) -> Vec<String> {
        let mut axis = Axis::new(values.iter().copied(), log, None).unwrap();
        axis.tick(count);
        assert!(axis.ticks.windows(2).all(|p| p[0].0 < p[1].0), "{axis:?}");
        axis.ticks.into_iter().map(|t| t.1).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(shown(&[0.0, 1.0], false, 6), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(shown(&[-3.0, 17.0], false, 5), ["0", "5", "10", "15"]);
        assert_eq!(shown(&[0.0, 3e7], false, 4), ["0", "1e7", "2e7", "3e7"]);
        assert_eq!(
            shown(&[1e-3, 1e3], true, 8),
            ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]
        );
        assert_eq!(shown(&[1.0, 40.0], true, 6), ["1", "2", "5", "10", "20"]);
        assert_eq!(shown(&[5e-4, 2e-3], true, 6), ["0.0005", "0.001", "0.002"]);
        assert!(shown(&[1e-12, 1e12], true, 6).len() >= 3);
    }

    #[test]
    fn odd_ranges_have_ticks() {
        for values in [
            vec![0.0],
            vec![5.0, 5.0],
            vec![1.0, 1.0 + 1e-15],
            vec![-1e300, 1e300],
            vec![1e-300],
            vec![5e-324, 1e-310],
            vec![1e15, 1e15 + 3.0],
        ] {
            for log in [false, true] {
                let Some(mut axis) = Axis::new(values.iter().copied(), log, None) else { continue };
                for count in 0..9 {
                    axis.tick(count);
                    assert!(axis.ticks.iter().all(|t| t.0.is_finite()), "{values:?}");
                    assert!(axis.ticks.len() < 20, "{values:?} {axis:?}");
                }
                for t in values.iter().filter(|v| !log || **v > 0.0).map(|v| axis.at(*v)) {
                    assert!(t.is_some_and(|t| (0.0..=1.0).contains(&t)), "{values:?} {axis:?}");
                }
            }
        }
        assert_eq!(Axis::new([f64::NAN, -1.0].into_iter(), true, None), None);
        assert_eq!(Axis::new(std::iter::empty(), false, None), None);
    }
}
