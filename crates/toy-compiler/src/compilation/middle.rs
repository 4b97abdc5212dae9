//! The stages whose program is an MLIR module.
//!
//! Input: the tree, or MLIR's text. Output: the module, stage by stage, until LLVM IR replaces it.
//! Invariants: the module lives in the session that this owns; it is verified before the first pass and
//! after the last one, and other errors of a pass are found at the next stage that is verified.

use super::{Config, Language, Observer, Program, fail_on, no_module, timed};
use crate::Stage;
use crate::dialect::{self, verify};
use crate::interface::{Export, Function, Interface, record};
use crate::memory_plan::{MemoryPlan, collect};
use crate::pipeline::{PipelineOptions, passes};
use crate::stages::shapes::specialize;
use crate::stages::toy::{ast_to_toy, exports};
use inkwell::context::Context;
use inkwell::module::Module as LlvmModule;
use melior::ir::Module;
use mlir_support::pass::PassContext;
use mlir_support::{Locations, Pass, Session, errors};
use self_cell::self_cell;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic};
use toy_syntax::ast;

/// The owner of the session and the settings, from which the module borrows.
pub struct Owner {
    source: Arc<Source>,
    /// The name of the file in locations.
    file: String,
    pub session: Session,
    pub llvm: OnceCell<Context>,
    settings: PipelineOptions,
    exports: Vec<Export>,
    language: Language,
    bytecode: Option<&'static [u8]>,
    verify_each: bool,
}

/// The program, and the context of its passes.
pub struct Inner<'a> {
    pub passes: PassContext<'a>,
    /// None from LLVM IR on.
    pub module: Option<Module<'a>>,
    pub llvm: Option<LlvmModule<'a>>,
}

self_cell! {
    /// The module with its session.
    pub struct Middle {
        owner: Owner,

        #[not_covariant]
        dependent: Inner,
    }
}

impl Middle {
    /// Lowers the tree, or parses the source as MLIR if there is none, on the way to the stage that is
    /// `wanted`.
    pub fn start(
        source: Arc<Source>,
        tree: Option<&ast::Module>,
        config: &Config,
        wanted: Stage,
        observer: &mut dyn Observer,
    ) -> Diagnosed<Self> {
        let owner = timed(observer, "start MLIR", || Owner::new(source, config, wanted));
        Self::try_new(owner, |owner| owner.start(tree, observer))
    }

    /// Lets merge-alloc record its plan.
    pub fn record_plan(&mut self) {
        self.with_dependent_mut(|_, inner| {
            inner.passes.records.get_or_insert_default();
        });
    }

    /// Runs the passes of a stage. Returns their remarks and warnings.
    pub fn run(
        &mut self,
        stage: Stage,
        is_last: bool,
        tree: Option<&ast::Module>,
        observer: &mut dyn Observer,
    ) -> Diagnosed<Vec<Diagnostic>> {
        self.with_dependent_mut(|owner, inner| owner.run(inner, stage, is_last, tree, observer))
    }

    /// The plan that merge-alloc has recorded.
    pub fn memory_plan(&mut self) -> MemoryPlan {
        self.with_dependent_mut(|owner, Inner { passes, .. }| {
            let records = passes.records.as_ref().map(RefCell::take).unwrap_or_default();
            let input = owner.source.name.clone();
            MemoryPlan { input, merged: true, ..collect::whole(records) }
        })
    }

    /// The exported functions, in the order of the exports.
    pub fn interface(&mut self, exports: &[Export]) -> Interface {
        self.with_dependent_mut(|_, inner| {
            let mut interface = inner.module.as_ref().map(record::interface).unwrap_or_default();
            let names = exports.iter().map(|export| export.c_name.as_str());
            let places: HashMap<_, _> =
                names.enumerate().map(|(place, name)| (name, place)).collect();
            let place = |function: &Function| places.get(function.c_name.as_str()).copied();
            interface.functions.sort_by_cached_key(place);
            interface
        })
    }

    /// Does something with LLVM IR and its context.
    ///
    /// # Errors
    ///
    /// The errors of `work`; also before there is LLVM IR, or after it was run.
    pub fn with_llvm<T>(
        &self,
        work: impl for<'c> FnOnce(&LlvmModule<'c>, &'c Context) -> Diagnosed<T>,
    ) -> Diagnosed<T> {
        self.with_dependent(|owner, inner| match &inner.llvm {
            Some(llvm) => work(llvm, owner.llvm.get_or_init(Context::create)),
            None => Err(no_module().into()),
        })
    }

    /// Calls `look` with the program.
    pub fn with_program<T>(&self, look: impl FnOnce(&Program) -> T) -> Option<T> {
        self.with_dependent(|owner, Inner { passes, module, llvm }| {
            let level = Some(owner.settings.level).filter(|level| *level > 0);
            Some(match (module, llvm) {
                (Some(module), _) => look(&Program::Module { module, passes }),
                (None, Some(module)) => look(&Program::Llvm { module, level, is_final: true }),
                (None, None) => return None,
            })
        })
    }
}

/// The shape errors in the part of a program that its other errors leave intact.
pub fn shape_errors(
    source: Arc<Source>,
    tree: &ast::Module,
    errors: &[Diagnostic],
    config: &Config,
) -> Vec<Diagnostic> {
    let is_library = config.is_rootless();
    // Warnings that are errors do not make a program wrong.
    let errors: Vec<_> = errors.iter().filter(|it| !it.code.id.starts_with('W')).cloned().collect();
    let Some(tree) = toy_syntax::intact(tree, &errors, &source, is_library) else {
        return Vec::new();
    };
    let mut owner = Owner::new(source, config, Stage::Shapes);
    let is_defined = |name: &str| tree.functions.iter().any(|it| it.name.text == name);
    owner.exports.retain(|export| is_defined(&export.function));
    let passes = PassContext::new(&owner.session, owner.locations());
    let result = owner.infer(&passes, Some(&tree), &mut ());
    let mut errors = result.err().unwrap_or_default();
    // Errors in the exports are reported once the program has no others.
    errors.retain(|error| error.code.id.starts_with("E03"));
    errors
}

impl Owner {
    fn new(source: Arc<Source>, config: &Config, wanted: Stage) -> Self {
        Self {
            file: config.location_file.clone().unwrap_or_else(|| source.name.clone()),
            source,
            session: dialect::session_for_toy(),
            llvm: OnceCell::new(),
            settings: config.pipeline(wanted),
            exports: config.entries().to_vec(),
            language: config.language,
            bytecode: config.bytecode,
            verify_each: config.verify_each || cfg!(debug_assertions),
        }
    }

    fn locations(&self) -> Locations<'_> {
        Locations { source: &self.source, file: &self.file }
    }

    fn start<'a>(
        &'a self,
        tree: Option<&ast::Module>,
        observer: &mut dyn Observer,
    ) -> Diagnosed<Inner<'a>> {
        let mut passes = PassContext::new(&self.session, self.locations());
        passes.explains_rewrites = self.settings.remarks.rewrites;
        let step = if tree.is_some() { "lower" } else { "parse" };
        let module = timed(observer, step, || self.module(tree)).ok_or_else(|| self.no_mlir())?;
        exports::add(&self.session, &module, &self.locations(), &self.exports, tree)?;
        let shape_errors = verify(&passes, &module, "lower", tree.is_some())?;
        if tree.is_some() && !shape_errors.is_empty() {
            // It says which of them are ever reached, and knows more of the kind.
            self.infer(&passes, tree, observer)?;
        }
        observer.module_started(&module);
        Ok(Inner { passes, module: Some(module), llvm: None })
    }

    /// The tree in the Toy dialect; without one, the source as MLIR's text or bytecode, which may contain every
    /// operation of ours.
    fn module(&self, tree: Option<&ast::Module>) -> Option<Module<'_>> {
        if let Some(tree) = tree {
            let shows_variables = self.settings.shows_variables();
            return Some(ast_to_toy::lower(
                &self.session,
                tree,
                &self.locations(),
                shows_variables,
            ));
        }
        dialect::load_whole_dialect(&self.session);
        match self.bytecode {
            Some(bytecode) => self.session.parse_bytecode(bytecode),
            None => self.session.parse(&self.source),
        }
    }

    /// The errors in the text, which may be a program in Toy.
    fn no_mlir(&self) -> Vec<Diagnostic> {
        let mut errors = errors::syntax(&self.session, &self.locations());
        let is_toy = self.source.text.lines().any(|line| line.starts_with("def "));
        if let Some(first) = errors.first_mut().filter(|first| is_toy && first.help.is_none()) {
            *first = first.clone().help("if this is a program in Toy, say so with `-x toy`");
        }
        errors
    }

    /// Shape inference of the program as it is written, on a separate module, because observers still see
    /// the stages before it.
    fn infer<'a>(
        &'a self,
        passes: &PassContext<'a>,
        tree: Option<&ast::Module>,
        observer: &mut dyn Observer,
    ) -> Diagnosed<()> {
        let Some(copy) = self.module(tree) else { return Ok(()) };
        exports::add(&self.session, &copy, &self.locations(), &self.exports, tree)?;
        let result = specialize::run(passes, &copy);
        if result.is_err() {
            observer.pass_failed(specialize::PASS.name, &copy);
        }
        result
    }

    fn run<'a>(
        &'a self,
        inner: &mut Inner<'a>,
        stage: Stage,
        is_last: bool,
        tree: Option<&ast::Module>,
        observer: &mut dyn Observer,
    ) -> Diagnosed<Vec<Diagnostic>> {
        let Inner { passes: context, module: Some(module), .. } = inner else {
            return Ok(Vec::new());
        };
        if stage == Stage::Linalg {
            dialect::load_lowered(&self.session);
        }
        let mut remarks = Vec::new();
        let passes = passes(stage, &self.settings);
        // The output of our passes on Toy programs is valid, which a build without optimization checks:
        // in large programs, the check takes an eighth of the time. MLIR's passes may make other input
        // invalid, but for these two stages the next stage that is verified finds it.
        let is_toy = self.language == Language::Toy;
        let is_next = passes.is_empty() || matches!(stage, Stage::Dealloc | Stage::Loops);
        let verifies = is_last || self.verify_each || (!is_toy && !is_next);
        for pass in Pass::applicable(passes, module) {
            observer.pass_started(pass.name(), module);
            let result = timed(observer, pass.name(), || pass.run(context, module));
            if result.is_err() && stage == Stage::Shapes && self.settings.level > 0 {
                // If equal expressions were merged, an error in them is found at one place only.
                self.infer(context, tree, observer)?;
            }
            if result.is_err() {
                observer.pass_failed(pass.name(), module);
            }
            result?;
            remarks.extend(context.remarks.take());
            observer.pass_ended(pass.name(), module);
        }
        if verifies {
            verify(context, module, stage.name(), true)?;
        }
        remarks.retain(|remark| self.settings.remarks.include(remark.code));
        Ok(remarks)
    }
}

/// Runs MLIR's verifier and the Toy dialect's. In a program that toyc lowered, an error is a bug in toyc,
/// except for errors about shapes, which are the result: they count if the code is reached.
fn verify(
    context: &PassContext,
    module: &Module,
    stage: &str,
    is_ours: bool,
) -> Diagnosed<Vec<Diagnostic>> {
    if !context.session.verify(module) {
        return Err(errors::verification(context, stage, is_ours));
    }
    let diagnostics = verify::verify(module, &context.locations);
    if !is_ours {
        return fail_on(diagnostics);
    }
    let is_about_shapes = |d: &Diagnostic| verify::SHAPE_ERRORS.contains(&d.code);
    let (shapes, others): (Vec<_>, Vec<_>) = diagnostics.into_iter().partition(is_about_shapes);
    fail_on(others.into_iter().map(|d| errors::internal(d, stage)).collect())?;
    Ok(shapes)
}
