// Nothing is computed with constants, and nothing is simplified that could change a bit: x - x is not
// 0 for infinity, x + 0 is not x for -0, x / x is not 1 for 0.
// RUN: toyc %s -emit=shapes -opt | FileCheck %s
// CHECK: toy.sub
// CHECK: toy.add
// CHECK: toy.div
// CHECK: toy.mul
func.func @main() {
  %c = "toy.constant"() {value = dense<[-0.0, 1.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  %z = "toy.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "toy.sub"(%c, %c) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%0) : (tensor<2xf64>) -> ()
  %1 = "toy.add"(%c, %z) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  "toy.print"(%1) : (tensor<2xf64>) -> ()
  %2 = "toy.div"(%c, %c) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%2) : (tensor<2xf64>) -> ()
  %3 = "toy.mul"(%c, %z) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  "toy.print"(%3) : (tensor<2xf64>) -> ()
  return
}
