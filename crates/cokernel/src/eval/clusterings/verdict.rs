//! Whether anything beats the controls.
//!
//! Rule: a method beats the best control (that with the highest mean NMI over the starts of
//! k-means) if its own mean is higher by more than the larger of the two standard deviations, and
//! by at least [`MARGIN`]. The standard deviation is how far k-means alone moves the score from one
//! start to the next; the margin keeps a difference of a few instances from counting where all
//! starts agree. The rule says nothing about other samples of instances: it is there to withhold
//! praise, not to give it. The start that is kept (that of the least inertia) has a score of its own,
//! which does not count here; where another control is the best by that, it is named.
//!
//! Where one view alone is far better than everything that combines views ([`FAR`], and more than the
//! larger of the two standard deviations), the views do not help each other as they are: that is said,
//! with what to try.

use super::ClusteringRow;
use crate::eval::Stat;
use serde::Serialize;

/// The least difference of mean NMI that counts.
pub const MARGIN: f64 = 0.01;

/// The difference of mean NMI from which one view alone is far better than every combination.
pub const FAR: f64 = 0.05;

/// Whether any method beats the controls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The control with the highest mean NMI, if there is a control.
    pub best_control: Option<String>,
    /// The methods that beat it.
    pub better: Vec<String>,
    /// The view or kernel that alone is far better than every combination, if one is.
    pub alone: Option<String>,
    /// All of it in one sentence, or two.
    pub sentence: String,
}

/// `None` if the rows have no scores.
pub(super) fn of(rows: &[ClusteringRow]) -> Option<Verdict> {
    let scored: Vec<Scored> = rows
        .iter()
        .filter_map(|r| {
            let scores = r.scores.as_ref()?;
            let (nmi, kept) = (&scores.nmi, scores.best.nmi);
            Some(Scored { name: &r.name, control: r.control, single: r.single, nmi, kept })
        })
        .collect();
    if scored.is_empty() { None } else { Some(judge(&scored)) }
}

struct Scored<'a> {
    name: &'a str,
    control: bool,
    single: bool,
    nmi: &'a Stat,
    /// NMI of the start with the least inertia.
    kept: f64,
}

impl Scored<'_> {
    /// How much higher the mean is, or 0 if that is within the larger of the standard deviations.
    fn above(&self, other: &Scored<'_>) -> f64 {
        let difference = self.nmi.mean - other.nmi.mean;
        if difference > self.nmi.sd.max(other.nmi.sd) { difference } else { 0.0 }
    }

    fn text(&self) -> String {
        let what = match self.nmi.values.len() {
            1 => "NMI".to_string(),
            starts => format!("mean NMI over {starts} starts"),
        };
        format!("{} ({what} {:.3} ± {:.3})", self.name, self.nmi.mean, self.nmi.sd)
    }
}

fn best<'a>(rows: impl Iterator<Item = &'a Scored<'a>>) -> Option<&'a Scored<'a>> {
    rows.reduce(|best, next| if next.nmi.mean > best.nmi.mean { next } else { best })
}

fn judge(rows: &[Scored<'_>]) -> Verdict {
    let control = best(rows.iter().filter(|r| r.control));
    let method = best(rows.iter().filter(|r| !r.control));
    let by_kept =
        rows.iter().filter(|r| r.control).reduce(|a, b| if b.kept > a.kept { b } else { a });
    let (mut better, name) = (Vec::new(), |r: &Scored<'_>| r.name.to_string());
    let sentence = match (control, method) {
        (Some(control), Some(_)) => {
            let beats = |r: &&Scored<'_>| !r.control && r.above(control) >= MARGIN;
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
    let sentence = match by_kept.zip(control) {
        Some((other, control)) if other.kept > control.kept => format!(
            "{sentence}; means count: by the start of k-means that is kept, {} is the best control (NMI \
             {:.3})",
            other.name, other.kept
        ),
        _ => sentence,
    };
    let alone = best(rows.iter().filter(|r| r.single));
    let together = best(rows.iter().filter(|r| !r.single));
    let far = alone.zip(together).filter(|(alone, together)| alone.above(together) >= FAR);
    let sentence = match far {
        None => sentence,
        Some((alone, together)) => format!(
            "{sentence}. {} alone is far better than every combination of views, of which {} is the \
             best: cluster by that view (spectral with view=NAME), leave out views that tell little, \
             or weigh them (lambda of co_regularized_centroid: one number per kernel)",
            alone.text(),
            together.text()
        ),
    };
    let alone = far.map(|(alone, _)| name(alone));
    Verdict { best_control: control.map(name), better, alone, sentence }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(rows: &[(&str, bool, [f64; 3])]) -> Verdict {
        let stats: Vec<Stat> = rows.iter().map(|r| Stat::new(r.2.to_vec())).collect();
        let rows: Vec<Scored<'_>> = rows
            .iter()
            .zip(&stats)
            .map(|(r, nmi)| {
                let (name, control) = (r.0, r.1);
                let kept = nmi.values[0];
                Scored { name, control, single: name.starts_with("single:"), nmi, kept }
            })
            .collect();
        judge(&rows)
    }

    #[test]
    fn a_method_must_be_better_by_more_than_the_spread_and_the_margin() {
        let product = ("product", true, [0.70, 0.72, 0.74]);
        let single = ("single:a", true, [0.5; 3]);
        let v = verdict(&[single, product, ("near", false, [0.73, 0.74, 0.75])]);
        assert_eq!(
            v.sentence,
            "no method beats the best control, product (mean NMI over 3 starts 0.720 ± 0.020)"
        );
        assert_eq!((v.best_control.as_deref(), v.better.len()), (Some("product"), 0));
        let far = ("far", false, [0.75, 0.76, 0.77]);
        let v = verdict(&[single, product, far]);
        assert_eq!(
            v.sentence,
            "far (mean NMI over 3 starts 0.760 ± 0.010) beats the best control, product (mean NMI over 3 starts 0.720 ± 0.020)"
        );
        assert_eq!(v.alone, None);
        // 0.06 apart, but the one that is better has a spread of 0.08: the larger spread decides.
        let wide = ("wide", false, [0.70, 0.78, 0.86]);
        assert!(verdict(&[product, wide]).better.is_empty());
        let v = verdict(&[far, ("farther", false, [0.8; 3]), product]);
        assert_eq!(v.better, ["far", "farther"]);
        assert!(
            v.sentence.starts_with(
                "2 methods beat the best control, product (mean NMI over 3 starts 0.720"
            )
        );
        // No spread at all: the margin is left.
        let sure = ("sure", true, [0.72; 3]);
        assert!(verdict(&[sure, ("m", false, [0.729; 3])]).better.is_empty());
        assert_eq!(verdict(&[sure, ("m", false, [0.731; 3])]).better, ["m"]);
    }

    /// Means ranked the controls, and the first column of the table showed the starts that were kept.
    #[test]
    fn the_verdict_says_which_figure_counts() {
        let (product, concat) = ([0.75, 0.78, 0.78], [0.83, 0.70, 0.72]);
        let rows = [("product", true, product), ("concat", true, concat), ("m", false, [0.76; 3])];
        let v = verdict(&rows);
        assert_eq!(v.best_control.as_deref(), Some("product"));
        assert_eq!(
            v.sentence,
            "no method beats the best control, product (mean NMI over 3 starts 0.770 ± 0.017); means \
             count: by the start of k-means that is kept, concat is the best control (NMI 0.830)"
        );
    }

    /// Noise in all views but one: every combination lost to that view, and nothing was said.
    #[test]
    fn a_view_that_is_far_better_alone_is_named() {
        let rows = |single: f64, spread: f64| {
            verdict(&[
                ("single:a", true, [0.04; 3]),
                ("single:b", true, [single - spread, single, single + spread]),
                ("spectral", true, [0.05; 3]),
                ("co_trained", false, [0.07; 3]),
            ])
        };
        let v = rows(0.3, 0.01);
        assert_eq!(v.alone.as_deref(), Some("single:b"));
        assert!(
            v.sentence.starts_with(
                "no method beats the best control, single:b (mean NMI over 3 starts 0.300 ± 0.010). single:b (mean NMI over 3 starts 0.300 ± \
                 0.010) alone is far better than every combination of views, of which co_trained (mean NMI over 3 starts \
                 0.070 ± 0.000) is the best: cluster by that view"
            ),
            "{}",
            v.sentence
        );
        // Near, or within the spread: nothing to say.
        assert_eq!((rows(0.11, 0.01).alone, rows(0.3, 0.24).alone), (None, None));
        // Only single views: there is no combination.
        let only = verdict(&[("single:a", true, [0.1; 3]), ("single:b", true, [0.6; 3])]);
        assert_eq!(only.alone, None);
    }

    #[test]
    fn there_may_be_nothing_to_compare() {
        let only = verdict(&[("mean", true, [0.57; 3]), ("single:a", true, [0.6; 3])]);
        assert_eq!(
            only.sentence,
            "there are only controls; the best is single:a (mean NMI over 3 starts 0.600 ± 0.000)"
        );
        let none = verdict(&[("m", false, [0.5; 3])]);
        assert!(none.sentence.starts_with("there is no control to compare with; the best"));
        assert_eq!(none.best_control, None);
    }
}
