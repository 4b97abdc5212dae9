//! The `toy-opt` command: runs passes over MLIR.

use fast_malloc as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    toyc::opt::run(std::env::args_os().skip(1))
}
