use cokernel::{Cancel, Event, Observer};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Stops a run at its n-th step.
pub struct Stops {
    cancel: Cancel,
    left: AtomicUsize,
}

impl Stops {
    pub fn at(step: usize, cancel: Cancel) -> Self {
        Stops { cancel, left: AtomicUsize::new(step) }
    }
}

impl Observer for Stops {
    fn event(&self, event: &Event<'_>) {
        if matches!(event, Event::Step { .. }) && self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.cancel.cancel();
        }
    }
}
