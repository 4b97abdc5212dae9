//! Shared code of the tests: the repository's programs, and parsing.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::{Path, PathBuf};
use tree_sitter::{Parser, Tree};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All files of a folder and its subfolders with the extension, sorted, except for built or fetched files.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            let is_ours = !["target", "node_modules", ".git", "tools"].iter().any(|it| name == *it);
            if path.is_dir() && is_ours && !path.is_symlink() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_toy::LANGUAGE.into()).expect("a version that is known");
    parser
}

pub fn parse(text: &str) -> Tree {
    parser().parse(text, None).expect("a tree")
}

/// True if the expectations are rewritten.
pub fn is_update() -> bool {
    std::env::var_os("TOYC_UPDATE").is_some_and(|value| value == "1")
}
