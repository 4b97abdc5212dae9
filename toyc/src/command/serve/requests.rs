//! The requests that the server answers.
//!
//! | request | answer |
//! |---|---|
//! | `GET /?token=T` | the page |
//! | `GET /page.js`, `GET /editor.js` | its scripts |
//! | `POST /compile`, with `X-Token: T` | a report, or why there is none |
//!
//! Invariants: a request names this server as its host, so that no other name leads here, and comes from no page of
//! another site; without the token there is neither the program nor a compilation; a body is at most
//! [`MAX_BODY`] bytes; every answer forbids to be framed, kept and guessed at.

use super::compiler::{Answer, Compiler, Task};
use crate::command::report::{SCRIPT, assemble};
use serde::Deserialize;
use std::io::{Cursor, Read};
use tiny_http::{Header, Method, Request, Response};

/// The most bytes of a request.
const MAX_BODY: u64 = 1 << 20;

/// What the page may do.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; \
                      connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

const EDITOR: &str = include_str!("editor/codemirror.js");
const LIVE: &str = include_str!("live.js");

/// What is served.
pub struct Site {
    pub port: u16,
    pub token: String,
    /// Of the program's file.
    pub name: String,
    /// The program to start with.
    pub program: String,
    pub compiler: Compiler,
}

type Text = Response<Cursor<Vec<u8>>>;

/// Answers a request; a browser that is gone is none of the server's errors.
pub fn answer(site: &Site, mut request: Request) {
    let response = respond(site, &mut request).unwrap_or_else(|refusal| {
        with_type(Response::from_string(refusal.1).with_status_code(refusal.0), "text/plain")
    });
    let _ = request.respond(response);
}

/// The status and the reason.
struct Refusal(u16, String);

fn refuse<T>(status: u16, reason: &str) -> Result<T, Refusal> {
    Err(Refusal(status, reason.to_owned()))
}

fn respond(site: &Site, request: &mut Request) -> Result<Text, Refusal> {
    check_origin(site, request)?;
    let url = request.url().to_owned();
    let (path, query) = url.split_once('?').unwrap_or((&url, ""));
    match (request.method(), path) {
        (Method::Get, "/") => {
            if !query.split('&').any(|pair| pair.strip_prefix("token=") == Some(&site.token)) {
                return refuse(
                    403,
                    "Open the address that toyc serve has printed: it has a token.\n",
                );
            }
            Ok(with_type(Response::from_string(page(site)), "text/html"))
        }
        (Method::Get, "/page.js") => {
            let script = SCRIPT.concat() + LIVE;
            Ok(with_type(Response::from_string(script), "text/javascript"))
        }
        (Method::Get, "/editor.js") => {
            Ok(with_type(Response::from_string(EDITOR), "text/javascript"))
        }
        (Method::Post, "/compile") => {
            if header(request, "X-Token") != Some(&site.token) {
                return refuse(403, "The token is not this server's: it has been started again.\n");
            }
            let task = read_task(request)?;
            let answer = site.compiler.compile(&site.name, &task);
            Ok(with_type(Response::from_string(json(&answer)), "application/json"))
        }
        (_, "/" | "/page.js" | "/editor.js" | "/compile") => refuse(405, "Another method.\n"),
        _ => refuse(404, "There is nothing here.\n"),
    }
}

/// Refuses what comes by another name of this machine, or from a page of another site.
fn check_origin(site: &Site, request: &Request) -> Result<(), Refusal> {
    let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", site.port));
    let is_ours = |host: &str| hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host));
    if !header(request, "Host").is_some_and(is_ours) {
        return refuse(403, "This server has another name.\n");
    }
    let origin = header(request, "Origin");
    if origin.is_some_and(|origin| !origin.strip_prefix("http://").is_some_and(is_ours)) {
        return refuse(403, "Pages of other sites get nothing.\n");
    }
    Ok(())
}

fn header<'r>(request: &'r Request, name: &'static str) -> Option<&'r str> {
    let mut found = request.headers().iter().filter(|header| header.field.equiv(name));
    found.next().map(|header| header.value.as_str())
}

/// The body as a task.
fn read_task(request: &mut Request) -> Result<Task, Refusal> {
    #[derive(Deserialize)]
    struct Body {
        program: String,
        level: u8,
        run: bool,
        client: String,
    }
    let mut bytes = Vec::new();
    if request.as_reader().take(MAX_BODY + 1).read_to_end(&mut bytes).is_err() {
        return refuse(400, "The request ends too early.\n");
    }
    if bytes.len() as u64 > MAX_BODY {
        return refuse(413, "The program is too large for this page: toyc --report takes it.\n");
    }
    match serde_json::from_slice::<Body>(&bytes) {
        Ok(Body { program, level, run, client }) if level <= 3 && client.len() <= 64 => {
            Ok(Task { program, level, runs: run, client })
        }
        _ => refuse(400, "The request is not what the page sends.\n"),
    }
}

fn page(site: &Site) -> String {
    let program = serde_json::json!({ "name": site.name, "text": site.program }).to_string();
    // It is text within a script.
    let program = program.replace('<', "\\u003c");
    let scripts = format!(
        "<script type=\"application/json\" id=\"program\">{program}</script>\n\
         <script src=\"/editor.js\"></script>\n<script src=\"/page.js\"></script>"
    );
    assemble(&site.name, POLICY, &scripts)
}

/// The report is JSON already.
fn json(answer: &Answer) -> String {
    let report = answer.report.as_deref().unwrap_or("null");
    let rest = serde_json::json!({
        "diagnostics": answer.diagnostics,
        "message": answer.message,
        "canceled": answer.is_canceled,
        "run": answer.run,
        "errors": answer.errors,
        "ms": answer.time.as_secs_f64() * 1e3,
    });
    let rest = rest.to_string();
    format!("{{\"report\":{report},{}", &rest[1..])
}

fn with_type(response: Text, kind: &str) -> Text {
    let kind = format!("{kind}; charset=utf-8");
    let headers = [
        ("Content-Type", kind.as_str()),
        ("Content-Security-Policy", "frame-ancestors 'none'"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cache-Control", "no-store"),
    ];
    headers.iter().fold(response, |response, (name, value)| {
        match Header::from_bytes(name.as_bytes(), value.as_bytes()) {
            Ok(header) => response.with_header(header),
            Err(()) => response,
        }
    })
}
