func.func @main() {
  %0 = "toy.constant"() {value = dense<1.0> : tensor<2xf64>} : () -> tensor<2xf64>
  toy.show %0 : tensor<2xf64>
  return
}
