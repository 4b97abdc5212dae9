// RUN: toy-opt %s --toy-flatten-structs | FileCheck %s
// CHECK:     func.func private @f(%arg0: tensor<2xf64>, %arg1: tensor<f64>) -> tensor<2xf64>
// CHECK-NEXT:  return %arg0
// CHECK-NOT: toy.struct
func.func private @f(%p: !toy.struct<[tensor<2xf64>, tensor<f64>]>) -> tensor<2xf64> {
  %0 = "toy.struct_access"(%p) {index = 0 : i64} : (!toy.struct<[tensor<2xf64>, tensor<f64>]>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
