//! The page in Chromium, used as a reader would: pointer, keys, a phone.
//!
//! Input: pages of an example and of a large program. Output: what the [`browser`](crate::browser) shows.

use super::{page, page_of_example};
use crate::browser::{Browser, Driver, expect, telephone};
use crate::tools::{Outcome, fail, scratch};
use serde_json::json;
use std::path::Path;

pub fn test() -> Outcome {
    let directory = scratch("report/browser");
    let file = directory.join("transpose.html");
    std::fs::write(&file, page_of_example("transpose.toy", "-O2")?)?;
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
    std::fs::write(&file, page(&directory, "long.toy -O0 -emit=jit")?)?;
    large(&driver.browser(json!({}), QUESTIONS)?, &file)
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

    // The source by keys: to the first lines that something comes from, and back.
    browser.run("document.querySelector('#lines').focus()")?;
    for (key, line) in [("\u{e015}", "L6"), ("\u{e015}", "L7"), ("\u{e013}", "L6")] {
        browser.key(key)?;
        expect(browser, "return kept('#source')", json!([line]))?;
    }
    browser.key("\u{e00c}")?;

    // What changed, and what did not.
    let visible =
        "return [shown('#merged .old'), shown('#merged .far'), shown('#merged .gap')].map(Boolean)";
    expect(browser, visible, json!([false, true, false]))?;
    browser.click("#merged [data-mode=diff]")?;
    expect(browser, visible, json!([true, false, true]))?;
    browser.click("#merged .gap")?;
    expect(browser, "return shown('#merged .far') > 0", json!(true))?;
    browser.click("#merged [data-mode=text]")?;
    expect(browser, visible, json!([false, true, false]))?;

    // Light and dark, by the reader's system and by hand; the pictures, too.
    let color = "return [getComputedStyle(document.body).backgroundColor,
                         getComputedStyle(document.querySelector('.memory-plan-paper')).fill]";
    let light = browser.run(color)?;
    browser.prefer_dark()?;
    let dark = browser.run(color)?;
    if light[0] == dark[0] || light[1] == dark[1] {
        return fail(format!("light and dark are the same: {dark}"));
    }
    browser.open(file)?;
    browser.click("#theme")?;
    expect(browser, color, light)?;
    browser.click("#theme")?;
    expect(browser, color, dark)?;

    // An address leads to a stage; without the script, all of them are there.
    browser.click("#overview a[href='#asm']")?;
    expect(browser, "return views()", json!(["asm"]))?;
    browser.run("document.documentElement.className = ''")?;
    expect(
        browser,
        "return views().length === document.querySelectorAll('nav a').length",
        json!(true),
    )?;
    expect(browser, "return shown('.script') + shown('.old')", json!(0))?;
    browser.no_errors()
}

fn on_a_telephone(browser: &Browser, file: &Path) -> Outcome {
    browser.open(file)?;
    let count = browser.run("return document.querySelectorAll('nav a').length")?.as_u64();
    for _ in 0..count.unwrap_or(0) {
        for mode in ["text", "diff"] {
            browser.run(&format!("document.querySelector('[data-mode={mode}]').click()"))?;
            let width = browser.run("return document.documentElement.scrollWidth")?;
            if width != json!(390) {
                let view = browser.run("return views()")?;
                return fail(format!("{view} is {width} pixels wide on a telephone of 390"));
            }
        }
        browser.key("j")?;
    }
    browser.run("location.hash = '#linalg'; document.querySelector('[data-mode=text]').click()")?;
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

/// A page of thousands of lines is one to work with.
fn large(browser: &Browser, file: &Path) -> Outcome {
    browser.open(file)?;
    browser.click("nav a[href='#loops']")?;
    browser.click("#L700")?;
    expect(browser, "return kept('#source')", json!(["L700"]))?;
    expect(browser, "return kept('#toy')", json!([]))?;
    browser.click("nav a[href='#toy']")?;
    expect(browser, "return kept('#toy')", browser.run("return from('#toy', 700)")?)?;
    browser.no_errors()
}

/// What the scripts of this test ask of a page.
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
