// A function that calls itself with the transpose, for ever.
func.func private @f(%a: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.transpose"(%a) : (tensor<*xf64>) -> tensor<*xf64>
  %1 = "toy.generic_call"(%0) {callee = @f} : (tensor<*xf64>) -> tensor<*xf64>
  return %1 : tensor<*xf64>
}
func.func @main() {
  %0 = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %1 = "toy.generic_call"(%0) {callee = @f} : (tensor<2x3xf64>) -> tensor<*xf64>
  "toy.print"(%1) : (tensor<*xf64>) -> ()
  return
}
