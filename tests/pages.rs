//! The README, the documents and the tutorial: outputs match the commands, quotations match the files.
//!
//! Input: README.md, `docs/*.md`, `examples/README.md` and `tutorial/*.md`. Every block of a page is one of these, by its info string:
//!
//! | block | compared |
//! |---|---|
//! | ```` ```console ```` | `$ command` lines with their output: see [`console`] |
//! | ```` ```console changed ```` | nothing: they change the repository, and [`crate::operator`] runs them in a copy |
//! | ```` ```console page=VIEW ```` | the same; on the site, the page that a `--report` writes is below it, opened at the view |
//! | ```` ```LANGUAGE PATH ```` and ```` ```LANGUAGE PATH#ITEM ```` | a quotation of a file of the repository: see [`listing`] |
//! | ```` ```toy ```` | a program that compiles without any message |
//! | ```` ```rust ```` | nothing: an example of style, which need not compile |
//! | ```` ```text ````, ```` ```sh ```` | nothing: pictures, and commands that take minutes |
//!
//! The line above a quotation says from which file and line it is. No line of a block of the tutorial is longer than
//! [`WIDTH`], so that it is not cut off on a page. The patches that a page quotes have to apply to the repository, one after the other.
//! Every link to a file or to a heading in one must have a target. Invariant: a page shows all that a reader
//! will see; TOYC_UPDATE=1 rewrites outputs and quotations.

pub mod console;
mod glossary;
pub mod links;
pub mod listing;
mod reference;

use crate::tools::{self, Outcome, fail, root, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tutorial::markdown::{Block, blocks, rewritten};

/// The longest line of a block in the tutorial, in characters.
const WIDTH: usize = 92;
/// The same of a patch, which quotes lines that rustfmt has made, after a sign.
const WIDTH_OF_PATCHES: usize = 101;

pub fn trials() -> Vec<Trial> {
    let docs = tools::files("docs", &["md"]).into_iter().map(|page| (page, "docs"));
    let pages = tools::files("tutorial", &["md"]).into_iter().map(|page| (page, "tutorial"));
    let mut trials = vec![
        trial("pages/the_harness_can_fail", the_harness_can_fail),
        trial("pages/elision", console::elision),
        trial("pages/items", listing::items),
        trial("pages/reference", reference::is_complete),
        trial("pages/glossary", glossary::names_chapters),
        trial("readme", || check(&root().join("README.md"), "readme")),
        trial("docs/examples", || check(&root().join("examples/README.md"), "docs/examples")),
    ];
    trials.extend(docs.chain(pages).map(|(page, folder)| {
        let name = format!("{folder}/{}", tools::stem(&page));
        trial(name.clone(), move || check(&page, &name))
    }));
    trials
}

/// Compares everything on a page, or rewrites it.
pub fn check(page: &Path, test: &str) -> Outcome {
    let text = std::fs::read_to_string(page)?;
    links::check(page, &text)?;
    let actual = actual(&text, test)?;
    compare(page, &text, &actual)?;
    let name = page.strip_prefix(root()).unwrap_or(page).display().to_string();
    if name.starts_with("tutorial/") { fits(&actual, &name) } else { Ok(()) }
}

/// Compares a page with its expected text, or rewrites it.
pub fn compare(page: &Path, text: &str, actual: &str) -> Outcome {
    if actual == text {
        return Ok(());
    }
    if tools::is_update() {
        return Ok(std::fs::write(page, actual)?);
    }
    fail(tools::difference_of_test(text, actual, page))
}

/// Fails if a line of a block is too long.
fn fits(page: &str, name: &str) -> Outcome {
    let mut long = Vec::new();
    for block in blocks(page)? {
        for (index, line) in block.text.lines().enumerate() {
            let is_patch = block.info.starts_with("diff");
            let most = if is_patch { WIDTH_OF_PATCHES } else { WIDTH };
            let width = line.chars().count();
            if width > most {
                long.push(format!("{name}:{}: {width} columns: {line}", block.line + 1 + index));
            }
        }
    }
    if long.is_empty() {
        Ok(())
    } else {
        fail(format!("lines that are cut off:\n{}", long.join("\n")))
    }
}

/// The page with the file and the line above every quotation.
fn captioned(page: &str) -> Result<String, Failed> {
    let mut captions = HashMap::new();
    for block in blocks(page)? {
        if let Some(place) = quoted(block.info) {
            captions.insert(block.line, listing::actual(block.text, place, &root())?.caption);
        }
    }
    let mut lines: Vec<String> = Vec::new();
    for (index, line) in page.split_inclusive('\n').enumerate() {
        if let Some(caption) = captions.remove(&(index + 1)) {
            lines.pop_if(|line| listing::is_caption(line.trim_end()));
            if lines.last().is_some_and(|line| !line.trim().is_empty()) {
                lines.push("\n".to_owned());
            }
            lines.push(caption + "\n");
        }
        lines.push(line.to_owned());
    }
    Ok(lines.concat())
}

/// The place that a block quotes.
fn quoted(info: &str) -> Option<&str> {
    match info.split_once(' ') {
        Some(("console", _)) | None => None,
        Some((_, place)) => Some(place),
    }
}

/// The page with the true outputs and quotations.
fn actual(text: &str, test: &str) -> Result<String, Failed> {
    let folder = repository(test)?;
    let text = &captioned(text)?;
    let mut patches: Vec<String> = Vec::new();
    let actual = rewritten(text, |block| {
        let at = |error: Failed| {
            Failed::from(format!("line {}: {}", block.line, error.message().unwrap_or_default()))
        };
        if let Some((_, patch)) = block.info.split_once(' ')
            && patch.ends_with(".patch")
            && !patches.iter().any(|other| other == patch)
        {
            patches.push(patch.to_owned());
        }
        actual_block(block, &folder).map_err(at)
    })?;
    if !patches.is_empty() {
        apply(&patches, &folder)?;
    }
    Ok(actual)
}

fn actual_block(block: &Block, folder: &Path) -> Result<String, Failed> {
    let words: Vec<_> = block.info.split(' ').collect();
    match words.as_slice() {
        ["console"] => console::executed(block.text, folder),
        ["console", page] if *page == "page" || page.starts_with("page=") => {
            console::executed(block.text, folder)
        }
        ["text" | "sh" | "rust" | "js"] | ["console", "changed"] => Ok(block.text.to_owned()),
        ["toy"] => {
            toyc(["-", "-emit=shapes"]).stdin(block.text).run()?.exits(0)?.silent()?;
            Ok(block.text.to_owned())
        }
        [_, place] => Ok(listing::actual(block.text, place, &root())?.text),
        _ => fail(format!("what is a block `{}`?", block.info)),
    }
}

/// A folder that looks like the repository, with a `target` of its own.
fn repository(test: &str) -> Result<PathBuf, Failed> {
    let folder = scratch(test);
    for entry in std::fs::read_dir(root())? {
        let entry = entry?;
        if entry.file_name() != "target" && entry.file_name() != ".git" {
            std::os::unix::fs::symlink(entry.path(), folder.join(entry.file_name()))?;
        }
    }
    std::fs::create_dir(folder.join("target"))?;
    Ok(folder)
}

/// Fails unless the changes that a page quotes can be made, in this order.
fn apply(patches: &[String], folder: &Path) -> Outcome {
    let mut changes = Vec::new();
    for patch in patches {
        changes.extend(std::fs::read(root().join(patch))?);
    }
    let file = folder.join("target/page.patch");
    std::fs::write(&file, changes)?;
    let arguments = ["apply", "--check", &file.display().to_string()].map(str::to_owned);
    tools::Job::new("git", arguments).current_dir(root()).run()?.exits(0)?;
    Ok(())
}

/// Wrong outputs, quotations, links and programs are found.
fn the_harness_can_fail() -> Outcome {
    let listing = "pub mod links;\npub mod listing;\n";
    let source = std::fs::read_to_string(root().join("tests/pages.rs"))?;
    let line = source.lines().position(|line| line == "pub mod links;").unwrap_or_default() + 1;
    let caption = format!("`tests/pages.rs`, line {line}:\n");
    for (what, page, is_right) in [
        ("right output", "```console\n$ echo 1\n1\n```\n".to_owned(), true),
        ("wrong output", "```console\n$ echo 1\n2\n```\n".to_owned(), false),
        ("wrong output of a page", "```console page=x\n$ echo 1\n2\n```\n".to_owned(), false),
        ("wrong status", "```console\n$ false\n```\n".to_owned(), false),
        ("right status", "```console\n$ false\n(exit status 1)\n```\n".to_owned(), true),
        ("other status", "```console\n$ exit 2\n(exit status 1)\n```\n".to_owned(), false),
        ("two lines", "```console\n$ echo \\\n> 1\n1\n```\n".to_owned(), true),
        ("right lines left out", "```console\n$ seq 9\n1\n...\n9\n```\n".to_owned(), true),
        ("wrong lines left out", "```console\n$ seq 9\n1\n...\n8\n```\n".to_owned(), false),
        (
            "right quotation",
            format!("{caption}```rust tests/pages.rs\n// ...\n{listing}// ...\n```\n"),
            true,
        ),
        ("no caption", format!("```rust tests/pages.rs\n// ...\n{listing}// ...\n```\n"), false),
        (
            "wrong caption",
            format!(
                "`tests/pages.rs`, line 1:\n```rust tests/pages.rs\n// ...\n{listing}// ...\n```\n"
            ),
            false,
        ),
        ("status in words", "```console\n$ exit 3\n(exit status 3)\n```\n".to_owned(), true),
        (
            "wrong quotation",
            format!("{caption}```rust tests/pages.rs\n{listing}// ...\n```\n"),
            false,
        ),
        ("right program", "```toy\ndef main() { print(1); }\n```\n".to_owned(), true),
    ] {
        let result = actual(&page, "pages/the_harness_can_fail");
        if result.is_ok_and(|actual| actual == page) != is_right {
            return fail(format!("{what} is not taken for what it is"));
        }
    }
    for (what, page) in [
        ("no such file", "```rust tests/nothing.rs\nmod x;\n```\n"),
        ("no such item", "```rust tests/pages.rs#nothing\nfn nothing() {}\n```\n"),
        ("unknown block", "```python\nprint(1)\n```\n"),
        ("wrong program", "```toy\ndef main() { print(a); }\n```\n"),
        ("diff", "```diff\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-x\n+y\n```\n"),
        ("patch", "```diff tests/pages/wrong.patch\n...\n```\n"),
    ] {
        if actual(page, "pages/the_harness_can_fail").is_ok() {
            return fail(format!("{what} is not found"));
        }
    }
    if fits(&format!("```text\n{}\n```\n", "x".repeat(WIDTH + 1)), "page").is_ok() {
        return fail("a line that is too long is not found");
    }
    let readme = root().join("README.md");
    for link in ["[x](nothing.md)", "[x](LANGUAGE.md#no-such-heading)"] {
        if links::check(&readme, link).is_ok() {
            return fail(format!("{link} is not found"));
        }
    }
    if blocks("```console\n").is_ok() {
        return fail("a block without an end is not found");
    }
    Ok(())
}
