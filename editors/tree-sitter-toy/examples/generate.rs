//! Makes `src/` from `grammar.js`, as `tree-sitter generate` does.
//!
//! Input: `grammar.js`, which Node evaluates, and the version of the ABI as an argument: 15 if there is none, 14 for
//! editors of before 2025 (they then take keywords for names where no keyword can be).
//! Output: the files in `src/`, or in the folder that is the second argument.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tree_sitter_generate::{OptLevel, generate_parser_in_directory};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Ok(abi) = arguments.next().map_or(Ok(15), |text| text.parse()) else {
        eprintln!("usage: generate [ABI [FOLDER]]");
        return ExitCode::from(2);
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = arguments.next().map_or_else(|| folder.join("src"), PathBuf::from);
    let mut remarks = Vec::new();
    let result = generate_parser_in_directory(
        folder,
        Some(output),
        Some(folder.join("grammar.js")),
        abi,
        None,
        Some("node"),
        true,
        OptLevel::default(),
        &mut remarks,
    );
    for remark in remarks {
        eprintln!("{remark}");
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
