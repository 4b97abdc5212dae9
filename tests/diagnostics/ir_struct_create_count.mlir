// One operand per field.
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "toy.struct_create"(%c) : (tensor<2x3xf64>) -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>
  return
}
