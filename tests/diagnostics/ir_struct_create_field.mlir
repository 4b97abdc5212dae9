// The type of an operand, through its cast.
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %a = "toy.cast"(%c) : (tensor<2x3xf64>) -> !toy.any
  %b = "toy.cast"(%s) : (tensor<f64>) -> !toy.any
  %0 = "toy.struct_create"(%a, %b) : (!toy.any, !toy.any) -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>
  return
}
