//! The `toyc` command: the command line to the driver, the driver's result to an exit code.

use fast_malloc as _;
use std::io::ErrorKind;
use std::process::ExitCode;

fn main() -> ExitCode {
    match toyc::command::subcommands::parse(std::env::args_os()) {
        Ok(command) => command.run(),
        Err(error) => {
            // Help goes to standard output, and may not arrive there. A reader may have enough of it.
            let lost = error.print().is_err_and(|error| error.kind() != ErrorKind::BrokenPipe);
            ExitCode::from(if error.use_stderr() { 2 } else { u8::from(lost) })
        }
    }
}
