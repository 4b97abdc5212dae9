//! The specializer's table and stack, step by step.
//!
//! Input: the functions that the compiler made of a program and the calls between them, from `--report`. Output: the steps in
//! which they come about, as chapter 6 tells it: a key that is new gets an entry and goes on the stack, one that is done
//! is found, one that is busy is recursion. Invariant: entries and results are the compiler's; a cycle of several functions
//! is an error.

use super::{Case, Tools, list, listing, number, present, text};
use crate::highlight::escaped;
use anyhow::{Result, ensure};
use serde_json::Value;

pub const CAPTION: &str =
    "The specializer at work: the program, the table of its entries, and the stack.";

/// The steps, and when there is what.
struct Walk<'a> {
    calls: &'a [Value],
    notes: Vec<String>,
    /// The line of the program that is looked at in each step.
    lines: Vec<usize>,
    entries: Vec<Entry<'a>>,
}

struct Entry<'a> {
    symbol: &'a str,
    key: String,
    results: &'a str,
    depth: usize,
    begin: usize,
    end: usize,
    /// From here on, its result is known to those who look it up.
    known: usize,
}

pub fn case(tools: &Tools, program: &str) -> Result<Case> {
    let report = tools.json(&[program, "--report={}", "-emit=shapes"])?;
    let calls = list(&report, "calls");
    let mut walk = Walk { calls, notes: Vec::new(), lines: Vec::new(), entries: Vec::new() };
    walk.enter("main", "main()", "none", 0, 0)?;
    let last = walk.notes.len() - 1;
    // The picture is of the moment with the highest stack.
    let deepest = walk.entries.iter().max_by_key(|entry| entry.depth);
    let still = deepest.map_or(0, |entry| entry.begin);

    let mut rows = String::new();
    let mut frames = String::new();
    for Entry { key, results, begin, end, known, .. } in &walk.entries {
        let busy = present(&[(*begin, end - 1)], still);
        rows += &format!(
            "<tr {}><td><code>{key}</code></td><td><span class=\"both\"><span {busy}>busy</span><span {}>done</span></span></td>\
             <td><code {}>{}</code></td></tr>\n",
            present(&[(*begin, last)], still),
            present(&[(*end, last)], still),
            present(&[(*known, last)], still),
            escaped(results),
        );
        frames += &format!("<li {busy}><code>{key}</code></li>\n");
    }
    let program_lines = listing(text(&report, "source").trim_end(), "toy", |line| {
        let steps = walk.lines.iter().enumerate().filter(|(_, other)| **other == line);
        present(&steps.map(|(step, _)| (step, step)).collect::<Vec<_>>(), still)
    });
    let body = format!(
        "<div class=\"sides\">\n{program_lines}<div>\n<table><thead><tr><th>key</th><th>state</th><th>result</th></tr></thead>\
         <tbody>\n{rows}</tbody></table>\n<p>stack</p>\n<ul class=\"stack\">\n{frames}</ul>\n</div>\n</div>\n"
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
    fn enter(
        &mut self,
        symbol: &'a str,
        key: &str,
        results: &'a str,
        depth: usize,
        line: usize,
    ) -> Result<()> {
        let key = escaped(key);
        let begin = self.step(line, match depth {
            0 => "Begin with <code>main</code>.".to_owned(),
            _ => format!("A call with the key <code>{key}</code>. It is new: it gets a clone and an entry, and goes on the stack."),
        });
        let (at, never) = (self.entries.len(), usize::MAX);
        let entry =
            Entry { symbol, key: key.clone(), results, depth, begin, end: never, known: never };
        self.entries.push(entry);
        if self.visit(at)? {
            let note = format!(
                "The other branch of <code>{key}</code> says the result. It is visited once more."
            );
            self.entries[at].known = self.step(0, note);
            self.visit(at)?;
        }
        let end = self.step(0, match depth {
            0 => "<code>main</code> is done, and the stack is empty.".to_owned(),
            _ => format!("All of <code>{key}</code> is visited: it leaves the stack, and its entry has the result."),
        });
        self.entries[at].end = end;
        self.entries[at].known = self.entries[at].known.min(end);
        Ok(())
    }

    /// Looks at the calls in a function, and returns whether one of them is a call of itself with an open result.
    fn visit(&mut self, at: usize) -> Result<bool> {
        let mut is_open = false;
        for call in self.calls {
            if text(call, "caller_symbol") != self.entries[at].symbol {
                continue;
            }
            let (callee, line) = (text(call, "symbol"), number(call, "line"));
            let key = text(call, "instance");
            let found = self.entries.iter().position(|entry| entry.symbol == callee);
            if found.is_none() {
                self.enter(callee, key, text(call, "results"), self.entries[at].depth + 1, line)?;
            }
            let key = escaped(key);
            self.step(line, match found {
                None => format!("Back at the call: now the table has <code>{key}</code>, and the call its type."),
                Some(entry) if self.entries[entry].known < usize::MAX => {
                    format!("A call with the key <code>{key}</code>. The table has it: nothing is made.")
                }
                Some(entry) => {
                    ensure!(entry == at, "a cycle of functions is not shown");
                    is_open = true;
                    format!("A call with the key <code>{key}</code>. Its entry is busy: recursion. The result stays open.")
                }
            });
        }
        Ok(is_open)
    }
}
