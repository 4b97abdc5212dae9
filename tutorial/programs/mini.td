// The operation of the dialect `mini` in ODS, as in C++.
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Mini_Dialect : Dialect {
  let name = "mini";
  let cppNamespace = "mini";
}

def TransposeOp : Op<Mini_Dialect, "transpose", [Pure]> {
  let arguments = (ins F64Tensor:$operand);
  let results = (outs F64Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}
