// The pass alone: the module says that it needs it.
// RUN: toy-opt %s --toy-differentiate | FileCheck %s
// RUN: toy-opt %s --toy-differentiate | toyc -x mlir - -emit=jit | FileCheck %s --check-prefix=PRINTED

// CHECK-NOT: toy.gradients
// CHECK-NOT: toy.generic_call
// CHECK-NOT: toy.stop
// CHECK: call @f$grad(%
// CHECK: func.func private @f$grad(%arg0: tensor<2xf64>) -> tensor<2xf64>
// PRINTED: 7.000000 9.000000
module attributes {toy.gradients} {
  func.func private @f(%x: tensor<2xf64>) -> tensor<f64> {
    %c = "toy.stop"(%x) : (tensor<2xf64>) -> tensor<2xf64>
    %y = "toy.mul"(%x, %c) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %s = "toy.reduce"(%y) {kind = "sum"} : (tensor<2xf64>) -> tensor<f64>
    return %s : tensor<f64>
  }
  func.func @main() {
    %x = "toy.constant"() {value = dense<[7.0, 9.0]> : tensor<2xf64>} : () -> tensor<2xf64>
    %g = "toy.generic_call"(%x) {callee = @f, gradient = array<i64: 0>} : (tensor<2xf64>) -> tensor<2xf64>
    "toy.print"(%g) : (tensor<2xf64>) -> ()
    return
  }
}
