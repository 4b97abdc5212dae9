//! The changes that formatting makes, in parts that can be applied independently.
//!
//! Input: a text, its tree, and its formatted form. Output: the [`Change`]s that lead from one text to the other.
//! Invariants: each replaces whole lines by whole lines with the same tokens and comments, so any of them together leave
//! all tokens and comments in place; all of them together make the formatted text, and so does formatting after some of
//! them; the time is linear.
//!
//! A line diff is not enough: it matches equal lines even if one is the `}` of an `if` and the other closes the loop
//! around it, and half of such an edit loses a token.

use toy_diagnostics::source::Span;
use toy_syntax::ast::{ExprKind, Module};

/// Lines that formatting replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The lines, with their ends; empty where lines are only added.
    pub span: Span,
    /// The replacement.
    pub text: String,
}

/// The smallest changes from a text to its formatted form, in their order. None if the second text is not the first
/// one with other white space.
pub fn between(text: &str, module: &Module, formatted: &str) -> Option<Vec<Change>> {
    if !solid(text).eq(solid(formatted)) {
        return None;
    }
    let mut cuts = cuts(&starts(text), &starts(formatted));
    remove_inside(&mut cuts, literals(module));
    // A byte order mark alone has no line end: the text after it belongs to it.
    if !formatted.ends_with('\n') {
        cuts.retain(|(old, _)| [0, text.len()].contains(old));
    }
    let parts = cuts.windows(2).map(|cuts| (cuts[0].0..cuts[1].0, cuts[0].1..cuts[1].1));
    let different = parts.filter(|(old, new)| text[old.clone()] != formatted[new.clone()]);
    let change = different.map(|(old, new)| Change {
        span: Span::new(old.start, old.end),
        text: formatted[new].to_owned(),
    });
    Some(change.collect())
}

/// The literals of a program, in the order of their starts. The line breaks that the author gives one decide about all
/// of its lines, so half of them formatted would be formatted in another way.
fn literals(module: &Module) -> Vec<Span> {
    let mut literals = Vec::new();
    for function in &module.functions {
        function.walk_all(|statement| {
            for expr in statement.exprs() {
                expr.walk(|expr| {
                    if let ExprKind::Literal(_) | ExprKind::StructLiteral(_) = expr.kind {
                        literals.push(expr.span);
                    }
                });
            }
        });
    }
    literals.sort();
    literals
}

/// Removes the cuts inside one of the spans.
fn remove_inside(cuts: &mut Vec<(usize, usize)>, spans: Vec<Span>) {
    let mut spans = spans.into_iter().peekable();
    let mut end = 0;
    cuts.retain(|(offset, _)| {
        while let Some(span) = spans.next_if(|span| (span.start as usize) < *offset) {
            end = end.max(span.end as usize);
        }
        *offset >= end
    });
}

/// The bytes that formatting keeps. White space within a string or a comment is kept as well; it counts on neither
/// side.
fn solid(text: &str) -> impl Iterator<Item = u8> {
    text.bytes().filter(|byte| !is_white(*byte))
}

fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0B' | b'\x0C')
}

/// A place where a line starts. No token and no comment is on both sides of it.
#[derive(Clone, Copy, Debug)]
struct Start {
    offset: usize,
    /// The number of solid bytes before it: in the two texts, places with one number are between the same tokens.
    solid: usize,
}

/// The starts of the lines, and the end of the text. A text in which a `\r` alone ends a line is one line: before a
/// line feed that formatting adds, that `\r` would be a part of another line end.
fn starts(text: &str) -> Vec<Start> {
    let is_alone = |after: &str| !after.starts_with('\n');
    let is_one_line = text.split('\r').skip(1).any(is_alone);
    let mut starts = vec![Start { offset: 0, solid: 0 }];
    let mut solid = 0;
    for (at, byte) in text.bytes().enumerate() {
        solid += usize::from(!is_white(byte));
        if byte == b'\n' && !is_one_line {
            starts.push(Start { offset: at + 1, solid });
        }
    }
    starts.push(Start { offset: text.len(), solid });
    starts
}

/// The offsets in both texts at which both can be cut, in their order. Blank lines are a part of their own.
fn cuts(old: &[Start], new: &[Start]) -> Vec<(usize, usize)> {
    let groups = |starts: &[Start]| {
        let groups = starts.chunk_by(|left, right| left.solid == right.solid);
        groups.map(|it| (it[0].solid, it[0].offset, it[it.len() - 1].offset)).collect::<Vec<_>>()
    };
    let mut cuts = Vec::new();
    let new = groups(new);
    let mut rest = new.iter().peekable();
    for (solid, first, last) in groups(old) {
        while rest.next_if(|group| group.0 < solid).is_some() {}
        if let Some((_, new_first, new_last)) = rest.next_if(|group| group.0 == solid) {
            cuts.extend([(first, *new_first), (last, *new_last)]);
        }
    }
    cuts.dedup();
    // Without the blank lines before it, the first line still decides the line ending.
    if let [(0, 0), (_, 0), _, ..] = cuts[..] {
        cuts.remove(1);
    }
    cuts
}
