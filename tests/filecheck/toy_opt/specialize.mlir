// RUN: toy-opt %s --toy-specialize | FileCheck %s
// CHECK:     func.func @main
// CHECK:     call @f$2x3(%arg0)
// CHECK:     func.func private @f$2x3(%arg0: tensor<2x3xf64>) -> tensor<3x2xf64>
// CHECK:     "toy.transpose"(%arg0) : (tensor<2x3xf64>) -> tensor<3x2xf64>
// CHECK-NOT: *x
func.func private @f(%x: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.transpose"(%x) : (tensor<*xf64>) -> tensor<*xf64>
  return %0 : tensor<*xf64>
}
func.func @main(%x: tensor<2x3xf64>) -> tensor<3x2xf64> {
  %0 = "toy.generic_call"(%x) {callee = @f} : (tensor<2x3xf64>) -> tensor<3x2xf64>
  return %0 : tensor<3x2xf64>
}
