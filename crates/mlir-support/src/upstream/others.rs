//! The dialects of MLIR that only toy-opt takes.
//!
//! Input: a registry with those that toyc knows. Output: the registry with all of them, as `mlirRegisterAllDialects`
//! makes it, but for the models that compile kernels to the code of graphics processors, and would bring LLVM's
//! generators.

use super::{call, insert};
use melior::dialect::DialectRegistry;
use mlir_sys::*;

unsafe extern "C" {
    // In LLVM 22, the headers of ArmSME and ArmSVE have the same guard, so that mlir-sys has only one of them.
    fn mlirGetDialectHandle__arm_sve__() -> MlirDialectHandle;
}

const DIALECTS: [unsafe extern "C" fn() -> MlirDialectHandle; 28] = [
    mlirGetDialectHandle__acc__,
    mlirGetDialectHandle__amdgpu__,
    mlirGetDialectHandle__amx__,
    mlirGetDialectHandle__arm_neon__,
    mlirGetDialectHandle__arm_sme__,
    mlirGetDialectHandle__arm_sve__,
    mlirGetDialectHandle__emitc__,
    mlirGetDialectHandle__gpu__,
    mlirGetDialectHandle__ml_program__,
    mlirGetDialectHandle__mpi__,
    mlirGetDialectHandle__nvgpu__,
    mlirGetDialectHandle__nvvm__,
    mlirGetDialectHandle__pdl__,
    mlirGetDialectHandle__pdl_interp__,
    mlirGetDialectHandle__ptr__,
    mlirGetDialectHandle__quant__,
    mlirGetDialectHandle__rocdl__,
    mlirGetDialectHandle__shape__,
    mlirGetDialectHandle__shard__,
    mlirGetDialectHandle__smt__,
    mlirGetDialectHandle__sparse_tensor__,
    mlirGetDialectHandle__spirv__,
    mlirGetDialectHandle__tosa__,
    mlirGetDialectHandle__transform__,
    mlirGetDialectHandle__wasmssa__,
    mlirGetDialectHandle__x86vector__,
    mlirGetDialectHandle__xegpu__,
    mlirGetDialectHandle__xevm__,
];

registrations! { MODELS:
    arith_sharding = "_ZN4mlir5arith39registerShardingInterfaceExternalModelsERNS_15DialectRegistryE",
    gpu_bounds = "_ZN4mlir3gpu44registerValueBoundsOpInterfaceExternalModelsERNS_15DialectRegistryE",
    gpu_deallocation = "_ZN4mlir3gpu51registerBufferDeallocationOpInterfaceExternalModelsERNS_15DialectRegistryE",
    linalg_checks = "_ZN4mlir6linalg50registerRuntimeVerifiableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    linalg_sharding = "_ZN4mlir6linalg39registerShardingInterfaceExternalModelsERNS_15DialectRegistryE",
    linalg_tiling = "_ZN4mlir6linalg37registerTilingInterfaceExternalModelsERNS_15DialectRegistryE",
    memref_checks = "_ZN4mlir6memref50registerRuntimeVerifiableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    ml_program_buffers = "_ZN4mlir10ml_program45registerBufferizableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    nvvm_inlining = "_ZN4mlir4NVVM24registerInlinerInterfaceERNS_15DialectRegistryE",
    shape_buffers = "_ZN4mlir5shape45registerBufferizableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    sparse_tensor_buffers = "_ZN4mlir13sparse_tensor45registerBufferizableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    tensor_checks = "_ZN4mlir6tensor50registerRuntimeVerifiableOpInterfaceExternalModelsERNS_15DialectRegistryE",
    tensor_payloads = "_ZN4mlir6tensor55registerFindPayloadReplacementOpInterfaceExternalModelsERNS_15DialectRegistryE",
    tensor_tiling = "_ZN4mlir6tensor37registerTilingInterfaceExternalModelsERNS_15DialectRegistryE",
    tosa_sharding = "_ZN4mlir4tosa39registerShardingInterfaceExternalModelsERNS_15DialectRegistryE",
    // Conversions to LLVM and to C, the operations of the transform dialect, and what sessions of toyc know as well.
    extensions = "_ZN4mlir21registerAllExtensionsERNS_15DialectRegistryE",
}

pub fn register(registry: &DialectRegistry) {
    insert(&DIALECTS, registry);
    call(MODELS, registry);
}
