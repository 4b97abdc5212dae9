//! The page in Chromium, used as a reader would: pointer, keys, a phone.
//!
//! Input: pages of an example and of a large program. Output: answers of the [`browser`](crate::browser).

use super::{page, page_of_example};
use crate::browser::{Browser, Driver, expect, telephone};
use crate::tools::{Outcome, fail, scratch};
use serde_json::json;
use std::path::Path;

pub fn test() -> Outcome {
    let directory = scratch("report/browser");
    let file = directory.join("transpose.html");
    std::fs::write(&file, page_of_example("transpose.toy", "-O2 -emit=jit")?.html)?;
    let driver = Driver::start()?;
    desktop(&driver.browser(json!({}), QUESTIONS)?, &file)?;
    let telephone = driver.browser(telephone(), QUESTIONS)?;
    on_a_telephone(&telephone, &file)?;
    drop(telephone);
    let mut long = "def main() {\n  var a0 = [1];\n".to_owned();
    for index in 1..1_500 {
        long += &format!("  var a{index} = a{} * a{};\n", index - 1, index / 2);
    }
    std::fs::write(directory.join("long.toy"), long + "  print(a1499);\n}\n")?;
    std::fs::write(&file, page(&directory, "long.toy -O0 -emit=jit")?.html)?;
    large(&driver.browser(json!({}), QUESTIONS)?, &file)?;
    let program = "def f(x) { return sum(x * x); }\ndef main() { print(grad(f)([1, 2])); }\n";
    std::fs::write(directory.join("gradient.toy"), program)?;
    std::fs::write(&file, page(&directory, "gradient.toy -O0 -emit=jit")?.html)?;
    beside_its_gradient(&driver.browser(json!({}), QUESTIONS)?, &file)
}

fn beside_its_gradient(browser: &Browser, file: &Path) -> Outcome {
    browser.open(file)?;
    browser.click("nav a[href='#toy']")?;
    browser.run("const choice = document.querySelector(\"#first [aria-label='Function']\"); choice.value = 'f'; choice.dispatchEvent(new Event('change'))")?;
    browser.click("#pair")?;
    expect(browser, "return texts('#second .part .name')", json!(["f$grad$2"]))?;
    browser.point("#L1")?;
    expect(browser, "return lit('#second').length > 3", json!(true))
}

fn desktop(browser: &Browser, file: &Path) -> Outcome {
    browser.send("window/rect", json!({ "width": 1300, "height": 900 }))?;
    browser.open(file)?;
    expect(browser, "return views()", json!(["overview"]))?;
    expect(browser, "return performance.getEntriesByType('resource').length", json!(0))?;

    // A stage by a click, and the next ones by keys.
    browser.click("nav a[href='#linalg']")?;
    expect(browser, "return views()", json!(["linalg"]))?;
    expect(browser, "return document.querySelector('[aria-current]').hash", json!("#linalg"))?;

    // From a source line to the operations that came from it, at every stage.
    browser.point("#L7")?;
    expect(browser, "return lit('#source')", json!(["L7"]))?;
    let texts = browser.run("return texts('#linalg .lit')")?.to_string();
    for text in ["linalg.generic", "arith.mulf", "return"] {
        if !texts.contains(text) {
            return fail(format!("no {text} is lit: {texts}"));
        }
    }
    expect(browser, "return lit('#linalg')", browser.run("return from('#linalg', 7)")?)?;
    let hits = browser.run("return hits()")?;
    for stage in ["tokens", "ast", "toy", "shapes", "linalg", "memref", "loops", "llvm", "asm"] {
        if hits[stage].as_u64().is_none_or(|count| count == 0) {
            return fail(format!("line 7 is nowhere in {stage}: {hits}"));
        }
    }
    let count =
        browser.run("return from('#linalg', 7).filter((name) => !name.startsWith('-')).length")?;
    if hits["linalg"] != count {
        return fail(format!("the entry of linalg says {}, and there are {count}", hits["linalg"]));
    }
    // A line that nothing comes from.
    browser.point("#L2")?;
    expect(browser, "return lit('main')", json!([]))?;

    // And back.
    browser.point("#linalg .l[data-l='17']:not(.old)")?;
    expect(browser, "return lit('#source')", json!(["L17"]))?;
    expect(browser, "return document.querySelectorAll('main .lit').length", json!(1))?;
    browser.point("h1")?;
    expect(browser, "return lit('body')", json!([]))?;

    // A line that was clicked stays while stages change.
    browser.click("#L7")?;
    browser.point("h1")?;
    for stage in ["memref", "merged", "memory-plan", "dealloc"] {
        browser.key("j")?;
        expect(browser, "return views()", json!([stage]))?;
        expect(browser, "return kept('#source')", json!(["L7"]))?;
        let all = browser.run(&format!("return from('#{stage}', 7)"))?;
        expect(browser, &format!("return kept('#{stage}')"), all)?;
    }
    browser.key("\u{e012}")?;
    browser.key("k")?;
    expect(browser, "return views()", json!(["merged"]))?;
    browser.key("\u{e00c}")?;
    expect(browser, "return kept('body')", json!([]))?;

    // The source by keys, from the kept line if there is one: to the first lines that something comes from, and back.
    browser.run("document.querySelector('#lines').focus()")?;
    for (key, line) in [("\u{e015}", "L6"), ("\u{e015}", "L7"), ("\u{e013}", "L6")] {
        browser.key(key)?;
        expect(browser, "return kept('#source')", json!([line]))?;
    }
    browser.key("\u{e00c}")?;

    // The changed lines, and the unchanged ones.
    let visible = "return [shown('#merged .old'), shown('#merged .gap')].map(Boolean)";
    expect(browser, visible, json!([false, false]))?;
    browser.click("#merged [data-mode=diff]")?;
    expect(browser, visible, json!([true, true]))?;
    browser.click("#merged .gap")?;
    expect(browser, "return shown('#merged .far.two')", json!(1))?;
    expect(browser, "return shown('#merged .body.two')", json!(1))?;
    // Beside the source of a narrow window there is no room for two columns; they come back with the room.
    for (width, columns) in [(830, 0), (1300, 1)] {
        browser.send("window/rect", json!({ "width": width, "height": 900 }))?;
        expect(browser, "return shown('#merged .body.two')", json!(columns))?;
    }
    browser.click("#merged [data-wide]")?;
    expect(browser, "return shown('#merged .body.two')", json!(0))?;
    browser.click("#merged [data-wide]")?;
    // A value that only has another number is the same; a word that changed is marked.
    browser.click("nav a[href='#dealloc']")?;
    expect(browser, "return shown('#dealloc .new') > 0", json!(true))?;
    browser.click("nav a[href='#merged']")?;
    browser.click("#merged [data-mode=text]")?;
    expect(browser, visible, json!([false, false]))?;
    browser.click("#merged .fold[data-function=main]")?;
    expect(browser, "return shown('#merged .part:has([data-function=main]) .l')", json!(0))?;
    browser.click("#merged .fold[data-function=main]")?;

    passes(browser)?;
    plan(browser)?;
    search(browser)?;

    // The picture of all: a bar for each stage of MLIR, and the output of the program.
    browser.click("nav a[href='#overview']")?;
    expect(browser, "return shown('#overview .stack[role=img]')", json!(8))?;
    expect(browser, "return shown('#overview .strip li')", json!(13))?;
    expect(browser, "return shown('#printed')", json!(1))?;
    let printed = browser.run("return texts('#printed')[0].split(' ').length > 12")?;
    if printed != json!(true) {
        return fail("the output is not there");
    }
    let shapes = "return all('#lines .shape').map((shape) => shape.dataset.text)";
    expect(
        browser,
        shapes,
        json!([": 2x3 | 3x2", ": 2x3 | 3x2", ": 2x3", ": 3x2", ": 3x2", ": 2x3"]),
    )?;
    browser.click("#shapes")?;
    expect(browser, "return shown('#lines .shape')", json!(0))?;
    browser.click("#shapes")?;
    browser.click("nav a[href='#specializations']")?;
    expect(
        browser,
        "return texts('.tree > li > ul > li > code:first-child')",
        json!(["multiply_transpose(2x3, 2x3)", "multiply_transpose(3x2, 3x2)"]),
    )?;
    browser.click(".tree li li .links a[href='#memref']")?;
    expect(browser, "return views()", json!(["memref"]))?;
    named(browser)?;
    readable(browser)?;

    // Light and dark, by the reader's system and by hand; the pictures, too.
    let color = "return [getComputedStyle(document.body).backgroundColor,
                         getComputedStyle(document.querySelector('#L7')).backgroundColor]";
    let light = browser.run(color)?;
    browser.prefer_dark()?;
    let dark = browser.run(color)?;
    readable(browser)?;
    if light[0] == dark[0] || light[1] == dark[1] {
        return fail(format!("light and dark are the same: {dark}"));
    }
    browser.open(file)?;
    expect(browser, "return shown('#L7')", json!(1))?;
    browser.click("#theme")?;
    expect(browser, color, light)?;
    browser.click("#theme")?;
    expect(browser, color, dark)?;

    // The source is as wide as the reader wants, and nothing but its frame scrolls.
    browser.run("document.querySelector('#divider').focus()")?;
    let width = "return document.querySelector('#source').offsetWidth";
    let before = browser.run(width)?.as_f64().unwrap_or(0.0);
    browser.key("\u{e014}")?;
    browser.key("\u{e014}")?;
    if browser.run(width)?.as_f64().unwrap_or(0.0) < before + 50.0 {
        return fail("the source does not get wider");
    }
    expect(
        browser,
        "return [scrollY, document.documentElement.scrollHeight - innerHeight]",
        json!([0, 0]),
    )?;

    // Two stages side by side; a link has them, too, and the kept line.
    browser.click("nav a[href='#linalg']")?;
    browser.key("b")?;
    browser.click("#L7")?;
    let both = "return [kept('#first').length > 0, kept('#second').length > 0]";
    expect(browser, both, json!([true, true]))?;
    browser.click("#link")?;
    expect(browser, "return location.hash.startsWith('#linalg&line=7&beside=')", json!(true))?;
    let address = browser.run("return location.href")?;
    browser.send("url", json!({ "url": "about:blank" }))?;
    browser.send("url", json!({ "url": address }))?;
    expect(browser, both, json!([true, true]))?;
    browser.key("s")?;
    expect(browser, "return [shown('#search'), shown('#second .code')]", json!([0, 1]))?;
    browser.key("s")?;
    browser.key("b")?;
    browser.key("\u{e00c}")?;

    // An address leads to a stage.
    browser.click("nav a[href='#overview']")?;
    browser.click("#overview a[href='#asm']")?;
    expect(browser, "return views()", json!(["asm"]))?;
    on_paper(browser)?;
    browser.no_errors()
}

/// Printed pages have the source and the view in full, without the parts that need a screen.
fn on_paper(browser: &Browser) -> Outcome {
    let media = |media: &str| {
        let body = json!({ "cmd": "Emulation.setEmulatedMedia", "params": { "media": media } });
        browser.send("goog/cdp/execute", body).map(|_| ())
    };
    browser.click("nav a[href='#linalg']")?;
    media("print")?;
    expect(
        browser,
        "return [shown('nav'), shown('button:not(.fold)'), shown('input')]",
        json!([0, 0, 0]),
    )?;
    let cut = "return all('body, .columns, .right, aside, .code').filter(is_shown)
        .filter((one) => getComputedStyle(one).overflowY !== 'visible' && one.scrollHeight > one.clientHeight + 1)
        .map((one) => one.outerHTML.slice(0, 60))";
    expect(browser, cut, json!([]))?;
    expect(browser, "return getComputedStyle(document.body).color", json!("rgb(0, 0, 0)"))?;
    media("")
}

/// The passes, those that changed nothing gray; a change shows words, and ignores numbers of values.
fn passes(browser: &Browser) -> Outcome {
    browser.click("nav a[href='#passes']")?;
    let gray =
        browser.run("return texts('.pass-list .same .name').includes('toy-freeze-tensors')")?;
    let names = browser.run("return texts('.pass-list a .name')")?.to_string();
    if gray != json!(true) || !names.contains("one-shot-bufferize") || names.contains("freeze") {
        return fail(format!("the list of passes is {names}"));
    }
    browser.run("all('.pass-list a').find((link) => link.textContent.startsWith('toy-canonicalize')).click()")?;
    expect(browser, "return texts('.change .old mark')", json!(["6xf64", "6xf64"]))?;
    expect(
        browser,
        "return texts('.change .new mark').filter((text) => text.length > 1)",
        json!(["2x3xf64", "2x3xf64"]),
    )?;
    // A reshape is gone: the next lines have other numbers, and are the same.
    expect(browser, "return [shown('.change .old'), shown('.change .new')]", json!([2, 1]))?;
    let first = browser.run("return location.hash")?;
    browser.key("n")?;
    expect(browser, &format!("return location.hash !== {first} && shown('.change h3')"), json!(1))?;
    browser.key("p")?;
    expect(browser, "return location.hash", first)
}

/// A buffer is lit in all pictures, with its source line; the cursor follows the slider.
fn plan(browser: &Browser) -> Outcome {
    browser.click("nav a[href='#memory-plan']")?;
    browser.point("#memory-plan svg .buffer[data-buffer='0:0'] rect")?;
    expect(browser, "return lit('#source')", json!(["L15"]))?;
    expect(browser, "return all('#memory-plan svg .lit').length", json!(3))?;
    expect(browser, "return all('#memory-plan tr.lit').length", json!(1))?;
    let strokes =
        "return all('#memory-plan svg .lit rect').map((one) => getComputedStyle(one).strokeWidth)";
    expect(browser, strokes, json!(["2.5px", "2.5px", "2.5px"]))?;
    browser.point("#L17")?;
    expect(
        browser,
        "return all('#memory-plan svg .lit').map((one) => one.dataset.buffer)",
        json!(["0:1", "0:1", "0:1"]),
    )?;
    let x = "return Number(document.querySelector('.cursor').getAttribute('x1'))";
    browser.run("const slider = document.querySelector('[type=range]'); slider.value = slider.max; slider.dispatchEvent(new Event('input'))")?;
    let before = browser.run(x)?.as_f64().unwrap_or(0.0);
    browser.click("[aria-label='Zoom in']")?;
    // The cursor can be seen there, and the names.
    let seen = "const frame = document.querySelector('.pictures').getBoundingClientRect();
                return ['.cursor', 'svg .name'].map((name) => document.querySelector(name).getBoundingClientRect())
                    .every((place) => frame.left <= place.left && place.left <= frame.right)";
    expect(browser, seen, json!(true))?;
    if browser.run(x)?.as_f64().unwrap_or(0.0) < before * 1.5 || before < 200.0 {
        return fail("the cursor or the zoom does not work");
    }
    expect(browser, "return texts('.now')[0].includes('1 buffer in use, 48 bytes')", json!(true))?;
    // The cursor goes to the line that is kept, and lights the line that it is at.
    browser.run("keep({ element: null, lines: [17] })")?;
    expect(browser, "return texts('.now')[0].includes('line 17')", json!(true))?;
    browser.run("keep(null); const slider = document.querySelector('[type=range]'); slider.dispatchEvent(new Event('input'))")?;
    expect(browser, "return lit('#source')", json!(["L17"]))?;
    browser.click("#memory-plan a[href='#merged'][data-allocation='17']")?;
    expect(browser, "return views()", json!(["merged"]))?;
    expect(browser, "return all('#merged .arrived').map((line) => line.dataset.l)", json!(["17"]))
}

fn search(browser: &Browser) -> Outcome {
    browser.key("/")?;
    browser.run("const query = document.querySelector('#query'); query.value = 'arith.mulf'; query.dispatchEvent(new Event('input'))")?;
    // The stage that is shown is the first.
    expect(
        browser,
        "return texts('#found section > b')",
        json!(["merged", "linalg", "memref", "dealloc", "loops"]),
    )?;
    expect(browser, "return texts('#count')[0].endsWith('lines in 5 stages')", json!(true))?;
    browser.click("#found section:nth-of-type(3) a")?;
    expect(browser, "return views()", json!(["memref"]))?;
    let arrived = "return all('.arrived').map((line) => line.dataset.l)";
    expect(browser, arrived, json!(["7"]))?;
    // Matches in the source come first, and the shown stage stays; tokens and tree are last.
    browser.run("const query = document.querySelector('#query'); query.value = 'transpose'; query.dispatchEvent(new Event('input'))")?;
    expect(browser, "return texts('#found section > b').slice(0, 2)", json!(["source", "memref"]))?;
    expect(browser, "return texts('#found section > b').slice(-2)", json!(["tokens", "ast"]))?;
    let counted =
        "return / lines of the source, .* lines in [0-9]+ stages$/.test(texts('#count')[0])";
    expect(browser, counted, json!(true))?;
    browser.click("#found section:first-of-type a")?;
    expect(browser, "return views()", json!(["memref"]))?;
    let line = browser.run("return texts('#lines .kept')")?.to_string();
    if !line.contains("transpose") {
        return fail(format!("the line is not kept: {line}"));
    }
    browser.run("keep(null); const query = document.querySelector('#query'); query.value = 'arith.mulf'; query.dispatchEvent(new Event('input'))")?;
    // By keys: the next line of this stage, and around; the arrows go through the matches.
    browser.click("#query")?;
    let found = browser.run("return texts('#found section:first-of-type li .about')")?;
    let lines: Vec<_> =
        found.as_array().into_iter().flatten().filter_map(|line| line.as_str()).collect();
    for line in lines.iter().chain(lines.first()) {
        browser.key("\u{e007}")?;
        expect(
            browser,
            "return all('.arrived').map((line) => line.dataset.n)",
            json!([line.trim()]),
        )?;
        expect(browser, "return views()", json!(["memref"]))?;
    }
    browser.click("#query")?;
    for (key, name) in
        [("\u{e015}", "A"), ("\u{e015}", "A"), ("\u{e013}", "A"), ("\u{e013}", "INPUT")]
    {
        browser.key(key)?;
        expect(browser, "return document.activeElement.tagName", json!(name))?;
    }
    browser.key("\u{e00c}")?;
    expect(browser, "return document.querySelector('#found').hidden", json!(true))?;
    browser.run("document.querySelector('#query').value = ''; document.activeElement.blur()")?;
    Ok(())
}

/// Everything that can be used has a name, in every view.
fn named(browser: &Browser) -> Outcome {
    let unnamed = "return all('button, a, input, select, summary, [role=img], [role=group], section.view')
        .filter((one) => is_shown(one) && !(one.textContent.trim() || one.getAttribute('aria-label') || one.labels?.length))
        .map((one) => one.outerHTML.slice(0, 100))";
    in_every_view(browser, unnamed)
}

/// Text has a contrast of 4.5 to its background, in every view.
fn readable(browser: &Browser) -> Outcome {
    in_every_view(browser, CONTRAST)
}

/// Asks a question with the answer `[]` in every view.
fn in_every_view(browser: &Browser, question: &str) -> Outcome {
    let count = browser.run("return all('nav a').length")?.as_u64().unwrap_or(0);
    for index in 0..count {
        browser.run(&format!("all('nav a')[{index}].click()"))?;
        // Colors change within a moment.
        expect(browser, question, json!([]))?;
    }
    Ok(())
}

fn on_a_telephone(browser: &Browser, file: &Path) -> Outcome {
    browser.open(file)?;
    expect(browser, "return views()", json!(["overview"]))?;
    let count = browser.run("return document.querySelectorAll('nav a').length")?.as_u64();
    for _ in 0..count.unwrap_or(0) {
        for _ in ["text", "diff"] {
            browser.key("d")?;
            let width = browser.run("return document.documentElement.scrollWidth")?;
            if width != json!(390) {
                let view = browser.run("return views()")?;
                return fail(format!("{view} is {width} pixels wide on a telephone of 390"));
            }
        }
        browser.key("j")?;
    }
    browser.run("document.querySelector('nav a[href=\"#linalg\"]').click()")?;
    browser.tap("#L7")?;
    expect(browser, "return kept('#source')", json!(["L7"]))?;
    expect(browser, "return kept('#linalg')", browser.run("return from('#linalg', 7)")?)?;
    // The first of them can be seen, between the source and the stages.
    let reached = "const place = all('#linalg .kept').find(is_shown).getBoundingClientRect();
                   const at = document.elementFromPoint(place.left + 60, place.top + 5);
                   return Boolean(at?.closest('.kept'))";
    expect(browser, reached, json!(true))?;
    browser.click("#collapse")?;
    expect(browser, "return shown('#lines')", json!(0))?;
    browser.no_errors()
}

/// A page of thousands of lines can be worked with: it opens at once, because only lines that are seen have more than
/// their text.
fn large(browser: &Browser, file: &Path) -> Outcome {
    browser.send("window/rect", json!({ "width": 1300, "height": 900 }))?;
    browser.open(file)?;
    expect(browser, "return views()", json!(["overview"]))?;
    expect(browser, "return all('#L1 i').length", json!(1))?;
    let elements = "return all('*').length - all('.l').length < 2500";
    expect(browser, elements, json!(true))?;
    browser.click("nav a[href='#loops']")?;
    expect(browser, "return all('main .l').length > 1400", json!(true))?;
    expect(browser, elements, json!(true))?;
    expect(browser, "return all('main .l:not(:has(i))').length > 1000", json!(true))?;
    // Lines that come into sight have colors.
    browser.run("document.querySelector('.right').scrollTop = 15000")?;
    let colored =
        "return document.elementFromPoint(800, 600).closest('.l').querySelectorAll('i').length > 0";
    expect(browser, colored, json!(true))?;
    browser.click("#L700")?;
    expect(browser, "return kept('#source')", json!(["L700"]))?;
    expect(browser, "return kept('#toy')", json!([]))?;
    browser.click("nav a[href='#toy']")?;
    expect(browser, "return kept('#toy')", browser.run("return from('#toy', 700)")?)?;
    browser.no_errors()
}

/// Functions for the scripts of this test.
const QUESTIONS: &str = "
    const all = (selector) => [...document.querySelectorAll(selector)];
    const is_shown = (element) => element.getClientRects().length > 0;
    const shown = (selector) => all(selector).filter(is_shown).length;
    const views = () => all('.view').filter(is_shown).map((view) => view.id);
    const name = (element) => element.id || (element.dataset.n ?? '-') + ': ' + element.textContent;
    const lit = (selector) => all(selector + ' .lit').map(name);
    const kept = (selector) => all(selector + ' .kept').map(name);
    const texts = (selector) => all(selector).map((element) => element.textContent);
    const has = (origin, line) => origin.split(',').some((range) => {
        const [first, last = first] = range.split('-').map(Number);
        return first <= line && line <= last;
    });
    const from = (selector, line) =>
        all(selector + ' [data-l]').filter((element) => has(element.dataset.l, line)).map(name);
    const hits = () => Object.fromEntries(all('nav a').map((link) =>
        [link.hash.slice(1), Number(link.querySelector('.hits').textContent)]));
";

/// The texts with too little contrast to their background.
const CONTRAST: &str = "
    const parsed = (color) => (color.match(/[\\d.]+/g) || []).map(Number);
    const luminance = (color) => {
        const [r, g, b] = color.map((part) => part / 255)
            .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const [r, g, b, alpha = 1] = parsed(getComputedStyle(at).backgroundColor);
            if (alpha > 0.99) return [r, g, b];
        }
        return [255, 255, 255];
    };
    const bad = [];
    const seen = new Set();
    for (const element of all('body *')) {
        const has_text = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!has_text || !is_shown(element) || element.closest('svg, script, option, .blank')) continue;
        const color = parsed(getComputedStyle(element).color).slice(0, 3);
        const paper = behind(element);
        const key = color + ' on ' + paper;
        if (seen.has(key)) continue;
        seen.add(key);
        const [a, b] = [luminance(color), luminance(paper)].sort((x, y) => y - x);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < 4.5) bad.push(key + ': ' + ratio.toFixed(2) + ' ' + element.outerHTML.slice(0, 80));
    }
    return bad";
