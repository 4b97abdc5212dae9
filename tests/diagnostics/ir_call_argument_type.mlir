func.func private @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  return %x : tensor<2xf64>
}
func.func @main() {
  %1 = "toy.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf64>} : () -> tensor<3xf64>
  %2 = "toy.generic_call"(%1) {callee = @f} : (tensor<3xf64>) -> tensor<*xf64>
  return
}
