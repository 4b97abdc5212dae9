//! The `toy-opt` command: runs passes over MLIR.

use std::process::ExitCode;

fn main() -> ExitCode {
    toyc::interrupt::follow_parent();
    toyc::toy_opt::run(std::env::args_os().skip(1))
}
