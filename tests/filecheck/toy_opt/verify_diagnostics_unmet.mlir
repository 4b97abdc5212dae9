// RUN: not toy-opt %s --verify-diagnostics -o %t 2>&1 | FileCheck %s
// RUN: test ! -e %t
// RUN: not toy-opt %s --verify-diagnostics=only-expected --error-format=short 2>&1 | FileCheck %s --check-prefix=SHORT
// CHECK: error[E0404]: unexpected error: 'func.return' op has 0 operands
// CHECK: :13:
// CHECK: error[E0404]: the expected error was not reported
// CHECK: :11:
// SHORT:     verify_diagnostics_unmet.mlir:11:{{.*}} error[E0404]: the expected error was not reported
// SHORT-NOT: unexpected
func.func @f() -> f64 {
  // expected-error {{the line of the return was meant}}

  return
}
