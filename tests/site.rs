//! The tutorial as a web site, as its readers see it.
//!
//! Input: the site that `tutorial/site` makes of the pages. Output: an error for a link that leads nowhere, for content
//! that is cut off on a telephone or a desktop, and for a search, figures, programs, copy buttons or themes that do not work. Its program
//! is a workspace of its own, so that the compiler is built and tested without mdBook; it is built here, with its unit
//! tests and clippy's lints. All of this runs with TOYC_TEST_ALL=1.

mod figures;
mod programs;

use crate::browser::{Browser, Driver, expect, telephone};
use crate::tools::{
    EXHAUSTIVE, Job, LINTER, Outcome, Run, TOYC, fail, find, is_exhaustive, long_trial, root,
    scratch, target, trial_unless,
};
use libtest_mimic::{Failed, Trial};
use regex_lite::Regex;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub fn trials() -> Vec<Trial> {
    // The linter is the compiler that the tests are built with.
    let unlinted = find(LINTER).is_none().then_some("clippy");
    let unlinted = if is_exhaustive() { unlinted } else { Some(EXHAUSTIVE) };
    vec![
        long_trial("site/unit_tests", || {
            cargo(&["test", "-q"]).and_then(|run| run.exits(0)).map(|_| ())
        }),
        trial_unless(unlinted, "site/lints", || {
            cargo(&["test", "-q", "--no-run"]).and_then(|run| run.exits(0)).map(|_| ())
        }),
        long_trial("site/links", links),
        long_trial("site/a_broken_link_is_found", a_broken_link_is_found),
        long_trial("site/links_to_a_code_host", links_to_a_code_host),
        long_trial("site/book", book),
        long_trial("site/figures_by_keys", figures::by_keys),
        long_trial("site/figures_as_pictures", figures::as_pictures),
        long_trial("site/programs_run", programs::run_in_pages),
        long_trial("site/programs_stop", programs::stop),
        long_trial("site/programs_are_edited", programs::edit),
        long_trial("site/first_view", programs::first_view),
        long_trial("site/without_a_compiler", without_a_compiler),
        long_trial("site/order_and_titles", order_and_titles),
        long_trial("site/desktop", desktop),
        long_trial("site/telephone", on_a_telephone),
    ]
}

fn cargo(arguments: &[&str]) -> Result<Run, Failed> {
    let (command, rest) = arguments.split_first().unwrap_or((&"build", &[]));
    let manifest = root().join("tutorial/site/Cargo.toml").display().to_string();
    let options = [*command, "--locked", "--manifest-path", &manifest];
    Job::new(find("cargo").unwrap_or_default(), options.iter().chain(rest))
        .env("CARGO_TARGET_DIR", target())
        .linted()
        .limit(1800)
        .run()
}

/// The site, made once for all tests.
fn site() -> Result<&'static Path, Failed> {
    static SITE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let made = SITE.get_or_init(|| {
        let folder = scratch("site/pages");
        made(&folder, &[]).map_err(|error| error.message().unwrap_or_default().to_owned())?;
        Ok(folder)
    });
    made.as_deref().map_err(|error| Failed::from(error.clone()))
}

fn made(folder: &Path, options: &[&str]) -> Outcome {
    let folder = folder.display().to_string();
    let arguments = [&["run", "-q", "--"], options, &["--toyc", TOYC, &folder]].concat();
    cargo(&arguments)?.exits(0)?.silent()?;
    Ok(())
}

/// All pages of a site, by their paths.
fn pages(site: &Path) -> Result<BTreeMap<PathBuf, String>, Failed> {
    let (mut pages, mut folders) = (BTreeMap::new(), vec![site.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let text = std::fs::read_to_string(&path)?;
                pages.insert(path, text);
            }
        }
    }
    Ok(pages)
}

fn links() -> Outcome {
    let site = site()?;
    let pages = pages(site)?;
    let broken = broken(site, &pages);
    match broken.first() {
        None if pages.len() > 22 => Ok(()),
        None => fail(format!("the site has only {} pages", pages.len())),
        Some(_) => fail(broken.join("\n")),
    }
}

/// Links that lead out of the site, to no file, or to no place in one.
fn broken(site: &Path, pages: &BTreeMap<PathBuf, String>) -> Vec<String> {
    let id = Regex::new(r#"\bid="([^"]+)""#).expect("a regular expression");
    let link = Regex::new(r#"\b(?:href|src)="([^"]*)""#).expect("a regular expression");
    let ids: BTreeMap<&Path, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, text)| {
            let ids = id.captures_iter(text).filter_map(|found| Some(found.get(1)?.as_str()));
            (path.as_path(), ids.collect())
        })
        .collect();
    let mut broken = Vec::new();
    for (page, text) in pages {
        for found in link.captures_iter(text) {
            let target = found[1].replace("&amp;", "&");
            if ["https://", "http://", "data:"].iter().any(|start| target.starts_with(start)) {
                continue;
            }
            let (file, place) = target.split_once('#').unwrap_or((&target, ""));
            let folder = page.parent().unwrap_or(site);
            let file = file.split_once('?').map_or(file, |(file, _)| file);
            let path = if file.is_empty() { page.clone() } else { folder.join(file) };
            let is_there = match path.canonicalize() {
                Ok(path) if path.starts_with(site) => {
                    let ids = ids.get(path.as_path());
                    // The views of a report are made by its script: `reports_are_shown` opens them.
                    let is_view = path.starts_with(site.join("reports"));
                    let is_known = ids.is_some_and(|ids| ids.contains(place));
                    path.is_file() && (place.is_empty() || is_view || is_known)
                }
                _ => false,
            };
            if !is_there {
                let page = page.strip_prefix(site).unwrap_or(page);
                broken.push(format!("{}: `{target}` leads nowhere", page.display()));
            }
        }
    }
    broken
}

fn a_broken_link_is_found() -> Outcome {
    let folder = scratch("site/broken").canonicalize()?;
    for (link, is_right) in [
        ("b.html#there", true),
        ("#here", true),
        ("https://mlir.llvm.org", true),
        ("b.html#nowhere", false),
        ("c.html", false),
        ("../../outside.html", false),
        ("/b.html", false),
    ] {
        std::fs::write(folder.join("a.html"), format!("<a id=\"here\" href=\"{link}\">"))?;
        std::fs::write(folder.join("b.html"), "<p id=\"there\">")?;
        if broken(&folder, &pages(&folder)?).is_empty() != is_right {
            return fail(format!("{link} is not taken for what it is"));
        }
    }
    Ok(())
}

/// Links to files lead to the repository if its address is given.
fn links_to_a_code_host() -> Outcome {
    let folder = scratch("site/hosted");
    made(&folder, &["--repository", "https://example.org/toyc"])?;
    let page = std::fs::read_to_string(folder.join("04-inside-an-operation.html"))?;
    let link = "href=\"https://example.org/toyc/blob/main/tutorial/programs/inside_operation.rs\"";
    if !page.contains(link) || folder.join("source").exists() {
        return fail("links to files do not lead to the code host");
    }
    let run = cargo(&["run", "-q", "--", "--repositories"])?;
    run.exits(1)?.says("usage: site")?;
    Ok(())
}

/// A page with everything for paper: all chapters, links within it, and nothing that needs a script or another file.
fn book() -> Outcome {
    let folder = scratch("site/book").canonicalize()?;
    made(&folder, &["--book"])?;
    let page = folder.join("print.html");
    let text = std::fs::read_to_string(&page)?;
    if text.contains("reports/") || text.contains("nowhere:") {
        return fail("the book has frames, or links that lead nowhere");
    }
    let links = broken(&folder, &BTreeMap::from([(page, text.clone())]));
    if let Some(link) = links.first() {
        return fail(link.as_str());
    }
    let contents = std::fs::read_to_string(folder.join("toc.html"))?;
    match (text.matches("<h1 id=").count(), contents.matches("<a href=").count()) {
        (chapters, entries) if chapters == entries => Ok(()),
        other => fail(format!("titles and entries: {other:?}")),
    }
}

/// The site says what to do without a compiler, and an earlier site stays; or it is made without pages of its own.
fn without_a_compiler() -> Outcome {
    cargo(&["build", "-q"])?.exits(0)?;
    let program = target().join("debug/site");
    let folder = scratch("site/no_compiler");
    std::fs::write(folder.join("index.html"), "earlier")?;
    let site = |options: &[&str]| {
        let folder = folder.display().to_string();
        // The build of the compiler fails.
        Job::new(&program, options.iter().copied().chain([folder.as_str()]))
            .env("CARGO", "false")
            .run()
    };
    let run = site(&[])?;
    run.exits(1)?.says("./setup")?.says("--toyc PATH")?.says("--without-reports")?;
    site(&["--toyc", "/nowhere/toyc"])?.exits(1)?.says("no compiler at /nowhere/toyc")?;
    if std::fs::read_to_string(folder.join("index.html"))? != "earlier" {
        return fail("the earlier site is gone");
    }
    site(&["--without-reports"])?.exits(0)?.silent()?;
    let page = std::fs::read_to_string(folder.join("00-run-something.html"))?;
    let folders = ["reports", "programs", "editor"];
    let has_some = folders.iter().any(|name| folder.join(name).exists());
    if page.contains("<figure class=\"report\">") || page.contains(" data-toy") || has_some {
        return fail("a site without reports has some");
    }
    Ok(())
}

/// The table of contents has the titles, in order; no page asks a server to run anything.
fn order_and_titles() -> Outcome {
    let site = site()?;
    let contents = std::fs::read_to_string(site.join("toc.html"))?;
    let link =
        Regex::new(r#"<a [^>]*href="([^"]+)"[^>]*>([^<]+)</a>"#).expect("a regular expression");
    let mut chapters = 0;
    for found in link.captures_iter(&contents) {
        let page = std::fs::read_to_string(site.join(&found[1]))?;
        let (name, title) = (&found[1], found[2].trim());
        let number = name.rsplit('/').next().and_then(|name| name.get(..2)?.parse::<u32>().ok());
        let expected = number.map(|number| match name.starts_with("build/") {
            true => format!("Step {number}. "),
            false => format!("{number}. "),
        });
        if expected.is_some_and(|start| !title.starts_with(&start)) {
            return fail(format!("{name} is called `{title}`"));
        }
        if number.is_some() && !page.contains("class=\"reading\"") {
            return fail(format!("{name} does not say how long it takes"));
        }
        if page.contains("playground\"") {
            return fail(format!("{name} has a button that runs code"));
        }
        chapters += u32::from(number.is_some());
    }
    let files =
        std::fs::read_dir(root().join("tutorial"))?.flatten().map(|entry| entry.file_name());
    let files =
        files.filter(|name| name.to_string_lossy().starts_with(|c: char| c.is_ascii_digit()));
    let steps = std::fs::read_dir(root().join("tutorial/build")).into_iter().flatten().count();
    if chapters as usize == files.count() + steps {
        Ok(())
    } else {
        fail(format!("{chapters} chapters"))
    }
}

fn desktop() -> Outcome {
    let site = site()?;
    let driver = Driver::start()?;
    let browser = driver.browser(json!({}), QUESTIONS)?;
    browser.send("window/rect", json!({ "width": 1440, "height": 900 }))?;
    every_page_fits(&browser, site, "desktop")?;
    reports_are_shown(&browser, site, 900)?;

    // A word is found, in a page and in its heading.
    browser.open(&site.join("index.html"))?;
    browser.click("#mdbook-search-toggle")?;
    for letter in "bufferization".chars() {
        browser.key(&letter.to_string())?;
    }
    let found = "return [...document.querySelectorAll('#mdbook-searchresults a')]
        .some((link) => link.pathname.endsWith('/08-bufferization.html'))";
    expect(&browser, found, json!(true))?;

    // Commands are copied without prompts and outputs.
    browser.open(&site.join("00-run-something.html"))?;
    browser.run("stub()")?;
    browser.run("block('console').querySelector('.copy-button').click()")?;
    let commands = "block('console').querySelector('.command').textContent";
    expect(&browser, &format!("return window.copied.startsWith({commands})"), json!(true))?;
    expect(&browser, "return /^[$>] /m.test(window.copied)", json!(false))?;
    expect(&browser, "return window.copied.includes(output())", json!(false))?;
    // Changes are copied without signs and removed lines, and are colored.
    browser.open(&site.join("19-how-to-add-an-operator.html"))?;
    browser.run("stub()")?;
    browser.run("block('diff').querySelector('.copy-button').click()")?;
    expect(&browser, "return window.copied === kept()", json!(true))?;
    expect(&browser, "return document.querySelector('.add .hljs-keyword') !== null", json!(true))?;
    expect(&browser, "return document.querySelectorAll('.play-button').length", json!(0))?;

    // Pages and pictures are dark if the reader's system is, or by choice.
    let page = site.join("09-planning-memory.html");
    browser.open(&page)?;
    let color = "return getComputedStyle(document.documentElement).backgroundColor";
    let scheme = "return getComputedStyle(document.querySelector('main img')).colorScheme";
    let light = browser.run(color)?;
    expect(&browser, scheme, json!("light"))?;
    browser.prefer_dark()?;
    browser.open(&page)?;
    expect(&browser, scheme, json!("dark"))?;
    if browser.run(color)? == light {
        return fail(format!("a dark page is {light}"));
    }
    browser.click("#mdbook-theme-toggle")?;
    browser.click("#mdbook-theme-light")?;
    expect(&browser, scheme, json!("light"))?;
    expect(&browser, color, light)?;

    // From page to page.
    browser.click(".nav-chapters.next")?;
    let title = "return document.querySelector('main h1').textContent";
    expect(&browser, title, json!("10. Who frees it"))?;
    browser.click(".nav-chapters.previous")?;
    expect(&browser, title, json!("9. Planning memory"))?;
    browser.no_errors()?;
    reports_have_the_theme(&driver, &page)
}

/// The compiler's pages are light or dark like the page around them.
fn reports_have_the_theme(driver: &Driver, page: &Path) -> Outcome {
    // Without a system that prefers dark: emulation applies to all frames.
    let browser = driver.browser(json!({}), QUESTIONS)?;
    browser.send("window/rect", json!({ "width": 1440, "height": 900 }))?;
    // Whether the menu is open or not.
    let wear = |theme: &str| {
        browser.run(&format!("document.getElementById('mdbook-theme-{theme}').click()"))
    };
    let found = "return [matchMedia('(prefers-color-scheme: dark)').matches, \
                 document.getElementById('theme').textContent]";
    for [first, second] in [["light", "navy"], ["navy", "light"]] {
        browser.open(page)?;
        wear(first)?;
        browser.run("show_report()")?;
        for theme in [first, second] {
            wear(theme)?;
            browser.enter(".report iframe")?;
            let other = if theme == "navy" { "Light" } else { "Dark" };
            expect(&browser, found, json!([theme == "navy", other]))?;
            browser.leave()?;
        }
    }
    Ok(())
}

fn on_a_telephone() -> Outcome {
    let site = site()?;
    let driver = Driver::start()?;
    let browser = driver.browser(telephone(), QUESTIONS)?;
    every_page_fits(&browser, site, "telephone")?;
    reports_are_shown(&browser, site, 300)?;
    browser.no_errors()
}

/// The page itself does not scroll sideways, and everything outside of scrolling blocks fits.
fn every_page_fits(browser: &Browser, site: &Path, device: &str) -> Outcome {
    let mut wrong = Vec::new();
    for path in pages(site)?.into_keys() {
        let name = path.strip_prefix(site).unwrap_or(&path).display().to_string();
        // The table of contents is a part of other pages; sources are as wide as they are; reports have tests of
        // their own.
        if name.starts_with("source/") || name.starts_with("reports/") || name == "toc.html" {
            continue;
        }
        browser.open(&path)?;
        let outside = browser.run("return outside()")?;
        if outside.as_array().is_none_or(|list| !list.is_empty()) {
            wrong.push(format!("{name}, {device}: {outside}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { fail(wrong.join("\n")) }
}

/// The compiler's pages are below the commands that make them: at the right view, as wide as the room allows, with
/// nothing cut off. They are loaded when the reader gets there.
fn reports_are_shown(browser: &Browser, site: &Path, width: u32) -> Outcome {
    let mut shown = Vec::new();
    for (path, text) in pages(site)? {
        if !text.contains("<figure class=\"report\">") {
            continue;
        }
        let name = path.strip_prefix(site).unwrap_or(&path).display().to_string();
        browser.open(&path)?;
        let link =
            browser.run("return report().src === alone().href ? alone().href : 'another'")?;
        let link = link.as_str().unwrap_or_default().to_owned();
        let view = link.split_once('#').map_or("overview", |(_, view)| view);
        expect(browser, "return report().loading", json!("lazy"))?;
        expect(browser, &format!("return report().clientWidth >= {width}"), json!(true))?;
        browser.run("show_report()")?;
        browser.enter(".report iframe")?;
        let id = "return document.querySelector('section.shown')?.id ?? null";
        expect(browser, id, json!(view))
            .map_err(|error| format!("{name}: {}", error.message().unwrap_or_default()))?;
        let excess = "return document.documentElement.scrollWidth - innerWidth";
        expect(browser, excess, json!(0))?;
        browser.leave()?;
        // The same page alone.
        browser.send("url", json!({ "url": link }))?;
        expect(browser, id, json!(view))?;
        shown.push(format!("{name}: {view}"));
    }
    if shown.len() >= 3 { Ok(()) } else { fail(format!("only these pages: {shown:?}")) }
}

/// Functions for the scripts of this test.
const QUESTIONS: &str = "
    const all = (selector) => [...document.querySelectorAll(selector)];
    const block = (kind) => document.querySelector('pre.block.' + kind);
    const output = () => block('console').querySelector('.output').textContent;
    const kept = () => [...block('diff').querySelectorAll('.line')]
        .filter((line) => !line.matches('.del, .meta'))
        .map((line) => line.querySelector('.text').textContent + '\\n').join('');
    const report = () => document.querySelector('.report iframe');
    const alone = () => document.querySelector('.report a');
    const show_report = () => report().scrollIntoView();
    const stub = () => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; };
    const width = document.documentElement.clientWidth;
    const outside = () => {
        const wide = document.documentElement.scrollWidth > width ? ['the page'] : [];
        const scrolls = (element) => element.closest('pre, .table-wrapper');
        const elements = all('main *').filter((element) => !scrolls(element))
            .filter((element) => element.getBoundingClientRect().right > width + 1);
        const empty = all('main img').filter((image) => image.naturalWidth === 0);
        const is_step = location.pathname.includes('/build/');
        const listings = width < 1000 || !is_step ? [] : all('pre.block:not(.console) code')
            .filter((code) => code.scrollWidth > code.clientWidth);
        const lost = [...elements, ...empty, ...listings];
        return [...wide, ...lost.map((element) => element.outerHTML.slice(0, 120))];
    };
";
