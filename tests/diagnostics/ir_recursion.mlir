func.func private @f(%x: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.generic_call"(%x) {callee = @f} : (tensor<*xf64>) -> tensor<*xf64>
  return %0 : tensor<*xf64>
}
func.func @main() {
  %0 = "toy.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  %2 = "toy.generic_call"(%0) {callee = @f} : (tensor<2xf64>) -> tensor<*xf64>
  return
}
