//! Pages with the text of files, for a site that knows no code host.
//!
//! Input: a file or a folder of the repository. Output: a page with the colored text and a number at each line, which
//! `#L12` leads to; for a folder, its contents.

use crate::highlight::{escaped, html};
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

pub fn page(root: &Path, file: &Path, page: &Path) -> Result<String> {
    let name = file.display().to_string();
    let path = root.join(file);
    let body = match path.is_dir() {
        true => folder(&path)?,
        false => {
            let text = fs::read_to_string(&path).with_context(|| name.clone())?;
            lines(&text, name.rsplit_once('.').map_or("", |(_, extension)| extension))
        }
    };
    let up = "../".repeat(page.components().count() - 1);
    let styles = ["css/variables.css", "css/general.css", "highlight.css", "site.css"];
    let styles: String = styles
        .iter()
        .map(|style| format!("<link rel=\"stylesheet\" href=\"{up}{style}\">\n"))
        .collect();
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\" class=\"light\">\n<head>\n<meta charset=\"UTF-8\">\n<title>{name}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{styles}\
         <link rel=\"stylesheet\" id=\"dark\" href=\"{up}tomorrow-night.css\" disabled>\n<script>{THEME}</script>\n</head>\n\
         <body class=\"source\">\n<p><a href=\"{up}index.html\">The tutorial</a></p>\n<h1>{name}</h1>\n{body}</body>\n</html>\n",
        name = escaped(&name),
    ))
}

/// The theme that the reader has chosen on a page of the book, or the system's.
const THEME: &str = "
let theme = null;
try { theme = localStorage.getItem('mdbook-theme'); } catch { }
theme ??= matchMedia('(prefers-color-scheme: dark)').matches ? 'navy' : 'light';
document.documentElement.className = theme;
document.getElementById('dark').disabled = theme === 'light' || theme === 'rust';
";

fn lines(text: &str, language: &str) -> String {
    let html = html(text, language);
    let line = |(number, line): (usize, &str)| {
        format!("<span class=\"line\" id=\"L{number}\" data-n=\"{number}\">{line}</span>\n")
    };
    let lines: String = (1..).zip(html.lines()).map(line).collect();
    format!("<pre><code class=\"hljs\">{lines}</code></pre>\n")
}

fn folder(path: &Path) -> Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let end = if entry.file_type()?.is_dir() { "/" } else { "" };
        names.push(format!("{}{end}", entry.file_name().to_string_lossy()));
    }
    names.retain(|name| name != "target/");
    names.sort();
    let names: String = names.iter().map(|name| format!("<li>{}</li>\n", escaped(name))).collect();
    Ok(format!("<ul>\n{names}</ul>\n"))
}
