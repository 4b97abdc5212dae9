//! The book: its pages, their order, and how mdBook makes a site of them.
//!
//! Input: the tutorial in the repository, and a compiler for the pages that it writes. Output: the folder of a site
//! that needs no server. Invariant: the sources of the book are rewritten each time in a folder beside the site, and
//! nothing else of the repository is read or written, except for the compiler, which is built as usual.

use crate::links::{Links, in_book, source_page};
use crate::programs::Programs;
use crate::reports::{self, Reports};
use crate::{Compiler, figures, page, source};
use anyhow::{Context, Result};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// In a book, links to files of the repository are text, unless the repository has an address.
const NOWHERE: &str = "nowhere:/";

/// Makes the site in `output`; for a book, its `print.html` has all pages, without the compiler's, which need a script.
pub fn build(
    root: &Path,
    output: &Path,
    host: Option<String>,
    compiler: Compiler,
    is_book: bool,
) -> Result<()> {
    // First, because without a compiler nothing is made, and an earlier site stays.
    let compiler = match compiler {
        Compiler::Built => Some(reports::compiler(root)?),
        Compiler::At(path) => {
            let path = std::path::absolute(path)?;
            anyhow::ensure!(path.is_file(), "there is no compiler at {}", path.display());
            Some(path)
        }
        Compiler::None => None,
    };
    let parts = parts(root)?;
    let files = parts.iter().flat_map(|part| &part.pages);
    let mut links = Links {
        root: root.to_owned(),
        pages: files.map(|file| (file.clone(), in_book(file))).collect(),
        host: host.or(is_book.then(|| NOWHERE.to_owned())),
        pictures: BTreeMap::new(),
        sources: BTreeSet::new(),
    };
    let mut book = output.as_os_str().to_owned();
    book.push("-pages");
    let book = PathBuf::from(book);
    for folder in [&book, output] {
        if folder.exists() {
            fs::remove_dir_all(folder)
                .with_context(|| format!("cannot remove {}", folder.display()))?;
        }
    }
    let pages = book.join("pages");
    let mut reports = compiler.as_ref().filter(|_| !is_book).map(|_| Reports::default());
    let tools = compiler.as_ref().map(|toyc| figures::Tools {
        toyc: toyc.clone(),
        root: root.to_owned(),
        scratch: book.join("answers"),
    });
    let mut programs = match &compiler {
        Some(toyc) if !is_book => Some(Programs::new(toyc, &book.join("programs"))?),
        _ => None,
    };
    let mut summary = "# Summary\n\n".to_owned();
    for part in &parts {
        summary.push_str(&part.heading);
        for file in &part.pages {
            let text =
                fs::read_to_string(root.join(file)).with_context(|| file.display().to_string())?;
            let bullet = if part.heading.is_empty() { "" } else { "- " };
            let (title, place) = (page::title(&text)?, in_book(file));
            summary.push_str(&format!("{bullet}[{title}]({})\n", place.display()));
            write(
                &pages.join(place),
                &page::converted(
                    file,
                    &text,
                    tools.as_ref(),
                    &mut links,
                    &mut reports,
                    &mut programs,
                )?,
            )?;
        }
    }
    write(&pages.join("SUMMARY.md"), &summary)?;
    for (file, place) in &links.pictures {
        let place = pages.join(place);
        fs::create_dir_all(place.parent().unwrap_or(&pages))?;
        fs::copy(root.join(file), place)?;
    }
    for (name, text) in [
        ("site.css", include_str!("../site.css")),
        ("site.js", include_str!("../site.js")),
        ("programs.css", include_str!("../programs.css")),
        ("programs.js", include_str!("../programs.js")),
        // Blocks have their colors: mdBook's library for that, half of what a page loads, has nothing to do.
        ("theme/highlight.js", "const hljs = { configure() {}, highlightBlock() {} };\n"),
        ("figures.css", include_str!("../figures.css")),
        ("figures.js", include_str!("../figures.js")),
    ] {
        write(&book.join(name), text)?;
    }

    let mut config = Config::from_str(include_str!("../book.toml"))?;
    config.build.build_dir = std::path::absolute(output)?;
    config.set("output.html.print.enable", is_book)?;
    // Pages use fonts of the reader's system, and load none.
    if !is_book {
        write(&book.join("theme/fonts/fonts.css"), include_str!("../fonts.css"))?;
    }
    MDBook::load_with_config(&book, config)?.build()?;
    if is_book {
        let page = output.join("print.html");
        let link = Regex::new(&format!("(?s)<a href=\"{NOWHERE}[^\"]*\">(.*?)</a>"))?;
        fs::write(&page, link.replace_all(&fs::read_to_string(&page)?, "$1").as_bytes())?;
    }
    for file in &links.sources {
        let place = source_page(file);
        write(&output.join(&place), &source::page(root, file, &place)?)?;
    }
    if let Some(programs) = programs {
        programs.write(root, output)?;
    }
    if let (Some(compiler), Some(reports)) = (compiler, reports) {
        reports.write(&compiler, root, &book.join("commands"), output)?;
    }
    Ok(fs::remove_dir_all(book)?)
}

/// Pages that stand under one heading in the table of contents.
struct Part {
    /// The heading with its `#`; empty for pages before the first part.
    heading: String,
    pages: Vec<PathBuf>,
}

fn parts(root: &Path) -> Result<Vec<Part>> {
    let tutorial = Path::new("tutorial");
    let chapters = sorted(root, tutorial)?;
    let (start, chapters): (Vec<_>, Vec<_>) = chapters.into_iter().partition(|file| {
        file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("00-"))
    });
    let part = |heading: &str, pages: Vec<PathBuf>| Part { heading: heading.to_owned(), pages };
    let steps = sorted(root, &tutorial.join("build"))?;
    let first = [vec![tutorial.join("README.md")], start].concat();
    let mut reference = vec![tutorial.join("glossary.md"), "LANGUAGE.md".into()];
    reference.append(&mut sorted(root, Path::new("docs"))?);
    let parts = [
        part("", first),
        part("\n# Part one: build it\n\n", steps),
        part("\n# Part two: how toyc does it\n\n", chapters),
        part("\n# Reference\n\n", reference),
    ];
    Ok(parts.into_iter().filter(|part| !part.pages.is_empty()).collect())
}

/// The pages of a folder in the order of their names: chapters begin with a number, appendices do not.
fn sorted(root: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut pages = Vec::new();
    if !root.join(folder).is_dir() {
        return Ok(pages);
    }
    for entry in fs::read_dir(root.join(folder))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") && !["README.md", "glossary.md"].contains(&name.as_str()) {
            pages.push(folder.join(name));
        }
    }
    pages.sort();
    Ok(pages)
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(file.parent().unwrap_or(file))?;
    fs::write(file, text).with_context(|| file.display().to_string())
}
