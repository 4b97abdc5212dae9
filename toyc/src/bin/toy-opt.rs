//! The `toy-opt` command: runs passes over MLIR.

use std::process::ExitCode;

fn main() -> ExitCode {
    toyc::command::interrupt::follow_parent();
    toyc::command::toy_opt::run(std::env::args_os().skip(1))
}
