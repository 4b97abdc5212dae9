//! `--explain`: the page about a code.
//!
//! Input: a code or the name of a warning. Output: the page, or a diagnostic that suggests the most
//! similar code. On a terminal, paragraphs are folded to its width.

use std::io::IsTerminal;
use toy_diagnostics::suggest::Suggestions;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

pub fn page(name: &str) -> Result<&'static str, Diagnostic> {
    if let Some(code) = codes::find(name) {
        return Ok(code.page);
    }
    let message = format!("there is no code `{}` to explain", clipped(name));
    let diagnostic = Diagnostic::error(codes::NOT_AVAILABLE, message);
    // Codes are in upper case, names in lower case.
    let by_code: Vec<&str> = codes::ALL.iter().map(|code| code.id).collect();
    let by_name: Vec<&str> = codes::warnings().filter_map(|code| code.lint).collect();
    let nearest =
        |name: String, known: &[&'static str]| Suggestions::default().nearest(&name, known);
    let nearest = nearest(name.to_ascii_lowercase(), &by_name)
        .or_else(|| nearest(name.to_ascii_uppercase(), &by_code));
    Err(match nearest {
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
    format!("{codes}\n`toyc explain CODE` shows the page about one of them.\n")
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
    let mut is_program = false;
    for line in page.lines() {
        let is_fence = line.starts_with("```");
        is_program ^= is_fence;
        if is_fence || is_program || line.starts_with(['#', '|', ' ']) {
            text += line;
        } else {
            let indentation = if line.starts_with("- ") { "  " } else { "" };
            fold_line(line, width, indentation, &mut text);
        }
        text.push('\n');
    }
    text
}

fn fold_line(line: &str, width: usize, indentation: &str, text: &mut String) {
    let mut column = 0;
    for word in line.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text.push('\n');
            *text += indentation;
            column = indentation.len();
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        *text += word;
        column += length;
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
        for code in codes::ALL {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&folded(code.page, 40)), words(code.page));
        }
    }

    #[test]
    fn the_most_similar_code_or_name_is_suggested() {
        let help = |name: &str| page(name).unwrap_err().help.unwrap().message;
        assert_eq!(help("E0230"), "did you mean `E0203`?");
        assert_eq!(help("unused-variables"), "did you mean `unused-variable`?");
        assert!(help("xyzzy").starts_with("codes look like"));
        assert!(page("e0203").unwrap().starts_with("# E0203: "));
        assert_eq!(page("Shadowing").unwrap(), page("W0104").unwrap());
    }
}
