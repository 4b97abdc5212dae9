// One tensor is yielded twice: One-Shot Bufferize takes the results for two buffers, and put the insertion of the
// second loop into both.
// RUN: for O in 0 1 2 3; do toyc %s -emit=jit -O$O | FileCheck %s || exit 1; done
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 100.000000 8.000000 8.000000 8.000000
func.func private @toy_print(tensor<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func @main() {
  %one = arith.constant 1.0 : f64
  %big = arith.constant 100.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<2xf64>
  %x = linalg.fill ins(%one : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %e2 = tensor.empty() : tensor<2xf64>
  %y = linalg.fill ins(%one : f64) outs(%e2 : tensor<2xf64>) -> tensor<2xf64>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2xf64>, tensor<2xf64>) {
    %m = tensor.empty() : tensor<2xf64>
    %t = linalg.add ins(%a, %a : tensor<2xf64>, tensor<2xf64>) outs(%m : tensor<2xf64>) -> tensor<2xf64>
    scf.yield %t, %t : tensor<2xf64>, tensor<2xf64>
  }
  %w = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %r#0) -> (tensor<2xf64>) {
    %u = tensor.insert %big into %a[%c0] : tensor<2xf64>
    scf.yield %u : tensor<2xf64>
  }
  %p = tensor.cast %w : tensor<2xf64> to tensor<*xf64>
  func.call @toy_print(%p) : (tensor<*xf64>) -> ()
  %q = tensor.cast %r#1 : tensor<2xf64> to tensor<*xf64>
  func.call @toy_print(%q) : (tensor<*xf64>) -> ()
  return
}
