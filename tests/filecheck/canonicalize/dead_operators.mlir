// Dead operations go when they cannot fail; those whose shapes may not fit together stay until inference.
// RUN: toyc %s -emit=toy -opt | FileCheck %s
// RUN: toyc %s -emit=shapes -opt | FileCheck %s --check-prefix=SHAPES
// CHECK-LABEL: func.func private @f(
// CHECK-NEXT:    "toy.sub"(%arg0, %arg1)
// CHECK-NEXT:    "toy.from_elements"(%arg0)
// CHECK-NEXT:    "toy.print"
// CHECK-NEXT:    return
// SHAPES-LABEL: func.func private @f$s$2(
// SHAPES-NEXT:   "toy.print"
// SHAPES-NEXT:   return
func.func private @f(%x: tensor<*xf64>, %y: tensor<*xf64>) {
  %s = "toy.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "toy.sub"(%x, %y) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  %1 = "toy.div"(%x, %s) : (tensor<*xf64>, tensor<f64>) -> tensor<*xf64>
  %2 = "toy.neg"(%x) : (tensor<*xf64>) -> tensor<*xf64>
  %3 = "toy.from_elements"(%x) : (tensor<*xf64>) -> tensor<1xf64>
  %4 = "toy.struct_create"(%x, %y) : (tensor<*xf64>, tensor<*xf64>) -> !toy.struct<[tensor<*xf64>, tensor<*xf64>]>
  %5 = "toy.struct_access"(%4) {index = 0 : i64} : (!toy.struct<[tensor<*xf64>, tensor<*xf64>]>) -> tensor<*xf64>
  %6 = "toy.struct_constant"() {value = [dense<0.0> : tensor<f64>]} : () -> !toy.struct<[tensor<f64>]>
  "toy.print"(%x) : (tensor<*xf64>) -> ()
  return
}
func.func @main() {
  %s = "toy.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %c = "toy.constant"() {value = dense<0.0> : tensor<2xf64>} : () -> tensor<2xf64>
  %s1 = "toy.cast"(%s) : (tensor<f64>) -> tensor<*xf64>
  %c1 = "toy.cast"(%c) : (tensor<2xf64>) -> tensor<*xf64>
  "toy.generic_call"(%s1, %c1) {callee = @f} : (tensor<*xf64>, tensor<*xf64>) -> ()
  return
}
