//! The command line of [`memory_planner::command`].

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(memory_planner::command::run(std::env::args_os().skip(1)))
}
