//! Products of a symmetric matrix and a vector, with every entry read once.

/// Rows at once: each number of x and y is then read for four of the matrix.
pub const ROWS_AT_ONCE: usize = 4;
const ROWS: usize = ROWS_AT_ONCE;

/// Numbers that are summed side by side.
const LANES: usize = 32;

/// y = A x for a symmetric A, whose row i begins at i · `stride` and of which the entries from the
/// diagonal on are read.
pub fn symmetric_times(a: &[f64], stride: usize, x: &[f64], y: &mut [f64]) {
    let n = x.len();
    assert!(y.len() == n && stride >= n && (n == 0 || a.len() >= (n - 1) * stride + n));
    y.fill(0.0);
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        let whole = n / ROWS * ROWS;
        for first in (0..whole).step_by(ROWS) {
            // SAFETY: the instruction set was just found on this machine; all entries lie within a, as was asked above.
            unsafe { rows_512(&a[first * stride + first..], stride, &x[first..], &mut y[first..]) };
        }
        return small(
            &a[whole.min(n.saturating_sub(1)) * (stride + 1)..],
            stride,
            &x[whole..],
            &mut y[whole..],
        );
    }
    for first in (0..n).step_by(ROWS) {
        let end = n.min(first + ROWS);
        small(&a[first * (stride + 1)..], stride, &x[first..end], &mut y[first..end]);
        if end < n {
            let rows = std::array::from_fn(|r| &a[(first + r) * stride + end..][..n - end]);
            let own = std::array::from_fn(|r| x[first + r]);
            let (before, after) = y.split_at_mut(end);
            let sums = both_ways(&rows, &own, &x[end..], after);
            before[first..].iter_mut().zip(sums).for_each(|(y, sum)| *y += sum);
        }
    }
}

/// y += A x for a few rows and columns.
fn small(a: &[f64], stride: usize, x: &[f64], y: &mut [f64]) {
    for i in 0..x.len() {
        let row = &a[i * stride..i * stride + x.len()];
        y[i] += row[i] * x[i];
        for j in i + 1..x.len() {
            y[i] += row[j] * x[j];
            y[j] += row[j] * x[i];
        }
    }
}

/// y += Σ_r own_r · rows_r; ⟨rows_r, x⟩, for rows as long as x and y.
pub fn both_ways(
    rows: &[&[f64]; ROWS],
    own: &[f64; ROWS],
    x: &[f64],
    y: &mut [f64],
) -> [f64; ROWS] {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f") {
        assert!(x.len() == y.len() && rows.iter().all(|row| row.len() == x.len()));
        // SAFETY: the instruction set was just found on this machine, and the lengths agree.
        return unsafe { both_ways_512(rows, own, x, y) };
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        assert!(x.len() == y.len() && rows.iter().all(|row| row.len() == x.len()));
        // SAFETY: as above.
        return unsafe { both_ways_256(rows, own, x, y) };
    }
    both_ways_plain(rows, own, x, y)
}

/// On machines without the instructions of those below.
fn both_ways_plain(
    rows: &[&[f64]; ROWS],
    own: &[f64; ROWS],
    x: &[f64],
    y: &mut [f64],
) -> [f64; ROWS] {
    let mut sums = [0.0; ROWS];
    for r in 0..ROWS {
        let mut lanes = [0.0; LANES];
        let (row, x) = (rows[r].chunks(LANES), x.chunks(LANES));
        for ((row, x), y) in row.zip(x).zip(y.chunks_mut(LANES)) {
            for (l, ((v, x), y)) in row.iter().zip(x).zip(y).enumerate() {
                lanes[l] += v * x;
                *y += own[r] * v;
            }
        }
        sums[r] = lanes.iter().sum();
    }
    sums
}

/// By hand, as what the compiler makes of the loop over four rows takes twice as long.
///
/// # Safety
/// The machine has AVX2 and FMA; rows, x and y have the same length.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn both_ways_256(
    rows: &[&[f64]; ROWS],
    own: &[f64; ROWS],
    x: &[f64],
    y: &mut [f64],
) -> [f64; ROWS] {
    use std::arch::x86_64::{
        _mm256_fmadd_pd, _mm256_loadu_pd, _mm256_set1_pd, _mm256_setzero_pd, _mm256_storeu_pd,
    };
    let whole = x.len() / 4 * 4;
    let own_lanes: [_; ROWS] = std::array::from_fn(|r| _mm256_set1_pd(own[r]));
    let mut lanes = [_mm256_setzero_pd(); ROWS];
    for at in (0..whole).step_by(4) {
        // SAFETY: four numbers from `at` on lie within all slices.
        unsafe {
            let at_x = _mm256_loadu_pd(x.as_ptr().add(at));
            let mut at_y = _mm256_loadu_pd(y.as_ptr().add(at));
            for r in 0..ROWS {
                let v = _mm256_loadu_pd(rows[r].as_ptr().add(at));
                lanes[r] = _mm256_fmadd_pd(v, at_x, lanes[r]);
                at_y = _mm256_fmadd_pd(own_lanes[r], v, at_y);
            }
            _mm256_storeu_pd(y.as_mut_ptr().add(at), at_y);
        }
    }
    std::array::from_fn(|r| {
        let mut sums = [0.0; 4];
        // SAFETY: four numbers are stored in a list of four.
        unsafe { _mm256_storeu_pd(sums.as_mut_ptr(), lanes[r]) };
        let rest = rows[r][whole..].iter().zip(&x[whole..]).zip(&mut y[whole..]);
        rest.fold(sums.iter().sum(), |sum, ((v, x), y)| {
            *y += own[r] * v;
            sum + v * x
        })
    })
}

/// The same in wider registers.
///
/// # Safety
/// The machine has AVX-512; rows, x and y have the same length.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn both_ways_512(
    rows: &[&[f64]; ROWS],
    own: &[f64; ROWS],
    x: &[f64],
    y: &mut [f64],
) -> [f64; ROWS] {
    use std::arch::x86_64::{
        _mm512_fmadd_pd, _mm512_loadu_pd, _mm512_reduce_add_pd, _mm512_set1_pd, _mm512_setzero_pd,
        _mm512_storeu_pd,
    };
    let whole = x.len() / 8 * 8;
    let own_lanes: [_; ROWS] = std::array::from_fn(|r| _mm512_set1_pd(own[r]));
    let mut lanes = [_mm512_setzero_pd(); ROWS];
    for at in (0..whole).step_by(8) {
        // SAFETY: eight numbers from `at` on lie within all slices.
        unsafe {
            let at_x = _mm512_loadu_pd(x.as_ptr().add(at));
            let mut at_y = _mm512_loadu_pd(y.as_ptr().add(at));
            for r in 0..ROWS {
                let v = _mm512_loadu_pd(rows[r].as_ptr().add(at));
                lanes[r] = _mm512_fmadd_pd(v, at_x, lanes[r]);
                at_y = _mm512_fmadd_pd(own_lanes[r], v, at_y);
            }
            _mm512_storeu_pd(y.as_mut_ptr().add(at), at_y);
        }
    }
    std::array::from_fn(|r| {
        let rest = rows[r][whole..].iter().zip(&x[whole..]).zip(&mut y[whole..]);
        rest.fold(_mm512_reduce_add_pd(lanes[r]), |sum, ((v, x), y)| {
            *y += own[r] * v;
            sum + v * x
        })
    })
}

/// The share of four rows in [`symmetric_times`], from the diagonal on, and of the columns below it: `a`, `x` and `y` begin
/// with the first of the rows. What a row has before its diagonal, and what is beyond its end, is masked.
///
/// # Safety
/// The machine has AVX-512; x and y have the same length n of at least four, and `a` the entries 3 · `stride` + n.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn rows_512(a: &[f64], stride: usize, x: &[f64], y: &mut [f64]) {
    use std::arch::x86_64::{
        _mm512_fmadd_pd, _mm512_loadu_pd, _mm512_mask_storeu_pd, _mm512_maskz_loadu_pd,
        _mm512_maskz_mov_pd, _mm512_reduce_add_pd, _mm512_set1_pd, _mm512_setzero_pd,
        _mm512_storeu_pd,
    };
    let n = x.len();
    debug_assert!(n >= ROWS && y.len() == n && a.len() >= (ROWS - 1) * stride + n);
    // The first numbers of eight, as many as there are.
    let first = |count: usize| if count >= 8 { u8::MAX } else { (1 << count) - 1 };
    let own: [_; ROWS] = std::array::from_fn(|r| _mm512_set1_pd(x[r]));
    let mut lanes = [_mm512_setzero_pd(); ROWS];
    // SAFETY: what a mask leaves lies within the slices.
    unsafe {
        let all = first(n);
        let at_x = _mm512_maskz_loadu_pd(all, x.as_ptr());
        let mut at_y = _mm512_maskz_loadu_pd(all, y.as_ptr());
        for r in 0..ROWS {
            let (diagonal, own_row) = (1_u8 << r, a.as_ptr().add(r * stride));
            let from = all & !(diagonal - 1);
            let v = _mm512_maskz_loadu_pd(from, own_row);
            lanes[r] = _mm512_fmadd_pd(v, at_x, lanes[r]);
            at_y = _mm512_fmadd_pd(own[r], _mm512_maskz_mov_pd(from & !diagonal, v), at_y);
        }
        _mm512_mask_storeu_pd(y.as_mut_ptr(), all, at_y);
        let mut at = 8;
        while at + 8 <= n {
            let at_x = _mm512_loadu_pd(x.as_ptr().add(at));
            let mut at_y = _mm512_loadu_pd(y.as_ptr().add(at));
            for r in 0..ROWS {
                let v = _mm512_loadu_pd(a.as_ptr().add(r * stride + at));
                lanes[r] = _mm512_fmadd_pd(v, at_x, lanes[r]);
                at_y = _mm512_fmadd_pd(own[r], v, at_y);
            }
            _mm512_storeu_pd(y.as_mut_ptr().add(at), at_y);
            at += 8;
        }
        if at < n {
            let rest = first(n - at);
            let at_x = _mm512_maskz_loadu_pd(rest, x.as_ptr().add(at));
            let mut at_y = _mm512_maskz_loadu_pd(rest, y.as_ptr().add(at));
            for r in 0..ROWS {
                let v = _mm512_maskz_loadu_pd(rest, a.as_ptr().add(r * stride + at));
                lanes[r] = _mm512_fmadd_pd(v, at_x, lanes[r]);
                at_y = _mm512_fmadd_pd(own[r], v, at_y);
            }
            _mm512_mask_storeu_pd(y.as_mut_ptr().add(at), rest, at_y);
        }
    }
    for r in 0..ROWS {
        y[r] += _mm512_reduce_add_pd(lanes[r]);
    }
}
