//! What the system knows of memory and processes; `None` where it does not tell (outside Linux).

use std::fs;

/// Bytes that can be used without harm to other programs.
pub fn available_memory() -> Option<usize> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    kibibytes(&text, "MemAvailable:")
}

/// The largest number of bytes that this process has held since [`reset_peak_memory`].
pub fn peak_memory() -> Option<usize> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    kibibytes(&text, "VmHWM:")
}

/// Begins to measure anew.
pub fn reset_peak_memory() {
    // Where it cannot be written, the peak is that of all cells of the process so far.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

fn kibibytes(text: &str, key: &str) -> Option<usize> {
    let line = text.lines().find_map(|l| l.strip_prefix(key))?;
    let number: usize = line.split_whitespace().next()?.parse().ok()?;
    Some(number * 1024)
}

/// Names this system since it was started, as far as process numbers mean something in it.
pub fn system_name() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let names = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {}", boot.trim(), names.display()))
}

/// When a process began, in ticks since the system was started; `None` if there is none with this
/// number that still runs.
pub fn process_start(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program, in parentheses, may hold blanks.
    let rest = &text[text.rfind(')')? + 1..];
    let mut fields = rest.split_whitespace();
    match fields.next()? {
        "Z" | "X" => None,
        _ => fields.nth(18)?.parse().ok(),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_known() {
        let pid = std::process::id();
        assert!(process_start(pid).is_some() && process_start(pid) == process_start(pid));
        assert_eq!(process_start(u32::MAX), None);
        assert!(system_name().is_some());
        assert!(available_memory().unwrap() > 1 << 20);
        reset_peak_memory();
        let before = peak_memory().unwrap();
        let block = vec![1_u8; 64 << 20];
        assert!(block.iter().map(|b| usize::from(*b)).sum::<usize>() == 64 << 20);
        assert!(peak_memory().unwrap() > before + (48 << 20));
    }

    #[test]
    fn an_ended_process_does_not_run_even_if_nobody_asked_for_its_end() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        while process_start(pid).is_some() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }
}
