//! HTTP for one machine: blocking, one request per connection, everything within limits.
//!
//! Input: a listener, and a function that answers requests. Output: its answers. Invariants: there are at most
//! [`MAX_CONNECTIONS`] connections and as many threads; a head has at most [`MAX_HEAD`] bytes, a body [`MAX_BODY`]; a
//! request has [`TIME`] to arrive, and as long to read the answer; if there are too many connections, the oldest one
//! that waits for its client is closed, so that idle connections do not block requests; no error ends the server.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

const MAX_CONNECTIONS: usize = 64;
const MAX_HEAD: usize = 16 << 10;
const MAX_HEADERS: usize = 64;
const MAX_BODY: usize = 1 << 20;
const TIME: Duration = Duration::from_secs(10);

/// The most bytes that are read of a refused request, and the time for that.
const MAX_REST: usize = 16 << 20;
const REST_TIME: Duration = Duration::from_secs(1);

/// A request of a client.
pub struct Request<'c> {
    pub method: String,
    /// The path with its query.
    pub target: String,
    pub body: Vec<u8>,
    headers: Vec<(String, String)>,
    stream: &'c TcpStream,
}

impl Request<'_> {
    /// The first header of a name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// True if the client has closed the connection.
    pub fn is_abandoned(&self) -> bool {
        let peek = || {
            self.stream.set_nonblocking(true)?;
            let peeked = self.stream.peek(&mut [0]);
            self.stream.set_nonblocking(false)?;
            peeked
        };
        match peek() {
            Ok(count) => count == 0,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }
}

/// A status with a text of a type, for instance `text/html`.
pub struct Response {
    pub status: u16,
    pub kind: &'static str,
    pub text: String,
}

impl Response {
    /// The response to an error: its status and its reason.
    pub fn refusal(status: u16, reason: &str) -> Self {
        Self { status, kind: "text/plain", text: reason.to_owned() }
    }
}

/// Answers requests until the process ends. Each answer has these headers, too.
pub fn serve<A>(listener: &TcpListener, headers: &'static str, answer: A) -> !
where
    A: Fn(&Request) -> Response + Send + Sync + 'static,
{
    let answer = Arc::new(answer);
    let connections = Arc::new(Connections::default());
    loop {
        connections.wait_for_place();
        let Ok((stream, _)) = listener.accept() else {
            // The client is gone, or there is no descriptor left: a closed connection has one.
            connections.close_oldest();
            thread::sleep(Duration::from_millis(20));
            continue;
        };
        let connection = Connection::new(stream, &connections);
        let answer = Arc::clone(&answer);
        // Without a thread, the connection is dropped and closed. A client that is gone gets no answer.
        let _ = thread::Builder::new().spawn(move || connection.handle(headers, &*answer));
    }
}

/// The open connections, the oldest one first.
#[derive(Default)]
struct Connections {
    open: Mutex<Vec<Open>>,
    closed: Condvar,
}

struct Open {
    stream: Arc<TcpStream>,
    /// True if it may be closed, because the server waits for the client.
    waits: bool,
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, Vec<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for_place(&self) {
        let mut open = self.lock();
        while open.len() >= MAX_CONNECTIONS {
            close_oldest(&mut open);
            open = self.closed.wait(open).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn close_oldest(&self) {
        close_oldest(&mut self.lock());
    }
}

fn close_oldest(open: &mut [Open]) {
    if let Some(oldest) = open.iter_mut().find(|connection| connection.waits) {
        // Its thread finds it closed and ends.
        oldest.waits = false;
        let _ = oldest.stream.shutdown(Shutdown::Both);
    }
}

/// A connection, which is among the open ones until this is dropped.
struct Connection {
    stream: Arc<TcpStream>,
    all: Arc<Connections>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.all.lock().retain(|other| !Arc::ptr_eq(&other.stream, &self.stream));
        self.all.closed.notify_one();
    }
}

impl Connection {
    fn new(stream: TcpStream, all: &Arc<Connections>) -> Self {
        let stream = Arc::new(stream);
        all.lock().push(Open { stream: Arc::clone(&stream), waits: true });
        Self { stream, all: Arc::clone(all) }
    }

    /// Records which side waits for the other one.
    fn set_waits(&self, waits: bool) {
        let mut all = self.all.lock();
        let own = all.iter_mut().find(|other| Arc::ptr_eq(&other.stream, &self.stream));
        own.into_iter().for_each(|own| own.waits = waits);
    }

    /// Reads a request and answers it.
    fn handle(&self, headers: &str, answer: impl Fn(&Request) -> Response) -> io::Result<()> {
        let Response { status, kind, text } = match self.read(Instant::now() + TIME)? {
            Ok(request) => {
                self.set_waits(false);
                let response = answer(&request);
                self.set_waits(true);
                response
            }
            Err(refusal) => refusal,
        };
        let length = text.len();
        let head = format!(
            "HTTP/1.1 {status} \r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {length}\r\n\
             Connection: close\r\n{headers}\r\n"
        );
        let deadline = Instant::now() + TIME;
        self.write(head.as_bytes(), deadline)?;
        self.write(text.as_bytes(), deadline)?;
        self.stream.shutdown(Shutdown::Write)?;
        // Closing a connection with unread bytes resets it, and the answer would be lost.
        let (mut rest, mut count) = (Vec::new(), 0);
        let deadline = Instant::now() + REST_TIME;
        while count < MAX_REST && self.read_more(&mut rest, deadline)? > 0 {
            count += rest.len();
            rest.clear();
        }
        Ok(())
    }

    /// A request, or the response if it is invalid.
    fn read(&self, deadline: Instant) -> io::Result<Result<Request<'_>, Response>> {
        let mut bytes = Vec::new();
        let (mut request, length) = loop {
            if self.read_more(&mut bytes, deadline)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            match parse(&bytes, &self.stream) {
                Ok(Some(parsed)) => break parsed,
                Ok(None) if bytes.len() < MAX_HEAD => {}
                Ok(None) => return Ok(Err(too_long())),
                Err(refusal) => return Ok(Err(refusal)),
            }
        };
        while request.body.len() < length {
            if self.read_more(&mut request.body, deadline)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
        }
        request.body.truncate(length);
        Ok(Ok(request))
    }

    /// Reads what has arrived; 0 is the end.
    fn read_more(&self, bytes: &mut Vec<u8>, deadline: Instant) -> io::Result<usize> {
        let mut part = [0; 1 << 13];
        self.stream.set_read_timeout(Some(left(deadline)?))?;
        let count = (&*self.stream).read(&mut part)?;
        bytes.extend(&part[..count]);
        Ok(count)
    }

    fn write(&self, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(left(deadline)?))?;
            match (&*self.stream).write(bytes)? {
                0 => return Err(ErrorKind::WriteZero.into()),
                count => bytes = &bytes[count..],
            }
        }
        Ok(())
    }
}

fn left(deadline: Instant) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(left) }
}

fn too_long() -> Response {
    Response::refusal(431, "The head of the request is too long.\n")
}

/// A request without the rest of its body, and the length of the body; None if the head is not complete.
fn parse<'c>(
    bytes: &[u8],
    stream: &'c TcpStream,
) -> Result<Option<(Request<'c>, usize)>, Response> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let start = match head.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err(too_long()),
        Err(_) => return Err(Response::refusal(400, "This is not a request of HTTP.\n")),
    };
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let request = Request {
        method: head.method.unwrap_or_default().to_owned(),
        target: head.path.unwrap_or_default().to_owned(),
        body: bytes[start..].to_owned(),
        headers: head.headers.iter().map(|it| (it.name.to_owned(), text(it.value))).collect(),
        stream,
    };
    if start > MAX_HEAD {
        return Err(too_long());
    }
    if request.header("Transfer-Encoding").is_some() {
        return Err(Response::refusal(411, "The request does not say how long it is.\n"));
    }
    match request.header("Content-Length").map_or(Ok(0), str::parse) {
        Ok(length) if length <= MAX_BODY => Ok(Some((request, length))),
        Ok(_) => Err(Response::refusal(
            413,
            "The program is too large for this page: toyc --report takes it.\n",
        )),
        Err(_) => Err(Response::refusal(400, "Content-Length is not a number of bytes.\n")),
    }
}
