//! `--function`: one function of a stage, with all of its specializations.
//!
//! Input: the events of a compilation, then the program at the requested stage. Output: the text of the
//! functions that have the name, that are made for it (`f$2x3` of `f`), or that have the readable key
//! (`f(2x3)`). A specialization that does not exist anymore has a comment in its place, which names the pass that
//! removed it. Invariants: the shown part of an MLIR stage can be read by MLIR again; a name that no function of any
//! stage has is an error.

mod assembly;
mod fate;
mod wrap;

use crate::cli::Options;
use fate::Fates;
use inkwell::values::AnyValue;
use melior::ir::Module;
use mlir_support::ir;
use mlir_support::session::{Printing, printed};
use std::cell::RefCell;
use toy_compiler::Stage;
use toy_compiler::compilation::{Observer, Program};
use toy_compiler::dialect::ops;
use toy_compiler::interface::Export;
use toy_diagnostics::suggest::Suggestions;
use toy_diagnostics::{Diagnosed, Diagnostic};
use toy_syntax::{ast, dump, unparse};
use wrap::wrapped;

/// The stages besides [`Stage::MLIR`] that have functions to show.
const OTHERS: [Stage; 4] = [Stage::Ast, Stage::ToySource, Stage::Llvm, Stage::Asm];

/// The functions that `--function` selects.
pub struct Functions {
    name: String,
    fates: RefCell<Fates>,
}

impl Functions {
    /// None without the option.
    ///
    /// # Errors
    ///
    /// If nothing that is requested has functions.
    pub fn new(options: &Options) -> Result<Option<Self>, Diagnostic> {
        let Some(name) = options.function.clone() else { return Ok(None) };
        let shows_passes = options.print_ir_after_all || options.named_passes().next().is_some();
        let has_functions = Stage::MLIR.iter().chain(&OTHERS).any(|it| *it == options.emit);
        if !has_functions && !shows_passes {
            let message = format!("`-emit={}` shows no functions", options.emit.name());
            let help = "name a stage that does, such as -emit=shapes, -emit=llvm or -emit=asm";
            return Err(Diagnostic::not_available(message)
                .note(format!("`--function {name}` prints one function of a stage"))
                .help(help));
        }
        Ok(Some(Self::named(name)))
    }

    /// The functions that have this name or are made for it; a specialization as `--export` writes it, or as its key.
    pub fn named(name: impl Into<String>) -> Self {
        let name = name.into();
        let name = Export::parse_main(&name).map_or(name, |export| export.call());
        Self { name, fates: RefCell::default() }
    }

    /// Records the functions, before the first pass or after one.
    pub fn note_module(&self, pass: Option<&str>, module: &Module) {
        self.fates.borrow_mut().note_module(pass, module, |symbol, key| self.is_meant(symbol, key));
    }

    /// Records the functions of LLVM IR.
    fn note_llvm(&self, module: &inkwell::module::Module) {
        let names: Vec<String> = module
            .get_functions()
            .filter(|function| function.count_basic_blocks() > 0)
            .map(|function| function.get_name().to_string_lossy().into_owned())
            .collect();
        self.fates.borrow_mut().note_llvm(names, |symbol| self.is_meant(symbol, None));
    }

    /// True if the option selects a function; `key` is the readable key of a specialization.
    fn is_meant(&self, symbol: &str, key: Option<&str>) -> bool {
        let without_blanks = |text: &str| text.replace(' ', "");
        let name = without_blanks(&self.name);
        let made_for = |text: &str, next: char| {
            text.strip_prefix(&name).is_some_and(|rest| rest.is_empty() || rest.starts_with(next))
        };
        made_for(symbol, '$') || key.is_some_and(|key| made_for(&without_blanks(key), '('))
    }

    /// The functions in the program.
    ///
    /// # Errors
    ///
    /// If no function has this name.
    pub fn text(&self, program: &Program, printing: Printing) -> Result<String, Diagnostic> {
        let (shown, comment) = match program {
            Program::Module { module, .. } => (self.of_module(module, printing), "//"),
            Program::Llvm { module, .. } => (self.of_llvm(module), ";"),
            Program::Assembly { text, machine, .. } => {
                let text = String::from_utf8_lossy(text);
                let is_meant = |symbol: &str| self.is_meant(symbol, self.key(symbol).as_deref());
                let comment = if machine.triple.starts_with("aarch64") { "//" } else { "#" };
                (assembly::functions(&text, is_meant), comment)
            }
            Program::Tree { tree, source, is_source } => {
                let one = self.of_tree(tree);
                let names = tree.functions.iter().map(|function| function.name.text.to_string());
                self.fates.borrow_mut().names.extend(names);
                let text = match (one.functions.is_empty(), is_source) {
                    (true, _) => String::new(),
                    (false, true) => unparse::unparse(&one),
                    (false, false) => {
                        let mut text = String::new();
                        // Writing to a string does not fail.
                        let _ = dump::dump_to(&one, source, &mut text);
                        text
                    }
                };
                (text, "#")
            }
            _ => (String::new(), "//"),
        };
        let fates = self.fates.borrow();
        let lost: Vec<String> = fates.lost().map(|lost| format!("{comment} {lost}\n")).collect();
        if shown.is_empty() && lost.is_empty() {
            return Err(self.unknown(&fates.names));
        }
        let gap = if shown.is_empty() || lost.is_empty() { "" } else { "\n" };
        Ok(format!("{shown}{gap}{}", lost.concat()))
    }

    /// The functions in a module after a pass; None if the module has none of them.
    pub fn in_module(&self, module: &Module, printing: Printing) -> Option<String> {
        Some(self.of_module(module, printing)).filter(|text| !text.is_empty())
    }

    /// The readable key of a specialization whose symbol is known from an earlier stage.
    fn key(&self, symbol: &str) -> Option<String> {
        self.fates.borrow().key(symbol)
    }

    /// The functions of a module, with the aliases that they use, and without the module around them.
    fn of_module(&self, module: &Module, printing: Printing) -> String {
        let copy = Module::from_operation(ir::clone(module.as_operation()));
        let Some(mut copy) = copy else { return String::new() };
        let mut is_empty = true;
        for operation in ir::block_operations(copy.body()) {
            let inner = ir::operations(operation);
            let has_meant = std::iter::once(operation).chain(inner).any(|operation| {
                let is_function = ["func.func", "llvm.func"].contains(&ir::name(&operation));
                let symbol = ops::symbol_name(&operation);
                let key = ops::string_attribute(&operation, "toy.specialization");
                is_function && self.is_meant(&symbol, key.or_else(|| self.key(&symbol)).as_deref())
            });
            if has_meant {
                is_empty = false;
            } else {
                ir::erase(operation);
            }
        }
        let text = printed(copy.as_operation(), Printing { is_part: true, ..printing });
        ir::release(&mut copy);
        if is_empty {
            return String::new();
        }
        // The line that opens the module, and the one that closes it.
        let is_module = |line: &&str| line.starts_with("module") || line.starts_with('}');
        let lines = text.lines().filter(|line| !is_module(line) && !line.is_empty());
        let inner = lines.map(|line| line.strip_prefix("  ").unwrap_or(line));
        separated(inner.map(|line| wrapped(line, "//")))
    }

    fn of_llvm(&self, module: &inkwell::module::Module) -> String {
        let is_meant = |function: &inkwell::values::FunctionValue| {
            let symbol = function.get_name().to_string_lossy();
            function.count_basic_blocks() > 0
                && self.is_meant(&symbol, self.key(&symbol).as_deref())
        };
        let functions = module.get_functions().filter(is_meant);
        let texts: Vec<String> = functions
            .map(|function| {
                let text = function.print_to_string().to_string();
                let lines = text.lines().skip_while(|line| line.is_empty());
                lines.map(|line| wrapped(line, ";")).collect()
            })
            .collect();
        texts.join("\n")
    }

    fn of_tree(&self, tree: &ast::Module) -> ast::Module {
        let functions = tree.functions.iter().filter(|function| *function.name.text == self.name);
        ast::Module { structs: Vec::new(), functions: functions.cloned().collect() }
    }

    fn unknown(&self, names: &[String]) -> Diagnostic {
        let message = format!("there is no function `{}`", self.name);
        let diagnostic = Diagnostic::not_available(message)
            .note("`--function` prints the function of this name, for all of its shapes");
        let candidates: Vec<&str> = names.iter().map(String::as_str).collect();
        match (Suggestions::default().nearest(&self.name, &candidates), candidates.as_slice()) {
            (Some(name), _) => diagnostic.help(format!("did you mean `{name}`?")),
            (None, []) => diagnostic,
            (None, all) => {
                const SHOWN: usize = 8;
                let shown: Vec<_> =
                    all.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
                let more = if all.len() > SHOWN { ", ..." } else { "" };
                diagnostic.help(format!("the program has {}{more}", shown.join(", ")))
            }
        }
    }
}

/// Follows the functions through the passes.
impl Observer for &Functions {
    fn module_started(&mut self, module: &Module) {
        self.note_module(None, module);
    }

    fn pass_ended(&mut self, pass: &str, module: &Module) {
        self.note_module(Some(pass), module);
    }

    fn stage_reached(&mut self, _: Stage, program: &Program) -> Diagnosed<()> {
        if let Program::Llvm { module, .. } = program {
            self.note_llvm(module);
        }
        Ok(())
    }
}

/// Lines with an empty one between functions.
fn separated(lines: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut closed = false;
    for line in lines {
        if closed && !line.starts_with('#') {
            text.push('\n');
        }
        closed = line.starts_with('}');
        text.push_str(&line);
    }
    text
}
