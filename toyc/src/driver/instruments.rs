//! What a curious user asks of the passes: how long each took, and the program after it.

use super::supervise;
use crate::cli::Options;
use crate::diagnostic::Diagnostic;
use crate::mlir::session::{Printing, print_module};
use melior::ir::Module;
use std::cell::RefCell;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

thread_local! {
    /// The step that began last, for messages about what ends the process in the middle of it.
    static STEP: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A diagnostic about an accident, with the step in which it happened.
pub fn with_step(diagnostic: Diagnostic) -> Diagnostic {
    let step = STEP.try_with(|step| step.borrow().clone()).unwrap_or_default();
    if step.is_empty() { diagnostic } else { diagnostic.note(format!("in the step `{step}`")) }
}

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    pub time_passes: bool,
    pub print_after_all: bool,
    /// Names of passes.
    pub print_after: Vec<String>,
    pub printing: Printing,
}

impl From<&Options> for Wishes {
    fn from(options: &Options) -> Self {
        Self {
            time_passes: options.time_passes,
            print_after_all: options.print_ir_after_all,
            print_after: options.print_ir_after.clone(),
            printing: Printing { locations: options.print_locations, ..Printing::default() },
        }
    }
}

/// Collects times and prints programs to standard error. The report appears when it is dropped,
/// so that a compilation that fails shows what it did until then.
pub struct Instruments {
    times: Vec<(String, Duration)>,
    /// How many of them the report has.
    reported: usize,
    wishes: Wishes,
    /// Where a worker notes what it is doing.
    progress: Option<PathBuf>,
}

impl Instruments {
    pub fn new(wishes: Wishes) -> Self {
        Self { times: Vec::new(), reported: 0, wishes, progress: supervise::progress_file() }
    }

    /// Runs a step and remembers how long it took.
    pub fn time<T>(&mut self, name: &str, step: impl FnOnce() -> T) -> T {
        if let Some(file) = &self.progress {
            supervise::note_step(file, name);
        }
        STEP.with_borrow_mut(|step| name.clone_into(step));
        let start = Instant::now();
        let result = step();
        self.times.push((name.to_owned(), start.elapsed()));
        result
    }

    /// The steps since the last call.
    pub fn new_steps(&mut self) -> &[(String, Duration)] {
        let first = std::mem::replace(&mut self.reported, self.times.len());
        &self.times[first..]
    }

    /// Prints the program if it was asked for after this pass.
    pub fn print_after(&self, pass: &str, module: &Module) {
        let Wishes { print_after_all, print_after, printing, .. } = &self.wishes;
        if *print_after_all || print_after.iter().any(|name| name == pass) {
            let mut text = format!("// -----// IR after {pass} //----- //\n").into_bytes();
            let _ = print_module(module, *printing, &mut text);
            let _ = std::io::stderr().write_all(&text);
        }
    }
}

impl Drop for Instruments {
    fn drop(&mut self) {
        if !self.wishes.time_passes {
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
    fn accidents_say_where_they_happened_and_what_to_do() {
        assert_eq!(with_step(Diagnostic::internal("")).notes, [""; 0]);
        let arguments = ["toyc", "x.toy"].map(Into::into);
        let options = crate::cli::parse(arguments).unwrap();
        let mut instruments = Instruments::new((&options).into());
        let accident = || with_step(Diagnostic::internal("toyc panicked"));
        let diagnostic = instruments.time("lower", accident);
        assert_eq!(diagnostic.notes, ["in the step `lower`"]);
        let help = diagnostic.help.map_or(String::new(), |help| help.message);
        for words in ["bug in toyc", "report", "the program", "command line", "--version"] {
            assert!(help.contains(words), "{help}");
        }
    }
}
