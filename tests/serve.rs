//! `toyc serve`: its answers and refusals, and the live page in a browser.
//!
//! Input: requests as a browser, another site or an attacker sends them; [`page`] has the typed text. Output: the answers.
//! Invariants of toyc tested here: only clients with the token get anything, by no other name of this machine; nothing
//! that is sent or typed ends the server; a compilation ends in time.

mod page;

use crate::browser::Browser;
use crate::tools::{Job, Outcome, TOYC, Tests, fail, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("strangers_get_nothing", strangers_get_nothing),
        ("nothing_that_is_sent_ends_the_server", nothing_that_is_sent_ends_the_server),
        ("connections_and_bytes_have_limits", connections_and_bytes_have_limits),
        ("processes_and_folders_end_with_the_server", processes_and_folders_end_with_the_server),
        ("a_client_that_is_gone_ends_its_compilation", a_client_that_is_gone_ends_its_compilation),
        ("a_port_in_use_is_diagnosed", a_port_in_use_is_diagnosed),
        ("a_library_is_shown_by_its_exports", library),
        ("a_module_has_its_host_or_a_reason", module),
        ("live", page::live),
        ("two_panes", page::two_panes),
        ("a_loop_lights_its_buffers_in_the_plan", page::loops_in_the_plan),
        ("a_link_holds_the_program_and_the_view", page::links),
        ("a_long_run_can_be_stopped", page::a_long_run_can_be_stopped),
        ("typing", page::typing),
        ("telephone", page::on_a_telephone),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("serve/{name}"), test)).collect()
}

/// The body of a request for a report or a module.
fn body(program: &str, goal: &str, client: &str) -> String {
    json!({ "program": program, "level": 1, "goal": goal, "client": client }).to_string()
}

/// A running server, which ends with the test.
struct Server {
    child: Child,
    port: u16,
    token: String,
    /// Its temporary files.
    tmp: PathBuf,
    /// The text that it writes to standard error.
    errors: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(test: &str, arguments: &[&str]) -> Result<Self, Failed> {
        let directory = scratch(&format!("serve/{test}/server"));
        let tmp = directory.join("tmp");
        std::fs::create_dir(&tmp)?;
        Self::start_in(&directory, arguments)
    }

    /// Starts with few descriptors, so that a flood of connections takes them all if nothing limits it.
    fn start_in(directory: &Path, arguments: &[&str]) -> Result<Self, Failed> {
        let (tmp, errors) = (directory.join("tmp"), directory.join("errors"));
        let mut command = Command::new("sh");
        let start = "ulimit -n 200; exec env --default-signal=INT \"$@\"";
        command.args(["-c", start, "sh", TOYC, "serve"]).args(arguments).env("TMPDIR", &tmp);
        command.stdout(Stdio::piped()).stderr(std::fs::File::create(&errors)?);
        let mut child = command.spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let address = line.trim().split_once("http://127.0.0.1:").ok_or("no address")?.1;
        let (port, token) = address.split_once("/?token=").ok_or("no token")?;
        Ok(Self { port: port.parse()?, token: token.to_owned(), child, tmp, errors })
    }

    /// The server still runs and has reported nothing.
    fn is_well(&mut self) -> Outcome {
        if let Some(status) = self.child.try_wait()? {
            return fail(format!("the server has ended: {status}"));
        }
        match std::fs::read_to_string(&self.errors)?.as_str() {
            "" => Ok(()),
            errors => fail(format!("the server says: {errors}")),
        }
    }

    fn signal(&self, name: &str) -> Outcome {
        Job::new("kill", ["-s", name, &self.child.id().to_string()]).run()?.exits(0)?;
        Ok(())
    }

    /// The processes that compile or run a program.
    fn programs(&self) -> usize {
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let folders = processes.filter_map(|it| std::fs::read_link(it.path().join("cwd")).ok());
        folders.filter(|folder| folder.starts_with(&self.tmp)).count()
    }

    fn open(&self, browser: &Browser) -> Outcome {
        let address = format!("http://127.0.0.1:{}/?token={}", self.port, self.token);
        browser.send("url", json!({ "url": address }))?;
        Ok(())
    }

    /// Sends bytes, and returns the status and the body of the answer.
    fn send(&self, bytes: &[u8]) -> Result<(u16, String), Failed> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        stream.write_all(bytes)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer);
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Ok((status.unwrap_or(0), body.to_owned()))
    }

    fn request(&self, line: &str, headers: &str, body: &str) -> Result<(u16, String), Failed> {
        let length = body.len();
        self.send(
            format!("{line} HTTP/1.1\r\n{headers}Connection: close\r\nContent-Length: {length}\r\n\r\n{body}")
                .as_bytes(),
        )
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}\r\n", self.port)
    }

    fn compile(&self, body: &str) -> Result<(u16, String), Failed> {
        let headers = format!("{}X-Token: {}\r\n", self.host(), self.token);
        self.request("POST /compile", &headers, body)
    }

    /// The answer to a program.
    fn answer(&self, program: &str, client: &str) -> Result<Value, Failed> {
        let (status, text) = self.compile(&body(program, "report", client))?;
        if status != 200 {
            return fail(format!("{status}: {text}"));
        }
        Ok(serde_json::from_str(&text)?)
    }
}

/// With `--export`, a file without `main` is a library, of which nothing runs.
fn library() -> Outcome {
    let server = Server::start("library", &["--export", "f(2x3, 3x2)", "--export=g(4)"])?;
    let functions =
        "def f(a, b) { return a * transpose(b); }\ndef g(a) { print(a); return a + a; }\n";
    let answer = server.answer(functions, "a")?;
    let texts = answer["report"]["parts"].to_string();
    if !texts.contains("f$2x3$3x2") || !texts.contains("g$4") {
        return fail(format!("no library: {}", answer["diagnostics"]));
    }
    let answer = server.answer("def f(a, b) { return a + b; }", "a")?;
    if answer["diagnostics"].as_array().is_none_or(Vec::is_empty) {
        return fail("a missing function is not reported");
    }
    Ok(())
}

/// A page gets what it needs to run a program, or the reason why it cannot.
fn module() -> Outcome {
    let server = Server::start("module", &[])?;
    let answer = |program: &str| -> Result<Value, Failed> {
        Ok(serde_json::from_str(&server.compile(&body(program, "module", "a"))?.1)?)
    };
    let made = answer("def main() { print(1); }")?;
    let is_there = made["module"].to_string().starts_with("\"AGFzbQ") && made["report"].is_null();
    match crate::wasm::missing() {
        Some("wasm-ld") if !made["diagnostics"][0]["help"].to_string().contains("lld") => {
            return fail(format!("no word about the linker: {made}"));
        }
        None if !is_there || !made["host"].to_string().contains("export async function run") => {
            return fail(format!("no module: {made}"));
        }
        _ => {}
    }
    let wrong = answer("def main() { print(x); }")?;
    match wrong["module"].is_null() && wrong["diagnostics"][0]["code"] == "E0201" {
        true => Ok(()),
        false => fail(format!("a program with an error: {wrong}")),
    }
}

/// Another name of this machine, another site, no token: no page and no compilation.
fn strangers_get_nothing() -> Outcome {
    let server = Server::start("strangers", &[])?;
    let (host, token, port) = (server.host(), &server.token, server.port);
    let page = format!("GET /?token={token}");
    let localhost = format!("Host: LocalHost:{port}\r\n");
    let origin = format!("{host}Origin: http://127.0.0.1:{port}\r\n");
    let program = body("", "report", "a");
    let keyed = format!("{host}X-Token: {token}\r\n");
    for (line, headers, body, expected) in [
        (page.as_str(), host.as_str(), "", 200),
        (&page, &localhost, "", 200),
        (&page, &origin, "", 200),
        (&page, "", "", 403),
        (&page, "Host: attacker.example\r\n", "", 403),
        (&page, &format!("Host: attacker.example:{port}\r\n"), "", 403),
        (&page, "Host: 127.0.0.1\r\n", "", 403),
        (&page, &format!("{host}Origin: http://attacker.example\r\n"), "", 403),
        (&page, &format!("{host}Origin: null\r\n"), "", 403),
        ("GET /", &host, "", 403),
        ("GET /?token=", &host, "", 403),
        ("GET /?token=0123", &host, "", 403),
        ("GET /page.js", &host, "", 200),
        ("GET /editor.js", &host, "", 200),
        ("GET /../Cargo.toml", &host, "", 404),
        ("GET /compile", &host, "", 405),
        ("POST /", &host, "", 405),
        ("DELETE /compile", &keyed, "", 405),
        ("POST /compile", &host, &program, 403),
        ("POST /compile", &format!("{host}X-Token: x\r\n"), &program, 403),
        ("POST /compile", &keyed, "", 400),
        ("POST /compile", &keyed, "{\"program\": 7}", 400),
        ("POST /compile", &keyed, &program.replace(":1,", ":9,"), 400),
        ("POST /compile", &keyed, &program.replace("report", "jit"), 400),
        ("POST /compile", &keyed, &"x".repeat((1 << 20) + 1), 413),
        ("POST /compile", &keyed, &program, 200),
    ] {
        let (status, text) = server.request(line, headers, body)?;
        if status != expected {
            return fail(format!("{line} {headers:?}: {status}, not {expected}: {text}"));
        }
        if status != 200 && (text.contains("multiply_transpose") || text.contains(token)) {
            return fail(format!("{line} {headers:?} gives something away"));
        }
    }
    Ok(())
}

/// A program whose compilation takes long.
fn long() -> String {
    let mut program = "def main() {\n  var a0 = [[1, 2], [3, 4]];\n".to_owned();
    for index in 1..20_000 {
        program += &format!("  var a{index} = a{} @ a{} + {index};\n", index - 1, index / 2);
    }
    program + "  print(a19999);\n}\n"
}

/// Text that is not a request or not a program, programs whose compilation never ends.
fn nothing_that_is_sent_ends_the_server() -> Outcome {
    let mut server = Server::start("nothing_sent", &["--seconds", "3"])?;
    for garbage in
        [b"".as_slice(), b"\0\xff\r\n\r\n", b"GET\r\n\r\n", b"POST /compile HTTP/1.1\r\n"]
    {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port))?;
        stream.write_all(garbage)?;
    }
    let shown = |answer: &Value| -> String {
        let mut answer = answer.clone();
        answer["report"] = json!(!answer["report"].is_null());
        answer.to_string()
    };
    let check = |program: &str, is_right: fn(&Value) -> bool| -> Outcome {
        let start = Instant::now();
        let answer = server.answer(program, "test")?;
        if !is_right(&answer) || start.elapsed() > Duration::from_secs(30) {
            let program: String = program.chars().take(100).collect();
            return fail(format!("{program}: {} in {:?}", shown(&answer), start.elapsed()));
        }
        Ok(())
    };
    let is_ended = |answer: &Value| {
        answer["report"].is_null() && answer["message"].to_string().contains("Ended")
    };
    let is_compiled = |answer: &Value| answer["report"].is_object();
    check("def main() { print([1, 2]); }", is_compiled)?;
    check(&long(), is_ended)?;
    check("def main() { print(x); }", |answer| {
        answer["report"].is_null() && answer["diagnostics"][0]["code"] == "E0201"
    })?;
    check(&"(".repeat(100_000), |answer| answer["diagnostics"].is_array())?;
    check("\u{0}\u{202e}é", |answer| answer["diagnostics"] != json!([]))?;
    // Nothing runs here.
    check("def main() { while (1) { print(1); } }", is_compiled)?;
    // A newer program of the same page ends the older one.
    let program = long();
    let (older, newer) = std::thread::scope(|scope| {
        let older =
            scope.spawn(|| server.answer(&program, "page").map_err(|error| format!("{error:?}")));
        let minute = Duration::from_secs(60);
        let _ = until("the compilation does not start", minute, || server.programs() > 0);
        let newer = server.answer("def main() { print(1); }", "page");
        (older.join(), newer)
    });
    let Ok(Ok(older)) = older else { return fail("no answer to the older program") };
    if older["canceled"] != true || newer?["report"].is_null() {
        return fail(format!("the older program: {}", shown(&older)));
    }
    check("def main() { print(3); }", is_compiled)?;
    server.is_well()
}

/// The most memory that a process has used, in KiB.
fn peak(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().split(' ').next()?.parse().ok()).unwrap_or(u64::MAX)
}

/// Idle connections, slow ones, those that are reset; many requests in one; endless heads and bodies.
fn connections_and_bytes_have_limits() -> Outcome {
    let mut server = Server::start("limits", &[])?;
    let before = peak(server.child.id());
    let page = format!("GET /?token={} HTTP/1.1\r\n{}", server.token, server.host());
    let is_served = |server: &Server| -> Outcome {
        let (start, (status, _)) = (Instant::now(), server.send(format!("{page}\r\n").as_bytes())?);
        match status == 200 && start.elapsed() < Duration::from_secs(5) {
            true => Ok(()),
            false => fail(format!("the page: {status} in {:?}", start.elapsed())),
        }
    };
    let connect = || TcpStream::connect(("127.0.0.1", server.port));
    let idle: Vec<_> = (0..600).map_while(|_| connect().ok()).collect();
    if idle.len() < 600 {
        return fail(format!("{} connections", idle.len()));
    }
    is_served(&server)?;
    let half: Vec<_> = (0..200).map_while(|_| connect().ok()).collect();
    for mut stream in &half {
        // A connection that was closed meanwhile is not the server's problem.
        let _ = stream.write_all(page.as_bytes());
    }
    is_served(&server)?;
    let threads = std::fs::read_dir(format!("/proc/{}/task", server.child.id()))?.count();
    if threads > 80 {
        return fail(format!("{threads} threads"));
    }
    drop((idle, half));
    let mut many = connect()?;
    let _ = many.write_all(format!("{page}\r\n").repeat(3_000).as_bytes());
    // Dropped with unread answers, it is reset.
    drop(many);
    let head = format!("{page}X-Long: ");
    let body =
        format!("POST /compile HTTP/1.1\r\n{}Content-Length: 9999999999\r\n\r\n", server.host());
    let chunked = body.replace("Content-Length: 9999999999", "Transfer-Encoding: chunked");
    for (start, expected) in [(head, "431"), (body, "413"), (chunked, "411")] {
        let mut stream = connect()?;
        stream.write_all(start.as_bytes())?;
        let mut answer = [0; 12];
        // Until the server refuses it.
        let mut rest = std::iter::repeat_n([b'x'; 1 << 16], 1_600);
        let writer = stream.try_clone()?;
        let written = rest.try_for_each(|part| (&writer).write_all(&part));
        if written.is_ok() {
            return fail(format!("100 MB after {start:?} were read"));
        }
        // Bytes that were sent after the refusal may have reset the connection.
        let read = stream.read_exact(&mut answer);
        if read.is_ok() && !answer.ends_with(expected.as_bytes()) {
            return fail(format!("{start:?}: {}", String::from_utf8_lossy(&answer)));
        }
    }
    is_served(&server)?;
    let used = peak(server.child.id()) - before;
    if used > 100 << 10 {
        return fail(format!("{used} KiB"));
    }
    server.is_well()
}

fn until(what: &str, limit: Duration, condition: impl Fn() -> bool) -> Outcome {
    let start = Instant::now();
    while !condition() {
        if start.elapsed() > limit {
            return fail(what);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Ctrl-C, a request to end, and a kill end it.
fn processes_and_folders_end_with_the_server() -> Outcome {
    let minute = Duration::from_secs(60);
    for signal in ["INT", "TERM", "KILL"] {
        let mut server = Server::start(&format!("ends_by_{signal}"), &["--seconds", "120"])?;
        let mut stream = TcpStream::connect(("127.0.0.1", server.port))?;
        let body = body(&long(), "report", "a");
        let (host, token, length) = (server.host(), &server.token, body.len());
        let head = format!("{host}X-Token: {token}\r\nContent-Length: {length}");
        stream.write_all(format!("POST /compile HTTP/1.1\r\n{head}\r\n\r\n{body}").as_bytes())?;
        until("the compilation does not start", minute, || server.programs() > 0)?;
        std::thread::sleep(Duration::from_millis(300));
        server.signal(signal)?;
        until("a process is left", Duration::from_secs(1), || server.programs() == 0)?;
        server.child.wait()?;
        if signal == "KILL" {
            // The folder goes when the next server starts.
            let directory = server.tmp.parent().ok_or("no parent")?.to_owned();
            drop(server);
            server = Server::start_in(&directory, &[])?;
        }
        let left: Vec<_> = std::fs::read_dir(&server.tmp)?.flatten().map(|it| it.path()).collect();
        if !left.is_empty() {
            return fail(format!("SIG{signal}: {left:?}"));
        }
    }
    Ok(())
}

/// A closed page ends its compilation.
fn a_client_that_is_gone_ends_its_compilation() -> Outcome {
    let mut server = Server::start("gone", &["--seconds", "120"])?;
    let body = body(&long(), "module", "a");
    let (host, token, length) = (server.host(), &server.token, body.len());
    let head = format!("{host}X-Token: {token}\r\nContent-Length: {length}");
    let mut stream = TcpStream::connect(("127.0.0.1", server.port))?;
    stream.write_all(format!("POST /compile HTTP/1.1\r\n{head}\r\n\r\n{body}").as_bytes())?;
    until("the compilation does not start", Duration::from_secs(60), || server.programs() > 0)?;
    drop(stream);
    until("the compilation is left", Duration::from_secs(2), || server.programs() == 0)?;
    server.is_well()
}

fn a_port_in_use_is_diagnosed() -> Outcome {
    let server = Server::start("port", &[])?;
    let port = server.port.to_string();
    toyc(["serve", "--port", &port]).run()?.diagnosed("E0004")?.says("--port")?;
    toyc(["serve", "no-such-file.toy"]).run()?.diagnosed("E0001")?;
    Ok(())
}
