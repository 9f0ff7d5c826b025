//! Rows of the active variables, kept in the order of last use within a byte budget.

use crate::solve::Rows;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256, __m256d, __m512, __m512d, _mm_loadu_ps, _mm256_cvtpd_ps, _mm256_cvtps_pd,
    _mm256_loadu_pd, _mm256_loadu_ps, _mm256_set_m128, _mm512_castpd_ps, _mm512_castpd512_pd256,
    _mm512_castps_pd, _mm512_castps256_ps512, _mm512_cvtpd_ps, _mm512_cvtps_pd, _mm512_insertf64x4,
    _mm512_loadu_pd, _mm512_loadu_ps,
};

/// A number type in which rows are kept.
pub(super) trait Real: Copy + Default + Into<f64> + Send + Sync {
    /// Row `i` at the given columns, divided by `unit`.
    fn fetch(rows: &dyn Rows, i: usize, columns: &[u32], all: bool, unit: f64, out: &mut [Self]);

    /// The relative rounding of a number of this type.
    const EPSILON: f64;

    /// The nearest value of this type.
    fn round(value: f64) -> f64;

    /// Four values as f64.
    ///
    /// # Safety
    /// `p` must be valid for reading four values, on a processor with AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn load_four(p: *const Self) -> __m256d;

    /// Eight values as f32.
    ///
    /// # Safety
    /// `p` must be valid for reading eight values, on a processor with AVX2.
    #[cfg(target_arch = "x86_64")]
    unsafe fn load_eight(p: *const Self) -> __m256;

    /// Eight values as f64.
    ///
    /// # Safety
    /// `p` must be valid for reading eight values, on a processor with AVX-512.
    #[cfg(target_arch = "x86_64")]
    unsafe fn load(p: *const Self) -> __m512d;

    /// Sixteen values as f32.
    ///
    /// # Safety
    /// `p` must be valid for reading sixteen values, on a processor with AVX-512.
    #[cfg(target_arch = "x86_64")]
    unsafe fn load_single(p: *const Self) -> __m512;
}

impl Real for f32 {
    const EPSILON: f64 = f32::EPSILON as f64;

    fn fetch(rows: &dyn Rows, i: usize, columns: &[u32], all: bool, unit: f64, out: &mut [f32]) {
        rows.fill(i, if all { None } else { Some(columns) }, out);
        let by = (1.0 / unit) as f32;
        if by != 1.0 {
            out.iter_mut().for_each(|o| *o *= by);
        }
    }

    fn round(value: f64) -> f64 {
        f64::from(value as f32)
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load_four(p: *const f32) -> __m256d {
        // SAFETY: the caller's promise.
        unsafe { _mm256_cvtps_pd(_mm_loadu_ps(p)) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load_eight(p: *const f32) -> __m256 {
        // SAFETY: the caller's promise.
        unsafe { _mm256_loadu_ps(p) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load(p: *const f32) -> __m512d {
        // SAFETY: the caller's promise.
        unsafe { _mm512_cvtps_pd(_mm256_loadu_ps(p)) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load_single(p: *const f32) -> __m512 {
        // SAFETY: the caller's promise.
        unsafe { _mm512_loadu_ps(p) }
    }
}

impl Real for f64 {
    const EPSILON: f64 = f64::EPSILON;

    fn fetch(rows: &dyn Rows, i: usize, columns: &[u32], all: bool, unit: f64, out: &mut [f64]) {
        let by = 1.0 / unit;
        if let Some(row) = rows.stored_row(i) {
            if all {
                out.iter_mut().zip(row).for_each(|(o, v)| *o = by * v);
            } else {
                out.iter_mut().zip(columns).for_each(|(o, c)| *o = by * row[*c as usize]);
            }
            return;
        }
        let mut unit = vec![0.0; rows.n()];
        let mut row = vec![0.0; rows.n()];
        unit[i] = 1.0;
        rows.multiply(&unit, &mut row);
        out.iter_mut().zip(columns).for_each(|(o, c)| *o = by * row[*c as usize]);
    }

    fn round(value: f64) -> f64 {
        value
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load_four(p: *const f64) -> __m256d {
        // SAFETY: the caller's promise.
        unsafe { _mm256_loadu_pd(p) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    unsafe fn load_eight(p: *const f64) -> __m256 {
        // SAFETY: the caller's promise.
        let (low, high) = unsafe { (_mm256_loadu_pd(p), _mm256_loadu_pd(p.add(4))) };
        _mm256_set_m128(_mm256_cvtpd_ps(high), _mm256_cvtpd_ps(low))
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load(p: *const f64) -> __m512d {
        // SAFETY: the caller's promise.
        unsafe { _mm512_loadu_pd(p) }
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn load_single(p: *const f64) -> __m512 {
        // SAFETY: the caller's promise.
        let (low, high) = unsafe { (_mm512_loadu_pd(p), _mm512_loadu_pd(p.add(8))) };
        let (low, high) = (_mm512_cvtpd_ps(low), _mm512_cvtpd_ps(high));
        let both = _mm512_castps_pd(_mm512_castps256_ps512(low));
        let high = _mm512_castps_pd(_mm512_castps256_ps512(high));
        _mm512_castpd_ps(_mm512_insertf64x4::<1>(both, _mm512_castpd512_pd256(high)))
    }
}

const NONE: u32 = u32::MAX;

/// Rows over the active columns; the least recently used row makes room.
pub(super) struct Cache<T> {
    values: Vec<T>,
    /// Length of a row in `values`: active columns, padded.
    stride: usize,
    capacity: usize,
    /// Slot of each active variable, or `NONE`.
    slot: Vec<u32>,
    /// Active variable of each used slot.
    owner: Vec<u32>,
    /// Doubly linked list of slots by use: `newest` … `oldest`.
    newer: Vec<u32>,
    older: Vec<u32>,
    newest: u32,
    oldest: u32,
    bytes: usize,
    /// What rows are divided by.
    unit: f64,
    /// Rows fetched so far.
    pub fetched: u64,
}

impl<T: Real> Cache<T> {
    pub fn new(active: usize, stride: usize, bytes: usize, unit: f64) -> Self {
        let capacity = Self::room(active, stride, bytes);
        // Reserved at once: growing would copy rows, and untouched memory costs nothing.
        let mut values = Vec::with_capacity(capacity * stride);
        crate::bank::huge_pages(values.spare_capacity_mut());
        Cache {
            values,
            stride,
            capacity,
            slot: vec![NONE; active],
            owner: Vec::new(),
            newer: Vec::new(),
            older: Vec::new(),
            newest: NONE,
            oldest: NONE,
            bytes,
            unit,
            fetched: 0,
        }
    }

    fn room(active: usize, stride: usize, bytes: usize) -> usize {
        (bytes / (stride.max(1) * size_of::<T>())).clamp(2, active.max(2))
    }

    fn unlink(&mut self, s: u32) {
        let (newer, older) = (self.newer[s as usize], self.older[s as usize]);
        if newer == NONE {
            self.newest = older
        } else {
            self.older[newer as usize] = older
        }
        if older == NONE { self.oldest = newer } else { self.newer[older as usize] = newer }
    }

    fn push(&mut self, s: u32) {
        self.newer[s as usize] = NONE;
        self.older[s as usize] = self.newest;
        if self.newest == NONE {
            self.oldest = s
        } else {
            self.newer[self.newest as usize] = s
        }
        self.newest = s;
    }

    /// Slot of the row of active variable `k` (global number `columns[k]`), fetched if need be.
    pub fn get(&mut self, rows: &dyn Rows, k: usize, columns: &[u32], all: bool) -> usize {
        let mut s = self.slot[k];
        if s == self.newest && s != NONE {
            return s as usize;
        }
        if s != NONE {
            self.unlink(s);
            self.push(s);
            return s as usize;
        }
        if self.owner.len() < self.capacity {
            s = self.owner.len() as u32;
            self.owner.push(k as u32);
            self.newer.push(NONE);
            self.older.push(NONE);
            self.values.resize((s as usize + 1) * self.stride, T::default());
        } else {
            s = self.oldest;
            self.unlink(s);
            self.slot[self.owner[s as usize] as usize] = NONE;
            self.owner[s as usize] = k as u32;
        }
        self.push(s);
        self.slot[k] = s;
        let start = s as usize * self.stride;
        let out = &mut self.values[start..start + columns.len()];
        T::fetch(rows, columns[k] as usize, columns, all, self.unit, out);
        self.fetched += 1;
        s as usize
    }

    /// The row in a slot, padded with zeros.
    pub fn row(&self, slot: usize) -> &[T] {
        &self.values[slot * self.stride..(slot + 1) * self.stride]
    }

    /// Keeps only the active variables `kept` (ascending positions), rows and columns.
    pub fn compact(&mut self, kept: &[u32], stride: usize) {
        let mut order = Vec::with_capacity(self.owner.len());
        let mut s = self.oldest;
        while s != NONE {
            order.push(s);
            s = self.newer[s as usize];
        }
        let mut position = vec![NONE; self.slot.len()];
        for (new, old) in kept.iter().enumerate() {
            position[*old as usize] = new as u32;
        }
        // Rows move towards the front only, in slot order, so nothing is overwritten early.
        let mut moved = vec![NONE; self.owner.len()];
        let mut line = vec![T::default(); self.stride];
        let mut used = 0;
        for s in 0..self.owner.len() {
            let k = position[self.owner[s] as usize];
            if k == NONE {
                continue;
            }
            let (from, to) = (s * self.stride, used * stride);
            line.copy_from_slice(&self.values[from..from + self.stride]);
            let out = &mut self.values[to..to + kept.len()];
            out.iter_mut().zip(kept).for_each(|(o, old)| *o = line[*old as usize]);
            self.values[to + kept.len()..to + stride].fill(T::default());
            self.owner[used] = k;
            moved[s] = used as u32;
            used += 1;
        }
        self.stride = stride;
        self.capacity = Self::room(kept.len(), stride, self.bytes);
        self.owner.truncate(used);
        self.values.truncate(used * stride);
        self.newer.clear();
        self.newer.resize(used, NONE);
        self.older.clear();
        self.older.resize(used, NONE);
        self.slot.clear();
        self.slot.resize(kept.len(), NONE);
        (self.newest, self.oldest) = (NONE, NONE);
        for s in order {
            if moved[s as usize] != NONE {
                self.push(moved[s as usize]);
            }
        }
        for (s, k) in self.owner.iter().enumerate() {
            self.slot[*k as usize] = s as u32;
        }
    }
}
