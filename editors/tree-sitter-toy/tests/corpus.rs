//! The trees of small programs, in the format of `tree-sitter test`.
//!
//! Input: `test/corpus/*.txt`: a title between lines of `=`, a program, a line `---`, and its tree. A title may be
//! followed by `:error`: then the program has an error somewhere. Output: an error for a tree that differs. With
//! TOYC_UPDATE=1 the trees are rewritten.

mod common;

use common::{files, is_update, parse};
use std::collections::BTreeSet;
use std::path::Path;

struct Case {
    /// The lines from the first `=` up to the program.
    head: String,
    program: String,
    tree: String,
}

impl Case {
    fn is_error(&self) -> bool {
        self.head.lines().any(|line| line == ":error")
    }
}

fn is_rule(line: &str, of: char) -> bool {
    line.len() >= 3 && line.chars().all(|it| it == of)
}

fn cases(text: &str) -> Vec<Case> {
    let mut lines = text.lines().peekable();
    let mut cases = Vec::new();
    while let Some(rule) = lines.by_ref().find(|line| is_rule(line, '=')) {
        let mut head = format!("{rule}\n");
        for line in lines.by_ref() {
            head.push_str(line);
            head.push('\n');
            if is_rule(line, '=') {
                break;
            }
        }
        let program: Vec<&str> = lines.by_ref().take_while(|line| !is_rule(line, '-')).collect();
        let mut tree = String::new();
        while let Some(line) = lines.next_if(|line| !is_rule(line, '=')) {
            tree.push_str(line);
            tree.push('\n');
        }
        let program = program.join("\n").trim_matches('\n').to_owned();
        cases.push(Case { head, program, tree: tree.trim().to_owned() });
    }
    cases
}

/// The tree with each node on a line of its own.
fn indented(tree: &str) -> String {
    let (mut text, mut depth) = (String::new(), 0);
    for word in tree.split_whitespace() {
        let follows_field = text.ends_with(": ");
        if word.starts_with('(') && !follows_field || word.ends_with(':') {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&"  ".repeat(depth));
        } else if !follows_field {
            text.push(' ');
        }
        text.push_str(word);
        if word.ends_with(':') {
            text.push(' ');
        }
        depth += word.matches('(').count();
        depth -= word.matches(')').count();
    }
    text
}

fn words(tree: &str) -> Vec<&str> {
    tree.split_whitespace().collect()
}

#[test]
fn trees_are_those_of_the_corpus() {
    let mut count = 0;
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("test/corpus"), "txt") {
        let text = std::fs::read_to_string(&path).expect("a file of the corpus");
        let mut written = String::new();
        for case in cases(&text) {
            count += 1;
            let tree = parse(&case.program);
            let node = tree.root_node();
            let shown = format!("{}: {}\n{}", path.display(), case.head, case.program);
            assert_eq!(node.has_error(), case.is_error(), "{shown}\n{}", node.to_sexp());
            let found = indented(&node.to_sexp());
            if !is_update() && !case.is_error() {
                assert_eq!(words(&found), words(&case.tree), "{shown}\n{found}\n{}", case.tree);
            }
            let tree = if case.is_error() { String::new() } else { format!("{found}\n\n") };
            written.push_str(&format!("{}\n{}\n\n---\n\n{tree}", case.head, case.program));
        }
        if is_update() {
            std::fs::write(&path, written.trim_end().to_owned() + "\n").expect("to write");
        }
    }
    assert!(count > 30, "only {count} trees");
}

#[test]
fn the_corpus_has_every_kind_of_node() {
    let language: tree_sitter::Language = tree_sitter_toy::LANGUAGE.into();
    let mut trees = String::new();
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("test/corpus"), "txt") {
        let text = std::fs::read_to_string(&path).expect("a file of the corpus");
        trees.extend(cases(&text).into_iter().map(|case| case.tree));
    }
    let found: BTreeSet<&str> =
        trees.split(|c: char| !(c.is_ascii_alphabetic() || c == '_')).collect();
    for kind in 0..language.node_kind_count() as u16 {
        let is_node = language.node_kind_is_named(kind) && language.node_kind_is_visible(kind);
        let name = language.node_kind_for_id(kind).unwrap_or_default();
        assert!(!is_node || name == "ERROR" || found.contains(name), "no `{name}` in the corpus");
    }
    for field in 1..=language.field_count() as u16 {
        let name = language.field_name_for_id(field).unwrap_or_default();
        // Operators are anonymous nodes, which trees in this format leave out.
        assert!(name == "operator" || found.contains(name), "no field `{name}` in the corpus");
    }
}
