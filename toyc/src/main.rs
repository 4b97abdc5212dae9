//! The `toyc` command: the command line to the driver, the driver's result to an exit code.

use fast_malloc as _;
use std::process::ExitCode;
use toyc::{interrupt, subcommands, usage};

fn main() -> ExitCode {
    interrupt::follow_parent();
    let arguments: Vec<_> = std::env::args_os().collect();
    match subcommands::parse(arguments.iter().cloned()) {
        Ok(command) => command.run(),
        Err(error) => usage::show(&error, usage::error_format(&arguments)),
    }
}
