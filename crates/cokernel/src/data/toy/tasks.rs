//! Data to predict numbers from, and data among which some instances are unlike the rest.

use super::{check_count, normal};
use crate::data::{Labels, Matrix, Views};
use crate::{Error, Result, Run, brief};
use rand::RngExt;

/// Numbers that two of three views tell, each a part: y = sin(3 a_0) + b_0² + `noise`·ε with normal ε; the views
/// `a`, `b` and `c` have two columns each, uniform between −1 and 1.
///
/// # Errors
/// There is no instance, or the noise is negative or not a finite number.
pub fn waves(n: usize, noise: f64, seed: u64) -> Result<(Views, Labels)> {
    check_count(n)?;
    if !(noise.is_finite() && noise >= 0.0) {
        let problem = format!("expected a finite number of at least 0, found {}", brief(noise));
        return Err(Error::parameter("noise", problem));
    }
    let mut rng = Run::with_seed(seed).rng("toy waves");
    let mut table = || Matrix::from_fn(n, 2, |_, _| 2.0 * rng.random::<f64>() - 1.0);
    let (a, b, c) = (table(), table(), table());
    let y = |i| (3.0 * a.get(i, 0)).sin() + b.get(i, 0).powi(2);
    let y = (0..n).map(|i| Some(y(i) + noise * normal(&mut rng))).collect();
    Ok((Views::new().dense("a", a)?.dense("b", b)?.dense("c", c)?, Labels::Real(y)))
}

/// Normal instances, and strays: round(`share`·n) of them, evenly among the others, uniform between −5 and 5
/// where the others are standard normal; two views `a` and `b` of three columns. The classes are `inlier` and
/// `stray`.
///
/// # Errors
/// There is no instance, or the share is not from 0 to 1.
pub fn strays(n: usize, share: f64, seed: u64) -> Result<(Views, Labels)> {
    check_count(n)?;
    if !(0.0..=1.0).contains(&share) {
        let problem = format!("expected a number from 0 to 1, found {}", brief(share));
        return Err(Error::parameter("share", problem));
    }
    let count = (share * n as f64).round() as usize;
    let is_stray = |i: usize| (i + 1) * count / n > i * count / n;
    let mut rng = Run::with_seed(seed).rng("toy strays");
    let mut table = || {
        Matrix::from_fn(n, 3, |i, _| match is_stray(i) {
            true => 10.0 * rng.random::<f64>() - 5.0,
            false => normal(&mut rng),
        })
    };
    let views = Views::new().dense("a", table())?.dense("b", table())?;
    let name = |i| if is_stray(i) { "stray" } else { "inlier" };
    Ok((views, Labels::from_texts(&(0..n).map(name).collect::<Vec<_>>())))
}
