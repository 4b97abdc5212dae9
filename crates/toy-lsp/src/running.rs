//! The workers that run: at most one check, and commands.
//!
//! Input: questions, and documents that have changed. Output: the events of the workers, and when the time of the next
//! one is up. Invariant: a worker whose [`Job`] is dropped ends.

use crate::facts::Question;
use crate::transport::Transmitted;
use crate::worker::{self, Job, Launcher};
use crossbeam_channel::Sender;
use lsp_server::RequestId;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};
use toy_diagnostics::source::Source;

/// The longest time that a check may continue after its text has changed.
const PATIENCE: Duration = Duration::from_millis(500);

/// An event of the server: a message of the client, or of a worker.
pub enum Event {
    Client(Transmitted),
    /// The client will send nothing more.
    InputEnded,
    /// Something about the worker with this number.
    Worker(u64, worker::Event),
}

/// The workers.
pub struct Checks {
    launcher: Option<Launcher>,
    events: Sender<Event>,
    /// The number of workers started, which is also the last one's number.
    started: u64,
    pub current: Option<Check>,
    /// The documents to check next.
    pub waiting: VecDeque<String>,
    /// The documents whose diagnostics the client does not know.
    pub changed: Vec<String>,
    pub commands: BTreeMap<u64, Running>,
}

/// A check in progress.
pub struct Check {
    pub number: u64,
    pub uri: String,
    pub revision: u64,
    pub since: Instant,
    pub has_shapes: bool,
    /// True if the text has changed since.
    pub is_stale: bool,
    pub job: Job,
}

impl Check {
    /// The time limit.
    pub fn deadline(&self) -> Instant {
        if self.is_stale { self.since + PATIENCE } else { self.job.deadline }
    }
}

/// A command in progress.
pub struct Running {
    pub id: RequestId,
    pub source: Source,
    pub job: Job,
}

impl Checks {
    pub fn new(launcher: Option<Launcher>, events: Sender<Event>) -> Self {
        Self {
            launcher,
            events,
            started: 0,
            current: None,
            waiting: VecDeque::new(),
            changed: Vec::new(),
            commands: BTreeMap::new(),
        }
    }

    /// The channel for events.
    pub fn events(&self) -> Sender<Event> {
        self.events.clone()
    }

    /// The earliest deadline of a worker; None without workers.
    pub fn deadline(&self) -> Option<Instant> {
        let check = self.current.as_ref().map(Check::deadline);
        let commands = self.commands.values().map(|running| running.job.deadline);
        check.into_iter().chain(commands).min()
    }

    pub fn end_all(&mut self) {
        self.current = None;
        self.waiting.clear();
        self.commands.clear();
    }

    /// Notes that a document has changed.
    pub fn note(&mut self, uri: &str) {
        if !self.changed.iter().any(|known| known == uri) {
            self.changed.push(uri.to_owned());
        }
    }

    /// Forgets a document.
    pub fn forget(&mut self, uri: &str) {
        self.changed.retain(|known| known != uri);
        self.waiting.retain(|known| known != uri);
        self.current.take_if(|check| check.uri == uri);
    }

    pub fn start(&mut self, question: &Question) -> std::io::Result<Option<(u64, Job)>> {
        let Some(launcher) = &self.launcher else { return Ok(None) };
        self.started += 1;
        let number = self.started;
        let events = self.events.clone();
        let tell = move |event| drop(events.send(Event::Worker(number, event)));
        Ok(Some((number, launcher.start(question, tell)?)))
    }
}
