//! Makes the tutorial a web site: `cargo run --manifest-path tutorial/site/Cargo.toml [-- OPTIONS] [FOLDER]`.
//!
//! Input: the tutorial in the repository that this program is part of. Output: a site in FOLDER, by default
//! `target/site`; it needs no server, and no network. `--book` makes one page of all, `print.html`, for paper and for
//! readers of books: `./release` makes a PDF and an EPUB of it. `--repository URL` makes links to files lead to the code host;
//! without it, they lead to pages with their text. Some chapters show pages of `--report`, and programs run on the
//! pages. The compiler makes both: this repository's, which is built first, or the one at `--toyc PATH`. `--without-reports`
//! leaves them out.

mod book;
mod code;
mod figures;
mod highlight;
mod links;
mod page;
mod programs;
mod reports;
mod source;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str =
    "usage: site [--book] [--repository URL] [--toyc PATH | --without-reports] [FOLDER]";

/// The compiler of the pages of `--report`, and of the programs that run on the pages.
pub enum Compiler {
    /// This repository's.
    Built,
    At(PathBuf),
    /// The site has neither.
    None,
}

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().unwrap_or(root);
    let mut folder = root.join("target/site");
    let mut host = None;
    let mut compiler = Compiler::Built;
    let mut is_book = false;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            "--repository" => match arguments.next() {
                Some(url) => host = Some(url.trim_end_matches('/').to_owned()),
                None => return usage(),
            },
            "--toyc" => match arguments.next() {
                Some(path) => compiler = Compiler::At(PathBuf::from(path)),
                None => return usage(),
            },
            "--book" => is_book = true,
            "--without-reports" => compiler = Compiler::None,
            option if option.starts_with('-') => return usage(),
            path => folder = PathBuf::from(path),
        }
    }
    match book::build(&root, &folder, host, compiler, is_book) {
        Ok(()) => {
            println!("{}", folder.join("index.html").display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::FAILURE
}
