//! The tree-sitter grammar of Toy, for programs in Rust.
//!
//! Input: nothing. Output: the [`LANGUAGE`] that `tree_sitter::Parser` takes, and the [queries](HIGHLIGHTS_QUERY) that
//! editors use. Invariant: `cargo run --example generate` makes the parser from `grammar.js`; the tests compare the
//! two.

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_toy() -> *const ();
}

/// The grammar of Toy.
// SAFETY: the generated function returns the language's tables, which are constants.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_toy) };

/// Colors.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../queries/highlights.scm");
/// The definitions that names refer to.
pub const LOCALS_QUERY: &str = include_str!("../../queries/locals.scm");
/// Definitions and calls, for lists of symbols.
pub const TAGS_QUERY: &str = include_str!("../../queries/tags.scm");
