//! Figures to touch: small pictures beside the prose that a script brings to life.
//!
//! Input: a line `<!-- figure: KIND WORDS -->` of a page, which a code host does not show, and the compiler. Output: a
//! `<figure class="touch …">`: a picture of one moment, complete without a script and on paper, in which `figures.js`
//! moves from moment to moment. Invariants: programs, numbers and decisions are answers of the compiler, or of the block of
//! commands above the line; an element with `data-at` is there at these moments, and a line or an item is lit.
//!
//! | kind | words | shows |
//! |---|---|---|
//! | `specializer` | programs | the table and the stack, call by call |
//! | `plan` | programs with a function each, `a.toy:f` | the buffers of the function, to be moved |
//! | `stages` | a program and options | each stage of `--report` |
//! | `operands` | programs | the decision of One-Shot Bufferize for each operand |
//! | `bytes` | none | the parts of operations in memory, from the block above |

mod bytes;
mod operands;
mod plan;
mod specializer;
mod stages;

use crate::highlight::{escaped, html};
use crate::reports::Reports;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The compiler of a site.
pub struct Tools {
    pub toyc: PathBuf,
    pub root: PathBuf,
    /// A folder for the files that the compiler writes.
    pub scratch: PathBuf,
}

/// One program in a figure, of which the reader chooses one.
struct Case {
    name: String,
    body: String,
    /// A sentence for each moment, as HTML.
    notes: Vec<String>,
    /// The moment of the picture without a script.
    still: usize,
}

/// The figure of a line of a page, if it has one. `above` is the block before it. Figures that need a compiler are left out
/// without one.
pub fn figure(
    page: &Path,
    line: &str,
    above: &str,
    tools: Option<&Tools>,
    reports: &mut Option<Reports>,
) -> Result<Option<String>> {
    let Some(words) = line.strip_prefix("<!-- figure: ").and_then(|line| line.strip_suffix(" -->"))
    else {
        return Ok(None);
    };
    let words: Vec<&str> = words.split_whitespace().collect();
    let (kind, words) = words.split_first().context("a figure has a kind")?;
    let made = match (*kind, tools) {
        ("bytes", _) => shell("points bytes", bytes::CAPTION, &[bytes::case(above)?]),
        (_, None) => String::new(),
        ("stages", Some(tools)) => stages::figure(page, tools, words, reports.as_mut())?,
        (kind, Some(tools)) => {
            let (class, caption, case): (_, _, fn(&Tools, &str) -> Result<Case>) = match kind {
                "specializer" => ("steps specializer", specializer::CAPTION, specializer::case),
                "operands" => ("points operands", operands::CAPTION, operands::case),
                "plan" => ("plan", plan::CAPTION, plan::case),
                _ => bail!("{}: there is no figure `{kind}`", page.display()),
            };
            let cases = words
                .iter()
                .map(|word| case(tools, word).with_context(|| format!("the figure of {word}")));
            shell(class, caption, &cases.collect::<Result<Vec<_>>>()?)
        }
    };
    // Markdown ends HTML at an empty line.
    ensure!(!made.contains("\n\n"), "{}: an empty line in `{kind}`", page.display());
    Ok(Some(made))
}

fn shell(kind: &str, caption: &str, cases: &[Case]) -> String {
    let mut made = format!("<figure class=\"touch {kind}\">\n");
    for (index, case) in cases.iter().enumerate() {
        let hidden = if index > 0 { " hidden=\"hidden\"" } else { "" };
        let notes = case.notes.iter().enumerate();
        let notes: String =
            notes.map(|(at, note)| format!("<li data-at=\"{at}\">{note}</li>\n")).collect();
        made += &format!(
            "<div class=\"case\" data-name=\"{}\" data-still=\"{}\"{hidden}>\n{}<ol class=\"notes\">\n{notes}</ol>\n</div>\n",
            escaped(&case.name),
            case.still,
            case.body,
        );
    }
    made + &format!("<figcaption>{caption}</figcaption>\n</figure>\n")
}

/// The attributes of an element that is there, or lit, from one moment to another, in a picture of the moment `still`.
fn present(moments: &[(usize, usize)], still: usize) -> String {
    let is_there = moments.iter().any(|(from, to)| (*from..=*to).contains(&still));
    let moments: Vec<_> = moments.iter().map(|(from, to)| format!("{from}-{to}")).collect();
    format!("class=\"{}\" data-at=\"{}\"", if is_there { "" } else { "off" }, moments.join(" "))
}

/// The lines of a program in colors, but for comments and empty ones, each with the attributes that it is to have.
fn listing(text: &str, language: &str, attributes: impl Fn(usize) -> String) -> String {
    let colored = html(text, language);
    let lines = text.lines().map(str::trim_start).zip((1..).zip(colored.lines()));
    let lines =
        lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')).map(|(_, line)| line);
    let lines: String = lines
        .map(|(number, line): (usize, &str)| {
            format!("<span {}>{line}</span>\n", attributes(number))
        })
        .collect();
    format!("<pre><code class=\"hljs nohighlight\">{}</code></pre>\n", lines.trim_end())
}

impl Tools {
    /// The JSON that the compiler writes with these arguments, of which `{}` is the file.
    fn json(&self, arguments: &[&str]) -> Result<Value> {
        let file = self.scratch.join("answer.json").display().to_string();
        let other = self.scratch.join("other").display().to_string();
        let arguments = arguments.iter().map(|argument| argument.replace("{}", &file));
        let arguments: Vec<_> = arguments.chain(["-o".to_owned(), other]).collect();
        self.run(&self.toyc, &arguments)?;
        Ok(serde_json::from_str(&std::fs::read_to_string(&file)?)?)
    }

    fn run(&self, program: &Path, arguments: &[String]) -> Result<String> {
        std::fs::create_dir_all(&self.scratch)?;
        let run = Command::new(program).args(arguments).current_dir(&self.root).output();
        let run = run.with_context(|| program.display().to_string())?;
        let errors = String::from_utf8_lossy(&run.stderr);
        ensure!(run.status.success(), "`{}` fails:\n{errors}", arguments.join(" "));
        Ok(String::from_utf8(run.stdout)?)
    }
}

/// A field of JSON as text.
fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn number(value: &Value, field: &str) -> usize {
    value[field].as_u64().unwrap_or_default() as usize
}

fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value[field].as_array().map_or(&[], Vec::as_slice)
}
