//! The way from stage to stage.
//!
//! Input: a compilation at some stage, and the requested one. Output: the compilation at that stage; or the errors in the
//! program, with which it keeps its stage and advances no further.

use super::backend;
use super::middle::{self, Middle};
use super::observer::timed;
use super::{Compilation, Config, Language, Observer, fail_on, no_module};
use crate::Stage;
use crate::codegen::{addresses, archive, target};
use crate::interface::{self, Export, header};
use crate::memory_plan::{MemoryPlan, NOT_MERGED};
use mlir_support::nesting;
use std::sync::Arc;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::text::counted;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};
use toy_syntax::{ast, lexer};

impl Compilation {
    /// Advances the program to a stage, and notifies the observer of each event. Does nothing if the
    /// program is at that stage already.
    ///
    /// # Errors
    ///
    /// The errors in the program up to this stage. Also an error if the program is past the stage, or if an
    /// earlier call failed.
    pub fn advance_to(&mut self, stage: Stage, observer: &mut dyn Observer) -> Diagnosed<()> {
        self.check_order(stage)?;
        if self.stage.is_none() {
            target::check(&self.config.machine(stage))?;
        }
        self.check_exports(stage)?;
        if stage == Stage::Python && self.config.is_for_wasm() {
            let message = "Python cannot call a module of WebAssembly";
            let help = "-emit=lib makes one that JavaScript calls; without --target, -emit=python is for this machine";
            return Err(Diagnostic::not_available(message).help(help).into());
        }
        for next in Stage::ALL.iter().copied() {
            if Some(next) > self.stage && next <= stage && self.is_on_the_way(next, stage, observer)
            {
                self.has_failed = true;
                self.make(next, stage, observer)?;
                self.stage = Some(next);
                self.with_program(|program| observer.stage_reached(next, program))
                    .unwrap_or(Ok(()))?;
                self.has_failed = false;
            }
        }
        Ok(())
    }

    fn check_order(&self, stage: Stage) -> Result<(), Diagnostic> {
        if self.has_failed {
            return Err(Diagnostic::not_available("the compilation has failed before"));
        }
        if self.stage > Some(stage) {
            let message = format!("the program is beyond the stage `{}`", stage.name());
            return Err(Diagnostic::not_available(message));
        }
        if self.config.language == Language::Mlir && stage < Stage::Toy {
            let message = format!("MLIR input has no stage `{}`", stage.name());
            let help = "ask for `toy` or a later stage, or say -x toy if the input is Toy";
            return Err(Diagnostic::not_available(message).help(help));
        }
        Ok(())
    }

    /// Checks that a library's stage has exports, and a program's has none.
    fn check_exports(&self, stage: Stage) -> Result<(), Diagnostic> {
        let is_library = Stage::LIBRARY.contains(&stage);
        let (name, has_exports) = (stage.name(), !self.config.exports.is_empty());
        if is_library && !has_exports {
            let message = format!("`-emit={name}` needs functions to export");
            return Err(Diagnostic::error(codes::NO_EXPORT, message)
                .note("a library has functions for arguments of certain shapes")
                .help("name them: `--export 'f(2x3, 2x3)'`"));
        }
        if has_exports && (stage >= Stage::Exe || self.config.main.is_some()) {
            let maker = match self.config.main.is_some() {
                true => "--main".to_owned(),
                false => format!("-emit={name}"),
            };
            let message = format!("`{maker}` makes a program, which exports no functions");
            return Err(Diagnostic::error(codes::NO_EXPORT, message)
                .help("make a library with -emit=lib or -emit=staticlib, or leave out --export"));
        }
        Ok(())
    }

    /// True if the path to the requested stage includes `next`.
    fn is_on_the_way(&self, next: Stage, stage: Stage, observer: &dyn Observer) -> bool {
        let is_mlir = self.config.language == Language::Mlir;
        match next {
            Stage::Tokens | Stage::Ast | Stage::ToySource if is_mlir => false,
            Stage::StaticLib | Stage::Lib | Stage::Python => next == stage,
            Stage::Header | Stage::Rust => {
                let has_exports = !self.config.exports.is_empty();
                next == stage || (observer.wants(next) && has_exports)
            }
            Stage::Tokens | Stage::ToySource | Stage::MemoryPlan | Stage::Asm => {
                next == stage || observer.wants(next)
            }
            Stage::Obj | Stage::Exe => stage != Stage::Jit,
            _ => true,
        }
    }

    /// Produces the program of the next stage.
    fn make(&mut self, next: Stage, stage: Stage, observer: &mut dyn Observer) -> Diagnosed<()> {
        let is_plan_reachable = stage <= Stage::MemoryPlan || observer.wants(Stage::MemoryPlan);
        match next {
            Stage::Tokens => {
                let (tokens, diagnostics) =
                    timed(observer, "lex", || lexer::dump_tokens(&self.source));
                fail_on(diagnostics)?;
                self.made.insert(next, tokens.into_bytes());
            }
            // A tree can be shown whatever its names mean; the stages after it need them to be right.
            Stage::Ast => self.parse(stage, observer)?,
            Stage::ToySource => {}
            Stage::MemoryPlan => {
                self.plan = Some(timed(observer, "memory-plan", || self.memory_plan())?);
            }
            next if next <= Stage::MlirLlvm => {
                if self.middle.is_none() {
                    self.start_middle(stage, observer)?;
                }
                // Later stages cannot get back to the plan.
                if next == Stage::Merged && is_plan_reachable {
                    self.middle()?.record_plan();
                }
                let is_last = next == stage || next == Stage::MlirLlvm;
                let tree = self.tree.take();
                let result = self.middle()?.run(next, is_last, tree.as_ref(), observer);
                self.tree = tree;
                self.warnings.extend(fail_on(self.config.levels.apply(result?))?);
                if next == Stage::MlirLlvm && !self.config.entries().is_empty() {
                    let middle = self.middle.as_mut().ok_or_else(no_module)?;
                    self.interface = middle.interface(self.config.entries());
                    self.interface.threads = self.config.loop_threads();
                    if self.config.is_for_wasm() && stage > Stage::MlirLlvm {
                        addresses::check_interface(&self.interface)?;
                    }
                }
            }
            Stage::Llvm => {
                let middle = self.middle.as_mut().ok_or_else(no_module)?;
                self.machine = Some(backend::translate(middle, &self.config, stage, observer)?);
                if stage >= Stage::Exe {
                    backend::check_main(middle, &self.source)?;
                }
            }
            Stage::Asm | Stage::Obj => {
                let (middle, machine) = self.generated()?;
                let made = match next {
                    Stage::Asm => backend::assembly(middle, machine, observer)?,
                    _ => backend::object(middle, machine, stage == Stage::Python, observer)?,
                };
                self.made.insert(next, made);
            }
            Stage::Header => {
                let text = header::text(&self.interface, &self.source.name, self.name());
                self.made.insert(next, text.into_bytes());
            }
            Stage::Rust => {
                interface::rust::check(&self.interface)?;
                let text = interface::rust::text(&self.interface, &self.source.name);
                self.made.insert(next, text.into_bytes());
            }
            Stage::StaticLib => {
                let object = self.object().ok_or_else(no_module)?;
                let member = format!("{}.o", self.name());
                let made = timed(observer, "archive", || archive::archive(&member, object))?;
                self.made.insert(next, made);
            }
            _ => {}
        }
        Ok(())
    }

    /// Parses the source on the way to a stage.
    fn parse(&mut self, stage: Stage, observer: &mut dyn Observer) -> Diagnosed<()> {
        let checks = stage >= Stage::Toy;
        let analyze = match (checks, self.config.is_rootless()) {
            (true, false) => toy_syntax::analyze,
            (true, true) => toy_syntax::analyze_library,
            (false, _) => toy_syntax::parse,
        };
        let (mut tree, diagnostics) = timed(observer, "parse", || analyze(&self.source));
        let diagnostics = self.config.levels.apply(diagnostics);
        match fail_on(diagnostics) {
            Ok(warnings) => self.warnings.extend(warnings),
            Err(mut diagnostics) => {
                if stage >= Stage::Shapes {
                    let source = Arc::clone(&self.source);
                    let shapes = middle::shape_errors(source, &tree, &diagnostics, &self.config);
                    diagnostics.extend(shapes);
                    toy_syntax::in_order_of_text(&mut diagnostics);
                }
                return Err(diagnostics);
            }
        }
        if stage >= Stage::Shapes && self.config.entries().is_empty() {
            self.find_main(&mut tree)?;
        }
        self.tree = Some(tree);
        self.is_checked = checks;
        Ok(())
    }

    /// Lets a `main` with a result be called from outside. One with parameters has no shapes: it is an error, or only the
    /// rest of the program is checked.
    fn find_main(&mut self, tree: &mut ast::Module) -> Result<(), Diagnostic> {
        let Some(index) = tree.functions.iter().position(|it| it.name.text == "main") else {
            return Ok(());
        };
        if !tree.functions[index].parameters.is_empty() {
            if !self.config.only_checks {
                return Err(needs_arguments(&tree.functions[index]));
            }
            tree.functions[index] = toy_syntax::without_parameters(&tree.functions[index], tree);
        }
        if tree.functions[index].has_result() {
            self.config.main = Some(Export::main(Vec::new()));
        }
        Ok(())
    }

    fn start_middle(&mut self, stage: Stage, observer: &mut dyn Observer) -> Diagnosed<()> {
        let ignored = self.config.ignored_threads().into_iter().collect();
        self.warnings.extend(fail_on(self.config.levels.apply(ignored))?);
        match self.config.language {
            Language::Toy if !self.is_checked => self.parse(stage, observer)?,
            Language::Toy => {}
            Language::Mlir => {
                fail_on(nesting::check(&self.source).into_iter().collect())?;
                if self.config.entries().is_empty() && Export::is_in(&self.source.text) {
                    self.config.main = Some(Export::main(Vec::new()));
                }
            }
        }
        let source = Arc::clone(&self.source);
        let (tree, config) = (self.tree.as_ref(), &self.config);
        self.middle = Some(Middle::start(source, tree, config, stage, observer)?);
        Ok(())
    }

    /// The plan that merge-alloc has recorded. Without optimization this is the plan of another compilation: other
    /// passes, before merge-alloc and with it, decide which buffers there are.
    fn memory_plan(&mut self) -> Diagnosed<MemoryPlan> {
        if self.config.merges() {
            return Ok(self.middle()?.memory_plan());
        }
        let config = Config { optimization_level: 1, ..self.config.clone() };
        let mut merged = Self::new(Source::clone(&self.source), config);
        merged.advance_to(Stage::MemoryPlan, &mut ())?;
        let plan = merged.plan.unwrap_or_default();
        Ok(MemoryPlan { merged: false, note: Some(NOT_MERGED.to_owned()), ..plan })
    }
}

/// The error about a `main` whose arguments are not known.
fn needs_arguments(main: &ast::Function) -> Diagnostic {
    let names: Vec<_> = main.parameters.iter().map(|it| it.name.text.as_str()).collect();
    let message = format!("`main` needs {}", counted(names.len() as u64, "argument"));
    let label = format!(
        "the {} not known",
        if names.len() == 1 { "shape of this is" } else { "shapes of these are" }
    );
    let shapes = vec!["2x3"; names.len()].join(", ");
    let span = main.parameters.iter().map(|it| it.span).reduce(Span::to).unwrap_or_default();
    Diagnostic::error(codes::BAD_MAIN, message).label(span, label).help(format!(
        "run it with a number or a file of numbers for each, as in `toyc run FILE {}`, or give their shapes: \
         `--main 'main({shapes})'`",
        names.iter().map(|name| format!("{name}.npy")).collect::<Vec<_>>().join(" ")
    ))
}
