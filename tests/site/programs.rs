//! The programs on the pages: they run, stop, and can be edited; without a server, by keys, on a telephone.

use super::{pages, site};
use crate::browser::{Browser, Driver, expect};
use crate::interpreter::{Stop, run};
use crate::tools::{Job, Outcome, TOYC, fail, scratch, toyc};
use flate2::Compression;
use flate2::write::GzEncoder;
use libtest_mimic::Failed;
use regex_lite::Regex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

// Keys, as WebDriver calls them.
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const UP: &str = "\u{e013}";
const RIGHT: &str = "\u{e014}";

/// The most that a reader loads for a page, compressed, but for pictures.
const FIRST_VIEW: usize = 150_000;

/// Each program prints what the interpreter prints. Those that cannot run have no button for it.
pub fn run_in_pages() -> Outcome {
    let site = site()?;
    let driver = Driver::start()?;
    let browser = driver.browser(json!({}), QUESTIONS)?;
    let (mut ran, mut wrong) = (0, Vec::new());
    let mut modules = BTreeSet::new();
    for (path, text) in pages(site)? {
        if !text.contains(" data-toy=\"") {
            continue;
        }
        let name = path.strip_prefix(site).unwrap_or(&path).display().to_string();
        browser.open(&path)?;
        for program in list(&browser.run("return programs()")?) {
            let (source, module) = (text_of(program, "source"), text_of(program, "run"));
            if module.is_empty() {
                let has_arguments = !source.contains("def main()");
                let checked = toyc(["check", "-"]).stdin(source).run()?;
                if !has_arguments && checked.exits(1).is_err() {
                    wrong.push(format!("{name}: no button: {source}"));
                }
                continue;
            }
            let expected = run(source);
            browser.run(&format!("press({}, 'Run')", program["at"]))?;
            let is_over = format!("return button({}, 'Run') !== undefined", program["at"]);
            expect(&browser, &is_over, json!(true))?;
            let shown = browser.run(&format!("return output({})", program["at"]))?;
            let is_right = match expected {
                Ok(output) => shown == output,
                Err(Stop::Failed { line, output, .. }) => {
                    let shown = shown.as_str().unwrap_or_default();
                    shown.starts_with(&output) && shown.contains(&format!(":{line}: error: "))
                }
                // It is too long for the interpreter.
                Err(Stop::TooMuch) => true,
                Err(_) => false,
            };
            if !is_right {
                wrong.push(format!("{name}: {source}\nprints {shown}"));
            }
            modules.insert(module.to_owned());
            ran += 1;
        }
    }
    browser.no_errors()?;
    if !wrong.is_empty() || ran < 80 || modules.len() >= ran {
        return fail(format!("{ran} ran, {} modules\n{}", modules.len(), wrong.join("\n")));
    }
    Ok(())
}

/// A page with a loop without an end, one that prints without an end, and a program that fails, beside the site's files.
pub fn stop() -> Outcome {
    let site = site()?;
    let folder = scratch("site/endless").canonicalize()?;
    for entry in std::fs::read_dir(site)? {
        let name = entry?.file_name();
        std::os::unix::fs::symlink(site.join(&name), folder.join(&name))?;
    }
    let mut blocks = String::new();
    for (name, program) in [
        (
            "quiet",
            "def main() {\n  print(\"begun\\n\");\n  for i in 0..300 { print(i); }\n  var x = 1;\n  \
             while (x > 0) { x = x % 7 + 1; }\n  print(x);\n}\n",
        ),
        (
            "loud",
            "def main() {\n  var x = 1;\n  while (x > 0) { print(x, \"\\n\"); x = x + 1; }\n}\n",
        ),
        (
            "wrong",
            "def main() {\n  var a = [1, 2, 3];\n  for i in 0..5 {\n    print(a[i]);\n  }\n}\n",
        ),
    ] {
        let file = format!("{name}.toy");
        std::fs::write(folder.join(&file), program)?;
        let words = [file.as_str(), "-w", "--target", "wasm32"];
        toyc(words).current_dir(&folder).run()?.exits(0)?;
        let module = packed(&std::fs::read(folder.join(format!("{name}.wasm")))?)?;
        std::fs::write(
            folder.join(format!("{name}.js")),
            format!("toyFiles['{name}'] = '{module}';\n"),
        )?;
        blocks += &format!(
            "<pre class=\"block code\" data-toy=\"{file}\" data-run=\"{name}\"><code><span class=\"copy\">{}</span></code></pre>\n",
            program.replace('<', "&lt;").replace('>', "&gt;")
        );
    }
    let page = std::fs::read_to_string(site.join("glossary.html"))?;
    std::fs::write(
        folder.join("endless.html"),
        page.replacen("<main>", &format!("<main>{blocks}"), 1),
    )?;
    let driver = Driver::start()?;
    let browser = driver.browser(json!({}), QUESTIONS)?;
    browser.open(&folder.join("endless.html"))?;
    // A program that can be seen is ready to start.
    let is_ready = "return typeof spareWorker !== 'undefined' && spareWorker !== null";
    expect(&browser, is_ready, json!(true))?;
    // Output from before a loop appears while the loop runs, whether its line ends or not; the key that started the program
    // stops it.
    let numbers: String = (0..300).map(|i| format!("{i}.000000 ")).collect();
    let begun = format!("begun\n\n{numbers}");
    browser.run("button(0, 'Run').focus()")?;
    browser.key(ENTER)?;
    expect(&browser, "return output(0)", json!(begun))?;
    browser.key(ENTER)?;
    expect(&browser, "return output(0)", json!(format!("{begun}\n(stopped)")))?;
    expect(&browser, "return document.activeElement === button(0, 'Run')", json!(true))?;
    // Again, and another one at the same time.
    browser.key(ENTER)?;
    expect(&browser, "return output(0)", json!(begun))?;
    browser.run("press(1, 'Run')")?;
    expect(&browser, "return output(1).endsWith(' characters, and no more)')", json!(true))?;
    browser.run("press(0, 'Stop')")?;
    browser.run("press(2, 'Run')")?;
    let failed = "1.000000 2.000000 3.000000 \n\
                  wrong.toy:4: error: index 3 is out of range: the dimension has 3 elements\n(exit status 1)";
    expect(&browser, "return output(2)", json!(failed))?;
    browser.no_errors()
}

/// On a telephone, with keys: errors as one types, the layout, tokens and tree, and the command that runs a changed program.
pub fn edit() -> Outcome {
    let site = site()?;
    let driver = Driver::start()?;
    let metrics = json!({ "width": 360, "height": 780, "pixelRatio": 2.0, "touch": true });
    let browser = driver.browser(json!({ "deviceMetrics": metrics }), QUESTIONS)?;
    browser.open(&site.join("16-branches-and-loops.html"))?;
    let fits = |what: &str| {
        let excess = browser.run("return document.documentElement.scrollWidth - innerWidth")?;
        if excess == json!(0) { Ok(()) } else { fail(format!("{what} is {excess} too wide")) }
    };
    browser.run("button(0, 'Run').focus()")?;
    browser.key(TAB)?;
    browser.key(ENTER)?;
    let has_focus = "return document.activeElement.matches('.cm-content')";
    expect(&browser, has_focus, json!(true))?;
    expect(&browser, "return document.querySelectorAll('pre[data-toy]')[0].hidden", json!(true))?;
    fits("the editor")?;

    // The compiler's words, where it says them.
    type_line(&browser, "def f(x){return y;}")?;
    let edited = browser.run("return ask()")?;
    let edited = edited.as_str().unwrap_or_default().to_owned();
    let folder = scratch("site/edited");
    std::fs::write(folder.join("program.toy"), &edited)?;
    let run = toyc(["program.toy", "--error-format=json"]).current_dir(&folder).run()?;
    let line = run.stderr.lines().next().unwrap_or_default().to_owned();
    let error: Value = serde_json::from_str(&line)?;
    let (code, message) = (text_of(&error, "code"), text_of(&error, "message"));
    let shown = format!("error {code} line {}: {message}", error["spans"][0]["start_line"]);
    expect(&browser, &format!("return problems().startsWith({})", json!(shown)), json!(true))?;
    expect(&browser, "return said()", json!("1 error"))?;
    expect(
        &browser,
        "return document.querySelector('.cm-lintRange-error').textContent",
        json!("y"),
    )?;
    fits("an error")?;
    browser.run("press(0, 'Tree')")?;
    expect(&browser, "return shown().startsWith('  Module:')", json!(true))?;

    // Corrected, and in the layout of `toyc fmt`.
    browser.run("press(0, 'Reset')")?;
    expect(&browser, "return problems()", json!(""))?;
    browser.run("focus()")?;
    type_line(&browser, "def f(x){return   x;}")?;
    let edited = browser.run("return ask()")?.as_str().unwrap_or_default().to_owned();
    if !edited.starts_with("def f(x){return   x;}") {
        return fail(format!("another text was typed: {edited}"));
    }
    browser.run("press(0, 'Format')")?;
    let formatted = toyc(["fmt", "-"]).stdin(edited).run()?.exits(0)?.out();
    expect(&browser, "return ask()", json!(formatted))?;
    std::fs::write(folder.join("program.toy"), &formatted)?;
    for (view, stage) in [("Tree", "ast"), ("Tokens", "tokens")] {
        if view == "Tokens" {
            browser.run("press(0, 'Tokens')")?;
        }
        let words = ["program.toy", "-w", &format!("-emit={stage}"), "-o", "-"];
        let printed = toyc(words).current_dir(&folder).run()?.exits(0)?.out();
        expect(&browser, "return shown().trimEnd()", json!(printed.trim_end()))?;
        fits(view)?;
    }

    // A changed program runs in a terminal, with the command that the button copies.
    browser.run("press(0, 'Run')")?;
    fits("the command")?;
    browser.run("stub(); document.querySelector('.ran .copy-button').click()")?;
    let command = browser.run("return window.copied")?;
    let path = Path::new(TOYC).parent().unwrap_or(Path::new(""));
    let path = format!("{}:{}", path.display(), std::env::var("PATH").unwrap_or_default());
    let command = Job::new("sh", ["-c", command.as_str().unwrap_or_default()]);
    let expected = run_text(&formatted)?;
    command.env("PATH", path).current_dir(&folder).run()?.exits(0)?.prints(expected)?;

    // It is there when the editor is opened again; Escape leaves the editor.
    browser.run("focus()")?;
    browser.key(ESCAPE)?;
    expect(&browser, "return document.activeElement === button(0, 'Close')", json!(true))?;
    browser.key(ENTER)?;
    expect(&browser, "return document.activeElement === button(0, 'Edit')", json!(true))?;
    expect(&browser, "return document.querySelectorAll('.toy-editor').length", json!(0))?;
    browser.key(ENTER)?;
    expect(&browser, has_focus, json!(true))?;
    expect(&browser, "return ask()", json!(formatted))?;

    // The program of the page runs in its editor as well.
    browser.run("press(0, 'Reset')")?;
    expect(&browser, "return button(0, 'Reset').disabled", json!(true))?;
    browser.run("press(0, 'Run')")?;
    expect(&browser, "return output(0)", json!("after 4.000000 steps\n1.414214 "))?;
    browser.no_errors()
}

/// Types a line before the others. The editor closes what one opens.
fn type_line(browser: &Browser, line: &str) -> Outcome {
    [ENTER, UP].iter().try_for_each(|key| browser.key(key))?;
    for letter in line.chars() {
        let key = letter.to_string();
        browser.key(if [')', '}'].contains(&letter) { RIGHT } else { &key })?;
    }
    Ok(())
}

fn run_text(program: &str) -> Result<String, Failed> {
    run(program).map_err(|error| format!("{error:?}").into())
}

/// The pages with their styles and scripts are small.
pub fn first_view() -> Outcome {
    let site = site()?;
    let link = Regex::new(r#"<(?:script|link) [^>]*(?:src|href)="([^"]+\.(?:js|css))""#)
        .expect("a regular expression");
    let mut sizes = BTreeMap::new();
    for (path, text) in pages(site)? {
        if ["source", "reports"].iter().any(|folder| path.starts_with(site.join(folder))) {
            continue;
        }
        let mut size = compressed(text.as_bytes())?.len();
        for found in link.captures_iter(&text) {
            let file = path.parent().unwrap_or(site).join(&found[1]);
            size += compressed(&std::fs::read(file)?)?.len();
        }
        sizes.insert(size, path);
    }
    // A font would be loaded by a style.
    if std::fs::read_to_string(site.join("fonts/fonts.css"))?.contains("url(") {
        return fail("pages load fonts");
    }
    match sizes.last_key_value() {
        Some((size, page)) if *size > FIRST_VIEW => {
            fail(format!("{} loads {size} bytes", page.display()))
        }
        Some(_) => Ok(()),
        None => fail("no pages"),
    }
}

fn compressed(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// As the site's scripts hold data.
fn packed(bytes: &[u8]) -> std::io::Result<String> {
    use base64::Engine;
    Ok(base64::engine::general_purpose::STANDARD.encode(compressed(bytes)?))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text_of<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

/// Functions for the scripts of these tests.
const QUESTIONS: &str = "
    const all = (selector) => [...document.querySelectorAll(selector)];
    const programs = () => all('pre[data-toy]').map((block, at) => ({
        at, run: block.dataset.run ?? '', source: block.querySelector('.copy').textContent + '\\n',
    }));
    const bar = (at) => all('.program-bar')[at];
    const button = (at, text) => [...bar(at).querySelectorAll('button')].find((one) => !one.hidden && one.textContent === text);
    const press = (at, text) => button(at, text).click();
    const output = (at) => all('.ran')[at].textContent;
    const said = () => document.querySelector('.said').textContent;
    const shown = () => document.querySelector('.shown').textContent;
    const problems = () => document.querySelector('.problems').textContent;
    const focus = () => document.querySelector('.cm-content').focus();
    const ask = () => all('.cm-line').map((line) => line.textContent).join('\\n');
    const stub = () => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; };
";
