// A variable is a tensor or a struct, before and after.
func.func @main() {
  %v = "toy.constant"() {value = dense<1.0> : tensor<3xf64>} : () -> tensor<3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %p = "toy.struct_create"(%v) : (tensor<3xf64>) -> !toy.struct<[tensor<3xf64>]>
  %0 = "toy.assign"(%v, %p) {name = "x"} : (tensor<3xf64>, !toy.struct<[tensor<3xf64>]>) -> tensor<3xf64>
  %1 = "toy.assign"(%v, %v) {name = "x"} : (tensor<3xf64>, tensor<3xf64>) -> tensor<2xf64>
  %3 = "toy.assign"(%v, %v) {name = "x"} : (tensor<3xf64>, tensor<3xf64>) -> !toy.struct<[tensor<3xf64>]>
  return
}
