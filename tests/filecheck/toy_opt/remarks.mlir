// What MLIR says without failing is shown, and can be expected.
// RUN: toy-opt %s --transform-interpreter --error-format=short 2>&1 >/dev/null | FileCheck %s
// RUN: toy-opt %s --transform-interpreter --verify-diagnostics
// RUN: not toy-opt %s --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=UNMET
// CHECK: remarks.mlir:7:1: remark[R0001]: found a function
// UNMET: error[E0404]: the expected remark was not reported
func.func private @f()  // expected-remark {{found a function}}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.debug.emit_remark_at %f, "found a function" : !transform.any_op
    transform.yield
  }
}
