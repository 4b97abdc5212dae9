//! Progress: on a terminal, after a second, a line with the running step and the time. It disappears when the work is
//! done, and while anything else is written.
//!
//! Input: the steps. Output: the line on standard error. Invariants: nothing appears where standard error is not a
//! terminal; the thread that waits for the second ends with the work.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const DELAY: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(100);

/// The line that is shown; messages are written above it.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Does something that writes to the terminal.
pub fn suspended<T>(work: impl FnOnce() -> T) -> T {
    let bar = locked(&SHOWN).clone();
    match bar {
        Some(bar) => bar.suspend(work),
        None => work(),
    }
}

/// The progress line of a task.
pub struct Progress {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    step: String,
    is_over: bool,
}

impl Progress {
    /// Starts to wait. None: there is no terminal, or no thread.
    pub fn start() -> Option<Self> {
        if !std::io::stderr().is_terminal()
            || std::env::var_os("TERM").is_some_and(|term| term == "dumb")
        {
            return None;
        }
        let shared =
            Arc::new(Shared { state: Mutex::new(State::default()), ended: Condvar::new() });
        let of_thread = Arc::clone(&shared);
        std::thread::Builder::new().spawn(move || of_thread.show_later()).ok()?;
        Some(Self { shared })
    }

    pub fn step(&self, step: &str) {
        let mut state = locked(&self.shared.state);
        step.clone_into(&mut state.step);
        if let Some(bar) = &*locked(&SHOWN) {
            bar.set_message(step.to_owned());
        }
    }

    /// Removes the line for good.
    pub fn end(&self) {
        locked(&self.shared.state).is_over = true;
        self.shared.ended.notify_all();
        if let Some(bar) = locked(&SHOWN).take() {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

impl Shared {
    fn show_later(&self) {
        let state = locked(&self.state);
        let waited = self.ended.wait_timeout_while(state, DELAY, |state| !state.is_over);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if state.is_over {
            return;
        }
        // The state stays locked, so that the work cannot end before the line is known.
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.set_elapsed(DELAY);
        bar.set_message(state.step.clone());
        bar.enable_steady_tick(TICK);
        *locked(&SHOWN) = Some(bar);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
