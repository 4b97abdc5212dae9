//! The requests that the server answers.
//!
//! | request | answer |
//! |---|---|
//! | `GET /?token=T` | the page |
//! | `GET /page.js`, `GET /editor.js` | its scripts |
//! | `POST /compile`, with `X-Token: T` | a report or a module, or the reason why there is none |
//! | `POST /stop`, with `X-Token: T` | nothing: the compilation that the page waits for is stopped |
//!
//! Invariants: a request names this server as its host, so that no other name leads here, and does not come from a page
//! of another site; without the token there is neither the program nor a compilation; every answer forbids framing,
//! caching and guessing its type ([`HEADERS`]).

use super::compiler::{Answer, Compiler, Task};
use super::server::{Request, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toy_report::{RUNNER, assemble, script};

/// The headers of every answer.
pub const HEADERS: &str = "Content-Security-Policy: frame-ancestors 'none'\r\n\
                           Cross-Origin-Resource-Policy: same-origin\r\n\
                           X-Content-Type-Options: nosniff\r\n\
                           Referrer-Policy: no-referrer\r\n\
                           Cache-Control: no-store\r\n";

/// The permissions of the page. Programs run in its workers, which may do no more than the page, and have no token.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'self' 'wasm-unsafe-eval'; \
                      worker-src blob:; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

/// The answer to an address without the token, which a link is: the last token that this browser had here, if it has not
/// been refused yet.
const NO_TOKEN: &str = "<!DOCTYPE html>\n<title>toyc</title>\n\
    <p>Open the address that toyc serve has printed: it has a token.</p>\n\
    <script>\n\
    const token = localStorage.getItem('toyc');\n\
    if (token && !location.search) location.replace('/?token=' + token + location.hash);\n\
    </script>\n";

const EDITOR: &str = include_str!("editor/codemirror.js");
const LIVE: &str = include_str!("live.js");

/// The served site.
pub struct Site {
    pub port: u16,
    pub token: String,
    /// The name of the program's file.
    pub name: String,
    /// The program to start with.
    pub program: String,
    pub compiler: Compiler,
}

/// Answers a request.
pub fn answer(site: &Site, request: &Request) -> Response {
    respond(site, request).unwrap_or_else(|refusal| refusal)
}

fn refuse<T>(status: u16, reason: &str) -> Result<T, Response> {
    Err(Response::refusal(status, reason))
}

fn respond(site: &Site, request: &Request) -> Result<Response, Response> {
    check_origin(site, request)?;
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let ok = |kind, text| Ok(Response { status: 200, kind, text });
    match (request.method.as_str(), path) {
        ("GET", "/") => {
            if !query.split('&').any(|pair| pair.strip_prefix("token=") == Some(&site.token)) {
                let text = NO_TOKEN.to_owned();
                return Ok(Response { status: 403, kind: "text/html", text });
            }
            ok("text/html", page(site))
        }
        ("GET", "/page.js") => ok("text/javascript", script() + RUNNER + LIVE),
        ("GET", "/editor.js") => ok("text/javascript", EDITOR.to_owned()),
        ("POST", "/compile" | "/stop") if request.header("X-Token") != Some(&site.token) => {
            refuse(403, "The token is not this server's: it has been started again.\n")
        }
        ("POST", "/compile") => {
            let task: Task = read(request, |task: &Task| task.level <= 3 && is_name(&task.client))?;
            let answer = site.compiler.compile(&site.name, &task, || request.is_abandoned());
            ok("application/json", json(&answer))
        }
        ("POST", "/stop") => {
            let stop: Stop = read(request, |stop: &Stop| is_name(&stop.client))?;
            site.compiler.stop(&stop.client);
            ok("text/plain", String::new())
        }
        (_, "/" | "/page.js" | "/editor.js" | "/compile" | "/stop") => {
            refuse(405, "Another method.\n")
        }
        _ => refuse(404, "There is nothing here.\n"),
    }
}

/// Refuses an unexpected Host header, and cross-origin requests.
fn check_origin(site: &Site, request: &Request) -> Result<(), Response> {
    let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", site.port));
    let is_ours = |host: &str| hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host));
    if !request.header("Host").is_some_and(is_ours) {
        return refuse(403, "Unexpected Host header.\n");
    }
    let origin = request.header("Origin");
    if origin.is_some_and(|origin| !origin.strip_prefix("http://").is_some_and(is_ours)) {
        return refuse(403, "Cross-origin requests are not allowed.\n");
    }
    Ok(())
}

/// The page whose compilation is to stop.
#[derive(Deserialize)]
struct Stop {
    client: String,
}

fn is_name(client: &str) -> bool {
    client.len() <= 64
}

/// The body, if it is valid.
fn read<T: DeserializeOwned>(
    request: &Request,
    is_valid: impl Fn(&T) -> bool,
) -> Result<T, Response> {
    match serde_json::from_slice(&request.body) {
        Ok(body) if is_valid(&body) => Ok(body),
        _ => refuse(400, "The request is not one of the page.\n"),
    }
}

fn page(site: &Site) -> String {
    let program = serde_json::json!({
        "name": site.name,
        "text": site.program,
        "runs": site.compiler.has_programs(),
        "seconds": site.compiler.limit().as_secs(),
    });
    let program = program.to_string();
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
        "module": answer.module.as_ref().map(|(bytes, _)| STANDARD.encode(bytes)),
        "host": answer.module.as_ref().map(|(_, host)| host),
        "ms": answer.time.as_secs_f64() * 1e3,
    });
    let rest = rest.to_string();
    format!("{{\"report\":{report},{}", &rest[1..])
}
