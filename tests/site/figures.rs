//! The figures to touch: by keys alone on a telephone; as pictures without a script, and on paper.

use super::{pages, site};
use crate::browser::{Browser, Driver, expect};
use crate::tools::{Outcome, fail};
use serde_json::json;
use std::path::Path;

// Keys, as WebDriver calls them.
const ENTER: &str = "\u{e007}";
const END: &str = "\u{e010}";
const UP: &str = "\u{e013}";
const RIGHT: &str = "\u{e014}";

pub fn by_keys() -> Outcome {
    let site = site()?;
    let driver = Driver::start()?;
    let metrics = json!({ "width": 360, "height": 780, "pixelRatio": 2.0, "touch": true });
    let browser = driver.browser(json!({ "deviceMetrics": metrics }), QUESTIONS)?;
    specializer(&browser, site)?;
    operands(&browser, site)?;
    plan(&browser, site)?;
    bytes(&browser, site)?;
    stages(&browser, site)?;
    on_paper(&browser, site)?;
    browser.no_errors()
}

/// The stack grows and shrinks; another program can be chosen.
fn specializer(browser: &Browser, site: &Path) -> Outcome {
    browser.open(&site.join("06-shapes-across-functions.html"))?;
    let key = "multiply_transpose(2x3, 2x3)";
    expect(browser, "return seen('.stack li')", json!(["main()"]))?;
    browser.run("figure.querySelector('.case input').focus()")?;
    browser.key(RIGHT)?;
    expect(browser, "return seen('.stack li')", json!(["main()", key]))?;
    expect(browser, "return seen('td:nth-child(2) span span')", json!(["busy", "busy"]))?;
    expect(browser, "return lit()", json!(["var c = multiply_transpose(a, b);"]))?;
    browser.key(RIGHT)?;
    expect(browser, "return seen('.stack li')", json!(["main()"]))?;
    expect(browser, "return seen('td:nth-child(3) code')", json!(["3x2"]))?;
    browser.key(END)?;
    expect(browser, "return seen('.stack li')", json!([]))?;
    expect(browser, "return seen('td:nth-child(2) span span')", json!(["done", "done", "done"]))?;
    let third = "const chooser = figure.querySelector('select'); chooser.selectedIndex = 2;
                 chooser.dispatchEvent(new Event('change')); return seen('.stack li')";
    expect(browser, third, json!(["main()"]))?;
    // A call of a busy entry.
    browser.run("figure.querySelector('.case:not([hidden]) input').focus()")?;
    browser.key(RIGHT)?;
    browser.key(RIGHT)?;
    expect(browser, "return seen('.notes li')[0].includes('recursion')", json!(true))
}

/// An operand says what was decided, and a copy because of what.
fn operands(browser: &Browser, site: &Path) -> Outcome {
    browser.open(&site.join("08-bufferization.html"))?;
    expect(browser, "return seen('small')", json!(["defines", "writes", "reads"]))?;
    browser.run("figure.querySelector('[data-item][tabindex=\"0\"]').focus()")?;
    expect(browser, "return seen('.notes li')[0].includes(': a copy. ')", json!(true))?;
    browser.key(RIGHT)?;
    expect(browser, "return [seen('small').length, lit().length]", json!([0, 0]))?;
    expect(browser, "return seen('.notes li')[0].includes('only reads')", json!(true))
}

/// A buffer falls as far as it can; two that are in use at once may not overlap; the planner's plan reaches the bound.
fn plan(browser: &Browser, site: &Path) -> Outcome {
    browser.open(&site.join("09-planning-memory.html"))?;
    let state =
        "const { peak, overlaps } = figure.querySelector('.case').dataset; return [peak, overlaps]";
    expect(browser, state, json!(["416", "0"]))?;
    for buffer in 0..6 {
        browser.run(&format!(
            "named('.case:first-of-type .buffer', '{}').focus()",
            ["a:", "b:", "c:", "d:", "e:", "f:"][buffer]
        ))?;
        browser.key(ENTER)?;
    }
    expect(browser, state, json!(["192", "0"]))?;
    browser.run("named('.buffer', 'a:').focus()")?;
    browser.key(UP)?;
    expect(browser, state, json!(["192", "2"]))?;
    browser.run("all('.touch button').find((it) => it.textContent.includes('plan')).focus()")?;
    browser.key(ENTER)?;
    expect(browser, state, json!(["192", "0"]))?;
    browser.run("all('.touch button').find((it) => it.textContent.includes('bound')).focus()")?;
    browser.key(ENTER)?;
    expect(browser, "return seen('.sum')[0].includes('No plan is better.')", json!(true))
}

/// A part has a sentence; a result lights its uses.
fn bytes(browser: &Browser, site: &Path) -> Outcome {
    browser.open(&site.join("04-inside-an-operation.html"))?;
    expect(browser, "return lit().length", json!(2))?;
    browser.run("figure.querySelector('[data-item][tabindex=\"0\"]').focus()")?;
    expect(
        browser,
        "return seen('.notes li')[0].startsWith('toy.constant, result 0: at -16, 16 bytes.')",
        json!(true),
    )?;
    browser.key(RIGHT)?;
    expect(
        browser,
        "return seen('.notes li')[0].startsWith('toy.constant, the operation')",
        json!(true),
    )?;
    expect(browser, "return lit().length", json!(0))
}

/// The slider goes from stage to stage, and values have the colors of their lines.
fn stages(browser: &Browser, site: &Path) -> Outcome {
    browser.open(&site.join("00-run-something.html"))?;
    browser.run("figure.scrollIntoView()")?;
    browser.enter(".stages iframe")?;
    let stage = "return [document.querySelector('section.shown')?.id, document.querySelector('nav output')?.value]";
    expect(browser, stage, json!(["shapes", "shapes"]))?;
    expect(browser, "return all('i.v[style]').length > 2", json!(true))?;
    browser.run("document.querySelector('nav input').focus()")?;
    browser.key(RIGHT)?;
    expect(browser, stage, json!(["linalg", "linalg"]))?;
    expect(browser, "return document.documentElement.scrollWidth <= innerWidth", json!(true))?;
    browser.leave()
}

/// Whatever the reader has done, a printed figure is a picture with all its notes.
fn on_paper(browser: &Browser, site: &Path) -> Outcome {
    browser.open(&site.join("08-bufferization.html"))?;
    browser.run("figure.querySelector('[data-item=\"3\"]').focus()")?;
    expect(browser, "return [seen('small').length, seen('.notes li').length]", json!([0, 1]))?;
    let print = json!({ "cmd": "Emulation.setEmulatedMedia", "params": { "media": "print" } });
    browser.send("goog/cdp/execute", print)?;
    browser.run("dispatchEvent(new Event('beforeprint'))")?;
    expect(browser, "return [seen('small').length, seen('.notes li').length]", json!([3, 7]))?;
    expect(browser, "return seen('select, button, input')", json!([]))
}

/// Without a script, each figure is a picture with all its notes.
pub fn as_pictures() -> Outcome {
    let site = site()?;
    let pages = pages(site)?;
    let figures = pages.values().flat_map(|page| page.split("<figure ").skip(1));
    let figures: Vec<&str> = figures
        .filter(|figure| figure.contains("touch"))
        .filter_map(|figure| figure.split("</figure>").next())
        .collect();
    for (kind, picture) in [
        ("specializer", "<li class=\"\" data-at=\"5-5\"><code>multiply_transpose(3x2, 3x2)</code>"),
        ("operands", "<span class=\"item copy\" data-item=\"2\">%from_elements</span>"),
        ("plan", "The planner's plan: 192 bytes in place of 416."),
        ("bytes", "<b>toy.mul, operand 1</b>: at +112, 32 bytes."),
        ("stages", "linalg.generic"),
    ] {
        let found = figures.iter().find(|figure| figure.contains(&format!(" {kind}\"")));
        if !found.is_some_and(|figure| figure.contains(picture)) {
            return fail(format!("the picture of {kind} has no `{picture}`"));
        }
    }
    Ok(())
}

/// Functions for the scripts of this test.
const QUESTIONS: &str = "
    const all = (selector, within = document) => [...within.querySelectorAll(selector)];
    const figure = document.querySelector('.touch');
    const named = (selector, name) => all(selector).find((one) => one.dataset.name.startsWith(name));
    const lit = () => all('code > [data-at], .item[data-at]', figure).filter((one) => !one.matches('.off') && one.checkVisibility())
        .map((one) => one.textContent.trim());
    const seen = (selector) => all(selector, figure).filter((one) => one.checkVisibility({ visibilityProperty: true }))
        .map((one) => one.textContent.replace(/\\n$/, ''));
";
