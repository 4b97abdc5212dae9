// A struct of constants is a constant, structs in structs included; with a variable in it, it is not.
// RUN: toyc %s -emit=toy -opt | FileCheck %s
// CHECK-LABEL: func.func private @f
// CHECK-NEXT:    [[C:%.*]] = "toy.struct_constant"() {value = [dense<1.000000e+00> : tensor<f64>, [dense<2.000000e+00> : tensor<2xf64>]]} : () -> !toy.struct<[tensor<f64>, !toy.struct<[tensor<2xf64>]>]>
// CHECK-NEXT:    "toy.generic_call"([[C]])
// CHECK-NEXT:    "toy.struct_create"(%arg0)
// CHECK-NEXT:    "toy.generic_call"
// CHECK-NEXT:    return
!inner = !toy.struct<[tensor<*xf64>]>
!outer = !toy.struct<[tensor<*xf64>, !inner]>
func.func private @f(%x: tensor<*xf64>) {
  %a = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %b = "toy.constant"() {value = dense<2.0> : tensor<2xf64>} : () -> tensor<2xf64>
  %i = "toy.struct_create"(%b) : (tensor<2xf64>) -> !inner
  %a1 = "toy.cast"(%a) : (tensor<f64>) -> !toy.any
  %i1 = "toy.cast"(%i) : (!inner) -> !toy.any
  %o = "toy.struct_create"(%a1, %i1) : (!toy.any, !toy.any) -> !outer
  "toy.generic_call"(%o) {callee = @g} : (!outer) -> ()
  %v = "toy.struct_create"(%x) : (tensor<*xf64>) -> !inner
  "toy.generic_call"(%v) {callee = @h} : (!inner) -> ()
  return
}
func.func private @g(%x: !outer) { return }
func.func private @h(%x: !inner) { return }
func.func @main() { return }
