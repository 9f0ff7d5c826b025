//! Progress bars: one line on a terminal, and only for work of more than two seconds.

use crate::visible::on_one_line;
use cokernel::{Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(2);

/// One open stage.
struct Stage {
    name: String,
    total: Option<u64>,
    done: u64,
    message: String,
}

#[derive(Default)]
struct State {
    stages: Vec<Stage>,
    bar: Option<ProgressBar>,
    due: bool,
}

/// Shows the outermost open stage as a bar, and the innermost one behind it.
pub struct Progress {
    started: Instant,
    state: Mutex<State>,
}

impl Progress {
    /// Starts the two seconds.
    pub fn start() -> Arc<Self> {
        let progress = Arc::new(Progress { started: Instant::now(), state: Mutex::default() });
        let watcher = Arc::downgrade(&progress);
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            if let Some(progress) = watcher.upgrade() {
                let mut state = progress.lock();
                state.due = true;
                state.draw();
            }
        });
        progress
    }

    /// Removes the bar from the screen, for good.
    pub fn finish(&self) {
        let mut state = self.lock();
        state.stages.clear();
        state.draw();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Observer for Progress {
    fn event(&self, event: &Event<'_>) {
        let mut state = self.lock();
        match event {
            Event::Begin { stage, total } => {
                let (name, message) = (stage.to_string(), String::new());
                state.stages.push(Stage { name, total: *total, done: 0, message });
            }
            Event::Step { done, message } => {
                if let Some(stage) = state.stages.last_mut() {
                    stage.done = *done;
                    stage.message = message.to_string();
                }
            }
            Event::End => {
                state.stages.pop();
            }
        }
        state.due |= self.started.elapsed() >= PATIENCE;
        state.draw();
    }
}

impl State {
    fn draw(&mut self) {
        let Some(outer) = self.stages.first() else {
            if let Some(bar) = self.bar.take() {
                bar.finish_and_clear();
            }
            return;
        };
        if !self.due {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(8));
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        bar.set_style(style(outer.total.is_some()));
        bar.set_prefix(on_one_line(&outer.name).into_owned());
        if let Some(total) = outer.total {
            bar.set_length(total);
        }
        bar.set_position(outer.done);
        let message = match self.stages.as_slice() {
            [one] => one.message.clone(),
            [.., inner] => format!("{} {}", inner.name, inner.message),
            [] => String::new(),
        };
        bar.set_message(on_one_line(&message).into_owned());
    }
}

fn style(known_length: bool) -> ProgressStyle {
    let template = match known_length {
        true => "{prefix} {bar:24} {pos}/{len} {elapsed} {wide_msg}",
        false => "{prefix} {spinner} {pos} {elapsed} {wide_msg}",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_work_draws_nothing_and_stages_nest() {
        let progress = Progress::start();
        progress.event(&Event::Begin { stage: "folds", total: Some(5) });
        progress.event(&Event::Begin { stage: "simple_mkl", total: None });
        progress.event(&Event::Step { done: 3, message: "gap 1e-2" });
        assert!(progress.lock().bar.is_none());
        assert_eq!(progress.lock().stages[0].done, 0);
        assert_eq!(progress.lock().stages[1].done, 3);
        progress.event(&Event::End);
        progress.event(&Event::Step { done: 1, message: "" });
        assert_eq!(progress.lock().stages[0].done, 1);
        progress.finish();
        assert!(progress.lock().stages.is_empty());
    }
}
