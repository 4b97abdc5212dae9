//! The specializer's table and stack, step by step.
//!
//! Input: the functions that the compiler made of a program and the calls between them, from `--report`. Output: the steps in
//! which they come about, as chapter 6 tells it: a key that is new gets an entry and goes on the stack, one that is done
//! is found, one that is busy is recursion. Invariant: the walk ends with the entries and results that the compiler has.

use super::{Case, Tools, list, listing, lit, number, present, text};
use crate::highlight::escaped;
use anyhow::{Result, ensure};
use serde_json::Value;
use std::collections::BTreeMap;

pub const CAPTION: &str =
    "The specializer at work: the program, the table of its entries, and the stack.";

/// The steps, and when there is what.
#[derive(Default)]
struct Walk<'a> {
    calls: &'a [Value],
    notes: Vec<String>,
    entries: Vec<Entry>,
    by_symbol: BTreeMap<&'a str, usize>,
    /// The line of the program that is looked at in each step.
    lines: Vec<usize>,
    is_recursive: bool,
}

struct Entry {
    key: String,
    results: String,
    depth: usize,
    begin: usize,
    end: usize,
    /// From here on, its result is known to those who look it up.
    known: usize,
}

pub fn case(tools: &Tools, program: &str) -> Result<Case> {
    let report = tools.json(&[program, "--report={}", "-emit=shapes"])?;
    let mut walk = Walk { calls: list(&report, "calls"), ..Walk::default() };
    walk.enter("main", "main()", "", 0, 0);
    let last = walk.notes.len() - 1;
    let made = walk.calls.iter().map(|call| text(call, "symbol"));
    ensure!(
        made.into_iter().all(|symbol| walk.by_symbol.contains_key(symbol)),
        "a call that `main` does not reach"
    );
    // The picture is of the moment with the highest stack.
    let deepest = walk.entries.iter().max_by_key(|entry| entry.depth);
    let still = deepest.map_or(0, |entry| entry.begin);

    let mut rows = String::new();
    let mut frames = String::new();
    for entry in &walk.entries {
        let key = escaped(&entry.key);
        rows += &format!(
            "<tr {}><td><code>{key}</code></td><td><span class=\"both\"><span {}>busy</span><span {}>done</span></span></td><td><code {}>{}</code></td></tr>\n",
            present(&[(entry.begin, last)], still),
            present(&[(entry.begin, entry.end.max(1) - 1)], still),
            present(&[(entry.end, last)], still),
            present(&[(entry.known, last)], still),
            escaped(if entry.results.is_empty() { "none" } else { &entry.results }),
        );
        let there = present(&[(entry.begin, entry.end.max(1) - 1)], still);
        frames += &format!("<li {there}><code>{key}</code></li>\n");
    }
    let source = text(&report, "source");
    let moments = |line| -> Vec<(usize, usize)> {
        let lines = walk.lines.iter().enumerate().filter(|(_, other)| **other == line);
        lines.map(|(step, _)| (step, step)).collect()
    };
    let body = format!(
        "<div class=\"sides\">\n{}<div>\n<table><thead><tr><th>key</th><th>state</th><th>result</th></tr></thead><tbody>\n{rows}</tbody></table>\n\
         <p>stack</p>\n<ul class=\"stack\">\n{frames}</ul>\n</div>\n</div>\n",
        listing(source.trim_end(), "toy", |line| lit(&moments(line), still)),
    );
    Ok(Case { name: program.to_owned(), body, notes: walk.notes, still })
}

impl<'a> Walk<'a> {
    fn step(&mut self, line: usize, note: String) -> usize {
        self.notes.push(note);
        self.lines.push(line);
        self.notes.len() - 1
    }

    /// A new key: its function is walked through.
    fn enter(&mut self, symbol: &'a str, key: &str, results: &str, depth: usize, line: usize) {
        let shown = escaped(key);
        let note = match depth {
            0 => "Begin with <code>main</code>.".to_owned(),
            _ => format!(
                "A call with the key <code>{shown}</code>. It is new: it gets a clone and an entry, and goes on the stack."
            ),
        };
        let begin = self.step(line, note);
        let entry = self.entries.len();
        let (key, results) = (key.to_owned(), results.to_owned());
        self.by_symbol.insert(symbol, entry);
        self.entries.push(Entry { key, results, depth, begin, end: usize::MAX, known: usize::MAX });
        self.is_recursive = false;
        self.visit(symbol, depth);
        if self.is_recursive {
            self.entries[entry].known = self.step(
                0,
                format!("The other branch of <code>{shown}</code> says the result. It is visited once more."),
            );
            self.is_recursive = false;
            self.visit(symbol, depth);
        }
        let end = self.step(0, match depth {
            0 => "<code>main</code> is done, and the stack is empty.".to_owned(),
            _ => format!("All of <code>{shown}</code> is visited: it leaves the stack, and its entry has the result."),
        });
        self.entries[entry].end = end;
        self.entries[entry].known = end.min(self.entries[entry].known);
    }

    fn visit(&mut self, symbol: &str, depth: usize) {
        for call in self.calls {
            if text(call, "caller_symbol") != symbol {
                continue;
            }
            let (callee, line) = (text(call, "symbol"), number(call, "line"));
            let key = escaped(text(call, "instance"));
            let Some(entry) = self.by_symbol.get(callee).copied() else {
                self.enter(callee, text(call, "instance"), text(call, "results"), depth + 1, line);
                self.step(line, format!("Back at the call: now the table has <code>{key}</code>, and the call its type."));
                continue;
            };
            if self.entries[entry].known <= self.notes.len() {
                self.step(
                    line,
                    format!(
                        "A call with the key <code>{key}</code>. The table has it: nothing is made."
                    ),
                );
            } else {
                self.step(line, format!("A call with the key <code>{key}</code>. Its entry is busy: recursion. The result stays open."));
                self.is_recursive = true;
            }
        }
    }
}
