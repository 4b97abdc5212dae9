//! Standard error, caught for a moment: MLIR says what is wrong with the value of a pass's option there
//! and nowhere else.
//!
//! Input: a call. Output: its result, and what was written to file descriptor 2 meanwhile. Invariant:
//! whoever wants to speak to the user in the middle of it calls [`end`] first, so that nothing said
//! on the way out of the process is lost.

use std::io::{Read, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicI32, Ordering};

unsafe extern "C" {
    fn dup(fd: i32) -> i32;
    fn dup2(from: i32, to: i32) -> i32;
    fn close(fd: i32) -> i32;
}

const STDERR: i32 = 2;
const NONE: i32 = -1;

/// A copy of the true standard error while it is caught.
static SAVED: AtomicI32 = AtomicI32::new(NONE);

/// Does something and catches what is written to standard error. Where it cannot be caught, it goes
/// where it always goes.
pub fn stderr<T>(work: impl FnOnce() -> T) -> (T, String) {
    let Ok(mut file) = tempfile::tempfile() else { return (work(), String::new()) };
    // SAFETY: plain system calls on descriptors that are open: 2, and the file's.
    unsafe {
        let saved = dup(STDERR);
        if saved < 0 || dup2(file.as_raw_fd(), STDERR) < 0 {
            return (work(), String::new());
        }
        SAVED.store(saved, Ordering::SeqCst);
    }
    let result = work();
    end();
    let mut bytes = Vec::new();
    // What cannot be read back is a detail of a message.
    let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut bytes));
    (result, String::from_utf8_lossy(&bytes).into_owned())
}

/// Gives standard error back, if it is caught.
pub fn end() {
    let saved = SAVED.swap(NONE, Ordering::SeqCst);
    if saved != NONE {
        // SAFETY: the descriptor is the copy that `stderr` made, and this is its last use.
        unsafe {
            dup2(saved, STDERR);
            close(saved);
        }
    }
}
