//! The dialects of MLIR that a session knows, with what their operations implement for other parts of MLIR.
//!
//! Input: a registry or a context. Output: the registry with the dialects. `mlirRegisterAllDialects` knows every
//! dialect, and a program that calls it contains all of them, with LLVM's code generators for graphics processors: a
//! third of toyc. So [`register`] has the dialects from Toy down to LLVM, and [`register_others`] is for a command that
//! takes any dialect (toy-opt). A function that is never called is not linked.
//!
//! The C API names dialects. For the models of interfaces, which C++ registers apart from the dialects, it has
//! nothing: they are called by their C++ names. Each is a function of a reference to a registry, which is what the C
//! API's handle points to; a name that a version of LLVM does not have is an error of the linker.

use melior::Context;
use melior::dialect::DialectRegistry;
use mlir_sys::*;

/// C++ functions `void name(mlir::DialectRegistry &)`, as a list of functions that Rust can call.
macro_rules! registrations {
    ($list:ident: $($name:ident = $symbol:literal,)*) => {
        unsafe extern "C" {
            $(#[link_name = $symbol] fn $name(registry: MlirDialectRegistry);)*
        }
        const $list: &[unsafe extern "C" fn(MlirDialectRegistry)] = &[$($name),*];
    };
}

mod others;

pub use others::register as register_others;

/// The dialects that the stages produce, and those that MLIR's passes on them need; and `async`, whose regions are the
/// example of what merge-alloc leaves alone.
const DIALECTS: [unsafe extern "C" fn() -> MlirDialectHandle; 19] = [
    mlirGetDialectHandle__affine__,
    mlirGetDialectHandle__arith__,
    mlirGetDialectHandle__async__,
    mlirGetDialectHandle__bufferization__,
    mlirGetDialectHandle__cf__,
    mlirGetDialectHandle__complex__,
    mlirGetDialectHandle__dlti__,
    mlirGetDialectHandle__func__,
    mlirGetDialectHandle__index__,
    mlirGetDialectHandle__irdl__,
    mlirGetDialectHandle__linalg__,
    mlirGetDialectHandle__llvm__,
    mlirGetDialectHandle__math__,
    mlirGetDialectHandle__memref__,
    mlirGetDialectHandle__omp__,
    mlirGetDialectHandle__scf__,
    mlirGetDialectHandle__tensor__,
    mlirGetDialectHandle__ub__,
    mlirGetDialectHandle__vector__,
];

// Bufferization, deallocation and the analyses that they ask.
registrations! { MODELS:
    affine_bounds = "_ZN4mlir6affine44registerValueBoundsOpInterfaceExternalModelsERNS_15DialectRegistryE",
    arith_bounds = "_ZN4mlir5arith44registerValueBoundsOpInterfaceExternalModelsERNS_15DialectRegistryE",
    arith_buffers = "_ZN4mlir5arith45registerBufferizableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    arith_deallocation = "_ZN4mlir5arith51registerBufferDeallocationOpInterfaceExternalModelsERNS_15DialectRegistryE",
    arith_views = "_ZN4mlir5arith47registerBufferViewFlowOpInterfaceExternalModelsERNS_15DialectRegistryE",
    builtin_casts = "_ZN4mlir7builtin37registerCastOpInterfaceExternalModelsERNS_15DialectRegistryE",
    cf_buffers = "_ZN4mlir2cf45registerBufferizableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    cf_deallocation = "_ZN4mlir2cf51registerBufferDeallocationOpInterfaceExternalModelsERNS_15DialectRegistryE",
    func_buffers = "_ZN4mlir13bufferization8func_ext45registerBufferizableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    func_inlining = "_ZN4mlir4func24registerInlinerExtensionERNS_15DialectRegistryE",
    linalg_bounds = "_ZN4mlir6linalg44registerValueBoundsOpInterfaceExternalModelsERNS_15DialectRegistryE",
    linalg_buffers = "_ZN4mlir6linalg45registerBufferizableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    linalg_subsets = "_ZN4mlir6linalg39registerSubsetOpInterfaceExternalModelsERNS_15DialectRegistryE",
    llvm_inlining = "_ZN4mlir4LLVM24registerInlinerInterfaceERNS_15DialectRegistryE",
    memref_allocation = "_ZN4mlir6memref43registerAllocationOpInterfaceExternalModelsERNS_15DialectRegistryE",
    memref_bounds = "_ZN4mlir6memref44registerValueBoundsOpInterfaceExternalModelsERNS_15DialectRegistryE",
    memref_slots = "_ZN4mlir6memref32registerMemorySlotExternalModelsERNS_15DialectRegistryE",
    memref_views = "_ZN4mlir6memref47registerBufferViewFlowOpInterfaceExternalModelsERNS_15DialectRegistryE",
    scf_bounds = "_ZN4mlir3scf44registerValueBoundsOpInterfaceExternalModelsERNS_15DialectRegistryE",
    scf_buffers = "_ZN4mlir3scf45registerBufferizableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    scf_deallocation = "_ZN4mlir3scf51registerBufferDeallocationOpInterfaceExternalModelsERNS_15DialectRegistryE",
    tensor_bounds = "_ZN4mlir6tensor44registerValueBoundsOpInterfaceExternalModelsERNS_15DialectRegistryE",
    tensor_buffers = "_ZN4mlir6tensor45registerBufferizableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    tensor_subsets = "_ZN4mlir6tensor39registerSubsetOpInterfaceExternalModelsERNS_15DialectRegistryE",
    tensor_types = "_ZN4mlir6tensor42registerInferTypeOpInterfaceExternalModelsERNS_15DialectRegistryE",
    vector_bounds = "_ZN4mlir6vector44registerValueBoundsOpInterfaceExternalModelsERNS_15DialectRegistryE",
    vector_buffers = "_ZN4mlir6vector45registerBufferizableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    vector_subsets = "_ZN4mlir6vector39registerSubsetOpInterfaceExternalModelsERNS_15DialectRegistryE",
}

// The pass `convert-to-llvm`.
registrations! { CONVERSIONS:
    arith_to_llvm = "_ZN4mlir5arith35registerConvertArithToLLVMInterfaceERNS_15DialectRegistryE",
    cf_to_llvm = "_ZN4mlir2cf41registerConvertControlFlowToLLVMInterfaceERNS_15DialectRegistryE",
    complex_to_llvm = "_ZN4mlir37registerConvertComplexToLLVMInterfaceERNS_15DialectRegistryE",
    func_to_llvm = "_ZN4mlir34registerConvertFuncToLLVMInterfaceERNS_15DialectRegistryE",
    index_to_llvm = "_ZN4mlir5index35registerConvertIndexToLLVMInterfaceERNS_15DialectRegistryE",
    math_to_llvm = "_ZN4mlir34registerConvertMathToLLVMInterfaceERNS_15DialectRegistryE",
    memref_to_llvm = "_ZN4mlir36registerConvertMemRefToLLVMInterfaceERNS_15DialectRegistryE",
    omp_to_llvm = "_ZN4mlir36registerConvertOpenMPToLLVMInterfaceERNS_15DialectRegistryE",
    ub_to_llvm = "_ZN4mlir2ub32registerConvertUBToLLVMInterfaceERNS_15DialectRegistryE",
    vector_to_llvm = "_ZN4mlir6vector36registerConvertVectorToLLVMInterfaceERNS_15DialectRegistryE",
}

// The translation to LLVM IR.
registrations! { TRANSLATIONS:
    translate_builtin = "_ZN4mlir33registerBuiltinDialectTranslationERNS_15DialectRegistryE",
    translate_llvm = "_ZN4mlir30registerLLVMDialectTranslationERNS_15DialectRegistryE",
    translate_omp = "_ZN4mlir32registerOpenMPDialectTranslationERNS_15DialectRegistryE",
}

/// Adds the dialects that every session knows.
pub fn register(registry: &DialectRegistry) {
    insert(&DIALECTS, registry);
    call(MODELS, registry);
    call(CONVERSIONS, registry);
}

/// Makes the translation of the LLVM dialect to LLVM IR available in a context.
pub fn register_translations(context: &Context) {
    let registry = DialectRegistry::new();
    call(TRANSLATIONS, &registry);
    context.append_dialect_registry(&registry);
}

fn insert(dialects: &[unsafe extern "C" fn() -> MlirDialectHandle], registry: &DialectRegistry) {
    for handle in dialects {
        // SAFETY: the handle is static; the registry is live.
        unsafe { mlirDialectHandleInsertDialect(handle(), registry.to_raw()) };
    }
}

fn call(functions: &[unsafe extern "C" fn(MlirDialectRegistry)], registry: &DialectRegistry) {
    for function in functions {
        // SAFETY: the function takes a C++ reference to a registry, which is the address in the handle; it is live.
        unsafe { function(registry.to_raw()) };
    }
}
