func.func @main() {
  %0 = "toy.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  "toy.add"(%0, %0) : (tensor<2xf64>, tensor<2xf64>) -> ()
  return
}
