//! The live page of `toyc serve` in a browser: stages and errors follow typing, and the reader's place stays.
//!
//! Input: typed text and clicks. Output: an error for a page that shows another program than the typed one, that loses
//! text, or that does not fit a telephone.

use super::Server;
use crate::browser::{Browser, Driver, expect, telephone};
use crate::tools::{Outcome, fail, scratch};
use serde_json::json;

/// Stages, errors and output follow typing.
pub fn live() -> Outcome {
    let directory = scratch("serve/live");
    let file = directory.join("typed.toy");
    std::fs::write(&file, "def main() {\n  var a = [1, 2];\n  print(a + a);\n}\n")?;
    let server = Server::start("live", &[&file.to_string_lossy()])?;
    let driver = Driver::start()?;
    let browser = driver.browser(json!({}), QUESTIONS)?;
    browser.send("window/rect", json!({ "width": 1300, "height": 900 }))?;
    server.open(&browser)?;
    expect(&browser, "return status().startsWith('compiled in')", json!(true))?;
    expect(&browser, "return document.querySelector('h1').textContent", json!("typed.toy"))?;
    // It runs in the page, and the output is always there; so are shapes, which are not part of the text.
    expect(&browser, "return texts('#printed')", json!(["2.000000 4.000000 "]))?;

    let shapes = "return all('.cm-shape').map((shape) => shape.dataset.text)";
    expect(&browser, shapes, json!([": 2"]))?;
    expect(&browser, "return texts('.cm-line')[1]", json!("  var a = [1, 2];"))?;

    // A line in the editor lights its operations, and back.
    browser.click("nav a[href='#toy']")?;
    browser.point(".cm-line:nth-child(3)")?;
    expect(
        &browser,
        "return texts('#toy .lit').some((text) => text.includes('toy.print'))",
        json!(true),
    )?;
    expect(&browser, "return all('.cm-line.lit').length", json!(1))?;

    // The kept line is not the line pointed at; Escape leaves the editor at its line, and outside lets go of it.
    browser.click(".cm-line:nth-child(3)")?;
    browser.point(".cm-line:nth-child(2)")?;
    expect(
        &browser,
        "return texts('.cm-line.kept, .cm-line.lit')",
        json!(["  var a = [1, 2];", "  print(a + a);"]),
    )?;
    expect(&browser, "return texts('.cm-line.kept')", json!(["  print(a + a);"]))?;
    browser.key("\u{e00c}")?;
    expect(&browser, "return document.activeElement.className", json!("right"))?;
    expect(&browser, "return texts('.cm-line.kept')", json!(["  print(a + a);"]))?;
    // From there on, the arrows go from line to line, and `e` goes back to the text.
    browser.key("\u{e013}")?;
    expect(&browser, "return texts('.cm-line.kept')", json!(["  var a = [1, 2];"]))?;
    browser.key("e")?;
    expect(
        &browser,
        "return document.activeElement.classList.contains('cm-content')",
        json!(true),
    )?;
    browser.key("\u{e00c}")?;
    browser.key("\u{e00c}")?;
    expect(&browser, "return all('.cm-line.kept').length", json!(0))?;
    browser.click(".cm-line:nth-child(3)")?;
    expect(&browser, "return texts('#hint')", json!(["Line 3 kept"]))?;

    // Other text, other stages; what was kept is of the old text, also while the new one has errors.
    type_in(&browser, "def main() {\n  print(y);\n}\n")?;
    expect(&browser, "return texts('#hint')", json!([""]))?;
    type_in(&browser, "def main() {\n  print([5] * 3);\n}\n")?;
    expect(&browser, "return texts('#printed')", json!(["15.000000 "]))?;
    expect(&browser, "return texts('#hint')", json!([""]))?;

    // An error: the diagnostic is at its place, and the stages stay.
    type_in(&browser, "def main() {\n  print(y);\n}\n")?;
    expect(&browser, "return status().startsWith('1 error')", json!(true))?;
    expect(
        &browser,
        "return texts('#diagnostics li').map((text) => text.startsWith('error E0201 line 2'))",
        json!([true]),
    )?;
    expect(&browser, "return all('.cm-lintRange-error').length", json!(1))?;
    expect(&browser, "return texts('#printed')", json!(["15.000000 "]))?;
    type_in(&browser, "def main() {\n  print(7);\n}\n")?;
    expect(&browser, "return texts('#printed')", json!(["7.000000 "]))?;
    expect(&browser, "return all('#diagnostics li').length", json!(0))?;

    // A program that stops says why, at its line.
    type_in(
        &browser,
        "def main() {\n  var s = 0;\n  for i in 0..5 {\n    s = s + [1, 2][i];\n  }\n  print(s);\n}\n",
    )?;
    expect(&browser, "return status()", json!("stopped while it ran"))?;
    expect(
        &browser,
        "return texts('#diagnostics li')[0].includes('line 4: index 2 is out of range')",
        json!(true),
    )?;
    expect(&browser, "return document.querySelector('#errors').hidden", json!(true))?;
    expect(&browser, "return all('.cm-lintRange-error').length", json!(1))?;
    type_in(&browser, "def main() {\n  print(7);\n}\n")?;

    // Without a linker, the page says what is missing.
    browser.run(
        "run_module({ module: null, diagnostics: [
            { severity: 'error', message: 'no linker', help: { message: 'install one' } }] })",
    )?;
    let why = "This program cannot run in the page: no linker: install one";
    expect(&browser, "return texts('#ended')", json!([why]))?;

    // Typed by keys: many come at once, and only the last text counts.
    browser.run("document.querySelector('.cm-content').focus()")?;
    for key in ["#", "x", "y"] {
        browser.key(key)?;
    }
    expect(&browser, "return texts('.cm-line').some((line) => line.includes('#xy'))", json!(true))?;
    expect(&browser, "return status().startsWith('compiled in')", json!(true))?;
    browser.no_errors()?;
    // The file is as it was.
    if std::fs::read_to_string(file)?.contains("a + a") { Ok(()) } else { fail("the file changed") }
}

/// A run that takes long says so, is marked as one of an older text, and ends by a button with its output so far.
pub fn a_long_run_can_be_stopped() -> Outcome {
    let directory = scratch("serve/stopped");
    let file = directory.join("long.toy");
    std::fs::write(&file, "def main() {\n  print(1);\n}\n")?;
    let server = Server::start("stopped_by_button", &["--seconds", "60", &file.to_string_lossy()])?;
    let driver = Driver::start()?;
    let browser = driver.browser(json!({}), QUESTIONS)?;
    browser.send("window/rect", json!({ "width": 1300, "height": 900 }))?;
    server.open(&browser)?;
    expect(&browser, "return status().startsWith('compiled in')", json!(true))?;
    let is_old = "return document.documentElement.classList.contains('stale')";
    let can_stop = "return document.querySelector('#stop').getClientRects().length > 0";
    expect(&browser, is_old, json!(false))?;
    expect(&browser, can_stop, json!(false))?;
    // It prints more than lines, and the order of additions keeps it from being optimized away.
    let endless = "def main() {\n  var s = [[1, 2], [3, 4]];\n  print([[0], [1]]);\n  print(7);\n  for i in 0..1000000000000 {\n    s = exp(s @ s * -1) @ s + i;\n  }\n  print(s);\n}\n";
    type_in(&browser, endless)?;
    expect(&browser, is_old, json!(true))?;
    expect(&browser, "return status().startsWith('still running after')", json!(true))?;
    // The stages are there before it ends.
    expect(&browser, is_old, json!(false))?;
    // The loop that runs is marked in the text and in the plan, as long as it runs.
    let marked = "return [texts('.cm-line.running'), all('svg .loop.running').length]";
    browser.click("nav a[href='#memory-plan']")?;
    expect(&browser, marked, json!([["  for i in 0..1000000000000 {"], 3]))?;
    expect(&browser, "return status().endsWith(' s in the loop of line 5')", json!(true))?;
    browser.click("#stop")?;
    expect(&browser, "return status()", json!("Stopped in the loop of line 5."))?;
    expect(&browser, marked, json!([[], 0]))?;
    expect(&browser, can_stop, json!(false))?;
    expect(&browser, is_old, json!(false))?;
    expect(&browser, "return texts('#ended')", json!(["Stopped in the loop of line 5."]))?;
    expect(&browser, "return texts('#printed')", json!(["0.000000 \n1.000000 \n7.000000 "]))?;
    // Another text ends the run, too.
    type_in(&browser, &endless.replace("[0]", "[2]"))?;
    expect(&browser, "return texts('#printed')[0].startsWith('2.000000')", json!(true))?;
    type_in(&browser, "def main() {\n  print(3);\n}\n")?;
    expect(
        &browser,
        "return [texts('#printed')[0], status().includes('ran')]",
        json!(["3.000000 ", true]),
    )?;
    browser.no_errors()
}

/// Lines are indented, and the typed text and the reader's place stay.
pub fn typing() -> Outcome {
    let directory = scratch("serve/typing");
    let file = directory.join("typed.toy");
    std::fs::write(&file, "def main() { print(x); }\n")?;
    let server = Server::start("typing", &[&file.to_string_lossy()])?;
    let driver = Driver::start()?;
    let browser = driver.browser(json!({}), QUESTIONS)?;
    browser.send("window/rect", json!({ "width": 1300, "height": 700 }))?;
    server.open(&browser)?;
    // The first program has an error: it says so, where it can be seen.
    expect(&browser, "return status()", json!("1 error"))?;
    expect(&browser, "return texts('main')[0].includes('when it compiles')", json!(true))?;
    expect(
        &browser,
        "return document.querySelector('#diagnostics').getBoundingClientRect().bottom <= innerHeight",
        json!(true),
    )?;
    expect(&browser, "return document.querySelector('#reset').hidden", json!(true))?;

    browser
        .run("document.querySelector('.cm-content').focus(); document.execCommand('selectAll')")?;
    browser.key("\u{e003}")?;
    // The closing braces come by themselves.
    for key in "def main() {\nvar a = [[1, 2], [3, 4]];\nfor i in 0..3 {\na = a @ a;\n".chars() {
        let text = if key == '\n' { "\u{e007}".to_owned() } else { key.to_string() };
        browser.key(&text)?;
    }
    // A typed one closes the block.
    for key in "}\u{e007}print(a);".chars() {
        browser.key(&key.to_string())?;
    }
    let typed = [
        "def main() {",
        "  var a = [[1, 2], [3, 4]];",
        "  for i in 0..3 {",
        "    a = a @ a;",
        "  }",
        "  print(a);",
        "}",
    ];
    expect(&browser, "return texts('.cm-line')", json!(typed))?;
    expect(&browser, "return status().startsWith('compiled in')", json!(true))?;

    // Another program, and the same place: of the view, of folds, of details.
    browser.click("nav a[href='#mlir-llvm']")?;
    browser.click(".steps summary")?;
    browser.run("document.querySelector('.right').scrollTop = 900")?;
    browser.run("document.querySelector('.cm-content').focus()")?;
    let asked = browser.run("return status()")?;
    for key in ["#", "x"] {
        browser.key(key)?;
    }
    expect(&browser, &format!("return is_idle() && status() !== {asked}"), json!(true))?;
    expect(&browser, "return document.querySelector('.right').scrollTop", json!(900))?;
    expect(&browser, "return document.querySelector('.steps').open", json!(true))?;
    browser.run("all('.fold')[0].click()")?;
    let asked = browser.run("return status()")?;
    browser.key("y")?;
    expect(&browser, &format!("return is_idle() && status() !== {asked}"), json!(true))?;
    expect(&browser, "return all('.fold')[0].getAttribute('aria-expanded')", json!("false"))?;

    // A reloaded page has the typed text, and the way back.
    server.open(&browser)?;
    expect(&browser, "return texts('.cm-line')[0]", json!("def main() {"))?;
    expect(&browser, "return status().startsWith('compiled in')", json!(true))?;
    browser.click("#reset")?;
    expect(&browser, "return texts('.cm-line')[0]", json!("def main() { print(x); }"))?;
    expect(&browser, "return document.querySelector('#reset').hidden", json!(true))?;
    browser.no_errors()
}

/// Two levels side by side, each with its choices; a line lights what comes from it in both.
pub fn two_panes() -> Outcome {
    let directory = scratch("serve/two_panes");
    let file = directory.join("two.toy");
    std::fs::write(
        &file,
        "def f(x) {\n  return x + x;\n}\n\ndef main() {\n  print(f([1, 2]));\n}\n",
    )?;
    let server = Server::start("two_panes", &[&file.to_string_lossy()])?;
    let driver = Driver::start()?;
    let browser = driver.browser(json!({}), QUESTIONS)?;
    browser.send("window/rect", json!({ "width": 1300, "height": 900 }))?;
    server.open(&browser)?;
    expect(&browser, "return status().startsWith('compiled in')", json!(true))?;
    browser.click("nav a[href='#linalg']")?;
    browser.key("b")?;
    expect(&browser, "return all('#first .fold, #second .fold').length > 2", json!(true))?;
    choose(&browser, "Stage", "linalg")?;
    choose(&browser, "Level", "0")?;
    // At -O0, operations have names of their own.
    let named = |pane: &str| {
        format!("return texts('#{pane} .l').some((text) => text.includes('linalg.add'))")
    };
    expect(&browser, &named("second"), json!(true))?;
    expect(&browser, &named("first"), json!(false))?;
    choose(&browser, "Function", "main")?;
    expect(&browser, "return texts('#second .fold .name')", json!(["main"]))?;
    browser.point(".cm-line:nth-child(6)")?;
    expect(
        &browser,
        "return ['first', 'second'].every((pane) => all(`#${pane} .lit`).length > 0)",
        json!(true),
    )?;
    // A line of one pane lights its own in the other.
    browser.point("#second .l[data-l='6']")?;
    expect(&browser, "return all('#first .lit').length > 0", json!(true))?;
    // The second pane follows the text, too.
    type_in(&browser, "def f(x) {\n  return x * x;\n}\n\ndef main() {\n  print(f([3, 4]));\n}\n")?;
    let has_constant = "return texts('#second .l').some((text) => text.includes('dense<[3.0'))";
    expect(&browser, has_constant, json!(true))?;
    // On a projector, the source and the output stay beside them.
    browser.send("window/rect", json!({ "width": 1024, "height": 768 }))?;
    browser.click("#slide")?;
    let seen = "return ['.cm-line', '#printed', '#status', '#first .l', '#second .l'].filter((selector) => {
                  const { left, top } = document.querySelector(selector).getBoundingClientRect();
                  return document.elementFromPoint(left + 2, top + 4)?.closest(selector) === null; })";
    expect(&browser, seen, json!([]))?;
    browser.run("document.querySelector('.right').focus()")?;
    browser.key("b")?;
    expect(&browser, "return all('#second .l').length", json!(0))?;
    // The list of passes is above the change, at the pass that is shown.
    browser.click("nav a[href='#passes']")?;
    let is_there = "const [entry, list] = ['.pass-list [aria-current]', '.pass-list']
                      .map((selector) => document.querySelector(selector).getBoundingClientRect());
                    return list.top <= entry.top && entry.bottom <= list.bottom && list.height < 300";
    expect(&browser, is_there, json!(true))?;
    browser.no_errors()
}

/// A loop lights the buffers that are in use while it runs, and its place in the plan; and back.
pub fn loops_in_the_plan() -> Outcome {
    let directory = scratch("serve/loops");
    let file = directory.join("loop.toy");
    let lines = [
        "def main() {",
        "  var a = [[1, 2], [3, 4]];",
        "  var b = exp(a @ a) @ tanh(a @ a @ a);",
        "  var s = b[0];",
        "  for i in 0..20 {",
        "    var t = exp(s) @ [[i, 1], [2, 3]];",
        "    s = tanh(t) + s;",
        "  }",
        "  print(s);",
        "}\n",
    ];
    std::fs::write(&file, lines.join("\n"))?;
    let server = Server::start("loops", &[&file.to_string_lossy()])?;
    let driver = Driver::start()?;
    let browser = driver.browser(json!({}), QUESTIONS)?;
    browser.send("window/rect", json!({ "width": 1300, "height": 900 }))?;
    server.open(&browser)?;
    expect(&browser, "return status().startsWith('compiled in')", json!(true))?;
    browser.click("nav a[href='#memory-plan']")?;
    browser.point(".cm-line:nth-child(5)")?;
    let [lit, others] = ["tr.lit", "tr[data-buffer]:not(.lit)"].map(|rows| {
        format!(
            "return texts('#memory-plan {rows} td:first-child').map((name) => name.split(' ')[0])"
        )
    });
    expect(&browser, "return all('svg .loop.lit').length", json!(3))?;
    let (lit, others) = (browser.run(&lit)?.to_string(), browser.run(&others)?.to_string());
    if !lit.contains("\"t\"") || others.contains("\"t\"") || others == "[]" {
        return fail(format!("{lit} are lit, and {others} are not"));
    }
    browser.point("svg .buffer[data-l='6,5'] rect")?;
    expect(&browser, "return texts('.cm-line.lit')", json!([lines[4], lines[5]]))?;
    // Time in the loop says so.
    browser.click(".cm-line:nth-child(5)")?;
    expect(&browser, "return texts('.now')[0].includes('in the loop of line 5')", json!(true))?;
    // It is kept in the next view, and back.
    browser.click("nav a[href='#toy']")?;
    browser.click("nav a[href='#memory-plan']")?;
    expect(&browser, "return all('svg .loop.kept').length", json!(3))?;
    browser.no_errors()
}

fn choose(browser: &Browser, what: &str, value: &str) -> Outcome {
    browser.run(&format!(
        "const choice = document.querySelector('#second select[aria-label={what}]');
         choice.value = '{value}';
         choice.dispatchEvent(new Event('change'));"
    ))?;
    expect(
        browser,
        &format!("return document.querySelector('#second select[aria-label={what}]').value"),
        json!(value),
    )
}

/// Another window sees what the link was made of, without the token.
pub fn links() -> Outcome {
    let server = Server::start("links", &[])?;
    let driver = Driver::start()?;
    let browser = driver.browser(json!({}), QUESTIONS)?;
    browser.send("window/rect", json!({ "width": 1300, "height": 900 }))?;
    server.open(&browser)?;
    expect(&browser, "return status().startsWith('compiled in')", json!(true))?;
    type_in(&browser, "def main() {\n  # é \u{1f980}\n  print([1, 2] + 1);\n}\n")?;
    expect(&browser, "return texts('#printed')", json!(["2.000000 3.000000 "]))?;
    browser.click("nav a[href='#linalg']")?;
    browser.click("#pair")?;
    choose(&browser, "Stage", "loops")?;
    browser.click(".cm-line:nth-child(3)")?;
    browser.click("#link")?;
    expect(&browser, "return location.hash.includes('&code=')", json!(true))?;
    let hash = browser.run("return location.hash")?;
    // Something else meanwhile.
    type_in(&browser, "def main() {\n  print(7);\n}\n")?;
    expect(&browser, "return texts('#printed')", json!(["7.000000 "]))?;
    let address = format!("http://127.0.0.1:{}/{}", server.port, hash.as_str().unwrap_or_default());
    browser.send("url", json!({ "url": address }))?;
    expect(&browser, "return texts('#printed')", json!(["2.000000 3.000000 "]))?;
    expect(&browser, "return texts('.cm-line')[1]", json!("  # é \u{1f980}"))?;
    expect(&browser, "return location.hash", json!("#linalg"))?;
    expect(&browser, "return texts('.cm-line.kept')", json!(["  print([1, 2] + 1);"]))?;
    expect(
        &browser,
        "return document.querySelector('#second select[aria-label=Stage]').value",
        json!("loops"),
    )?;
    // A link that was cut off shows the program as before.
    let cut = &address[..address.len() - 20];
    browser.send("url", json!({ "url": cut }))?;
    expect(&browser, "return texts('.cm-line').length > 3", json!(true))?;
    Ok(())
}

/// The editor leaves room for a stage, and can be hidden.
pub fn on_a_telephone() -> Outcome {
    let directory = scratch("serve/telephone");
    let file = directory.join("long.toy");
    let lines = "  print([[1, 2]] @ exp([[3], [4]]));\n".repeat(60);
    std::fs::write(&file, format!("def main() {{\n{lines}}}\n"))?;
    let server = Server::start("telephone", &[&file.to_string_lossy()])?;
    let driver = Driver::start()?;
    let browser = driver.browser(telephone(), QUESTIONS)?;
    server.open(&browser)?;
    expect(&browser, "return status().startsWith('compiled in')", json!(true))?;
    let seen = "const place = document.querySelector('.view h2').getBoundingClientRect();
                return document.elementFromPoint(place.left + 5, place.top + 5)?.tagName";
    expect(&browser, seen, json!("H2"))?;
    expect(&browser, "return document.documentElement.scrollWidth", json!(390))?;
    // More than half of the screen is for a stage, and the functions of the program come first.
    browser.click("nav a[href='#linalg']")?;
    let room = "const [source, stages] = ['aside', 'nav'].map((part) => document.querySelector(part).getBoundingClientRect());
                return (stages.top - source.bottom) / innerHeight > .5";
    expect(&browser, room, json!(true))?;
    expect(
        &browser,
        "return all('#linalg .fold').map((fold) => [fold.firstChild.textContent, fold.getAttribute('aria-expanded')])",
        json!([["Outside of functions", "false"], ["main", "true"]]),
    )?;
    browser.click("#collapse")?;
    expect(
        &browser,
        "return document.querySelector('.cm-editor').getClientRects().length",
        json!(0),
    )?;
    browser.no_errors()
}

/// Replaces the text of the editor by typing.
fn type_in(browser: &Browser, text: &str) -> Outcome {
    let text = json!(text);
    browser.run(&format!(
        "document.querySelector('.cm-content').focus();
         document.execCommand('selectAll');
         document.execCommand('insertText', false, {text});"
    ))?;
    Ok(())
}

const QUESTIONS: &str = "
    const all = (selector) => [...document.querySelectorAll(selector)];
    const texts = (selector) => all(selector).map((element) => element.textContent);
    const status = () => document.querySelector('#status').textContent;
    const is_idle = () => !document.querySelector('#status').classList.contains('busy');
";
