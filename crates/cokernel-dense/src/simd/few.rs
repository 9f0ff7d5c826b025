//! A Aᵀ for a few rows that come piece by piece, as those of the same pairs of instances of all kernels do.
//!
//! A product of matrices copies both factors into the order of its kernel first, which takes twice as long as the
//! products where there are twenty rows of 128 numbers. Here blocks of 4 × 4 products stay in registers while
//! their eight rows are read once each, eight numbers at a time; what is in the eight lanes is added up at the end.

/// Rows of a block.
const SIDE: usize = 4;
/// Numbers of a register.
const WIDTH: usize = 8;
/// Lanes of a block.
const BLOCK: usize = SIDE * SIDE * WIDTH;
/// Most rows: their sums stay in the second-level cache.
const MOST: usize = 48;

/// Σ A Aᵀ over pieces of the same number of rows.
#[derive(Debug)]
pub struct FewRows {
    rows: usize,
    lanes: Vec<f64>,
}

impl FewRows {
    /// Of this many rows; `None` where a product of matrices is the better way, on this machine or for so many.
    pub fn new(rows: usize) -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        if rows <= MOST && is_x86_feature_detected!("avx512f") {
            let blocks = rows.div_ceil(SIDE);
            return Some(FewRows { rows, lanes: vec![0.0; blocks * (blocks + 1) / 2 * BLOCK] });
        }
        let _ = (rows, MOST);
        None
    }

    /// Adds A Aᵀ for the rows of `cols` numbers that begin every `stride` numbers.
    pub fn add(&mut self, values: &[f64], stride: usize, cols: usize) {
        assert!(self.rows == 0 || values.len() >= (self.rows - 1) * stride + cols);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: `new` has found the instruction set, and all rows lie within the values.
        unsafe {
            add_512(values.as_ptr(), stride, self.rows, cols, &mut self.lanes)
        }
        #[cfg(not(target_arch = "x86_64"))]
        unreachable!("there is none on this machine");
    }

    /// Adds `weight` times the sum, `rows` × `rows`, to `out`, and begins again with 0.
    pub fn add_to(&mut self, weight: f64, out: &mut [f64]) {
        let mut at = 0;
        for a in (0..self.rows).step_by(SIDE) {
            for b in (0..=a).step_by(SIDE) {
                for place in 0..SIDE * SIDE {
                    let (i, j) = (a + place / SIDE, b + place % SIDE);
                    let lanes = &mut self.lanes[at + place * WIDTH..][..WIDTH];
                    if i < self.rows && j < self.rows {
                        let sum = weight * lanes.iter().sum::<f64>();
                        out[i * self.rows + j] += sum;
                        if a != b {
                            out[j * self.rows + i] += sum;
                        }
                    }
                    lanes.fill(0.0);
                }
                at += BLOCK;
            }
        }
    }
}

/// # Safety
/// `values` holds `rows` rows of `cols` numbers that begin every `stride` numbers.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
unsafe fn add_512(values: *const f64, stride: usize, rows: usize, cols: usize, lanes: &mut [f64]) {
    use std::arch::x86_64::*;
    // The rows of the next piece, which mostly follow, are asked for meanwhile: two lines for each step.
    let mut ahead = values.wrapping_add(rows * stride);
    let mut blocks = lanes.as_chunks_mut::<BLOCK>().0.iter_mut();
    // Rows that are missing to a whole block: the last one once more, whose products are left out at the end.
    let row = |i: usize| values.wrapping_add(i.min(rows - 1) * stride);
    for a in (0..rows).step_by(SIDE) {
        for b in (0..=a).step_by(SIDE) {
            let Some(block) = blocks.next() else { return };
            let left: [*const f64; SIDE] = [row(a), row(a + 1), row(a + 2), row(a + 3)];
            let right: [*const f64; SIDE] = [row(b), row(b + 1), row(b + 2), row(b + 3)];
            // SAFETY: all that is read lies within the rows, as the mask of the last piece says, and the lanes of a block
            // are BLOCK numbers.
            unsafe {
                let mut sums = [_mm512_setzero_pd(); SIDE * SIDE];
                for (k, sum) in sums.iter_mut().enumerate() {
                    *sum = _mm512_loadu_pd(block.as_ptr().add(k * WIDTH));
                }
                for at in (0..cols).step_by(WIDTH) {
                    _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
                    _mm_prefetch::<_MM_HINT_T0>(ahead.wrapping_add(WIDTH).cast());
                    ahead = ahead.wrapping_add(2 * WIDTH);
                    let here = if cols - at < WIDTH { (1 << (cols - at)) - 1 } else { 0xff };
                    let load = |p: *const f64| _mm512_maskz_loadu_pd(here, p.add(at));
                    let l = [load(left[0]), load(left[1]), load(left[2]), load(left[3])];
                    let r = [load(right[0]), load(right[1]), load(right[2]), load(right[3])];
                    for i in 0..SIDE {
                        for j in 0..SIDE {
                            let k = i * SIDE + j;
                            sums[k] = _mm512_fmadd_pd(l[i], r[j], sums[k]);
                        }
                    }
                }
                for (k, sum) in sums.iter().enumerate() {
                    _mm512_storeu_pd(block.as_mut_ptr().add(k * WIDTH), *sum);
                }
            }
        }
    }
}
