func.func @main() {
  %0 = "toy.constant"() {value = dense<1> : tensor<2xi64>} : () -> tensor<2xi64>
  return
}
