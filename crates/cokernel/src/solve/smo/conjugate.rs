//! Conjugate pair steps (Torres-Barrán, Alaíz, Dorronsoro, *Pattern Recognition* 111, 2021): where pair
//! steps crawl, the line of a step is turned from that of its pair, u = e_i − e_j, towards the last line.
//!
//! ```text
//! p ← u + γp,  γ = −uᵀq/δ,  q = Kp ← γq + K u,  δ = pᵀq ← uᵀKu − (uᵀq)²/δ,  λ = (f_j − f_i)/δ
//! ```
//!
//! As f is orthogonal to the last p after a whole step, λ is the minimum of the line, and the decrease
//! ½(f_j − f_i)²/δ is at least that of the pair alone. A step that meets a bound ends there, and the next
//! begins anew. |γ| is about a fifth, so after a dozen steps what an entry of p adds is lost in rounding,
//! and it leaves p: p has few entries, and a step costs what the vector q adds to its pass.

use super::passes::Gradient;

/// The line of the last step.
pub(super) struct Line<G> {
    /// Entries of p that are not 0: position and value.
    pub p: Vec<(u32, f64)>,
    /// K p.
    pub q: Vec<G>,
    /// pᵀKp; 0 where there is no last line.
    delta: f64,
}

/// How far a step goes along a line.
pub(super) struct Move {
    pub gamma: f64,
    /// λ.
    pub length: f64,
    /// pᵀKp.
    pub curvature: f64,
    /// The entry of p whose variable ends at a bound.
    pub hit: Option<usize>,
}

/// Least curvature that is left of that of the pair.
const LEAST: f64 = 1e-6;

impl<G: Gradient> Line<G> {
    pub fn new(m: usize) -> Self {
        Line { p: Vec::new(), q: vec![G::of(0.0); m], delta: 0.0 }
    }

    /// The next line is that of its pair.
    pub fn forget(&mut self) {
        self.delta = 0.0;
    }

    /// Turns p, and says how far to go for the pair (i, j) with this slope and curvature (above 0). `room`
    /// gives how far a variable can go down and up.
    pub fn turn(
        &mut self,
        (i, j): (usize, usize),
        slope: f64,
        curvature: f64,
        room: impl Fn(usize) -> (f64, f64),
    ) -> Move {
        let (mut gamma, mut left) = (0.0, curvature);
        if self.delta > 0.0 {
            let (q_i, q_j): (f64, f64) = (self.q[i].into(), self.q[j].into());
            let turned = q_i - q_j;
            gamma = -turned / self.delta;
            left = curvature - turned * turned / self.delta;
        }
        if !(left > LEAST * curvature && gamma.abs() < 1.0) {
            (gamma, left) = (0.0, curvature);
        }
        if gamma == 0.0 {
            self.p.clear();
            self.q.fill(G::of(0.0));
        }
        self.p.iter_mut().for_each(|(_, v)| *v *= gamma);
        self.p.retain(|(_, v)| v.abs() > 0.1 * G::EPSILON);
        for (k, by) in [(i, 1.0), (j, -1.0)] {
            match self.p.iter_mut().find(|(at, _)| *at as usize == k) {
                Some((_, v)) => *v += by,
                None => self.p.push((k as u32, by)),
            }
        }
        self.delta = left;
        let (mut length, mut hit) = (slope / left, None);
        for (at, (k, v)) in self.p.iter().enumerate() {
            let (down, up) = room(*k as usize);
            let most = if *v > 0.0 { up / v } else { -down / v };
            if *v != 0.0 && most <= length {
                (length, hit) = (most, Some(at));
            }
        }
        Move { gamma, length, curvature: left, hit }
    }
}
