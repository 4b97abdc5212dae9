//! Chromium, driven by a test: for pages that readers see.
//!
//! Input: files, and scripts that query a page. Output: their results. The driver is chromedriver, which speaks JSON
//! over HTTP; nothing else is needed. Invariant: the browser exits with the test.

use crate::tools::{Outcome, fail, find};
use libtest_mimic::Failed;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A telephone of 390 pixels, for [`Driver::browser`].
pub fn telephone() -> Value {
    let metrics = json!({ "width": 390, "height": 844, "pixelRatio": 2.0, "touch": true });
    json!({ "deviceMetrics": metrics })
}

/// Fails unless a script returns this, now or soon: events come after what caused them.
pub fn expect(browser: &Browser, script: &str, expected: Value) -> Outcome {
    let start = Instant::now();
    loop {
        let found = browser.run(script)?;
        if found == expected {
            return Ok(());
        }
        if start.elapsed() > Duration::from_secs(30) {
            return fail(format!("`{script}` is {found}, not {expected}"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A running chromedriver.
pub struct Driver {
    child: Child,
    port: u16,
}

/// A window of its own.
pub struct Browser<'d> {
    driver: &'d Driver,
    session: String,
    /// Functions that the scripts of a test use.
    questions: &'static str,
}

impl Driver {
    pub fn start() -> Result<Self, Failed> {
        for program in ["chromium", "chromedriver"] {
            if find(program).is_none() {
                return fail(format!("{program} is missing: run ./setup --tests"));
            }
        }
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn()?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut driver = Self { child, port: 0 };
        let mut line = String::new();
        while lines.read_line(&mut line)? > 0 {
            let port = line.split("successfully on port ").nth(1);
            let port = port.and_then(|port| port.trim_end().trim_end_matches('.').parse().ok());
            if let Some(port) = port {
                driver.port = port;
                return Ok(driver);
            }
            line.clear();
        }
        fail("chromedriver does not start")
    }

    /// Opens a window of its own; `questions` are functions for its scripts.
    pub fn browser(&self, mobile: Value, questions: &'static str) -> Result<Browser<'_>, Failed> {
        // In a container there is little shared memory, and no sandbox for root.
        let arguments =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
        let mut options = json!({ "args": arguments });
        if mobile.get("deviceMetrics").is_some() {
            options["mobileEmulation"] = mobile;
        }
        let capabilities = json!({
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let body = json!({ "capabilities": { "alwaysMatch": capabilities } });
        let answer = self.request("POST", "/session", &body)?;
        let session = answer["sessionId"].as_str().unwrap_or_default().to_owned();
        Ok(Browser { driver: self, session, questions })
    }

    /// One request and the value of its answer.
    fn request(&self, method: &str, path: &str, body: &Value) -> Result<Value, Failed> {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )?;
        let mut answer = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            if answer.read_line(&mut line)? == 0 || line.trim().is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut bytes = vec![0; length];
        answer.read_exact(&mut bytes)?;
        let answer: Value = serde_json::from_slice(&bytes)?;
        match answer["value"]["error"].as_str() {
            Some(error) => fail(format!("{path} {body}: {error}: {}", answer["value"]["message"])),
            None => Ok(answer["value"].clone()),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The process group has the driver and the browsers it has started.
        let _ =
            Command::new("kill").args(["-KILL", "--", &format!("-{}", self.child.id())]).status();
        let _ = self.child.wait();
    }
}

impl Drop for Browser<'_> {
    fn drop(&mut self) {
        let _ = self.driver.request("DELETE", &format!("/session/{}", self.session), &Value::Null);
    }
}

impl Browser<'_> {
    pub fn send(&self, what: &str, body: Value) -> Result<Value, Failed> {
        self.driver.request("POST", &format!("/session/{}/{what}", self.session), &body)
    }

    pub fn open(&self, file: &Path) -> Outcome {
        // Another address first: the same one would be the same page.
        self.send("url", json!({ "url": "about:blank" }))?;
        self.send("url", json!({ "url": format!("file://{}", file.display()) }))?;
        Ok(())
    }

    pub fn run(&self, script: &str) -> Result<Value, Failed> {
        let script = format!("{}\n{script}", self.questions);
        self.send("execute/sync", json!({ "script": script, "args": [] }))
    }

    /// Emulates a system that prefers dark.
    pub fn prefer_dark(&self) -> Outcome {
        let dark = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
        let body = json!({ "cmd": "Emulation.setEmulatedMedia", "params": { "features": dark } });
        self.send("goog/cdp/execute", body)?;
        Ok(())
    }

    fn element(&self, selector: &str) -> Result<(String, Value), Failed> {
        let body = json!({ "using": "css selector", "value": selector });
        let element = self.send("element", body)?;
        let id = element.as_object().and_then(|element| element.values().next()?.as_str());
        Ok((id.unwrap_or_default().to_owned(), element.clone()))
    }

    pub fn click(&self, selector: &str) -> Outcome {
        let (id, _) = self.element(selector)?;
        self.send(&format!("element/{id}/click"), json!({}))?;
        Ok(())
    }

    /// Moves the pointer onto an element.
    pub fn point(&self, selector: &str) -> Outcome {
        self.pointer(selector, "mouse", &[])
    }

    pub fn tap(&self, selector: &str) -> Outcome {
        self.pointer(selector, "touch", &["pointerDown", "pointerUp"])
    }

    fn pointer(&self, selector: &str, kind: &str, then: &[&str]) -> Outcome {
        let (_, element) = self.element(selector)?;
        let mut actions = vec![
            json!({ "type": "pointerMove", "origin": element, "x": 0, "y": 0, "duration": 0 }),
        ];
        actions.extend(then.iter().map(|action| json!({ "type": action, "button": 0 })));
        let parameters = json!({ "pointerType": kind });
        let input =
            json!({ "type": "pointer", "id": kind, "parameters": parameters, "actions": actions });
        self.send("actions", json!({ "actions": [input] }))?;
        Ok(())
    }

    /// From here on, scripts run in the page in this frame.
    pub fn enter(&self, selector: &str) -> Outcome {
        let (_, element) = self.element(selector)?;
        self.send("frame", json!({ "id": element }))?;
        Ok(())
    }

    /// Returns to the page around the frames.
    pub fn leave(&self) -> Outcome {
        self.send("frame", json!({ "id": null }))?;
        Ok(())
    }

    pub fn key(&self, key: &str) -> Outcome {
        let actions =
            json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        let input = json!({ "type": "key", "id": "keys", "actions": actions });
        self.send("actions", json!({ "actions": [input] }))?;
        Ok(())
    }

    /// Fails if the browser had anything to complain about.
    pub fn no_errors(&self) -> Outcome {
        let log = self.send("se/log", json!({ "type": "browser" }))?;
        if log.as_array().is_some_and(Vec::is_empty) { Ok(()) } else { fail(log.to_string()) }
    }
}
