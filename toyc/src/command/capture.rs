//! Captures standard error during a call: MLIR reports a bad value of a pass option there and nowhere
//! else.
//!
//! Input: a call. Output: its result, and what was written to file descriptor 2 meanwhile. Invariant:
//! code that reports a crash during the call runs [`end`] first, so that its message is not lost.

use std::io::{Read, Seek, SeekFrom};
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

/// A copy of the real standard error while it is captured.
static SAVED: Mutex<Option<OwnedFd>> = Mutex::new(None);

/// Runs `work` and captures what it writes to standard error. If capturing fails, the text goes to
/// standard error as usual.
pub fn stderr<T>(work: impl FnOnce() -> T) -> (T, String) {
    let Ok(mut file) = tempfile::tempfile() else { return (work(), String::new()) };
    let Ok(saved) = rustix::io::fcntl_dupfd_cloexec(std::io::stderr(), 0) else {
        return (work(), String::new());
    };
    if rustix::stdio::dup2_stderr(&file).is_err() {
        return (work(), String::new());
    }
    *SAVED.lock().unwrap_or_else(PoisonError::into_inner) = Some(saved);
    let result = work();
    end();
    let mut bytes = Vec::new();
    // The text only adds detail to a message: if it cannot be read back, the message goes without.
    let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes));
    (result, String::from_utf8_lossy(&bytes).into_owned())
}

/// Restores standard error if it is captured.
pub fn end() {
    if let Some(saved) = SAVED.lock().unwrap_or_else(PoisonError::into_inner).take() {
        // It was open a moment ago; a failure could not be reported anywhere.
        let _ = rustix::stdio::dup2_stderr(&saved);
    }
}
