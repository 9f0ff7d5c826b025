//! Signals, and what a program that is to go on after a hang-up does with them.

/// Sets a handler of signals with SIGHUP among them, unless this process was started so that it
/// goes on after a hang-up, as by `nohup`.
#[cfg(unix)]
pub fn keeps_after_hang_up<T>(set: impl FnOnce() -> T) -> T {
    // SAFETY: an empty action is a valid place for `sigaction` to write the current one to, and a
    // null pointer asks for that alone.
    let ignored = unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGHUP, std::ptr::null(), &mut now) == 0
            && now.sa_sigaction == libc::SIG_IGN
    };
    let done = set();
    if ignored {
        // SAFETY: ignoring a signal runs no code of ours.
        unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    }
    done
}

/// There is no SIGHUP.
#[cfg(not(unix))]
pub fn keeps_after_hang_up<T>(set: impl FnOnce() -> T) -> T {
    set()
}

/// Beyond a limit on the size of files (`ulimit -f`) writing fails, as on a full disk, and does not end the program.
#[cfg(unix)]
pub fn files_may_be_too_large() {
    // SAFETY: ignoring a signal runs no code of ours.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// There is no SIGXFSZ.
#[cfg(not(unix))]
pub fn files_may_be_too_large() {}
