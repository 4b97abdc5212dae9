// With allow-return-allocs-from-loops, One-Shot Bufferize makes wrong code of this: it copies %row, since %a is updated
// while %row is alive, and forgets to copy this copy where the loop yields it. So the loop updates %row. toyc copies
// what the loop yields before.
// RUN: toy-opt %s --one-shot-bufferize='bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops' | toyc -x mlir - -emit=jit | FileCheck %s
// RUN: for O in 0 1 2 3; do toyc %s -emit=jit -O$O | FileCheck %s --check-prefix=TOYC || exit 1; done
// %row, then %b:
// CHECK:      7.000000 1.000000 1.000000 9.000000
// CHECK-NEXT: 1.000000 1.000000
// TOYC:       1.000000 1.000000 1.000000 9.000000
// TOYC-NEXT:  1.000000 1.000000
func.func private @toy_print(tensor<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f64
  %seven = arith.constant 7.0 : f64
  %nine = arith.constant 9.0 : f64
  %e = tensor.empty() : tensor<2x2xf64>
  %a = linalg.fill ins(%one : f64) outs(%e : tensor<2x2xf64>) -> tensor<2x2xf64>
  %row = tensor.extract_slice %a[0, 0] [1, 2] [1, 1] : tensor<2x2xf64> to tensor<2xf64>
  %b = tensor.insert %nine into %a[%c0, %c1] : tensor<2x2xf64>
  %e2 = tensor.empty() : tensor<2xf64>
  %y = linalg.fill ins(%one : f64) outs(%e2 : tensor<2xf64>) -> tensor<2xf64>
  scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %y) -> (tensor<2xf64>) {
    %v = tensor.insert %seven into %u[%c0] : tensor<2xf64>
    %k = tensor.extract %v[%c0] : tensor<2xf64>
    func.call @use(%k) : (f64) -> ()
    scf.yield %row : tensor<2xf64>
  }
  %p = tensor.cast %row : tensor<2xf64> to tensor<*xf64>
  func.call @toy_print(%p) : (tensor<*xf64>) -> ()
  %q = tensor.cast %b : tensor<2x2xf64> to tensor<*xf64>
  func.call @toy_print(%q) : (tensor<*xf64>) -> ()
  return
}
func.func private @use(%x: f64) attributes {no_inline} {
  return
}
