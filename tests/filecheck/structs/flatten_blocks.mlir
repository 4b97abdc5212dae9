// The blocks of a function may stand in another order than that of execution.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// CHECK: 2.000000 2.000000
!pair = !toy.struct<[tensor<2xf64>, tensor<2xf64>]>
func.func @main() {
  cf.br ^bb2
^bb1:
  %a = "toy.struct_access"(%p) {index = 1 : i64} : (!pair) -> tensor<*xf64>
  "toy.print"(%a) : (tensor<*xf64>) -> ()
  cf.br ^bb3
^bb2:
  %c = "toy.constant"() {value = dense<2.0> : tensor<2xf64>} : () -> tensor<2xf64>
  %p = "toy.struct_create"(%c, %c) : (tensor<2xf64>, tensor<2xf64>) -> !pair
  cf.br ^bb1
^bb3:
  return
}
