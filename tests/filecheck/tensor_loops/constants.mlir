// Constants that a loop, or a function, hands on: what gets them may be written. One-Shot Bufferize knows that they may
// not where it sees them, but not of the results.
// RUN: for O in 0 1 2 3; do toyc %s -emit=jit -O$O | FileCheck %s || exit 1; done
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -emit=memref | FileCheck %s --check-prefix=COPY
// CHECK: 9.000000 2.000000 9.000000 2.000000 1.000000 2.000000
// COPY-LABEL: func.func @main
// COPY:         scf.for
// COPY:           memref.copy
// COPY:           scf.yield %alloc
func.func private @k() -> tensor<2xf64> {
  %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf64>
  return %c : tensor<2xf64>
}
func.func @main() {
  %f = arith.constant 9.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %x = tensor.from_elements %f, %f : tensor<2xf64>
  %a = func.call @k() : () -> tensor<2xf64>
  %y = tensor.insert %f into %a[%c0] : tensor<2xf64>
  "toy.print"(%y) : (tensor<2xf64>) -> ()
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%u = %x) -> tensor<2xf64> {
    %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf64>
    scf.yield %c : tensor<2xf64>
  }
  %z = tensor.insert %f into %r[%c0] : tensor<2xf64>
  "toy.print"(%z) : (tensor<2xf64>) -> ()
  %b = func.call @k() : () -> tensor<2xf64>
  "toy.print"(%b) : (tensor<2xf64>) -> ()
  return
}
