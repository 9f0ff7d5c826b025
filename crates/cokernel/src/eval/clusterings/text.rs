//! The comparison as a table for people.

use super::{ClusteringRow, Clusterings};
use crate::eval::table;
use std::fmt;

impl fmt::Display for Clusterings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |r: &ClusteringRow| {
            let score = |of: fn(&super::StartScores) -> String| {
                r.scores.as_ref().map_or("-".to_string(), of)
            };
            let sizes = r.sizes.iter().min().zip(r.sizes.iter().max());
            vec![
                format!("{}{}", r.name, if r.control { " *" } else { "" }),
                score(|s| format!("{:.4}", s.best.nmi)),
                score(|s| format!("{:.4} ± {:.4}", s.nmi.mean, s.nmi.sd)),
                score(|s| format!("{:.4}", s.best.adjusted_rand)),
                score(|s| format!("{:.4}", s.best.accuracy)),
                sizes.map_or("-".to_string(), |(a, b)| format!("{a}-{b}")),
                format!("{:.2}", r.report.seconds),
                r.report.status.to_string(),
            ]
        };
        let rows: Vec<_> = self.rows.iter().map(row).collect();
        let header =
            ["method", "NMI", "NMI over starts", "ARI", "accuracy", "sizes", "seconds", "status"];
        f.write_str(&table::aligned(&header, &rows))?;
        if self.rows.iter().any(|r| r.control) {
            f.write_str("* control\n")?;
        }
        match &self.verdict {
            Some(verdict) => writeln!(f, "{}", verdict.sentence),
            None => Ok(()),
        }
    }
}
