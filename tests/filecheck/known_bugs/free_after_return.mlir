// optimize-allocation-liveness takes the number that a call returns for a view of its argument: %x was freed after the
// function had returned, and the program was invalid.
// RUN: for O in 0 1 2; do toyc %s -emit=jit -O$O | FileCheck %s || exit 1; done
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -emit=dealloc | FileCheck %s --check-prefix=FREE
// CHECK: 3.000000 3.000000
// FREE-LABEL: func.func private @f
// FREE:         memref.dealloc
// FREE-NEXT:    return
func.func private @p(%x: tensor<2xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %r = tensor.extract %x[%c0] : tensor<2xf64>
  return %r : f64
}
func.func private @f(%f: f64) -> f64 {
  %x = tensor.from_elements %f, %f : tensor<2xf64>
  %r = func.call @p(%x) : (tensor<2xf64>) -> f64
  return %r : f64
}
func.func @main() {
  %f = arith.constant 3.0 : f64
  %r = func.call @f(%f) : (f64) -> f64
  %x = tensor.from_elements %r, %r : tensor<2xf64>
  "toy.print"(%x) : (tensor<2xf64>) -> ()
  return
}
