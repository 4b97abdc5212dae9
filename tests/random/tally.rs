//! The record of the random tests, for [`tests/fuzz`](../fuzz).
//!
//! Input: counts with their names, and failures. Output, if TOYC_FUZZ names a directory: a line per batch in its file
//! `log`, `GROUP NAME=COUNT ...`, and for each failure the program and its error, in `GROUP-SEED.toy`, or `.mlir`, and
//! `GROUP-SEED.txt`. Without the variable nothing is written, and a batch ends with its first failure.

use crate::tools::{Outcome, fail, scratch};
use libtest_mimic::Failed;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;

pub struct Tally {
    group: &'static str,
    directory: Option<PathBuf>,
    counts: BTreeMap<String, u64>,
    failures: Vec<String>,
}

impl Tally {
    pub fn new(group: &'static str) -> Self {
        let directory = std::env::var_os("TOYC_FUZZ").map(PathBuf::from);
        Self { group, directory, counts: BTreeMap::new(), failures: Vec::new() }
    }

    /// An empty directory for one program: other groups have the same seeds.
    pub fn scratch(&self, seed: u64) -> PathBuf {
        scratch(&format!("random/{}/{seed}", self.group))
    }

    pub fn count(&mut self, what: impl Into<String>) {
        self.add(what, 1);
    }

    pub fn add(&mut self, what: impl Into<String>, count: u64) {
        *self.counts.entry(what.into()).or_default() += count;
    }

    /// Records a failure; false ends the batch.
    pub fn failed(
        &mut self,
        seed: u64,
        extension: &str,
        program: &[u8],
        failure: &Failed,
    ) -> Result<bool, Failed> {
        self.count("failures");
        let message = failure.message().unwrap_or("no message");
        let text = String::from_utf8_lossy(program);
        self.failures.push(format!("seed {seed}: {message}\n--- program ---\n{text}"));
        let Some(directory) = &self.directory else { return Ok(false) };
        let file = directory.join(format!("{}-{seed}", self.group));
        std::fs::write(file.with_extension(extension), program)?;
        std::fs::write(file.with_extension("txt"), message)?;
        Ok(true)
    }

    pub fn finish(self) -> Outcome {
        if let Some(directory) = &self.directory {
            let mut line = self.group.to_owned();
            for (name, count) in &self.counts {
                let _ = write!(line, " {name}={count}");
            }
            line.push('\n');
            // One write: batches run in parallel.
            let mut log =
                OpenOptions::new().create(true).append(true).open(directory.join("log"))?;
            log.write_all(line.as_bytes())?;
        }
        if self.failures.is_empty() { Ok(()) } else { fail(self.failures.join("\n\n")) }
    }
}
