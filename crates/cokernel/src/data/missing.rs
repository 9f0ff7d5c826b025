//! [`Missing`]: what learning does about instances that lack a view.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// What learning does about instances that lack a view.
///
/// Everything that it takes (means of columns, sizes of kernels) is learned on the training instances and kept in the
/// model. Complete instances are learned from as if there were no such choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// [`PerView`](Self::PerView) where the method can; else [`Mean`](Self::Mean), which keeps kernels positive
    /// semi-definite, and [`Estimate`](Self::Estimate) where similarities are missing. A model of complete instances
    /// fills in nothing.
    #[default]
    Auto,
    /// They are an error.
    Refuse,
    /// They are left out.
    Drop,
    /// Zeros stand for the scaled features of the view.
    Zero,
    /// The mean of each column over the instances that have the view stands for it.
    Mean,
    /// Their similarities are estimated from the other views ([`Bank::build_filled`](crate::bank::Bank::build_filled)).
    /// Machines learn from these with what makes each kernel positive semi-definite on its diagonal, the size of its least
    /// eigenvalue: the similarities of different instances stay what they are. Where a kernel has to have a unit diagonal
    /// (`hyperkernels`), all of its values are divided by what the diagonal becomes. Gates, which look at features, look at
    /// the means of columns there. For methods whose kernels are of features that they make themselves (`concat`, `gpk`, `lpk`)
    /// features are estimated: a mean of those of the ten training instances that are nearest in the other views.
    Estimate,
    /// Each view's classifier learns from the instances that have the view, and what joins the classifiers from those
    /// that have all.
    PerView,
}

impl Missing {
    /// Their names in settings, in the order above.
    pub const IDS: [&str; 7] = ["auto", "refuse", "drop", "zero", "mean", "estimate", "per_view"];

    /// All of them, in the same order.
    pub const ALL: [Missing; 7] = [
        Missing::Auto,
        Missing::Refuse,
        Missing::Drop,
        Missing::Zero,
        Missing::Mean,
        Missing::Estimate,
        Missing::PerView,
    ];

    /// The one with this name.
    ///
    /// # Errors
    /// The name is none of [`Missing::IDS`].
    pub fn from_id(id: &str) -> Result<Self> {
        let place = Missing::IDS.iter().position(|known| *known == id);
        let place =
            place.ok_or_else(|| Error::unknown("treatment of missing views", id, Missing::IDS))?;
        Ok(Missing::ALL[place])
    }

    /// Its name.
    pub fn id(self) -> &'static str {
        Missing::IDS[self as usize]
    }
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id())
    }
}
