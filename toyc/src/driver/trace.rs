//! `--time-passes=FILE.json`: the steps of a compilation as a trace, for Perfetto and speedscope.
//!
//! Input: the steps as they start and end. Output: the file in the "Trace Event Format", whose events have microseconds
//! since the start. Invariants: the file is written whole; steps inside others are nested in time.

use crate::output::Destination;
use serde::Serialize;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use toy_diagnostics::Diagnostic;

/// A trace in the making.
pub struct Trace {
    path: PathBuf,
    start: Instant,
    events: Vec<Event>,
}

/// A complete event: it has a start and a duration.
#[derive(Serialize)]
struct Event {
    name: String,
    cat: &'static str,
    ph: &'static str,
    ts: f64,
    dur: f64,
    pid: u32,
    tid: u32,
}

#[derive(Serialize)]
struct File<'e> {
    #[serde(rename = "traceEvents")]
    events: &'e [Event],
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
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
        self.events.push(Event {
            name: name.to_owned(),
            cat: "step",
            ph: "X",
            ts: microseconds(end.saturating_sub(time)),
            dur: microseconds(time),
            pid: 1,
            tid: 1,
        });
    }

    /// Writes the file.
    pub fn write(&self) -> Result<(), Diagnostic> {
        let file = File { events: &self.events, unit: "ms" };
        Destination::from_option(&self.path).write(|out| {
            serde_json::to_writer(&mut *out, &file).map_err(std::io::Error::other)?;
            out.write_all(b"\n")
        })
    }
}

/// Writes a trace without steps: before the work, because a file that cannot be written is an error of the command line.
pub fn check(path: PathBuf) -> Result<(), Diagnostic> {
    if path.as_os_str() == "-" {
        return Ok(());
    }
    Trace::new(path).write()
}
