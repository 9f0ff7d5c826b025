//! The loops eight variables at a time, in a form that compilers turn into vector instructions.

use super::super::cache::Real;
use super::{First, Gradient};

/// What is least over `up` and largest over `low`, eight variables at a time.
struct Extremes<G> {
    best: [G; 8],
    block: [u64; 8],
    largest: [G; 8],
}

impl<G: Gradient> Extremes<G> {
    fn new() -> Self {
        let least = G::of(f64::NEG_INFINITY);
        Extremes { best: [G::INFINITY; 8], block: [0; 8], largest: [least; 8] }
    }

    #[inline(always)]
    fn take(&mut self, f: &[G; 8], b: usize, u: u8, l: u8) {
        for k in 0..8 {
            let in_up = u & (1 << k) != 0;
            let in_low = l & (1 << k) != 0;
            let better = in_up & (f[k] < self.best[k]);
            self.best[k] = if better { f[k] } else { self.best[k] };
            self.block[k] = if better { b as u64 } else { self.block[k] };
            self.largest[k] =
                if in_low & (f[k] > self.largest[k]) { f[k] } else { self.largest[k] };
        }
    }

    fn result(&self) -> First {
        let mut found = First { i: usize::MAX, min_up: f64::INFINITY, max_low: f64::NEG_INFINITY };
        for k in 0..8 {
            let (i, best) = (self.block[k] as usize * 8 + k, self.best[k].into());
            if best < found.min_up || (best == found.min_up && i < found.i) {
                (found.i, found.min_up) = (i, best);
            }
            found.max_low = found.max_low.max(self.largest[k].into());
        }
        found
    }
}

#[inline(always)]
pub(super) fn update_lanes<T: Real, G: Gradient>(
    f: &mut [G],
    [row_i, row_j]: [&[T]; 2],
    t: G,
    [up, low]: [&[u8]; 2],
) -> First {
    let mut found = Extremes::new();
    let (f, _) = f.as_chunks_mut::<8>();
    let (row_i, _) = row_i.as_chunks::<8>();
    let (row_j, _) = row_j.as_chunks::<8>();
    let chunks = f.iter_mut().zip(row_i).zip(row_j).zip(up).zip(low);
    for (b, ((((f, a), c), u), l)) in chunks.enumerate() {
        for k in 0..8 {
            f[k] = f[k] + t * (G::of(a[k].into()) - G::of(c[k].into()));
        }
        found.take(f, b, *u, *l);
    }
    found.result()
}

#[inline(always)]
pub(super) fn glide_lanes<T: Real, G: Gradient>(
    f: &mut [G],
    q: &mut [G],
    [row_i, row_j]: [&[T]; 2],
    (gamma, t): (G, G),
    [up, low]: [&[u8]; 2],
) -> First {
    let mut found = Extremes::new();
    let (f, _) = f.as_chunks_mut::<8>();
    let (q, _) = q.as_chunks_mut::<8>();
    let (row_i, _) = row_i.as_chunks::<8>();
    let (row_j, _) = row_j.as_chunks::<8>();
    let chunks = f.iter_mut().zip(q).zip(row_i).zip(row_j).zip(up).zip(low);
    for (b, (((((f, q), a), c), u), l)) in chunks.enumerate() {
        for k in 0..8 {
            q[k] = gamma * q[k] + (G::of(a[k].into()) - G::of(c[k].into()));
            f[k] = f[k] + t * q[k];
        }
        found.take(f, b, *u, *l);
    }
    found.result()
}

#[inline(always)]
pub(super) fn second_lanes<T: Real, G: Gradient>(
    f: &[G],
    row_i: &[T],
    diagonal: &[G],
    low: &[u8],
    (f_i, d_i): (G, G),
    tau: G,
) -> Option<usize> {
    let (zero, one, two) = (G::of(0.0), G::of(1.0), G::of(2.0));
    let mut num = [zero; 8];
    let mut den = [one; 8];
    let mut block = [0_u64; 8];
    let (f, _) = f.as_chunks::<8>();
    let (row_i, _) = row_i.as_chunks::<8>();
    let (diagonal, _) = diagonal.as_chunks::<8>();
    for (b, (((f, r), d), l)) in f.iter().zip(row_i).zip(diagonal).zip(low).enumerate() {
        for k in 0..8 {
            let curvature = d_i + d[k] - two * G::of(r[k].into());
            let curvature = if curvature > tau { curvature } else { tau };
            let rise = f[k] - f_i;
            let square = rise * rise;
            let better =
                (l & (1 << k) != 0) & (rise > zero) & (square * den[k] > num[k] * curvature);
            num[k] = if better { square } else { num[k] };
            den[k] = if better { curvature } else { den[k] };
            block[k] = if better { b as u64 } else { block[k] };
        }
    }
    let (mut value, mut j) = (zero, None);
    for k in 0..8 {
        let (ratio, at) = (num[k] / den[k], block[k] as usize * 8 + k);
        if ratio > value || (ratio == value && j.is_some_and(|j| at < j)) {
            (value, j) = (ratio, Some(at));
        }
    }
    j
}
