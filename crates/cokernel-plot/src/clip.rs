//! Cutting at the unit square, in whose coordinates panels are drawn.

type Point = (f64, f64);

/// Whether a point is in the square, its border included.
pub fn inside((x, y): Point) -> bool {
    let near = |v: f64| (-1e-9..=1.0 + 1e-9).contains(&v);
    near(x) && near(y)
}

/// The part of a segment inside the square (Liang and Barsky).
pub fn segment(a: Point, b: Point) -> Option<(Point, Point)> {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (step, room) in [(-dx, a.0), (dx, 1.0 - a.0), (-dy, a.1), (dy, 1.0 - a.1)] {
        if step == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if step < 0.0 {
            from = from.max(room / step);
        } else {
            to = to.min(room / step);
        }
    }
    let at = |t: f64| (a.0 + t * dx, a.1 + t * dy);
    let begin = if from == 0.0 { a } else { at(from) };
    let end = if to == 1.0 { b } else { at(to) };
    (from <= to).then_some((begin, end))
}

/// The pieces of a line inside the square.
pub fn line(points: &[Point]) -> Vec<Vec<Point>> {
    let mut pieces: Vec<Vec<Point>> = Vec::new();
    for pair in points.windows(2) {
        let Some((a, b)) = segment(pair[0], pair[1]) else { continue };
        match pieces.last_mut() {
            Some(piece) if piece.last() == Some(&a) => piece.push(b),
            _ => pieces.push(vec![a, b]),
        }
    }
    pieces
}

/// The part of a polygon inside the square (Sutherland and Hodgman).
pub fn polygon(mut points: Vec<Point>) -> Vec<Point> {
    // Each side as the sign and constant of what is not negative inside, and its axis.
    for (sign, constant, second) in
        [(1.0, 0.0, false), (-1.0, 1.0, false), (1.0, 0.0, true), (-1.0, 1.0, true)]
    {
        let room = |p: Point| constant + sign * if second { p.1 } else { p.0 };
        let mut kept = Vec::with_capacity(points.len() + 4);
        for (i, &b) in points.iter().enumerate() {
            let a = points[(i + points.len() - 1) % points.len()];
            let (ra, rb) = (room(a), room(b));
            if (ra < 0.0) != (rb < 0.0) {
                let t = ra / (ra - rb);
                kept.push((a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1)));
            }
            if rb >= 0.0 {
                kept.push(b);
            }
        }
        points = kept;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_is_cut_off() {
        assert_eq!(segment((-1.0, 0.5), (2.0, 0.5)), Some(((0.0, 0.5), (1.0, 0.5))));
        assert_eq!(segment((-1.0, 0.5), (-0.5, 0.5)), None);
        assert_eq!(segment((0.25, 2.0), (0.25, 3.0)), None);
        assert_eq!(line(&[(0.0, 0.0), (0.5, 2.0), (1.0, 0.0)]).len(), 2);
        assert_eq!(line(&[(0.0, 0.0), (0.5, 0.5), (1.0, 0.0)]).len(), 1);
        let cut = polygon(vec![(-1.0, -1.0), (2.0, -1.0), (2.0, 0.5), (-1.0, 0.5)]);
        assert!(cut.iter().all(|p| inside(*p)));
        let area: f64 = (0..cut.len())
            .map(|i| (cut[i], cut[(i + 1) % cut.len()]))
            .map(|(a, b)| (a.0 * b.1 - a.1 * b.0) / 2.0)
            .sum();
        assert!((area.abs() - 0.5).abs() < 1e-12, "{cut:?}");
        assert!(polygon(vec![(2.0, 2.0), (3.0, 2.0), (3.0, 3.0)]).is_empty());
    }
}
