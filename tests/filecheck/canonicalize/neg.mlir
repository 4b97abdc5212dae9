// Two changes of sign are none, in every bit; of a constant, the sign changes now: 0 becomes -0.
// RUN: toyc %s -emit=toy -opt | FileCheck %s
// RUN: toyc %s -emit=jit -opt > %t.opt && toyc %s -emit=jit > %t.no && cmp %t.opt %t.no
// CHECK-LABEL: func.func private @twice
// CHECK-NEXT:    return %arg0
// CHECK-LABEL: func.func private @once
// CHECK-NEXT:    "toy.neg"(%arg0)
// CHECK-LABEL: func.func @main
// CHECK:         "toy.constant"() {value = dense<[-1.000000e+00, -0.000000e+00, 2.500000e+00, 0xFFF8000000000001]> : tensor<4xf64>}
// CHECK-NOT:     toy.neg
// CHECK:         return
func.func private @twice(%x: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.neg"(%x) : (tensor<*xf64>) -> tensor<*xf64>
  %1 = "toy.neg"(%0) : (tensor<*xf64>) -> tensor<*xf64>
  return %1 : tensor<*xf64>
}
func.func private @once(%x: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.neg"(%x) : (tensor<*xf64>) -> tensor<*xf64>
  return %0 : tensor<*xf64>
}
func.func @main() {
  %c = "toy.constant"() {value = dense<[1.0, 0.0, -2.5, 0x7FF8000000000001]> : tensor<4xf64>} : () -> tensor<4xf64>
  %0 = "toy.neg"(%c) : (tensor<4xf64>) -> tensor<*xf64>
  "toy.print"(%0) : (tensor<*xf64>) -> ()
  %1 = "toy.generic_call"(%c) {callee = @twice} : (tensor<4xf64>) -> tensor<*xf64>
  "toy.print"(%1) : (tensor<*xf64>) -> ()
  %2 = "toy.generic_call"(%c) {callee = @once} : (tensor<4xf64>) -> tensor<*xf64>
  "toy.print"(%2) : (tensor<*xf64>) -> ()
  return
}
