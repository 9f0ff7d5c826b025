use cokernel_dense::simd::tiles::*;

fn rows(count: usize, seed: usize) -> Vec<Row> {
    let value = |i: usize, j: usize| ((i * 71 + j * 13 + seed) as f32 * 0.37).sin();
    (0..count).map(|i| Row(std::array::from_fn(|j| value(i, j)))).collect()
}

#[test]
fn equals_plain_loops() {
    let panel = rows(130, 1);
    for (count, each) in [(1, 1), (64, 5), (7, 20)] {
        let columns: Vec<u32> = (0..count * each).map(|q| (q * 37 % 130) as u32).collect();
        let values: Vec<f32> = (0..count * each).map(|q| (q as f32 * 0.11).cos()).collect();
        let (mut wide, mut narrow) = (rows(count, 9), rows(count, 8));
        gathered(&columns, &values, &panel, &[&panel, &panel[..3]], &mut wide);
        gathered_narrow(&columns, &values, &panel, &mut narrow);
        for r in 0..count {
            for k in 0..SIDE {
                let at = r * each..(r + 1) * each;
                let want: f32 = columns[at.clone()]
                    .iter()
                    .zip(&values[at])
                    .map(|(l, s)| s * panel[*l as usize][k])
                    .sum();
                assert!((wide[r][k] - want).abs() < 1e-5 && (narrow[r][k] - want).abs() < 1e-5);
            }
        }
    }
    let (a, b) = (rows(SIDE, 3), rows(SIDE, 4));
    let mut out = rows(SIDE, 5);
    turned(&a, &mut out);
    assert!((0..SIDE * SIDE).all(|q| out[q / SIDE][q % SIDE] == a[q % SIDE][q / SIDE]));
    mean(&[&a, &b], 0, &mut out);
    assert!((0..SIDE).all(|k| (out[3][k] - 0.5 * (a[3][k] + b[3][k])).abs() < 1e-6));
    let sums = column_sums(&a);
    assert!((0..SIDE).all(|k| (sums[k] - a.iter().map(|r| r[k]).sum::<f32>()).abs() < 1e-4));
    let mut got = a.clone();
    let left = Row(std::array::from_fn(|r| r as f32 * 0.1));
    let moved = scaled(&mut got, &left, &b[0], 0.25, &b);
    let mut most = 0.0_f32;
    for r in 0..SIDE {
        for k in 0..SIDE {
            let value = a[r][k] * (left[r] + b[0][k]);
            assert_eq!(got[r][k], if value < 0.25 { 0.0 } else { value });
            most = most.max((got[r][k] - b[r][k]).abs());
        }
    }
    assert_eq!(moved, most);
}

#[test]
#[should_panic(expected = "index out of bounds")]
fn a_row_that_is_not_there_is_refused() {
    gathered(&[2], &[1.0], &rows(2, 0), &[], &mut rows(1, 0));
}
