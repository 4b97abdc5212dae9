// A field that was just put into a struct, or that is constant, is known; the rest of the struct goes.
// RUN: toyc %s -emit=toy -opt | FileCheck %s
// RUN: toyc %s -emit=jit -opt | FileCheck %s --check-prefix=OUT
// CHECK-LABEL: func.func private @created
// CHECK-NEXT:    "toy.print"(%arg1) : (tensor<*xf64>) -> ()
// CHECK-NEXT:    "toy.print"(%arg0) : (tensor<*xf64>) -> ()
// CHECK-NEXT:    return
// CHECK-LABEL: func.func private @constant
// CHECK-NEXT:    [[S:%.*]] = "toy.struct_constant"() {value = [dense<2.000000e+00> : tensor<2xf64>]}
// CHECK-NEXT:    [[C:%.*]] = "toy.constant"() {value = dense<2.000000e+00> : tensor<2xf64>}
// CHECK-NEXT:    "toy.print"([[C]]) : (tensor<2xf64>) -> ()
// CHECK-NEXT:    "toy.generic_call"([[S]]) {callee = @take}
// CHECK-NEXT:    return
// A `func.return` takes exactly the type of the result.
// CHECK-LABEL: func.func private @returned
// CHECK:         "toy.struct_access"
// CHECK:         return
// OUT: 5.000000 1.000000 1.000000 2.000000 2.000000 2.000000 2.000000 3.000000
!pair = !toy.struct<[tensor<*xf64>, tensor<*xf64>]>
!one = !toy.struct<[tensor<2xf64>]>
func.func private @created(%x: tensor<*xf64>, %y: tensor<*xf64>) {
  %p = "toy.struct_create"(%x, %y) : (tensor<*xf64>, tensor<*xf64>) -> !pair
  %p1 = "toy.cast"(%p) : (!pair) -> !toy.any
  %y1 = "toy.cast"(%y) : (tensor<*xf64>) -> !toy.any
  %n = "toy.struct_create"(%y1, %p1) : (!toy.any, !toy.any) -> !toy.struct<[tensor<*xf64>, !pair]>
  %q = "toy.struct_access"(%n) {index = 1 : i64} : (!toy.struct<[tensor<*xf64>, !pair]>) -> !pair
  %b = "toy.struct_access"(%q) {index = 1 : i64} : (!pair) -> tensor<*xf64>
  "toy.print"(%b) : (tensor<*xf64>) -> ()
  %a = "toy.struct_access"(%q) {index = 0 : i64} : (!pair) -> tensor<*xf64>
  "toy.print"(%a) : (tensor<*xf64>) -> ()
  return
}
func.func private @constant() {
  %c = "toy.struct_constant"() {value = [dense<1.0> : tensor<f64>, [dense<2.0> : tensor<2xf64>]]} : () -> !toy.struct<[tensor<f64>, !one]>
  %i = "toy.struct_access"(%c) {index = 1 : i64} : (!toy.struct<[tensor<f64>, !one]>) -> !one
  %t = "toy.struct_access"(%i) {index = 0 : i64} : (!one) -> tensor<*xf64>
  "toy.print"(%t) : (tensor<*xf64>) -> ()
  "toy.generic_call"(%i) {callee = @take} : (!one) -> ()
  return
}
func.func private @take(%x: !toy.struct<[tensor<*xf64>]>) {
  %t = "toy.struct_access"(%x) {index = 0 : i64} : (!toy.struct<[tensor<*xf64>]>) -> tensor<*xf64>
  "toy.print"(%t) : (tensor<*xf64>) -> ()
  return
}
func.func private @returned() -> tensor<*xf64> {
  %c = "toy.struct_constant"() {value = [dense<3.0> : tensor<f64>]} : () -> !toy.struct<[tensor<f64>]>
  %t = "toy.struct_access"(%c) {index = 0 : i64} : (!toy.struct<[tensor<f64>]>) -> tensor<*xf64>
  return %t : tensor<*xf64>
}
func.func @main() {
  %a = "toy.constant"() {value = dense<1.0> : tensor<2xf64>} : () -> tensor<2xf64>
  %b = "toy.constant"() {value = dense<5.0> : tensor<f64>} : () -> tensor<f64>
  %a1 = "toy.cast"(%a) : (tensor<2xf64>) -> tensor<*xf64>
  %b1 = "toy.cast"(%b) : (tensor<f64>) -> tensor<*xf64>
  "toy.generic_call"(%a1, %b1) {callee = @created} : (tensor<*xf64>, tensor<*xf64>) -> ()
  "toy.generic_call"() {callee = @constant} : () -> ()
  %r = "toy.generic_call"() {callee = @returned} : () -> tensor<*xf64>
  "toy.print"(%r) : (tensor<*xf64>) -> ()
  return
}
