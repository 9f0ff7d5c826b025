//! Whether anything beats the controls.
//!
//! Rule: a method beats the best control (that with the highest mean NMI over the starts of
//! k-means) if its own mean is higher by more than the larger of the two standard deviations, and
//! by at least [`MARGIN`]. The standard deviation is how far k-means alone moves the score from one
//! start to the next; the margin keeps a difference of a few instances from counting where all
//! starts agree. The rule says nothing about other samples of instances: it is there to withhold
//! praise, not to give it.

use super::ClusteringRow;
use crate::eval::Stat;
use serde::Serialize;

/// The least difference of mean NMI that counts.
pub const MARGIN: f64 = 0.01;

/// Whether any method beats the controls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The control with the highest mean NMI, if there is a control.
    pub best_control: Option<String>,
    /// The methods that beat it.
    pub better: Vec<String>,
    /// All of it in one sentence.
    pub sentence: String,
}

/// `None` if the rows have no scores.
pub(super) fn of(rows: &[ClusteringRow]) -> Option<Verdict> {
    let scored: Vec<Scored> = rows
        .iter()
        .filter_map(|r| {
            Some(Scored { name: &r.name, control: r.control, nmi: &r.scores.as_ref()?.nmi })
        })
        .collect();
    if scored.is_empty() { None } else { Some(judge(&scored)) }
}

struct Scored<'a> {
    name: &'a str,
    control: bool,
    nmi: &'a Stat,
}

impl Scored<'_> {
    fn text(&self) -> String {
        format!("{} (NMI {:.3} ± {:.3})", self.name, self.nmi.mean, self.nmi.sd)
    }
}

fn best<'a>(rows: impl Iterator<Item = &'a Scored<'a>>) -> Option<&'a Scored<'a>> {
    rows.reduce(|best, next| if next.nmi.mean > best.nmi.mean { next } else { best })
}

fn judge(rows: &[Scored<'_>]) -> Verdict {
    let control = best(rows.iter().filter(|r| r.control));
    let method = best(rows.iter().filter(|r| !r.control));
    let (mut better, name) = (Vec::new(), |r: &Scored<'_>| r.name.to_string());
    let sentence = match (control, method) {
        (Some(control), Some(_)) => {
            let beats = |r: &&Scored<'_>| {
                let difference = r.nmi.mean - control.nmi.mean;
                !r.control && difference > r.nmi.sd.max(control.nmi.sd) && difference >= MARGIN
            };
            let winners: Vec<&Scored<'_>> = rows.iter().filter(beats).collect();
            better = winners.iter().map(|r| name(r)).collect();
            let list = winners.iter().map(|r| r.text()).collect::<Vec<_>>().join(", ");
            match winners.len() {
                0 => format!("no method beats the best control, {}", control.text()),
                1 => format!("{list} beats the best control, {}", control.text()),
                n => format!("{n} methods beat the best control, {}: {list}", control.text()),
            }
        }
        (Some(control), None) => {
            format!("there are only controls; the best is {}", control.text())
        }
        (None, Some(method)) => {
            format!("there is no control to compare with; the best method is {}", method.text())
        }
        (None, None) => String::new(),
    };
    Verdict { best_control: control.map(name), better, sentence }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(rows: &[(&str, bool, [f64; 3])]) -> Verdict {
        let stats: Vec<Stat> = rows.iter().map(|r| Stat::new(r.2.to_vec())).collect();
        let rows: Vec<Scored<'_>> = rows
            .iter()
            .zip(&stats)
            .map(|(r, nmi)| Scored { name: r.0, control: r.1, nmi })
            .collect();
        judge(&rows)
    }

    #[test]
    fn a_method_must_be_better_by_more_than_the_spread_and_the_margin() {
        let product = ("product", true, [0.70, 0.72, 0.74]);
        let single = ("single:a", true, [0.5; 3]);
        let v = verdict(&[single, product, ("near", false, [0.73, 0.74, 0.75])]);
        assert_eq!(v.sentence, "no method beats the best control, product (NMI 0.720 ± 0.020)");
        assert_eq!((v.best_control.as_deref(), v.better.len()), (Some("product"), 0));
        let far = ("far", false, [0.75, 0.76, 0.77]);
        let v = verdict(&[single, product, far]);
        assert_eq!(
            v.sentence,
            "far (NMI 0.760 ± 0.010) beats the best control, product (NMI 0.720 ± 0.020)"
        );
        // The larger of the two spreads counts, whose ever it is.
        let wide = ("wide", false, [0.70, 0.78, 0.86]);
        assert!(verdict(&[product, wide]).better.is_empty());
        let v = verdict(&[far, ("farther", false, [0.8; 3]), product]);
        assert_eq!(v.better, ["far", "farther"]);
        assert!(v.sentence.starts_with("2 methods beat the best control, product (NMI 0.720"));
        // No spread at all: the margin is left.
        let sure = ("sure", true, [0.72; 3]);
        assert!(verdict(&[sure, ("m", false, [0.729; 3])]).better.is_empty());
        assert_eq!(verdict(&[sure, ("m", false, [0.731; 3])]).better, ["m"]);
    }

    #[test]
    fn there_may_be_nothing_to_compare() {
        let only = verdict(&[("mean", true, [0.5; 3]), ("single:a", true, [0.6; 3])]);
        assert_eq!(
            only.sentence,
            "there are only controls; the best is single:a (NMI 0.600 ± 0.000)"
        );
        let none = verdict(&[("m", false, [0.5; 3])]);
        assert!(none.sentence.starts_with("there is no control to compare with; the best"));
        assert_eq!(none.best_control, None);
    }
}
