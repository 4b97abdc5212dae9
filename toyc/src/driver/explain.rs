//! `--explain`: the page about a code, or the reference of the language.
//!
//! Input: a code, the name of a warning, or `language`. Output: the page, or a diagnostic that suggests the most
//! similar code. On a terminal, paragraphs are folded to its width.

use std::io::IsTerminal;
use toy_diagnostics::suggest::nearest;
use toy_diagnostics::text::{self, clipped};
use toy_diagnostics::{Diagnostic, codes};

/// The reference of the language, for users who have only the program.
const LANGUAGE: &str = include_str!("../../../LANGUAGE.md");

pub fn page(name: &str) -> Result<&'static str, Diagnostic> {
    if name.eq_ignore_ascii_case("language") {
        return Ok(LANGUAGE);
    }
    if let Some(code) = codes::find(name) {
        return Ok(code.page);
    }
    let message = format!("there is no code `{}` to explain", clipped(name));
    let diagnostic = Diagnostic::not_available(message);
    // Codes are in upper case, names in lower case.
    let by_code: Vec<&str> = codes::ALL.iter().map(|code| code.id).collect();
    let by_name = codes::warnings().filter_map(|code| code.lint);
    let by_name: Vec<&str> = by_name.chain(["language"]).collect();
    let meant = nearest(&name.to_ascii_lowercase(), &by_name)
        .or_else(|| nearest(&name.to_ascii_uppercase(), &by_code));
    Err(match meant {
        Some(nearest) => diagnostic.help(format!("did you mean `{nearest}`?")),
        None => diagnostic.help(
            "codes look like E0203 or W0101, and messages show them in brackets; `toyc explain` lists them",
        ),
    })
}

/// All codes with their titles.
pub fn list() -> String {
    let entry = |code: &toy_diagnostics::Code| match code.lint {
        Some(lint) => format!("{}  {} ({lint})\n", code.id, code.title),
        None => format!("{}  {}\n", code.id, code.title),
    };
    let codes: String = codes::ALL.iter().map(entry).collect();
    format!(
        "{codes}\n`toyc explain CODE` shows the page about one of them, `toyc explain language` the rules of the language.\n"
    )
}

/// The widest lines that are easy to read.
const WIDEST: usize = 100;

/// The page as it is shown: folded on a terminal, unchanged for other readers.
pub fn shown(page: &str) -> String {
    let stdout = std::io::stdout();
    let size = stdout.is_terminal().then(|| rustix::termios::tcgetwinsize(&stdout).ok()).flatten();
    match size {
        Some(size) if size.ws_col > 0 => folded(page, (size.ws_col as usize).min(WIDEST)),
        _ => page.to_owned(),
    }
}

/// The page with its paragraphs in lines of a width; programs, tables and heads stay as they are.
fn folded(page: &str, width: usize) -> String {
    let mut text = String::with_capacity(page.len());
    let mut paragraph = String::new();
    let mut is_program = false;
    for line in page.lines() {
        let is_fence = line.starts_with("```");
        let is_item = line.starts_with("- ") || line.starts_with(|c: char| c.is_ascii_digit());
        let is_kept = is_fence || is_program || line.is_empty() || line.starts_with(['#', '|']);
        is_program ^= is_fence;
        if is_kept || is_item {
            add(&mut paragraph, width, &mut text);
        }
        if is_kept {
            text += line;
            text.push('\n');
        } else {
            let space = if paragraph.is_empty() { "" } else { " " };
            paragraph += space;
            paragraph += line.trim();
        }
    }
    add(&mut paragraph, width, &mut text);
    text
}

/// Adds a paragraph, or an item of a list, and empties it.
fn add(paragraph: &mut String, width: usize, page: &mut String) {
    if !paragraph.is_empty() {
        let indentation = if paragraph.starts_with("- ") { "  " } else { "" };
        text::fold(paragraph, width, indentation, page);
        page.push('\n');
        paragraph.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_folded_and_programs_are_not() {
        let page = "# E1: a head that is long\n\none two three four\n\n- five six seven\n\n\
                    ```toy\nprint(a, b, c, d);\n```\n";
        let expected = "# E1: a head that is long\n\none two\nthree four\n\n- five six\n  seven\n\n\
                        ```toy\nprint(a, b, c, d);\n```\n";
        assert_eq!(folded(page, 10), expected);
        assert_eq!(
            folded("a line\nand its end\n1. one\n   two\n", 40),
            "a line and its end\n1. one two\n"
        );
        for page in codes::ALL.iter().map(|code| code.page).chain([LANGUAGE]) {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&folded(page, 40)), words(page));
        }
    }

    #[test]
    fn the_most_similar_code_or_name_is_suggested() {
        let help = |name: &str| page(name).unwrap_err().help.unwrap().message;
        assert_eq!(help("E0240"), "did you mean `E0204`?");
        assert_eq!(help("unused-variables"), "did you mean `unused-variable`?");
        assert!(help("xyzzy").starts_with("codes look like"));
        assert!(page("e0203").unwrap().starts_with("# E0203: "));
        assert_eq!(page("Shadowing").unwrap(), page("W0104").unwrap());
    }
}
