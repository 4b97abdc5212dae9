// With allow-return-allocs-from-loops, One-Shot Bufferize makes wrong code of this: the condition doubles %u in
// place, and from the second iteration on that is %y. toyc copies %y before.
// RUN: toy-opt %s --one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops' | toyc -x mlir - -emit=jit | FileCheck %s
// RUN: for O in 0 1 2 3; do toyc %s -emit=jit -O$O | FileCheck %s --check-prefix=TOYC || exit 1; done
// Right would be 4 in each iteration but the first, and 2 for %y in the end.
// CHECK:      2.000000 2.000000
// CHECK-NEXT: 4.000000 4.000000
// CHECK-NEXT: 8.000000 8.000000
// CHECK-NEXT: 16.000000 16.000000
// CHECK-NEXT: 16.000000 16.000000
// TOYC:       2.000000 2.000000
// TOYC-NEXT:  4.000000 4.000000
// TOYC-NEXT:  4.000000 4.000000
// TOYC-NEXT:  4.000000 4.000000
// TOYC-NEXT:  2.000000 2.000000
func.func private @toy_print(tensor<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 3 : index
  %e = tensor.empty() : tensor<1x2xf64>
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %x = linalg.fill ins(%one : f64) outs(%e : tensor<1x2xf64>) -> tensor<1x2xf64>
  %e2 = tensor.empty() : tensor<1x2xf64>
  %y = linalg.fill ins(%two : f64) outs(%e2 : tensor<1x2xf64>) -> tensor<1x2xf64>
  %r = scf.while (%u = %x, %i = %c0) : (tensor<1x2xf64>, index) -> (index) {
    %w = linalg.add ins(%u, %u : tensor<1x2xf64>, tensor<1x2xf64>) outs(%u : tensor<1x2xf64>) -> tensor<1x2xf64>
    %cast = tensor.cast %w : tensor<1x2xf64> to tensor<*xf64>
    func.call @toy_print(%cast) : (tensor<*xf64>) -> ()
    %k = arith.cmpi ult, %i, %n : index
    scf.condition(%k) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %y, %j : tensor<1x2xf64>, index
  }
  %cast = tensor.cast %y : tensor<1x2xf64> to tensor<*xf64>
  func.call @toy_print(%cast) : (tensor<*xf64>) -> ()
  return
}
