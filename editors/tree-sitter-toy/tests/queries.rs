//! The queries of all editors: they fit the grammar, and they know the same language as the compiler's lexer.
//!
//! Input: `queries/*.scm` here, and Helix's and Zed's queries beside this folder. Output: an error for a query with a
//! name that the grammar lacks, and for a word or an operator with the wrong color or without one.

mod common;

use common::{files, parse, root};
use toy_syntax::builtins::BUILTINS;
use toy_syntax::token::Token;
use tree_sitter::{Language, Query, QueryCursor, StreamingIterator};

fn language() -> Language {
    tree_sitter_toy::LANGUAGE.into()
}

fn queries() -> Vec<(String, String)> {
    let paths = files(&root().join("editors"), "scm").into_iter();
    let read = |path: &std::path::PathBuf| std::fs::read_to_string(path).expect("a query");
    paths.map(|path| (path.display().to_string(), read(&path))).collect()
}

/// The query's names for the pieces of a program: the last name of each piece counts.
fn colors(query: &str, program: &str) -> Vec<(String, String)> {
    let query = Query::new(&language(), query).expect("a query");
    let tree = parse(program);
    assert!(!tree.root_node().has_error(), "{program}");
    let mut cursor = QueryCursor::new();
    let mut found = Vec::new();
    let mut captures = cursor.captures(&query, tree.root_node(), program.as_bytes());
    while let Some((of, index)) = captures.next() {
        let capture = of.captures()[*index];
        let range = capture.node.byte_range();
        let name = query.capture_names()[capture.index as usize].to_owned();
        found.push((range.start, range.end, of.pattern_index, name));
    }
    found.sort();
    let same = |a: &(usize, usize, usize, String), b: &(usize, usize, usize, String)| {
        a.0 == b.0 && a.1 == b.1
    };
    let last = found.chunk_by(same).filter_map(|all| all.last());
    last.map(|(start, end, _, name)| (program[*start..*end].to_owned(), name.clone())).collect()
}

#[test]
fn queries_fit_the_grammar() {
    let queries = queries();
    assert!(queries.len() >= 6, "only {} queries", queries.len());
    for (path, text) in queries {
        if let Err(error) = Query::new(&language(), &text) {
            panic!("{path}: {error}");
        }
    }
}

#[test]
fn every_word_and_operator_has_a_color() {
    for (path, text) in queries() {
        if !path.ends_with("highlights.scm") {
            continue;
        }
        for token in Token::FIXED {
            let quoted = format!("\"{}\"", token.spelling());
            assert!(text.contains(&quoted), "{path}: no {quoted}");
        }
        let functions = || BUILTINS.iter().filter(|builtin| builtin.value.is_none());
        let calls: String = functions().map(|builtin| format!("{}(1);", builtin.name)).collect();
        let colors = colors(&text, &format!("def main() {{ {calls} other(1); }}"));
        for builtin in functions() {
            let found = colors.iter().find(|(text, _)| text == builtin.name).map(|it| &*it.1);
            assert_eq!(found, Some("function.builtin"), "{path}: {}", builtin.name);
        }
        let builtins = colors.iter().filter(|(_, name)| name == "function.builtin").count();
        assert_eq!(
            builtins,
            functions().count(),
            "{path}: builtins that the language does not have"
        );
    }
}

#[test]
fn colors_follow_the_meaning() {
    let program = "struct P { var x; }\ndef f(P p, n) {\n  # note\n  var a<2, 3> = g(p.x[0]) < 1;\n  \
                   if (a) { m = print(\"s\\n\", end = \"\"); }\n  for i in 0..n { P q = {i}; break; }\n}";
    let own =
        std::fs::read_to_string(root().join("editors/tree-sitter-toy/queries/highlights.scm"));
    let colors = colors(&own.expect("the query"), program);
    let name_of = |text: &str, at: usize| {
        let mut all = colors.iter().filter(|(found, _)| found == text);
        all.nth(at).map(|(_, name)| name.as_str())
    };
    for (text, at, expected) in [
        ("P", 0, "type"),
        ("x", 0, "variable.member"),
        ("f", 0, "function"),
        ("P", 1, "type"),
        ("p", 0, "variable.parameter"),
        ("n", 0, "variable.parameter"),
        ("# note", 0, "comment"),
        ("<", 0, "punctuation.bracket"),
        ("2", 0, "number"),
        (">", 0, "punctuation.bracket"),
        ("g", 0, "function.call"),
        ("x", 1, "variable.member"),
        ("<", 1, "operator"),
        ("if", 0, "keyword.conditional"),
        ("m", 0, "variable"),
        ("print", 0, "function.builtin"),
        ("\\n", 0, "string.escape"),
        ("end", 0, "variable.parameter"),
        ("for", 0, "keyword.repeat"),
        ("in", 0, "keyword.repeat"),
        ("..", 0, "operator"),
        ("n", 1, "variable"),
        ("q", 0, "variable"),
        ("break", 0, "keyword.repeat"),
    ] {
        assert_eq!(name_of(text, at), Some(expected), "`{text}`, {at}");
    }
}
