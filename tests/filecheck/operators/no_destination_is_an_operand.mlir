// An operation with a scalar is not done in place either, although the operand dies there.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -emit=linalg | FileCheck %s --check-prefix=LINALG
// LINALG-LABEL: func.func private @f
// LINALG: [[E:%.*]] = tensor.empty() : tensor<2xf64>
// LINALG: linalg.generic {{.*}} outs([[E]] : tensor<2xf64>)
// CHECK:      2.000000 3.000000
// CHECK-SAME: 1.000000 2.000000
func.func private @f(%x: tensor<*xf64>) -> tensor<*xf64> {
  %one = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "toy.add"(%x, %one) : (tensor<*xf64>, tensor<f64>) -> tensor<*xf64>
  return %0 : tensor<*xf64>
}
func.func @main() {
  %c = "toy.constant"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf64>} : () -> tensor<1x2xf64>
  %r = "toy.reshape"(%c) : (tensor<1x2xf64>) -> tensor<2xf64>
  %0 = "toy.generic_call"(%r) {callee = @f} : (tensor<2xf64>) -> tensor<*xf64>
  "toy.print"(%0) : (tensor<*xf64>) -> ()
  "toy.print"(%r) : (tensor<2xf64>) -> ()
  return
}
