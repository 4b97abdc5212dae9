// A field whose shape could not be inferred is the trace of an error: what uses it is silent, the other
// field goes on.
// RUN: not toyc %s -emit=jit 2> %t; cat %t | FileCheck %s
// RUN: grep -c '\[E0' %t | FileCheck %s --check-prefix=COUNT
// COUNT: {{^}}2{{$}}
// CHECK-DAG: error[E0301]: {{.*}}`+` cannot combine shapes 2 and 3
// CHECK-DAG: error[E0302]: {{.*}}a value of shape 2 cannot be reshaped to 7
!pair = !toy.struct<[tensor<*xf64>, tensor<*xf64>]>
func.func private @f(%x: tensor<*xf64>, %y: tensor<*xf64>) {
  %bad = "toy.add"(%x, %y) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  %p = "toy.struct_create"(%bad, %x) : (tensor<*xf64>, tensor<*xf64>) -> !pair
  %a = "toy.struct_access"(%p) {index = 0 : i64} : (!pair) -> tensor<*xf64>
  %b = "toy.struct_access"(%p) {index = 1 : i64} : (!pair) -> tensor<*xf64>
  %silent = "toy.reshape"(%a) : (tensor<*xf64>) -> tensor<9xf64>
  %q = "toy.generic_call"(%p) {callee = @g} : (!pair) -> tensor<*xf64>
  %silent2 = "toy.reshape"(%q) : (tensor<*xf64>) -> tensor<9xf64>
  %loud = "toy.reshape"(%b) : (tensor<*xf64>) -> tensor<7xf64>
  return
}
func.func private @g(%p: !pair) -> tensor<*xf64> {
  %a = "toy.struct_access"(%p) {index = 0 : i64} : (!pair) -> tensor<*xf64>
  return %a : tensor<*xf64>
}
func.func @main() {
  %two = "toy.constant"() {value = dense<1.0> : tensor<2xf64>} : () -> tensor<2xf64>
  %three = "toy.constant"() {value = dense<1.0> : tensor<3xf64>} : () -> tensor<3xf64>
  %two1 = "toy.cast"(%two) : (tensor<2xf64>) -> tensor<*xf64>
  %three1 = "toy.cast"(%three) : (tensor<3xf64>) -> tensor<*xf64>
  "toy.generic_call"(%two1, %three1) {callee = @f} : (tensor<*xf64>, tensor<*xf64>) -> ()
  return
}
