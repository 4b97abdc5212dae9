//! A slider through the stages of a program.
//!
//! Input: a program and options. Output: a frame with the page of `--report`, which has a form for this (`?stages`); and
//! for paper, the program beside a function of it in linalg, with a color for each line of the program, as the page has.

use super::{Tools, list, listing, text};
use crate::reports::Reports;
use anyhow::{Context, Result};
use std::path::Path;

/// The stage of the picture.
const STILL: &str = "linalg";

pub fn figure(
    page: &Path,
    tools: &Tools,
    words: &[&str],
    reports: Option<&mut Reports>,
) -> Result<String> {
    let report = tools.json(&[words, &["--report={}"]].concat())?;
    let stage = list(&report, "stages").iter().find(|stage| text(stage, "name") == STILL);
    let parts = list(stage.context("a program has this stage")?, "parts").iter();
    let parts = parts.map(|index| &report["parts"][index.as_u64().unwrap_or_default() as usize]);
    let function = parts.rev().find(|part| part["name"].is_string()).context("a function")?;
    let origins: Vec<&str> = text(function, "origins").split(';').collect();
    let program = listing(text(&report, "source").trim_end(), "toy", color);
    let lines = listing(text(function, "text"), "mlir", |line| {
        let origin = origins.get(line - 1).copied().unwrap_or_default();
        let end = origin.find([',', '-']).unwrap_or(origin.len());
        origin[..end].parse().map_or_else(|_| String::new(), color)
    });
    let program_of = words.iter().find(|word| !word.starts_with('-')).unwrap_or(&"");
    let arguments = words.iter().map(|word| (*word).to_owned());
    let arguments =
        arguments.chain(["-o", "target/stages", "--report=target/stages.html"].map(str::to_owned));
    let frame = reports.map_or(String::new(), |reports| {
        let link = reports.add(page, arguments.collect()) + "?stages#shapes";
        format!("<iframe src=\"{link}\" title=\"{program_of} at each stage\" loading=\"lazy\"></iframe>\n")
    });
    Ok(format!(
        "<figure class=\"touch stages\">\n<div class=\"still sides\">\n{program}{lines}</div>\n\
         {frame}<figcaption><code>{program_of}</code> on its way down: move the slider. Colors are those of the program's lines.</figcaption>\n\
         </figure>\n"
    ))
}

/// Neighbors are far apart on the wheel.
fn color(line: usize) -> String {
    format!("class=\"from\" style=\"--h:{}\"", line * 138 % 360)
}
