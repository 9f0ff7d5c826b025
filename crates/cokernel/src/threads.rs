//! How many threads the address space has room for, where the system bounds it (`ulimit -v`,
//! `RLIMIT_AS`).
//!
//! The products of matrices of faer keep a workspace for each thread that ever made one: twice the
//! third-level caches of the machine, some hundred megabytes on large ones, of which little is ever
//! touched. Its size cannot be set, and an allocation that fails ends the program. Nothing is bounded
//! where the system does not tell (outside Linux).

use crate::{Error, Result};
use cokernel_dense::{Slice, product_nn};
use std::fs;
use std::path::Path;

/// What a thread takes beside its workspace: its stack, and what the allocator reserves for it.
const OWN: usize = 72 << 20;

/// Products of matrices of this width use the workspace; smaller ones may not.
const WIDTH: usize = 64;

/// What is left for data and for threads that only wait.
const DATA: usize = 144 << 20;

/// The largest number of threads, at most as many as asked for, that the address space which this
/// process may still use has room for.
///
/// # Errors
/// [`Error::Memory`]: there is none for one.
pub fn threads_with_room(asked: usize) -> Result<usize> {
    match (address_space(), used()) {
        (Some(limit), Some(used)) => with_room(asked, limit, used, workspace()),
        _ => Ok(asked),
    }
}

/// Gives every thread of the pool its workspace now, where the address space is bounded: what data and
/// kernels leave later may not do for one, and an allocation inside a product ends the program.
pub fn take_workspaces() {
    if address_space().is_some() {
        let ones = [1.0; WIDTH * WIDTH];
        rayon::broadcast(|_| {
            let (block, mut out) = (Slice::new(&ones, WIDTH, WIDTH), [0.0; WIDTH * WIDTH]);
            product_nn(block, block, &mut out);
        });
    }
}

/// As [`threads_with_room`], from the bytes that may be used, those that are, and a workspace.
fn with_room(asked: usize, limit: usize, used: usize, workspace: usize) -> Result<usize> {
    let left = limit.saturating_sub(used);
    let fit = left.saturating_sub(DATA) / (workspace + OWN);
    if fit > 0 {
        return Ok(asked.min(fit));
    }
    let gb = |bytes: usize| bytes as f64 / 1e9;
    Err(Error::Memory {
        what: format!(
            "the workspace of a thread, where {:.2} of {:.2} GB of address space are left (ulimit \
             -v),",
            gb(left),
            gb(limit)
        ),
        bytes: DATA + workspace + OWN,
    })
}

/// The bytes of address space that the process may use, if there is a limit.
pub fn address_space() -> Option<usize> {
    limit_in(&fs::read_to_string("/proc/self/limits").ok()?)
}

fn limit_in(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|l| l.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The bytes of address space that the process uses.
fn used() -> Option<usize> {
    used_in(&fs::read_to_string("/proc/self/status").ok()?)
}

fn used_in(text: &str) -> Option<usize> {
    let line = text.lines().find_map(|l| l.strip_prefix("VmSize:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1 << 10)
}

/// The bytes of a thread's workspace: twice the third-level caches of all processors, and at least
/// what is taken where the system does not tell.
fn workspace() -> usize {
    const LEAST: usize = 2 << 20;
    let mut third = 0;
    let mut seen = Vec::new();
    for cpu in fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().flatten() {
        for cache in fs::read_dir(cpu.path().join("cache")).into_iter().flatten().flatten() {
            let Some((size, shared)) = third_level(&cache.path()) else { continue };
            if !seen.contains(&shared) {
                third += size;
                seen.push(shared);
            }
        }
    }
    2 * third.max(LEAST)
}

/// The size of a third-level cache, and the processors that share it.
fn third_level(cache: &Path) -> Option<(usize, String)> {
    let read = |name: &str| fs::read_to_string(cache.join(name)).ok();
    if read("level")?.trim() != "3" {
        return None;
    }
    Some((size_of_cache(read("size")?.trim())?, read("shared_cpu_list")?))
}

/// `266240K` in bytes.
fn size_of_cache(text: &str) -> Option<usize> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    let shift = match unit {
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A product of small matrices once ended the program: its thread wants half a gigabyte of
    /// address space on a machine with large caches.
    #[test]
    fn threads_keep_to_the_address_space() {
        let (megabyte, workspace) = (1 << 20, 520 << 20);
        let fit = |limit: usize| with_room(8, limit * megabyte, 50 * megabyte, workspace);
        assert_eq!(fit(1000).unwrap(), 1);
        assert_eq!(fit(1500).unwrap(), 2);
        assert_eq!(fit(100_000).unwrap(), 8);
        let said = fit(600).unwrap_err().to_string();
        assert_eq!(
            said,
            "the workspace of a thread, where 0.58 of 0.63 GB of address space are left (ulimit -v), \
             takes 0.8 GB of memory, which is not there"
        );
    }

    #[test]
    fn what_the_system_tells_is_read() {
        let text = "Limit                     Soft Limit           Hard Limit           Units\n\
                    Max address space         614400000            unlimited            bytes\n";
        assert_eq!(limit_in(text), Some(614_400_000));
        assert_eq!(limit_in(&text.replace("614400000", "unlimited")), None);
        assert_eq!(size_of_cache("266240K"), Some(266_240 << 10));
        assert_eq!(size_of_cache("32M"), Some(32 << 20));
        assert_eq!(size_of_cache("32"), None);
        // In kB whatever the size of a page is, which was taken to be 4096 bytes.
        let status = "VmPeak:\t   20000 kB\nVmSize:\t   10240 kB\nVmLck:\t       0 kB\n";
        assert_eq!(used_in(status), Some(10 << 20));
        assert_eq!(used_in("VmPeak:\t   20000 kB\n"), None);
    }
}
