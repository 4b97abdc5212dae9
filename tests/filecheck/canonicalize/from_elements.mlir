// A literal of constants is one, also behind casts; one with a variable in it stays.
// RUN: toyc %s -emit=toy -opt | FileCheck %s
// RUN: toyc %s -emit=jit -opt | FileCheck %s --check-prefix=OUT
// CHECK-LABEL: func.func private @f
// CHECK:         "toy.constant"() {value = dense<[{{\[}}1.000000e+00, 2.000000e+00], [2.000000e+00, 1.000000e+00]]> : tensor<2x2xf64>}
// CHECK:         "toy.from_elements"
// CHECK-NOT:     "toy.from_elements"
// CHECK:         return
// OUT: {{^}}1.000000 2.000000 {{$}}
// OUT-NEXT: {{^}}2.000000 1.000000 {{$}}
// OUT: 1.000000 2.000000
func.func private @f(%x: tensor<*xf64>) {
  %a = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %b = "toy.constant"() {value = dense<2.0> : tensor<f64>} : () -> tensor<f64>
  %b1 = "toy.cast"(%b) : (tensor<f64>) -> tensor<*xf64>
  %a1 = "toy.cast"(%a) : (tensor<f64>) -> tensor<*xf64>
  %0 = "toy.from_elements"(%a1, %b1, %b1, %a1) : (tensor<*xf64>, tensor<*xf64>, tensor<*xf64>, tensor<*xf64>) -> tensor<2x2xf64>
  "toy.print"(%0) : (tensor<2x2xf64>) -> ()
  %1 = "toy.from_elements"(%x, %b1) : (tensor<*xf64>, tensor<*xf64>) -> tensor<2xf64>
  "toy.print"(%1) : (tensor<2xf64>) -> ()
  return
}
func.func @main() {
  %a = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  "toy.generic_call"(%a) {callee = @f} : (tensor<f64>) -> ()
  return
}
