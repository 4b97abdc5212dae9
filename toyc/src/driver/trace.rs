//! `--time-passes=FILE.json`: the steps of a compilation as a trace, for Perfetto and speedscope.
//!
//! Input: the steps as they start and end. Output: the file in the "Trace Event Format", whose events have microseconds
//! since the start. Invariants: the file is written whole; steps inside others are nested in time.

use crate::output::Destination;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use toy_diagnostics::Diagnostic;

/// A trace in the making.
pub struct Trace {
    path: PathBuf,
    start: Instant,
    /// Complete events, each with its start and its duration.
    events: Vec<Value>,
}

impl Trace {
    pub fn new(path: PathBuf) -> Self {
        Self { path, start: Instant::now(), events: Vec::new() }
    }

    /// A step has ended just now.
    pub fn step(&mut self, name: &str, time: Duration) {
        // With three decimals: nanoseconds.
        let microseconds = |time: Duration| time.as_nanos() as f64 / 1e3;
        let end = self.start.elapsed();
        self.events.push(json!({
            "name": name,
            "cat": "step",
            "ph": "X",
            "ts": microseconds(end.saturating_sub(time)),
            "dur": microseconds(time),
            "pid": 1,
            "tid": 1,
        }));
    }

    /// Writes the file.
    pub fn write(&self) -> Result<(), Diagnostic> {
        let file = json!({ "traceEvents": self.events, "displayTimeUnit": "ms" });
        Destination::from_option(&self.path).write(|out| writeln!(out, "{file}"))
    }
}

/// Writes a trace without steps: before the work, because a file that cannot be written is an error of the command line.
pub fn check(path: PathBuf) -> Result<(), Diagnostic> {
    if path.as_os_str() == "-" {
        return Ok(());
    }
    Trace::new(path).write()
}
