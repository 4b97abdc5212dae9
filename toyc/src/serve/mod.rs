//! `toyc serve`: a local page with an editor and every stage of the program in it, again with every keystroke.
//!
//! Input: a program to start with, and requests of a browser. Output: the page of `toy-report` with
//! an editor; for each text that the editor sends a report, and a module of WebAssembly, which the page runs.
//!
//! | module | subject |
//! |---|---|
//! | [`server`] | HTTP, with limits of everything |
//! | [`requests`] | the requests and their answers |
//! | [`compiler`] | compilations as processes with limits |
//!
//! Invariants: only this machine reaches the server, and of its pages only pages that know the token; every compilation
//! is another process, so that no input ends the server; it reads no file but its argument and writes only temporary
//! ones; a new request of a page replaces its previous one; only a signal ends the server, and with it all processes
//! and files that it has made.

mod compiler;
mod requests;
mod server;

use crate::cli::Form;
use crate::command_tree::Serve;
use crate::driver::reporter::Reporter;
use crate::output::cannot_write;
use crate::{input, interrupt};
use compiler::Compiler;
use requests::Site;
use std::convert::Infallible;
use std::fmt::Write as _;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use toy_diagnostics::Diagnostic;
use toy_diagnostics::text::printed;

/// The program to start with if none is named.
const EXAMPLE: &str = include_str!("example.toy");

/// Serves until the process is ended.
pub fn run(options: &Serve) -> ExitCode {
    let reporter = Reporter::new(Form::DEFAULT);
    let (name, text) = match &options.file {
        None => ("example.toy".to_owned(), EXAMPLE.to_owned()),
        Some(path) => match input::read(path) {
            Ok(source) => (name_of(path), source.text),
            Err(failure) => return reporter.fail(&failure, 1),
        },
    };
    let Err(diagnostic) = serve(options, name, text);
    reporter.fail(&diagnostic.into(), 1)
}

fn serve(options: &Serve, name: String, program: String) -> Result<Infallible, Diagnostic> {
    let port = options.port;
    let taken = |error: &dyn std::fmt::Display| {
        Diagnostic::not_available(format!("port {port} of this machine cannot be served: {error}"))
            .help("name another one with --port, or none for any that is free")
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| taken(&error))?;
    let port = listener.local_addr().map_err(|error| taken(&error))?.port();
    let token = token().map_err(|error| {
        Diagnostic::not_available(format!("this system gives no random numbers: {error}"))
    })?;
    let address = format!("http://127.0.0.1:{port}/?token={token}");
    let compiler = Compiler::new(Duration::from_secs(options.seconds), options.exports.clone());
    let site = Site { port, token, name, program, compiler };
    interrupt::sweep(&std::env::temp_dir());
    writeln!(std::io::stdout(), "{} is at {address}\nCtrl-C ends it.", printed(&site.name))
        .map_err(|error| cannot_write("standard output", &error))?;
    server::serve(&listener, requests::HEADERS, move |request| requests::answer(&site, request))
}

/// The name of the file, for messages.
fn name_of(path: &Path) -> String {
    let name = path.file_name().and_then(|name| name.to_str()).filter(|name| *name != "-");
    name.unwrap_or("stdin.toy").to_owned()
}

/// A secret that pages of other sites do not know.
fn token() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    let length = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
    if length < bytes.len() {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}
