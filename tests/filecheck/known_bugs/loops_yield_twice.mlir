// The other form of the miscompile needs loops that yield new buffers: what is yielded twice is copied.
// RUN: for O in 0 1 2 3; do toyc %s -emit=jit -O$O | FileCheck %s || exit 1; done
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 100.000000 8.000000 8.000000 8.000000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %f = arith.constant 100.0 : f64
  %x = arith.constant dense<2.0> : tensor<2xf64>
  %p:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x, %b = %x) -> (tensor<2xf64>, tensor<2xf64>) {
    %e = tensor.empty() : tensor<2xf64>
    %t = linalg.add ins(%a, %b : tensor<2xf64>, tensor<2xf64>) outs(%e : tensor<2xf64>) -> tensor<2xf64>
    scf.yield %t, %t : tensor<2xf64>, tensor<2xf64>
  }
  %w = tensor.insert %f into %p#0[%c0] : tensor<2xf64>
  "toy.print"(%w) : (tensor<2xf64>) -> ()
  "toy.print"(%p#1) : (tensor<2xf64>) -> ()
  return
}
