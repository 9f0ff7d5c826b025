//! An allocator that refuses what no input of a target justifies: whoever asks for it has believed
//! a size that a file claims. Fallible code gets its error, the rest aborts the process.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The most bytes of one request, and of all at once up to `BUFFER` each.
pub const LIMIT: usize = 1 << 30;

/// Requests above this are not counted: matrix products keep a buffer of half a gibibyte for each
/// thread, of which they touch little.
const BUFFER: usize = 1 << 28;

static USED: AtomicUsize = AtomicUsize::new(0);

/// The allocator of the programs that run targets.
#[derive(Debug)]
pub struct Limited;

/// Whether so many more bytes may be had; they are counted then.
fn granted(size: usize) -> bool {
    if size > BUFFER {
        return size <= LIMIT;
    }
    let granted = USED.fetch_add(size, Ordering::Relaxed) + size <= LIMIT;
    if !granted {
        USED.fetch_sub(size, Ordering::Relaxed);
    }
    granted
}

// SAFETY: every call is passed to the allocator of the system with the same layout, or refused with
// a null pointer, which the trait allows.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !granted(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !granted(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        if layout.size() <= BUFFER {
            USED.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}
