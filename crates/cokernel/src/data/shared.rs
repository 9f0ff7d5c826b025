//! The values of a [`Matrix`](super::Matrix): its own, or lent by another owner.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// An owner that lends its values for as long as somebody holds it. It must always give the same
/// slice, and nobody may change the values meanwhile.
pub type Shared = Arc<dyn AsRef<[f64]> + Send + Sync>;

/// Values that are read as a slice and copied before they are changed if they are lent.
#[derive(Clone, Serialize, Deserialize)]
#[serde(from = "Vec<f64>", into = "Vec<f64>")]
pub(super) enum Values {
    Own(Vec<f64>),
    Lent(Shared),
}

impl Values {
    /// The same values, which all clones share.
    pub(super) fn shared(&self) -> Self {
        match self {
            Values::Own(values) => Values::Lent(Arc::new(values.clone())),
            Values::Lent(owner) => Values::Lent(owner.clone()),
        }
    }

    /// The values, to be changed.
    #[inline]
    pub(super) fn to_mut(&mut self) -> &mut [f64] {
        if let Values::Lent(_) = self {
            self.copy();
        }
        match self {
            Values::Own(values) => values,
            Values::Lent(_) => unreachable!("lent values were copied above"),
        }
    }

    #[cold]
    fn copy(&mut self) {
        *self = Values::Own(self.to_vec());
    }
}

impl Deref for Values {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        match self {
            Values::Own(values) => values,
            Values::Lent(owner) => owner.as_ref().as_ref(),
        }
    }
}

impl Default for Values {
    fn default() -> Self {
        Values::Own(Vec::new())
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        Values::Own(values)
    }
}

impl From<Shared> for Values {
    fn from(owner: Shared) -> Self {
        Values::Lent(owner)
    }
}

impl From<Values> for Vec<f64> {
    fn from(values: Values) -> Self {
        match values {
            Values::Own(values) => values,
            Values::Lent(owner) => owner.as_ref().as_ref().to_vec(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::data::Matrix;
    use std::sync::Arc;

    #[test]
    fn lent_values_are_shared_until_they_change() {
        let owner = Arc::new(vec![1.0, 2.0, 3.0, 4.0]);
        let lent = Matrix::lent(2, 2, owner.clone()).unwrap();
        let mut copy = lent.clone();
        assert_eq!(copy.values().as_ptr(), owner.as_ptr());
        assert_eq!(copy, Matrix::new(2, 2, owner.to_vec()).unwrap());
        copy.set(1, 0, 9.0);
        assert_eq!(copy.values(), [1.0, 2.0, 9.0, 4.0]);
        assert_eq!((lent.get(1, 0), owner[2]), (3.0, 3.0));
        let own = Matrix::new(1, 2, vec![5.0, 6.0]).unwrap();
        let shared = own.shared();
        let mut copy = shared.clone();
        assert_eq!((copy.values().as_ptr(), &shared), (shared.values().as_ptr(), &own));
        copy.set(0, 0, 7.0);
        assert_eq!((copy.values(), shared.values()), (&[7.0, 6.0][..], &[5.0, 6.0][..]));
        let text = serde_json::to_string(&lent).unwrap();
        assert_eq!(text, r#"{"rows":2,"cols":2,"values":[1.0,2.0,3.0,4.0]}"#);
        let e = Matrix::lent(3, 2, owner).unwrap_err().to_string();
        assert_eq!(e, "matrix: expected 3 × 2 values, found 4 values");
    }
}
