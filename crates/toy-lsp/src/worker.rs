//! The process that compiles for the server.
//!
//! Input: a [`Question`]. Output: [`Answer`]s as they come, then an end. Invariants: nothing that a compilation does
//! harms the server: it crashes, hangs and runs out of memory in its own process, which is killed when the
//! client has moved on or the time is up; its output is read up to a limit.

use crate::facts::{Answer, Question};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The command that starts a worker, which reads one question and writes answers, all as JSON in lines.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The longest time that it may take.
    pub limit: Duration,
}

/// An event of a worker.
#[derive(Debug)]
pub enum Event {
    Answer(Box<Answer>),
    /// The last event; the text is the error.
    Ended(Option<String>),
}

/// The most bytes of all answers.
const MAX_ANSWERS: u64 = 256 << 20;

/// A running worker. Dropping it ends the process.
pub struct Job {
    child: Arc<Mutex<Child>>,
    pub deadline: Instant,
    pub limit: Duration,
}

impl Launcher {
    /// Starts a worker, which tells its events.
    ///
    /// # Errors
    ///
    /// If no process can be started.
    pub(crate) fn start(
        &self,
        question: &Question,
        tell: impl Fn(Event) + Send + 'static,
    ) -> std::io::Result<Job> {
        let question = serde_json::to_vec(question)?;
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let child = Arc::new(Mutex::new(child));
        let ours = Arc::clone(&child);
        std::thread::Builder::new().name("worker".to_owned()).spawn(move || {
            if let Some(mut stdin) = stdin {
                // A worker that does not read has ended, which is noticed below.
                let _ = stdin.write_all(&question);
            }
            let answers =
                stdout.map(|stdout| BufReader::new(stdout.take(MAX_ANSWERS)).split(b'\n'));
            for line in answers.into_iter().flatten().map_while(Result::ok) {
                let Ok(answer) = serde_json::from_slice(&line) else { break };
                tell(Event::Answer(Box::new(answer)));
            }
            tell(Event::Ended(problem(&ours)));
        })?;
        Ok(Job { child, deadline: Instant::now() + self.limit, limit: self.limit })
    }
}

/// The problem of a process whose output has ended; None if it succeeded.
fn problem(child: &Mutex<Child>) -> Option<String> {
    let patience = Instant::now() + Duration::from_secs(1);
    let mut pause = Duration::from_millis(1);
    loop {
        // The lock is needed again below.
        let status = lock(child).try_wait();
        match status {
            Ok(Some(status)) if status.success() => return None,
            Ok(Some(status)) => return Some(format!("the compiler ended with {status}")),
            Ok(None) if Instant::now() < patience => {}
            Ok(None) | Err(_) => {
                end(&mut lock(child));
                return Some("the compiler did not end".to_owned());
            }
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

fn lock(child: &Mutex<Child>) -> MutexGuard<'_, Child> {
    child.lock().unwrap_or_else(PoisonError::into_inner)
}

fn end(child: &mut Child) {
    // One that has ended already is only collected.
    let _ = child.kill();
    let _ = child.wait();
}

impl Drop for Job {
    fn drop(&mut self) {
        end(&mut lock(&self.child));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::What;
    use crate::settings::Settings;

    fn answers(script: &str) -> (Vec<Answer>, Option<String>) {
        let launcher = Launcher {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            limit: Duration::from_secs(60),
        };
        let question = Question {
            name: "t".into(),
            text: "t".repeat(100_000),
            settings: Settings::default(),
            what: What::Facts,
        };
        let (sender, receiver) = crossbeam_channel::unbounded();
        let _job = launcher.start(&question, move |event| drop(sender.send(event))).unwrap();
        let mut answers = Vec::new();
        loop {
            match receiver.recv().unwrap() {
                Event::Answer(answer) => answers.push(*answer),
                Event::Ended(problem) => return (answers, problem),
            }
        }
    }

    #[test]
    fn answers_and_ends_are_reported() {
        let (all, problem) = answers("cat >/dev/null; echo '{\"Text\":\"x\"}'");
        assert!(matches!(&all[..], [Answer::Text(text)] if text == "x"));
        assert_eq!(problem, None);
        let (all, problem) = answers("kill -SEGV $$");
        assert!(all.is_empty());
        assert!(problem.unwrap().contains("signal"), "a crash is reported");
        assert!(answers("cat >/dev/null; echo nonsense; exec sleep 100").1.is_some());
    }

    #[test]
    fn a_dropped_job_ends_its_process() {
        let launcher = Launcher {
            program: "/bin/sleep".into(),
            arguments: vec!["1000".into()],
            limit: Duration::from_secs(1),
        };
        let question = Question {
            name: String::new(),
            text: String::new(),
            settings: Settings::default(),
            what: What::Facts,
        };
        let (sender, receiver) = crossbeam_channel::unbounded();
        drop(launcher.start(&question, move |event| drop(sender.send(event))).unwrap());
        assert!(matches!(receiver.recv().unwrap(), Event::Ended(Some(_))));
    }
}
