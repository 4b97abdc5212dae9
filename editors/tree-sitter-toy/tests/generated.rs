//! The parser in `src/` is generated from the grammar.
//!
//! Input: `grammar.js` and `src/`. Output: an error for a file of `src/` that is out of date. The second test evaluates
//! `grammar.js` and needs Node.

use std::path::Path;
use tree_sitter_generate::{
    OptLevel, generate_parser_for_grammar, generate_parser_in_directory, load_grammar_file,
};

const HOW: &str = "is out of date: run `cargo run --example generate` in editors/tree-sitter-toy";

fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_parser_is_that_of_the_grammar() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let json = read(folder.join("src/grammar.json"));
    let version = Some((0, 2, 0));
    let (_, parser) =
        generate_parser_for_grammar(&json, version, OptLevel::default(), &mut Vec::new())
            .expect("a grammar");
    assert!(parser == read(folder.join("src/parser.c")), "src/parser.c {HOW}");
}

#[test]
fn all_files_are_those_of_the_grammar() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let grammar = folder.join("grammar.js");
    // Errors in the grammar are reported here, and not under the name of a file.
    load_grammar_file(&grammar, Some("node")).expect("a grammar, evaluated by node");
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("src");
    let _ = std::fs::remove_dir_all(&output);
    generate_parser_in_directory(
        folder,
        Some(output.clone()),
        Some(grammar),
        15,
        None,
        Some("node"),
        true,
        OptLevel::default(),
        &mut Vec::new(),
    )
    .expect("a parser");
    for name in ["parser.c", "grammar.json", "node-types.json", "tree_sitter/parser.h"] {
        let is_same = read(output.join(name)) == read(folder.join("src").join(name));
        assert!(is_same, "src/{name} {HOW}");
    }
}
