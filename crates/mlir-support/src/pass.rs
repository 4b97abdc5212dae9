//! Passes: one step of the pipeline, upstream's or ours, run one at a time.
//!
//! Running each pass in a pass manager of its own costs microseconds and makes three things possible that users of a
//! compiler need: the time per pass, the IR after a pass, and an error that names the pass. toyc's pipelines are
//! constants of this program and never come from user input. toy-opt's pipelines do, and MLIR decides whether they are
//! valid ([`check_pipeline`]).

mod definition;

pub use crate::pass_context::PassContext;
pub use definition::{
    Configure, OptionValue, PassDefinition, PassOption, Prepared, Requirement, Workaround,
};

use crate::{Session, errors, ir};
use melior::ir::Module;
use melior::pass::PassManager;
use std::sync::Once;
use toy_diagnostics::Diagnosed;

/// One pass over a module.
#[derive(Clone)]
pub enum Pass {
    /// A pass of MLIR's in the syntax of `--pass-pipeline`, options included.
    Upstream(&'static str),
    /// The same, left out if the module of the stage before has no operation of these dialects. For operations that
    /// only `.mlir` input can contain: loading the dialects of such a pass costs more than a small program.
    IfUsed(&'static [&'static str], &'static str),
    /// The same, left out if the module has no operation with a name for which this is true. Unlike `IfUsed`, it looks
    /// at the module when it is its turn.
    IfAny(fn(&str) -> bool, &'static str),
    /// The same, left out unless the module has more than this number of operations of this name at its top: for passes
    /// that only pay in a large program.
    IfMany(&'static str, usize, &'static str),
    /// A pass of ours with the defaults of its options.
    Own(&'static PassDefinition),
    /// A pass of ours with its options, as a textual pipeline has them between the braces.
    Configured(&'static PassDefinition, String),
}

/// A pass of ours. It changes the module in place, or returns the errors of the program.
pub type OwnPass = for<'c> fn(&PassContext<'c>, &Module<'c>) -> Diagnosed<()>;

/// A pass of ours that runs passes of MLIR's inside. These free the operations that they erase at once; therefore
/// [`run_upstream`] takes the only borrow of the module, and no reference can be held across it.
pub type WrappingPass = for<'c> fn(&PassContext<'c>, &mut Module<'c>) -> Diagnosed<()>;

impl Pass {
    /// The name in `--print-ir-after=` and in messages: `one-shot-bufferize`, without options and without the anchor
    /// around it.
    pub fn name(&self) -> &'static str {
        match self {
            Pass::Own(definition) | Pass::Configured(definition, _) => definition.shown_name(),
            Pass::Upstream(text)
            | Pass::IfUsed(_, text)
            | Pass::IfAny(_, text)
            | Pass::IfMany(_, _, text) => name_in(text),
        }
    }

    /// The pass in the syntax of `--pass-pipeline`, options included.
    pub fn text(&self) -> String {
        match self {
            Pass::Own(definition) => definition.name.to_owned(),
            Pass::Configured(definition, options) if options.is_empty() => {
                definition.name.to_owned()
            }
            Pass::Configured(definition, options) => format!("{}{{{options}}}", definition.name),
            Pass::Upstream(text)
            | Pass::IfUsed(_, text)
            | Pass::IfAny(_, text)
            | Pass::IfMany(_, _, text) => (*text).to_owned(),
        }
    }

    /// The passes of a stage that have something to do in a module.
    pub fn applicable(passes: Vec<Pass>, module: &Module) -> Vec<Pass> {
        if !passes.iter().any(|pass| matches!(pass, Pass::IfUsed(..))) {
            return passes;
        }
        let used = ir::dialects(module.as_operation());
        let applies = |pass: &Pass| match pass {
            Pass::IfUsed(dialects, _) => dialects.iter().any(|dialect| used.contains(*dialect)),
            _ => true,
        };
        passes.into_iter().filter(applies).collect()
    }

    /// Runs the pass on a module.
    ///
    /// The borrow is the only one: operations that older references refer to may be gone afterwards.
    pub fn run<'c>(&self, context: &PassContext<'c>, module: &mut Module<'c>) -> Diagnosed<()> {
        let result = match self {
            Pass::Own(definition) => definition.run(context, module, ""),
            Pass::Configured(definition, options) => definition.run(context, module, options),
            Pass::Upstream(text) | Pass::IfUsed(_, text) => run_upstream(context, module, text),
            Pass::IfAny(is_one, text) => {
                let is_needed = ir::any(module.as_operation(), |op| is_one(ir::name(&op)));
                if is_needed { run_upstream(context, module, text) } else { Ok(()) }
            }
            Pass::IfMany(name, few, text) => {
                let operations = ir::block_operations(module.body());
                let count = operations.iter().filter(|op| ir::name(*op) == *name).count();
                if count > *few { run_upstream(context, module, text) } else { Ok(()) }
            }
        };
        ir::release(module);
        result
    }
}

fn name_in(pipeline: &str) -> &str {
    let pass = pipeline.strip_prefix("func.func(").unwrap_or(pipeline);
    &pass[..pass.find(['{', ')']).unwrap_or(pass.len())]
}

/// Runs one upstream pass, given as a pipeline text of this program.
///
/// MLIR's verifier is off inside: the compiler verifies stages instead, which finds the same errors
/// at a fraction of the cost.
///
/// The borrow is the only one, because the pass frees the operations that it erases:
///
/// ```compile_fail,E0502
/// # use mlir_support::pass::{PassContext, run_upstream};
/// # use mlir_support::raw;
/// fn stale<'c>(context: &PassContext<'c>, module: &mut melior::ir::Module<'c>) {
///     let operations = ir::operations(module.as_operation());
///     let _ = run_upstream(context, module, "cse");
///     println!("{}", ir::name(&operations[0]));
/// }
/// ```
pub fn run_upstream<'c>(
    context: &PassContext<'c>,
    module: &mut Module<'c>,
    text: &str,
) -> Diagnosed<()> {
    let mut managers = context.managers.borrow_mut();
    let manager = managers.entry(text.to_owned()).or_insert_with(|| {
        register();
        let manager = manager(context.session, text)
            .unwrap_or_else(|_| panic!("the pipeline `{text}` is not valid"));
        manager.enable_verifier(false);
        manager
    });
    if run_manager(manager, module) { Ok(()) } else { Err(errors::pass(context, name_in(text))) }
}

/// Ok if MLIR knows a pipeline and its options; otherwise MLIR's message. The text names the passes under
/// `builtin.module`, without it.
pub fn check_pipeline(session: &Session, text: &str) -> Result<(), String> {
    melior::utility::register_all_passes();
    let manager = manager(session, text)?;
    // MLIR checks on which operations a pass can run only when it runs; its other messages about an empty
    // module do not matter.
    let mut empty = session.new_module(melior::ir::Location::unknown(session.context()));
    run_manager(&manager, &mut empty);
    let mut said = session.take_diagnostics().into_iter().map(|said| said.message);
    said.find(|message| message.contains(UNSCHEDULABLE)).map_or(Ok(()), Err)
}

/// The options of a pass of MLIR's with their defaults, as `name=value`. The text is one pass with its anchors; None if
/// MLIR does not know it. MLIR's C API has no descriptions of options.
pub fn upstream_options(session: &Session, text: &str) -> Option<Vec<String>> {
    melior::utility::register_all_passes();
    let manager = manager(session, text).ok()?;
    let mut printed: Vec<u8> = Vec::new();
    // SAFETY: prints a live manager; the callback gets the vector during the call only.
    unsafe {
        let pipeline = mlir_sys::mlirPassManagerGetAsOpPassManager(manager.to_raw());
        mlir_sys::mlirPrintPassPipeline(pipeline, Some(collect), (&raw mut printed).cast());
    }
    let printed = String::from_utf8_lossy(&printed).into_owned();
    let options = printed.split_once('{').and_then(|(_, rest)| rest.rsplit_once('}'));
    Some(
        options
            .map(|(inner, _)| inner.split_whitespace().map(str::to_owned).collect())
            .unwrap_or_default(),
    )
}

/// MLIR's message about a pass that cannot run on the operations it is nested under.
pub const UNSCHEDULABLE: &str = "unable to schedule pass";

/// Runs a pipeline that [`check_pipeline`] accepts, with MLIR's verifier after each pass or without. False if it
/// failed; MLIR's diagnostics are in the session then.
pub fn run_pipeline(session: &Session, module: &mut Module, text: &str, verify: bool) -> bool {
    melior::utility::register_all_passes();
    let Ok(manager) = manager(session, text) else { return false };
    manager.enable_verifier(verify);
    run_manager(&manager, module)
}

/// A manager for `builtin.module` with the passes of a text, or MLIR's message about the text.
fn manager<'s>(session: &'s Session, text: &str) -> Result<PassManager<'s>, String> {
    let mut message: Vec<u8> = Vec::new();
    // SAFETY: creates a manager anchored on builtin.module that we own; its lifetime is tied to the
    // session by the signature. The callback gets the vector during the call only.
    let (manager, added) = unsafe {
        let anchor = melior::StringRef::new("builtin.module");
        let manager = PassManager::from_raw(mlir_sys::mlirPassManagerCreateOnOperation(
            session.context().to_raw(),
            anchor.to_raw(),
        ));
        let added = mlir_sys::mlirOpPassManagerAddPipeline(
            mlir_sys::mlirPassManagerGetAsOpPassManager(manager.to_raw()),
            melior::StringRef::new(text).to_raw(),
            Some(collect),
            (&raw mut message).cast(),
        );
        (manager, added.value != 0)
    };
    // After an error the manager may contain the pass without its options.
    if added { Ok(manager) } else { Err(String::from_utf8_lossy(&message).into_owned()) }
}

fn run_manager(manager: &PassManager, module: &mut Module) -> bool {
    // SAFETY: manager and module are live and borrowed here for the duration of the run. The borrow of the module is
    // the only one, so nothing refers to the operations that the passes free.
    unsafe {
        let operation = mlir_sys::mlirModuleGetOperation(module.to_raw());
        mlir_sys::mlirPassManagerRunOnOp(manager.to_raw(), operation).value != 0
    }
}

unsafe extern "C" fn collect(text: mlir_sys::MlirStringRef, message: *mut std::ffi::c_void) {
    // SAFETY: MLIR passes `length` readable bytes and the pointer `manager` gave it, to a vector that
    // nothing else touches meanwhile.
    unsafe {
        if text.length > 0 {
            let bytes = std::slice::from_raw_parts(text.data.cast::<u8>(), text.length);
            (*message.cast::<Vec<u8>>()).extend_from_slice(bytes);
        }
    }
}

/// Registers the passes that pipelines name; all of MLIR's would take 20 times as long.
fn register() {
    static ONCE: Once = Once::new();
    // SAFETY: registration functions may be called once from any thread.
    ONCE.call_once(|| unsafe {
        use mlir_sys::*;
        mlirRegisterTransformsCanonicalizer();
        mlirRegisterTransformsCSE();
        mlirRegisterTransformsSCCP();
        mlirRegisterLinalgConvertElementwiseToLinalgPass();
        mlirRegisterLinalgLinalgGeneralizeNamedOpsPass();
        mlirRegisterLinalgLinalgElementwiseOpFusionPass();
        mlirRegisterLinalgConvertLinalgToLoopsPass();
        mlirRegisterBufferizationEmptyTensorEliminationPass();
        mlirRegisterBufferizationOneShotBufferizePass();
        mlirRegisterBufferizationDropEquivalentBufferResultsPass();
        mlirRegisterBufferizationBufferResultsToOutParamsPass();
        mlirRegisterBufferizationOwnershipBasedBufferDeallocationPass();
        mlirRegisterBufferizationBufferDeallocationSimplificationPass();
        mlirRegisterBufferizationLowerDeallocationsPass();
        mlirRegisterBufferizationOptimizeAllocationLivenessPass();
        mlirRegisterConversionConvertBufferizationToMemRefPass();
        mlirRegisterMemRefExpandStridedMetadataPass();
        mlirRegisterMemRefExpandReallocPass();
        mlirRegisterMemRefExpandOpsPass();
        mlirRegisterConversionLowerAffinePass();
        mlirRegisterConversionSCFToControlFlowPass();
        mlirRegisterConversionConvertSCFToOpenMPPass();
        mlirRegisterConversionLiftControlFlowToSCFPass();
        mlirRegisterConversionConvertVectorToSCF();
        mlirRegisterConversionConvertVectorToLLVMPass();
        mlirRegisterConversionConvertMathToLLVMPass();
        mlirRegisterConversionConvertMathToLibmPass();
        mlirRegisterConversionUBToLLVMConversionPass();
        mlirRegisterConversionFinalizeMemRefToLLVMConversionPass();
        mlirRegisterConversionConvertFuncToLLVMPass();
        mlirRegisterConversionConvertToLLVMPass();
        mlirRegisterConversionReconcileUnrealizedCastsPass();
        mlirRegisterLLVMDIScopeForLLVMFuncOpPass();
    });
}
