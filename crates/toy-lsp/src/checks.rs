//! Questions for the worker, and the use of its answers.
//!
//! Input: documents that have changed; commands. Output: facts in the documents, diagnostics for the client, results
//! of commands. Invariants: one program is checked at a time, the newest text of it; a check of a text that has
//! changed may finish if that takes little time, because its facts are moved with the text; nothing waits longer
//! than the limit.

use crate::facts::{Answer, Facts, Question};
use crate::features::{View, diagnostics};
use crate::running::{Check, Running};
use crate::server::{Server, cancelled, failed};
use crate::worker::{self, Job};
use lsp_server::{RequestId, ResponseError};
use serde_json::Value;
use std::time::Instant;
use toy_diagnostics::render::render_short;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::{Diagnostic, codes};

/// The most commands that run at once.
const MAX_COMMANDS: usize = 4;

impl Server {
    /// Publishes the known diagnostics of changed documents, and starts the compiler on them.
    pub fn when_idle(&mut self) {
        for uri in std::mem::take(&mut self.checks.changed) {
            self.publish(&uri);
            let Some(document) = self.documents.get(&uri) else { continue };
            if !document.is_toy {
                continue;
            }
            // The plan of a text that has changed is useless.
            self.checks.current.take_if(|check| check.uri == uri && check.has_shapes);
            if let Some(check) = self.checks.current.as_mut().filter(|check| check.uri == uri) {
                check.is_stale = true;
            }
            self.checks.waiting.retain(|known| *known != uri);
            if document.analysis().is_short_enough() {
                self.checks.waiting.push_back(uri);
            }
        }
        while self.checks.current.is_none() {
            let Some(uri) = self.checks.waiting.pop_front() else { return };
            self.check(&uri);
        }
    }

    pub fn publish(&self, uri: &str) {
        if let Some(document) = self.documents.get(uri) {
            let view = View::new(document, self.client.encoding);
            self.notify("textDocument/publishDiagnostics", diagnostics::publish(&view));
        }
    }

    fn check(&mut self, uri: &str) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        let question = document.question_of_facts();
        document.since_asked.clear();
        let revision = document.revision;
        match self.checks.start(&question) {
            Ok(Some((number, job))) => {
                let (uri, since) = (uri.to_owned(), Instant::now());
                let (has_shapes, is_stale) = (false, false);
                let check = Check { number, uri, revision, since, has_shapes, is_stale, job };
                self.checks.current = Some(check);
            }
            Ok(None) => {}
            Err(error) => self.unknown_shapes(uri, &format!("it cannot be started: {error}")),
        }
    }

    pub fn of_worker(&mut self, number: u64, event: worker::Event) {
        match self.checks.current.as_mut().filter(|check| check.number == number) {
            Some(_) => self.of_check(event),
            None => self.of_command(number, event),
        }
    }

    fn of_check(&mut self, event: worker::Event) {
        let Some(check) = &mut self.checks.current else { return };
        let (uri, revision) = (check.uri.clone(), check.revision);
        match event {
            worker::Event::Answer(answer) => match *answer {
                Answer::Shapes { diagnostics, facts } => {
                    check.has_shapes = true;
                    self.know(&uri, facts, diagnostics, revision);
                }
                Answer::Plan(plan) => {
                    let document = self.documents.get_mut(&uri);
                    if let Some(document) = document.filter(|document| !document.is_part_asked) {
                        document.plan = Some(plan);
                    }
                    self.refresh_lenses();
                }
                Answer::Text(_) | Answer::Failed(_) => {}
            },
            worker::Event::Ended(problem) => {
                let has_shapes = check.has_shapes;
                self.checks.current = None;
                if let Some(problem) = problem.filter(|_| !has_shapes) {
                    self.unknown_shapes(&uri, &problem);
                }
            }
        }
    }

    fn know(&mut self, uri: &str, facts: Facts, found: Vec<Diagnostic>, revision: u64) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        // An upper bound for the length of the text at the time of the question.
        let removed = document.since_asked.iter().map(|it| (it.end - it.start) as usize);
        let length = document.text.len_bytes() + removed.sum::<usize>();
        if !facts.is_sound(length) {
            return;
        }
        document.know(facts, found, revision);
        self.publish(uri);
        if self.client.refreshes_hints {
            self.ask("workspace/inlayHint/refresh");
        }
        self.refresh_lenses();
    }

    fn refresh_lenses(&mut self) {
        if self.client.refreshes_lenses {
            self.ask("workspace/codeLens/refresh");
        }
    }

    /// Reports that the compiler failed, though no error in the program is known.
    fn unknown_shapes(&mut self, uri: &str, problem: &str) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        let message = format!("the shapes of this program are not known: {problem}");
        let diagnostic = Diagnostic::warning(codes::NOT_AVAILABLE, message)
            .label(Span::new(0, 0), "the compiler has not come to an end")
            .help("run `toyc check` on the file to see what it says");
        document.compiled = vec![diagnostic];
        self.publish(uri);
    }

    pub fn end_late_workers(&mut self) {
        let now = Instant::now();
        let is_late = |job: &Job| job.deadline <= now;
        let too_long = |job: &Job| format!("it took longer than {} s", job.limit.as_secs());
        if let Some(check) = self.checks.current.take_if(|check| check.deadline() <= now)
            && !check.has_shapes
            && is_late(&check.job)
        {
            self.unknown_shapes(&check.uri.clone(), &too_long(&check.job));
        }
        let commands = &mut self.checks.commands;
        let late: Vec<_> = commands.extract_if(.., |_, it| is_late(&it.job)).collect();
        for (_, running) in late {
            self.answer(running.id, Err(failed(too_long(&running.job))));
        }
    }

    /// Runs a command in a worker, which answers later.
    ///
    /// # Errors
    ///
    /// If no worker can be started.
    pub fn start_command(
        &mut self,
        id: &RequestId,
        question: Question,
    ) -> Result<(), ResponseError> {
        if self.checks.commands.len() >= MAX_COMMANDS {
            return Err(failed(format!("{MAX_COMMANDS} commands are running already")));
        }
        let started = self.checks.start(&question).map_err(|error| failed(error.to_string()))?;
        let (number, job) = started.ok_or_else(|| failed("there is no compiler"))?;
        let Question { name, text, .. } = question;
        let source = Source::new(name, text);
        self.checks.commands.insert(number, Running { id: id.clone(), source, job });
        Ok(())
    }

    fn of_command(&mut self, number: u64, event: worker::Event) {
        let Some(running) = self.checks.commands.remove(&number) else { return };
        let result = match event {
            worker::Event::Answer(answer) => match *answer {
                Answer::Text(text) => Ok(Value::String(text)),
                Answer::Failed(errors) => Err(failed(render_short(&errors, Some(&running.source)))),
                Answer::Shapes { .. } | Answer::Plan(_) => Err(failed("not this answer")),
            },
            worker::Event::Ended(problem) => {
                Err(failed(problem.as_deref().unwrap_or("there is no answer")))
            }
        };
        self.answer(running.id, result);
    }

    /// Ends the command that answers a request, if there is one.
    pub fn cancel_command(&mut self, id: &RequestId) {
        let found = self.checks.commands.extract_if(.., |_, running| running.id == *id).next();
        if found.is_some() {
            self.answer(id.clone(), Err(cancelled()));
        }
    }
}
