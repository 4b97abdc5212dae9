// Fields are counted from 0.
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %p = "toy.struct_create"(%c, %c) : (tensor<2x3xf64>, tensor<2x3xf64>) -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>
  %0 = "toy.struct_access"(%p) {index = -1 : i64} : (!toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>) -> tensor<*xf64>
  return
}
