//! The server: events in their order.
//!
//! Input: messages from the client and from workers. Output: the messages sent, and the exit status. Invariants: each
//! request gets exactly one answer; requests are answered in the order in which they arrive, except requests that wait
//! for a worker; a request that is cancelled before its turn is not computed; a panic becomes an error of one request.

use crate::client::Client;
use crate::document::Document;
use crate::running::{Checks, Event};
use crate::settings::{SECTION, Settings};
use crate::transport::{Reader, Transmitted, write};
use crate::worker::Launcher;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use gen_lsp_types::{MessageType, ShowMessageParams};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// The state of the server's lifecycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Before `initialize`.
    New,
    Running,
    /// After `shutdown`.
    ShutDown,
}

/// The error of a request.
pub fn refused(code: ErrorCode, message: impl Into<String>) -> ResponseError {
    ResponseError { code: code as i32, message: message.into(), data: None }
}

/// An error of a request that its method does not allow, or that a worker could not answer.
pub fn failed(message: impl Into<String>) -> ResponseError {
    refused(ErrorCode::RequestFailed, message)
}

/// The error of a request that the client has cancelled.
pub fn cancelled() -> ResponseError {
    refused(ErrorCode::RequestCanceled, "the client has cancelled the request")
}

/// The state of the server.
pub struct Server {
    pub state: State,
    pub client: Client,
    /// The open documents, by their URIs.
    pub documents: BTreeMap<String, Document>,
    pub checks: Checks,
    pub settings: Rc<Settings>,
    out: Sender<Transmitted>,
    /// How many requests were sent to the client.
    asked: u64,
    /// The last of them that asks for settings.
    asked_for_settings: Option<RequestId>,
}

/// Serves one client. The result is the exit status: 0 if the client sent `shutdown` before the end.
pub fn serve<R, W>(input: R, mut output: W, launcher: Option<Launcher>) -> u8
where
    R: BufRead + Send + 'static,
    W: Write + Send + 'static,
{
    let (events, receiver) = unbounded();
    let (out, outgoing) = unbounded::<Transmitted>();
    // A client that does not read anymore will end the input as well.
    let write_all = move || outgoing.iter().try_for_each(|message| write(&mut output, &message));
    let writer = std::thread::spawn(write_all);
    let client = events.clone();
    let mut server = Server {
        state: State::New,
        client: Client::default(),
        documents: BTreeMap::new(),
        checks: Checks::new(launcher, events),
        settings: Rc::default(),
        out,
        asked: 0,
        asked_for_settings: None,
    };
    // The reader may wait for input when the server ends, so it is not waited for.
    std::thread::spawn(move || {
        let messages = Reader::new(input).map(Event::Client);
        let _ = messages.chain([Event::InputEnded]).try_for_each(|event| client.send(event));
    });
    let status = server.run(&receiver);
    drop(server);
    let _ = writer.join();
    status
}

impl Server {
    fn run(&mut self, receiver: &Receiver<Event>) -> u8 {
        let mut queue = VecDeque::new();
        loop {
            if queue.is_empty() {
                self.guarded(Self::when_idle);
                let event = self.wait(receiver);
                event.into_iter().for_each(|event| self.enqueue(&mut queue, event));
            }
            // A message that has arrived meanwhile may cancel the next one.
            receiver.try_iter().for_each(|event| self.enqueue(&mut queue, event));
            let Some(event) = queue.pop_front() else { continue };
            match event {
                Event::InputEnded => return u8::from(self.state != State::ShutDown),
                Event::Client(Err(answer)) => self.send(Err(answer)),
                Event::Client(Ok(message)) => {
                    if let Some(status) = self.message(message) {
                        return status;
                    }
                }
                Event::Worker(number, event) => {
                    self.guarded(|server| server.of_worker(number, event));
                }
            }
        }
    }

    /// The next event. None: the time of a worker is up.
    fn wait(&mut self, receiver: &Receiver<Event>) -> Option<Event> {
        let event = match self.checks.deadline() {
            Some(deadline) => match receiver.recv_deadline(deadline) {
                Err(RecvTimeoutError::Timeout) => {
                    self.end_late_workers();
                    return None;
                }
                event => event.ok(),
            },
            None => receiver.recv().ok(),
        };
        Some(event.unwrap_or(Event::InputEnded))
    }

    /// Adds an event. If it cancels a request in the queue, it answers that request.
    fn enqueue(&self, queue: &mut VecDeque<Event>, event: Event) {
        if let Event::Client(Ok(Message::Notification(notification))) = &event
            && let Some(id) = cancelled_by(notification)
        {
            let is_meant = |event: &Event| match event {
                Event::Client(Ok(Message::Request(request))) => request.id == id,
                _ => false,
            };
            if let Some(at) = queue.iter().position(is_meant) {
                queue.remove(at);
                return self.answer(id, Err(cancelled()));
            }
        }
        queue.push_back(event);
    }

    /// Handles a message; the result is the exit status if it is the last one.
    fn message(&mut self, message: Message) -> Option<u8> {
        match message {
            Message::Notification(notification) if notification.method == "exit" => {
                return Some(u8::from(self.state != State::ShutDown));
            }
            Message::Notification(notification) => {
                if self.state == State::Running {
                    self.guarded(|server| server.notification(notification));
                }
            }
            Message::Request(request) => self.request(request),
            Message::Response(response) => {
                let is_about_settings = self.asked_for_settings.as_ref() == Some(&response.id);
                if is_about_settings && let Ok(Value::Array(all)) = response.response_result {
                    self.guarded(|server| server.configure(all.first().unwrap_or(&Value::Null)));
                }
                // Other responses need no action.
            }
        }
        None
    }

    /// Does work that has no answer; a panic has printed its message on standard error.
    fn guarded(&mut self, work: impl FnOnce(&mut Self)) {
        let _ = catch_unwind(AssertUnwindSafe(|| work(self)));
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let result = match (self.state, method.as_str()) {
            (State::New, "initialize") => Ok(Some(self.initialize(&params))),
            (State::New, _) => {
                let message = "the first request is `initialize`";
                Err(refused(ErrorCode::ServerNotInitialized, message))
            }
            (State::ShutDown, _) => {
                let message = "after `shutdown` there is nothing but `exit`";
                Err(refused(ErrorCode::InvalidRequest, message))
            }
            (State::Running, "initialize") => {
                let message = "the server is initialized already";
                Err(refused(ErrorCode::InvalidRequest, message))
            }
            (State::Running, "shutdown") => {
                self.state = State::ShutDown;
                self.checks.end_all();
                Ok(Some(Value::Null))
            }
            (State::Running, _) => {
                let work = AssertUnwindSafe(|| self.dispatch(&id, &method, params));
                catch_unwind(work).unwrap_or_else(|_| {
                    let message = format!("an internal error in `{method}`: please report it");
                    Err(refused(ErrorCode::InternalError, message))
                })
            }
        };
        // Without a result, a worker will answer.
        if let Some(result) = result.transpose() {
            self.answer(id, result);
        }
    }

    pub fn answer(&self, id: RequestId, response_result: Result<Value, ResponseError>) {
        self.send(Ok(Response { id, response_result }.into()));
    }

    pub fn notify(&self, method: &str, params: impl serde::Serialize) {
        self.send(Ok(Notification::new(method.to_owned(), params).into()));
    }

    /// Asks the client for something whose answer does not matter.
    pub fn ask(&mut self, method: &str) {
        self.request_of_client(method, Value::Null);
    }

    fn request_of_client(&mut self, method: &str, params: Value) -> RequestId {
        self.asked += 1;
        let id = RequestId::from(format!("toyc-{}", self.asked));
        self.send(Ok(Request::new(id.clone(), method.to_owned(), params).into()));
        id
    }

    /// Asks the client for the settings, and for notice of changes, if it supports them.
    pub fn ask_for_settings(&mut self, is_first: bool) {
        if is_first && self.client.registers_settings {
            let options = json!({"section": SECTION});
            let method = "workspace/didChangeConfiguration";
            let one = json!({"id": method, "method": method, "registerOptions": options});
            self.request_of_client("client/registerCapability", json!({"registrations": [one]}));
        }
        if self.client.has_settings {
            let items = json!({"items": [{"section": SECTION}]});
            let id = self.request_of_client("workspace/configuration", items);
            self.asked_for_settings = Some(id);
        }
    }

    /// Takes settings, and reports errors in them. A client without settings changes nothing.
    pub fn configure(&mut self, value: &Value) {
        if value.is_null() {
            return;
        }
        let (settings, problems) = Settings::read(value);
        for problem in problems {
            let message = format!("toyc: {problem}");
            let params = ShowMessageParams::new(MessageType::Warning, message);
            self.notify("window/showMessage", params);
        }
        if settings == *self.settings {
            return;
        }
        self.settings = Rc::new(settings);
        for (uri, document) in &mut self.documents {
            document.configure(Rc::clone(&self.settings));
            self.checks.note(uri);
        }
    }

    /// Ends with the client, whose process may be gone without closing the input.
    pub fn end_with(&self, client: u64) {
        const PAUSE: Duration = Duration::from_secs(2);
        let process = PathBuf::from(format!("/proc/{client}"));
        // A missing process is on another machine, or in another container.
        if !process.exists() {
            return;
        }
        let events = self.checks.events();
        std::thread::spawn(move || {
            while process.exists() {
                std::thread::sleep(PAUSE);
            }
            let _ = events.send(Event::InputEnded);
        });
    }

    fn send(&self, message: Transmitted) {
        // Without a client there is nothing to send to.
        let _ = self.out.send(message);
    }
}

/// The request that a notification cancels.
pub fn cancelled_by(notification: &Notification) -> Option<RequestId> {
    if notification.method != "$/cancelRequest" {
        return None;
    }
    serde_json::from_value(notification.params.get("id")?.clone()).ok()
}
