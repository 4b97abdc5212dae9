//! Instrumentation of passes: the time of each, the program after it, and the running step.

use super::progress::Progress;
use super::supervise;
use super::trace::Trace;
use crate::cli::{ErrorFormat, Options};
use clap::Args;
use melior::ir::Module;
use mlir_support::session::{Printing, printed};
use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use toy_compiler::compilation::{Observer, RUN, timed};
use toy_diagnostics::Diagnostic;
use toy_diagnostics::render::render_short;

thread_local! {
    /// The running step, for diagnostics about crashes.
    static STEP: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A diagnostic about a crash, with the step in which it happened.
pub fn with_step(diagnostic: Diagnostic) -> Diagnostic {
    let step = STEP.try_with(|step| step.borrow().clone()).unwrap_or_default();
    if step.is_empty() { diagnostic } else { diagnostic.note(format!("in the step `{step}`")) }
}

// Pass timing and IR printing, and their options in toy-opt.
#[derive(Args, Clone, Debug, Default)]
pub struct InstrumentationOptions {
    /// Show the module before this pass
    #[arg(long = "print-ir-before", value_name = "PASS", alias = "mlir-print-ir-before")]
    pub print_before: Vec<String>,

    /// Show the module after this pass (both may be given several times)
    #[arg(long = "print-ir-after", value_name = "PASS", alias = "mlir-print-ir-after")]
    pub print_after: Vec<String>,

    /// Show the module before every pass
    #[arg(long = "print-ir-before-all", alias = "mlir-print-ir-before-all")]
    pub print_before_all: bool,

    /// Show the module after every pass
    #[arg(long = "print-ir-after-all", alias = "mlir-print-ir-after-all")]
    pub print_after_all: bool,

    /// Show it only after passes that have changed it; with --print-ir-after, only after that pass
    #[arg(long = "print-ir-after-change", alias = "mlir-print-ir-after-change")]
    pub print_after_change: bool,

    /// Show how long each pass took, or write a trace for Perfetto and speedscope
    #[arg(long, value_name = "FILE.json", num_args = 0..=1, require_equals = true, alias = "mlir-timing")]
    pub time_passes: Option<Option<PathBuf>>,

    #[arg(skip)]
    pub printing: Printing,

    /// True if progress is shown on a terminal.
    #[arg(skip)]
    pub shows_progress: bool,
}

impl From<&Options> for InstrumentationOptions {
    fn from(options: &Options) -> Self {
        // One function is printed by its own observer.
        let named = |names: &Vec<String>| match options.function {
            Some(_) => Vec::new(),
            None => names.clone(),
        };
        Self {
            time_passes: options.time_passes.clone(),
            shows_progress: options.form.error_format == ErrorFormat::Human,
            print_after_change: options.print_ir_after_change && options.function.is_none(),
            print_after_all: options.print_ir_after_all && options.function.is_none(),
            print_before: named(&options.print_ir_before),
            print_after: named(&options.print_ir_after),
            printing: Printing { locations: options.print_locations, ..Printing::default() },
            ..Self::default()
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
    trace: Option<Trace>,
    sign_of_life: Option<Progress>,
    /// A hash of the program after the previous pass, if the options request changes.
    before: Option<u64>,
}

impl Instruments {
    pub fn new(options: InstrumentationOptions) -> Self {
        let prints = options.print_before_all
            || options.print_after_all
            || options.print_after_change
            || !options.print_before.is_empty()
            || !options.print_after.is_empty();
        Self {
            times: Vec::new(),
            progress: supervise::progress_file(),
            trace: options.time_passes.clone().flatten().map(Trace::new),
            sign_of_life: (options.shows_progress && !prints).then(Progress::start).flatten(),
            before: None,
            options,
        }
    }

    /// The program before the first pass.
    pub fn started(&mut self, module: &Module) {
        if self.options.print_after_change {
            self.before = Some(hash(module, self.options.printing));
        }
    }

    /// Prints the program if the options request it before this pass.
    pub fn print_before(&self, pass: &str, module: &Module) {
        let InstrumentationOptions { print_before_all, print_before, .. } = &self.options;
        if *print_before_all || print_before.iter().any(|name| is_named(pass, name)) {
            self.print(&heading("before", pass), module);
        }
    }

    fn print(&self, heading: &str, module: &Module) {
        let text = printed(module.as_operation(), self.options.printing);
        let _ = std::io::stderr().write_all(format!("{heading}{text}").as_bytes());
    }

    /// Runs a step and records its time.
    pub fn time<T>(&mut self, name: &str, step: impl FnOnce() -> T) -> T {
        timed(self, name, step)
    }

    /// Prints the program if the options request it after this pass.
    pub fn print_after(&mut self, pass: &str, module: &Module) {
        let InstrumentationOptions { print_after_all, print_after, print_after_change, .. } =
            &self.options;
        let is_any = *print_after_change && print_after.is_empty();
        let is_asked =
            *print_after_all || is_any || print_after.iter().any(|name| is_named(pass, name));
        let is_changed = !*print_after_change || {
            let after = Some(hash(module, self.options.printing));
            std::mem::replace(&mut self.before, after) != after
        };
        if is_asked && is_changed {
            self.print(&heading("after", pass), module);
        }
    }
}

/// The line above the program `before` or `after` a pass.
pub fn heading(when: &str, pass: &str) -> String {
    format!("// -----// IR {when} {pass} //----- //\n")
}

/// True if a step is the pass of this name: alone, with options, or nested under operations.
fn is_named(step: &str, name: &str) -> bool {
    let pass = step.split('{').next().unwrap_or(step).trim_end_matches(')');
    step == name || pass.rsplit('(').next() == Some(name)
}

/// A hash of the program as it is printed.
fn hash(module: &Module, printing: Printing) -> u64 {
    let mut hasher = DefaultHasher::new();
    printed(module.as_operation(), printing).hash(&mut hasher);
    hasher.finish()
}

impl Observer for Instruments {
    fn step_started(&mut self, step: &str) {
        if let Some(file) = &self.progress {
            supervise::note_step(file, step);
        }
        STEP.with_borrow_mut(|running| step.clone_into(running));
        match &self.sign_of_life {
            // The program now owns the terminal.
            Some(_) if step == RUN => self.sign_of_life = None,
            Some(progress) => progress.step(step),
            None => {}
        }
    }

    fn step_ended(&mut self, step: &str, time: Duration) {
        self.times.push((step.to_owned(), time));
        if let Some(trace) = &mut self.trace {
            trace.step(step, time);
        }
    }

    fn module_started(&mut self, module: &Module) {
        self.started(module);
    }

    fn pass_started(&mut self, pass: &str, module: &Module) {
        self.print_before(pass, module);
    }

    fn pass_ended(&mut self, pass: &str, module: &Module) {
        self.print_after(pass, module);
    }
}

impl Drop for Instruments {
    fn drop(&mut self) {
        self.sign_of_life = None;
        if let Some(Err(diagnostic)) = self.trace.as_ref().map(Trace::write) {
            // It was writable at the start.
            let _ = write!(std::io::stderr(), "{}", render_short(&[diagnostic], None));
        }
        if self.options.time_passes != Some(None) {
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
