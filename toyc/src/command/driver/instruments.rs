//! Instrumentation of passes: how long each took, the program after it, and the step that is running.

use super::supervise;
use crate::command::cli::Options;
use crate::compilation::{Observer, timed};
use melior::ir::Module;
use mlir_support::session::{Printing, print_module};
use std::cell::RefCell;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use toy_diagnostics::Diagnostic;

thread_local! {
    /// The running step, for diagnostics about crashes.
    static STEP: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A diagnostic about a crash, with the step in which it happened.
pub fn with_step(diagnostic: Diagnostic) -> Diagnostic {
    let step = STEP.try_with(|step| step.borrow().clone()).unwrap_or_default();
    if step.is_empty() { diagnostic } else { diagnostic.note(format!("in the step `{step}`")) }
}

/// Pass timing and IR printing.
#[derive(Clone, Debug, Default)]
pub struct InstrumentationOptions {
    pub time_passes: bool,
    pub print_after_all: bool,
    /// Names of passes.
    pub print_after: Vec<String>,
    pub printing: Printing,
}

impl From<&Options> for InstrumentationOptions {
    fn from(options: &Options) -> Self {
        Self {
            time_passes: options.time_passes,
            // One function is printed by its own observer.
            print_after_all: options.print_ir_after_all && options.function.is_none(),
            print_after: match options.function {
                Some(_) => Vec::new(),
                None => options.print_ir_after.clone(),
            },
            printing: Printing { locations: options.print_locations, ..Printing::default() },
        }
    }
}

/// Collects times and prints programs to standard error. The times are printed on drop, so that a failed
/// compilation shows its steps up to the failure.
pub struct Instruments {
    times: Vec<(String, Duration)>,
    options: InstrumentationOptions,
    /// The file to which a worker writes its current step.
    progress: Option<PathBuf>,
}

impl Instruments {
    pub fn new(options: InstrumentationOptions) -> Self {
        Self { times: Vec::new(), options, progress: supervise::progress_file() }
    }

    /// Runs a step and records how long it took.
    pub fn time<T>(&mut self, name: &str, step: impl FnOnce() -> T) -> T {
        timed(self, name, step)
    }

    /// Prints the program if the options request it after this pass.
    pub fn print_after(&self, pass: &str, module: &Module) {
        let InstrumentationOptions { print_after_all, print_after, printing, .. } = &self.options;
        if *print_after_all || print_after.iter().any(|name| name == pass) {
            let mut text = heading(pass).into_bytes();
            let _ = print_module(module, *printing, &mut text);
            let _ = std::io::stderr().write_all(&text);
        }
    }
}

/// The line above the program after a pass.
pub fn heading(pass: &str) -> String {
    format!("// -----// IR after {pass} //----- //\n")
}

impl Observer for Instruments {
    fn step_started(&mut self, step: &str) {
        if let Some(file) = &self.progress {
            supervise::note_step(file, step);
        }
        STEP.with_borrow_mut(|running| step.clone_into(running));
    }

    fn step_ended(&mut self, step: &str, time: Duration) {
        self.times.push((step.to_owned(), time));
    }

    fn pass_ended(&mut self, pass: &str, module: &Module) {
        self.print_after(pass, module);
    }
}

impl Drop for Instruments {
    fn drop(&mut self) {
        if !self.options.time_passes {
            return;
        }
        let total: Duration = self.times.iter().map(|(_, time)| *time).sum();
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let mut text = String::from("  time (ms)      %  step\n");
        let mut line = |name: &str, time: Duration| {
            let percent = 100.0 * time.as_secs_f64() / total.as_secs_f64().max(f64::MIN_POSITIVE);
            text.push_str(&format!("{:11.3} {percent:6.1}  {name}\n", milliseconds(time)));
        };
        for (name, time) in &self.times {
            line(name, *time);
        }
        line("total", total);
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_is_reported_with_its_step_and_how_to_report_it() {
        assert_eq!(with_step(Diagnostic::internal("")).notes, [""; 0]);
        let mut instruments = Instruments::new(InstrumentationOptions::default());
        let crash = || with_step(Diagnostic::internal("toyc panicked"));
        let diagnostic = instruments.time("lower", crash);
        assert_eq!(diagnostic.notes, ["in the step `lower`"]);
        let help = diagnostic.help.map_or(String::new(), |help| help.message);
        for words in ["bug in toyc", "report", "the program", "command line", "--version"] {
            assert!(help.contains(words), "{help}");
        }
    }
}
