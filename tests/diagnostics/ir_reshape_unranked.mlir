func.func @main() {
  %0 = "toy.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  %1 = "toy.reshape"(%0) : (tensor<2xf64>) -> tensor<*xf64>
  return
}
