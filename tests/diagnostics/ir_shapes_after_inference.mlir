func.func private @f(%x: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.constant"() {value = dense<1.0> : tensor<3xf64>} : () -> tensor<3xf64>
  %1 = "toy.add"(%x, %0) : (tensor<*xf64>, tensor<3xf64>) -> tensor<*xf64>
  return %1 : tensor<*xf64>
}
func.func @main() {
  %0 = "toy.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  %1 = "toy.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf64>} : () -> tensor<3xf64>
  %2 = "toy.generic_call"(%0) {callee = @f} : (tensor<2xf64>) -> tensor<*xf64>
  return
}
