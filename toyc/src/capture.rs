//! Captures standard error during a call: MLIR reports a bad value of a pass option only there. Copies standard output
//! during a call, for a page about a program that runs.
//!
//! Input: a call. Output: its result, and the text written to the file descriptor meanwhile. Invariants: code that
//! reports a crash during the call runs [`end`] first, so that its message is not lost; copied text arrives at standard
//! output as it is written.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::sync::{Mutex, PoisonError};

/// A copy of the real standard error while it is captured.
static SAVED: Mutex<Option<OwnedFd>> = Mutex::new(None);

/// Runs `work` and captures its standard error. If capturing fails, the text goes to standard error as usual.
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

/// The start of the written text, and its number of bytes.
#[derive(Debug, Default)]
pub struct Copied {
    pub start: Vec<u8>,
    pub length: u64,
}

/// Runs `work`, and keeps the first bytes of its standard output. If copying fails, the text goes to standard output as
/// usual.
pub fn stdout_copy<T>(most: usize, work: impl FnOnce() -> T) -> (T, Copied) {
    let parts = || -> rustix::io::Result<_> {
        let saved = rustix::io::fcntl_dupfd_cloexec(std::io::stdout(), 0)?;
        let target = rustix::io::fcntl_dupfd_cloexec(std::io::stdout(), 0)?;
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        rustix::stdio::dup2_stdout(&writer)?;
        Ok((saved, target, reader))
    };
    let Ok((saved, target, reader)) = parts() else { return (work(), Copied::default()) };
    let copy = std::thread::spawn(move || copy(File::from(reader), File::from(target), most));
    let result = work();
    // It was open a moment ago; this closes the pipe, and the thread ends.
    let _ = rustix::stdio::dup2_stdout(&saved);
    (result, copy.join().unwrap_or_default())
}

/// Copies until the end, or until the target takes no more: then the writer finds the pipe closed.
pub fn copy(mut from: impl Read, mut to: impl Write, most: usize) -> Copied {
    let mut copied = Copied::default();
    let mut buffer = [0; 1 << 13];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
        let more = count.min(most.saturating_sub(copied.start.len()));
        copied.start.extend(&buffer[..more]);
        copied.length += count as u64;
    }
    copied
}

/// Restores standard error; returns true if it was captured.
pub fn end() -> bool {
    let saved = SAVED.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(saved) = &saved {
        // It was open a moment ago; a failure could not be reported anywhere.
        let _ = rustix::stdio::dup2_stderr(saved);
    }
    saved.is_some()
}
