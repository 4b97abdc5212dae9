// Hand-written Toy IR: unranked types, calls of later functions, a public function besides main.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -emit=jit -opt | FileCheck %s
// RUN: toyc %s -emit=shapes | FileCheck %s --check-prefix=SHAPES
// RUN: mlir-opt --irdl-file=%irdl %s > /dev/null
// CHECK: 2.000000 8.000000
// SHAPES-DAG: func.func @exported(%arg0: tensor<2xf64>) -> tensor<2xf64>
// SHAPES-DAG: func.func private @square$2(
// SHAPES-NOT: tensor<*xf64>
func.func @main() {
  %0 = "toy.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  %1 = "toy.generic_call"(%0) {callee = @square} : (tensor<2xf64>) -> tensor<*xf64>
  %2 = "toy.add"(%1, %1) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  "toy.print"(%2) : (tensor<*xf64>) -> ()
  return
}
func.func private @square(%x: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.mul"(%x, %x) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  return %0 : tensor<*xf64>
}
func.func @exported(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "toy.generic_call"(%x) {callee = @square} : (tensor<2xf64>) -> tensor<*xf64>
  %1 = "toy.reshape"(%0) : (tensor<*xf64>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
}
