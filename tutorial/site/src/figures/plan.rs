//! The buffers of a function as rectangles, to be moved.
//!
//! Input: the memory plan of a program as JSON. Output: a drawing with a rectangle for each buffer: its size and place upward,
//! the operations at which it is in use from left to right. It shows the planner's plan; the script begins with the
//! places without sharing. Columns are operations at which something begins or ends.

use super::{Case, Tools, list, number, text};
use crate::highlight::escaped;
use anyhow::{Context, Result};
use serde_json::Value;

pub const CAPTION: &str = "Move the buffers: by pointer, or with the arrow keys; Enter lets one fall. How low can you get?";

const WIDTH: usize = 640;
const HEIGHT: usize = 400;

pub fn case(tools: &Tools, word: &str) -> Result<Case> {
    let (program, function) = word.split_once(':').context("a program and a function")?;
    let plan = tools.json(&[program, "-O1", "-emit=memory-plan", "--memory-plan={}"])?;
    let is_it = |name: &str| name == function || name.starts_with(&format!("{function}$"));
    let arena = list(&plan, "arenas").iter().find(|arena| is_it(text(arena, "function")));
    let arena = arena.context("there is no such function")?;
    let buffers = list(arena, "buffers");
    let (after, bound) = (number(arena, "after"), number(arena, "lower_bound"));
    let span = |buffer: &Value| (number(&buffer["first"], "tick"), number(&buffer["last"], "tick"));
    let mut ticks: Vec<usize> = buffers.iter().map(span).flat_map(|(a, b)| [a, b]).collect();
    ticks.sort_unstable();
    ticks.dedup();
    let column = |tick: usize| ticks.iter().position(|other| *other == tick).unwrap_or_default();
    let end = |buffer: &Value, offset: &str| number(buffer, offset) + number(buffer, "size");
    let most = buffers.iter().map(|buffer| end(buffer, "offset_before")).max().unwrap_or(after);
    let x = |column: usize| column * WIDTH / ticks.len();
    let y = |offset: usize| HEIGHT as f64 - offset as f64 * HEIGHT as f64 / most as f64;
    let mut drawn = String::new();
    for (index, buffer) in buffers.iter().enumerate() {
        let (size, offset) = (number(buffer, "size"), number(buffer, "offset"));
        let (first, last) = span(buffer);
        let hue = index * 137 % 360;
        let letter = char::from(b'a' + index as u8 % 26);
        let width = x(column(last) + 1) - x(column(first));
        let height = HEIGHT as f64 * size as f64 / most as f64;
        drawn += &format!(
            "<g class=\"buffer\" style=\"--h:{hue}\" data-columns=\"{}-{}\" data-size=\"{size}\" data-offset=\"{offset}\" data-own=\"{}\" \
             data-name=\"{letter}: {}, {size} bytes, operations {first} to {last}\" transform=\"translate({} {:.1})\">\
             <rect width=\"{width}\" height=\"{height:.1}\" rx=\"3\" fill=\"hsl({hue}, 60%, 80%)\" stroke=\"hsl({hue}, 60%, 40%)\"/>\
             <text x=\"{}\" y=\"{:.1}\" font-size=\"20\" font-weight=\"bold\">{letter}</text></g>\n",
            column(first),
            column(last),
            number(buffer, "offset_before"),
            escaped(text(buffer, "name")),
            x(column(first)),
            y(offset + size),
            width.min(24) / 2,
            height / 2.0,
        );
    }
    let line = |class: &str, color: &str, dashes: &str, offset: usize| {
        format!(
            "<line class=\"{class}\" stroke=\"{color}\" stroke-dasharray=\"{dashes}\" stroke-width=\"3\" x2=\"{WIDTH}\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>\n",
            y(offset)
        )
    };
    let body = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 -6 {WIDTH} {}\" data-most=\"{most}\" data-bound=\"{bound}\" data-height=\"{HEIGHT}\" role=\"group\" aria-label=\"The buffers of {}\">\n{drawn}{}{}</svg>\n",
        HEIGHT + 12,
        escaped(text(arena, "function")),
        line("peak", "#888", "none", after),
        line("bound", "#e5534b", "8 5", bound),
    );
    let note = format!(
        "The planner's plan: {after} bytes in place of {most}. The bound, which no plan beats: {bound} bytes."
    );
    Ok(Case { name: format!("{program}, {function}"), body, notes: vec![note], still: 0 })
}
