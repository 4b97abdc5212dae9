//! Pages of `--report`, made by the compiler and shown below the commands that make them.
//!
//! Input: a block of commands with the info `console page` or `console page=VIEW`: one of its commands is
//! `toyc … --report=FILE.html`. Output: a frame with that page, opened at the view, and a link that opens it alone; and
//! the page itself in the folder [`FOLDER`] of the site. Invariant: the page is the output of the printed command. It
//! runs in a folder that looks like the repository, so that its other files do not end up there.

use crate::links::{in_book, relative};
use anyhow::{Context, Result, bail};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The site's folder of pages.
const FOLDER: &str = "reports";

/// The pages that the book shows, in order.
#[derive(Default)]
pub struct Reports(Vec<Report>);

struct Report {
    /// Its place in the site.
    place: PathBuf,
    /// The arguments after `toyc` in the command.
    arguments: Vec<String>,
}

impl Reports {
    /// The frame below a block of commands; empty for a block without one.
    pub fn frame(&mut self, page: &Path, info: &str, commands: &str) -> Result<String> {
        let view = match info.strip_prefix("console page") {
            Some("") => "",
            Some(view) if view.starts_with('=') => &view[1..],
            _ => return Ok(String::new()),
        };
        let arguments = arguments(commands).with_context(|| page.display().to_string())?;
        let view = if view.is_empty() { String::new() } else { format!("#{view}") };
        let link = self.add(page, arguments) + &view;
        // Without empty lines: Markdown ends HTML there.
        Ok(format!(
            "<figure class=\"report\">\n\
             <iframe src=\"{link}\" title=\"The page that the command writes\" loading=\"lazy\"></iframe>\n\
             <figcaption>The page that this command writes. <a href=\"{link}\" target=\"_blank\">Open it alone</a></figcaption>\n\
             </figure>\n"
        ))
    }

    /// A page that these arguments make, with a link from a page of the book.
    pub fn add(&mut self, page: &Path, arguments: Vec<String>) -> String {
        let stem = page.file_stem().unwrap_or_default().to_string_lossy();
        let place = |number| PathBuf::from(format!("{FOLDER}/{stem}-{number}.html"));
        let number = (1..).find(|&number| self.0.iter().all(|other| other.place != place(number)));
        let place = place(number.unwrap_or_default());
        let link = relative(&in_book(page), &place);
        self.0.push(Report { place, arguments });
        link
    }

    /// Writes the pages to the site. `scratch` is a folder for other files that the commands write.
    pub fn write(&self, toyc: &Path, root: &Path, scratch: &Path, site: &Path) -> Result<()> {
        fs::create_dir_all(scratch.join("target"))?;
        for entry in fs::read_dir(root)? {
            let name = entry?.file_name();
            if name != "target" && name != ".git" {
                symlink(root.join(&name), scratch.join(&name))?;
            }
        }
        fs::create_dir_all(site.join(FOLDER))?;
        for Report { place, arguments } in &self.0 {
            let run = Command::new(toyc).args(arguments).current_dir(scratch).output();
            let run = run.with_context(|| toyc.display().to_string())?;
            if !run.status.success() {
                let messages = String::from_utf8_lossy(&run.stderr);
                bail!("`toyc {}` fails:\n{messages}", arguments.join(" "));
            }
            let file = arguments.iter().find_map(|argument| argument.strip_prefix("--report="));
            let file = scratch.join(file.unwrap_or_default());
            fs::copy(&file, site.join(place)).with_context(|| file.display().to_string())?;
        }
        Ok(())
    }
}

/// The arguments of the command with `--report`. No shell reads them: a command needs none.
fn arguments(commands: &str) -> Result<Vec<String>> {
    let command = commands
        .lines()
        .filter_map(|line| line.strip_prefix("$ toyc "))
        .find(|command| command.contains("--report="));
    let Some(command) = command else {
        bail!("a block with `page` has no `toyc … --report=FILE`")
    };
    if command.contains(['\\', '|', '>', '<', '$', ';', '&', '\'', '"', '*']) {
        bail!("`toyc {command}` needs a shell, and the site runs it without one");
    }
    Ok(command.split_whitespace().map(str::to_owned).collect())
}

/// The compiler of this repository, built if it has changed.
pub fn compiler(root: &Path) -> Result<PathBuf> {
    let target = root.join("target");
    eprintln!("building toyc, whose pages the site shows; the first time, this takes some minutes");
    let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--quiet", "--package", "toyc", "--bins"])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(root)
        .status();
    if built.is_ok_and(|status| status.success()) {
        return Ok(target.join("release/toyc"));
    }
    bail!(
        "toyc cannot be built, and the site shows pages that it writes. Run `./setup`, which installs LLVM, and try again; or \
         name a compiler that is built, with `--toyc PATH`; or leave the pages out, with `--without-reports`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_with_a_page_gets_a_frame() {
        let mut reports = Reports::default();
        let commands = "$ mkdir -p x\n$ toyc a.toy -O1 --report=target/r.html\n";
        let page = Path::new("tutorial/build/09-a.md");
        assert_eq!(reports.frame(page, "console", commands).unwrap(), "");
        assert!(reports.0.is_empty());
        let frame = reports.frame(page, "console page=memory-plan", commands).unwrap();
        assert!(frame.contains("<iframe src=\"../reports/09-a-1.html#memory-plan\""));
        assert!(frame.contains("<a href=\"../reports/09-a-1.html#memory-plan\""));
        assert!(!frame.contains("\n\n"));
        assert_eq!(reports.0[0].arguments, ["a.toy", "-O1", "--report=target/r.html"]);
        let frame = reports.frame(page, "console page", commands).unwrap();
        assert!(frame.contains("\"../reports/09-a-2.html\""));
    }

    #[test]
    fn only_simple_commands_make_pages() {
        for commands in ["$ toyc a.toy\n", "$ echo 1\n", "$ toyc - --report=r.html < a.toy\n"] {
            assert!(arguments(commands).is_err(), "{commands}");
        }
    }
}
