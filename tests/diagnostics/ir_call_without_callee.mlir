func.func private @f(%x: tensor<*xf64>) -> tensor<*xf64> {
  return %x : tensor<*xf64>
}
func.func @main() {
  %0 = "toy.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  %1 = "toy.generic_call"(%0) : (tensor<2xf64>) -> tensor<*xf64>
  return
}
