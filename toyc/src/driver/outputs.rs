//! Where each stage's program goes: the place that `-o` names, the terminal, or a file named after
//! the input, and beside it what `--save-temps` keeps.

use crate::cli::Options;
use crate::codegen::{link, target};
use crate::diagnostic::{Diagnosed, Diagnostic, codes};
use crate::memory_plan::{MemoryPlan, PlanFile};
use crate::mlir::session::{Printing, print_module};
use crate::output::{self, Destination};
use crate::pipeline::Stage;
use crate::source::Source;
use crate::syntax;
use melior::ir::Module;
use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where each stage's program goes.
pub struct Outputs {
    /// Of the stage asked for.
    destination: Option<Destination>,
    /// `prog` for `dir/prog.toy`: what files are named after.
    stem: PathBuf,
    from_stdin: bool,
    save_temps: bool,
    /// The file of `--memory-plan`, and what goes into it when the stage's program is complete.
    plan_file: Option<PlanFile>,
    plan: RefCell<Option<String>>,
}

impl Outputs {
    pub fn new(options: &Options, path: &Path) -> Diagnosed<Self> {
        let from_stdin = path.as_os_str() == "-";
        let stem = match path.file_stem() {
            Some(stem) if !from_stdin => PathBuf::from(stem),
            _ => PathBuf::from("a"),
        };
        let destination = options.output.as_deref().map(Destination::from_option);
        let outputs = Self {
            destination,
            stem,
            from_stdin,
            save_temps: options.save_temps,
            plan_file: options.memory_plan.clone(),
            plan: RefCell::default(),
        };
        let file = match outputs.destination_of(options.emit) {
            Some(Destination::File(file)) => Some(file),
            _ => None,
        };
        if file.as_ref().is_some_and(|file| is_same(file, path)) {
            let message = format!("the output would overwrite the input `{}`", path.display());
            let diagnostic = Diagnostic::error(codes::NOT_AVAILABLE, message);
            return Err(diagnostic.help("name another output with -o").into());
        }
        outputs.check_plan(options.emit, path, file.as_deref())?;
        if options.emit == Stage::Exe && outputs.destination == Some(Destination::Stdout) {
            let message = "an executable cannot be written to standard output";
            let diagnostic = Diagnostic::error(codes::NOT_AVAILABLE, message);
            return Err(diagnostic.help("name a file with -o, or use -emit=obj").into());
        }
        Ok(outputs)
    }

    /// Whether there will be a plan, and a place for it.
    fn check_plan(&self, emit: Stage, input: &Path, output: Option<&Path>) -> Diagnosed<()> {
        let Some(PlanFile { path, .. }) = &self.plan_file else { return Ok(()) };
        let (message, help) = if emit < Stage::Merged {
            let message = format!("`{}` comes before the memory plan", emit.name());
            (message, "ask for `merged` or a later stage")
        } else if is_same(path, input) {
            let message = format!("the memory plan would overwrite the input `{}`", path.display());
            (message, "name another file")
        } else if output.is_some_and(|output| output == path || is_same(output, path)) {
            let message =
                format!("the memory plan would overwrite the output `{}`", path.display());
            (message, "name another file")
        } else {
            return Ok(());
        };
        Err(Diagnostic::error(codes::NOT_AVAILABLE, message).help(help).into())
    }

    /// Takes the plan, in the form of its file.
    pub fn keep_plan(&self, plan: &MemoryPlan) {
        self.plan.replace(self.plan_file.as_ref().map(|file| file.format.show(plan)));
    }

    /// Writes the plan, if there is one: no error can come after it but those of the main output.
    pub fn write_plan(&self) -> Result<(), Diagnostic> {
        let (Some(file), Some(text)) = (&self.plan_file, self.plan.take()) else { return Ok(()) };
        Destination::File(file.path.clone()).write(|out| out.write_all(text.as_bytes()))
    }

    fn destination_of(&self, stage: Stage) -> Option<Destination> {
        let file =
            |extension: &str| Some(Destination::File(self.stem.with_extension_added(extension)));
        match (&self.destination, stage) {
            (Some(destination), _) => Some(destination.clone()),
            (None, Stage::Asm) => file("s"),
            (None, Stage::Obj) => file("o"),
            (None, Stage::Exe) if self.from_stdin => file("out"),
            (None, Stage::Exe) => file(""),
            (None, Stage::Jit) => None,
            (None, _) => Some(Destination::Stdout),
        }
    }

    pub fn text(&self, stage: Stage, text: &str) -> Diagnosed<i32> {
        self.bytes(stage, text.as_bytes())
    }

    pub fn bytes(&self, stage: Stage, bytes: &[u8]) -> Diagnosed<i32> {
        self.write_plan()?;
        let destination = self.destination_of(stage).unwrap_or(Destination::Stdout);
        destination.write(|out| out.write_all(bytes))?;
        Ok(0)
    }

    /// The tree's text may be quadratic in the program, so it is never held as a whole.
    pub fn tree(&self, program: &syntax::ast::Module, source: &Source) -> Diagnosed<i32> {
        let destination = self.destination_of(Stage::Ast).unwrap_or(Destination::Stdout);
        destination.write(|out| {
            output::formatted(out, |text| syntax::dump::dump_to(program, source, text))
        })?;
        Ok(0)
    }

    pub fn module(&self, stage: Stage, module: &Module, options: &Options) -> Diagnosed<i32> {
        self.write_plan()?;
        let destination = self.destination_of(stage).unwrap_or(Destination::Stdout);
        destination.write(|out| print_module(module, printing(options), out))?;
        Ok(0)
    }

    pub fn save_module(&self, stage: Stage, module: &Module, options: &Options) -> Diagnosed<()> {
        if !self.save_temps {
            return Ok(());
        }
        let file = Destination::File(self.temporary(&format!("{}.mlir", stage.name())));
        Ok(file.write(|out| print_module(module, printing(options), out))?)
    }

    /// With --save-temps, writes a text stage beside the output.
    pub fn save(&self, stage: Stage, text: impl FnOnce() -> String) -> Diagnosed<()> {
        if !self.save_temps {
            return Ok(());
        }
        let extension = if stage == Stage::Llvm { "ll" } else { "s" };
        let file = Destination::File(self.temporary(extension));
        Ok(file.write(|out| out.write_all(text().as_bytes()))?)
    }

    /// `dir/prog.EXTENSION` for an output `dir/prog`.
    fn temporary(&self, extension: &str) -> PathBuf {
        let base = match &self.destination {
            Some(Destination::File(file)) => file.with_extension(""),
            _ => self.stem.clone(),
        };
        base.with_extension_added(extension)
    }

    pub fn executable(
        &self,
        object: &[u8],
        machine: &target::Machine,
        options: &Options,
    ) -> Diagnosed<i32> {
        let Some(Destination::File(file)) = self.destination_of(Stage::Exe) else {
            return Ok(0);
        };
        if self.save_temps {
            let kept = Destination::File(self.temporary("o"));
            kept.write(|out| out.write_all(object))?;
        }
        let cannot = |error: std::io::Error| output::cannot_write("a temporary file", &error);
        let mut temporary =
            tempfile::Builder::new().prefix("toyc-").suffix(".o").tempfile().map_err(cannot)?;
        temporary.write_all(object).map_err(cannot)?;
        output::make_file(&file, |executable| {
            let linker = options.linker.as_deref();
            let command = link::command(machine, temporary.path(), executable, linker);
            if options.verbose {
                let _ = writeln!(std::io::stderr(), "{command}");
            }
            link::run(&command, machine)?;
            self.write_plan()
        })?;
        Ok(0)
    }
}

/// Whether two names are those of one file, which exists.
fn is_same(one: &Path, other: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

fn printing(options: &Options) -> Printing {
    Printing { locations: options.print_locations, ..Printing::default() }
}

trait WithExtensionAdded {
    fn with_extension_added(&self, extension: &str) -> PathBuf;
}

impl WithExtensionAdded for PathBuf {
    /// `x.y` and `z` give `x.y.z`; an empty extension changes nothing.
    fn with_extension_added(&self, extension: &str) -> PathBuf {
        let mut path = self.clone().into_os_string();
        if !extension.is_empty() {
            path.push(".");
            path.push(extension);
        }
        path.into()
    }
}
