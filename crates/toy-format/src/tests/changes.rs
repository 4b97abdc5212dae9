//! Properties of any subset of the changes that formatting makes, tested on the programs of the repository as they are,
//! and with random comments and line ends between their tokens.

use super::formatted;
use super::properties::{Random, comments, disturbed, programs, tokens, with_stack};
use crate::changes::between;
use crate::{Change, changes};
use std::ops::Range;
use toy_diagnostics::source::Source;
use toy_syntax::ast::Module;

fn of(text: &str) -> Vec<Change> {
    changes(&Source::new("t", text)).expect("a program without syntax errors")
}

/// The text after some of its changes.
fn apply<'c>(text: &str, changes: impl DoubleEndedIterator<Item = &'c Change>) -> String {
    let mut text = text.to_owned();
    for change in changes.rev() {
        text.replace_range(change.span.start as usize..change.span.end as usize, &change.text);
    }
    text
}

/// The text with the changes that lie within a range.
fn format_range(text: &str, range: Range<usize>) -> String {
    let is_inside = |change: &&Change| {
        range.start <= change.span.start as usize && change.span.end as usize <= range.end
    };
    apply(text, of(text).iter().filter(is_inside))
}

/// The offsets of the lines, and the end.
fn lines(text: &str) -> Vec<usize> {
    let starts = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(starts).chain([text.len()]).collect()
}

#[test]
fn a_change_is_as_small_as_the_lines_allow() {
    let shown = |text: &str| {
        let shown = |it: Change| (text[it.span.within(text)].to_owned(), it.text);
        of(text).into_iter().map(shown).collect::<Vec<_>>()
    };
    let pair = |(old, new): (&str, &str)| (old.to_owned(), new.to_owned());
    assert_eq!(
        shown("def f() {\nx;\n  y;\n}\n\n\n\ndef g() {}"),
        [("x;\n", "  x;\n"), ("\n\n\n", "\n"), ("def g() {}", "def g() {}\n")].map(pair)
    );
    // Both `}` stay: the change does not add the second one but gives the first one its own line.
    assert_eq!(
        shown("def f() {\n  if (a) {\n    b; }\n}\n"),
        [("    b; }\n", "    b;\n  }\n")].map(pair)
    );
    assert_eq!(
        shown("def f() {\n}\ndef g() {\n}\n"),
        [("def f() {\n}\n", "def f() {}\n"), ("def g() {\n}\n", "def g() {}\n")].map(pair)
    );
    // A literal is one part: its line breaks depend on each other.
    assert_eq!(
        shown("def f() {\n  x = {{1,\n2},{3,\n  4}};\ny;\n}\n"),
        [
            (
                "  x = {{1,\n2},{3,\n  4}};\n",
                "  x = {\n    {1,\n     2},\n    {3,\n     4}\n  };\n",
            ),
            ("y;\n", "  y;\n"),
        ]
        .map(pair)
    );
    assert_eq!(shown("\u{feff}\n\n# a\n"), [("\u{feff}\n\n# a\n", "\u{feff}# a\n")].map(pair));
    assert_eq!(shown("def f() {}\n"), []);
}

#[test]
fn another_text_has_no_changes() {
    let between = |text: &str, formatted: &str| between(text, &Module::default(), formatted);
    assert_eq!(between("a b", "a c"), None);
    assert_eq!(between("# a\n", "\n"), None);
    assert_eq!(between("", ""), Some(Vec::new()));
}

#[test]
fn any_part_of_the_changes_keeps_tokens_and_comments() {
    with_stack(parts);
}

fn parts() {
    let seed = std::env::var("TOYC_RANDOM_SEED").ok().and_then(|seed| seed.parse().ok());
    let mut random = Random(seed.unwrap_or(0x1234_5678_9abc_def1));
    let (mut ranges, mut changed) = (0, 0);
    for program in programs() {
        let all = tokens(&program);
        if all.len() > 500 {
            continue;
        }
        let often = [2, 4, 5, 30][random.below(4)];
        let text = disturbed(&all, &mut random, often);
        // Line ends of one kind, of the oldest kind, and a byte order mark.
        let texts = [
            program.replace('\n', "\r\n"),
            text.replace("\r\n", "\n").replace('\n', "\r\n"),
            text.replace("\n\n", "\n\r"),
            format!("\u{feff}\n{text}"),
        ];
        for text in [&texts[random.below(texts.len())], &text] {
            let (count, different) = check(text, &mut random);
            ranges += count;
            changed += different;
        }
    }
    assert!(ranges > 2_000 && changed > 1_000, "{changed} of {ranges} ranges changed something");
}

/// Tests ranges of a text. Returns their number, and how many of them changed something.
fn check(text: &str, random: &mut Random) -> (usize, usize) {
    let whole = formatted(text);
    let (tokens_before, comments_before) = (tokens(text), comments(text));
    let all = of(text);
    assert_eq!(apply(text, all.iter()), whole);
    let starts = lines(text);
    let mut changed = 0;
    const RANGES: usize = 4;
    for _ in 0..RANGES {
        let (one, other) = (random.below(starts.len()), random.below(starts.len()));
        let range = starts[one.min(other)]..starts[one.max(other)];
        let after = format_range(text, range.clone());
        assert_eq!(tokens(&after), tokens_before, "{range:?} of\n{text}\n----\n{after}");
        assert_eq!(comments(&after), comments_before, "{range:?} of\n{text}\n----\n{after}");
        let rest = &text[range.end..];
        assert!(after.starts_with(&text[..range.start]) && after.ends_with(rest), "{after}");
        // The text outside the range can still be formatted.
        assert_eq!(formatted(&after), whole, "{range:?} of\n{text}\n----\n{after}");
        changed += usize::from(after != text);
    }
    // Any subset, also one that is not contiguous.
    let some: Vec<&Change> = all.iter().filter(|_| random.below(2) == 0).collect();
    let after = apply(text, some.into_iter());
    assert_eq!((tokens(&after), comments(&after)), (tokens_before, comments_before), "{text}");
    assert_eq!(formatted(&after), whole, "{text}\n----\n{after}");
    // Ranges in turn that together are the program format it, the first one first or last.
    let mut ends: Vec<usize> = all.iter().map(|change| change.span.end as usize).collect();
    ends.retain(|_| random.below(all.len()) < 3);
    ends.truncate(4);
    ends.push(text.len());
    let mut backwards = text.to_owned();
    let mut forwards = text.to_owned();
    for (index, end) in ends.iter().enumerate().rev() {
        let start = index.checked_sub(1).map_or(0, |before| ends[before]);
        backwards = format_range(
            &backwards,
            start..if index + 1 == ends.len() { backwards.len() } else { *end },
        );
    }
    let mut done = 0;
    for (index, end) in ends.iter().enumerate() {
        let length = end - index.checked_sub(1).map_or(0, |before| ends[before]);
        let before = forwards.len();
        forwards = format_range(&forwards, done..done + length);
        done += (length + forwards.len()) - before;
    }
    assert_eq!(backwards, whole, "{ends:?} of\n{text}");
    assert_eq!(forwards, whole, "{ends:?} of\n{text}");
    (RANGES, changed)
}
