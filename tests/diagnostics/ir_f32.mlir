func.func @main() {
  %0 = "toy.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  "toy.print"(%0) : (tensor<2xf32>) -> ()
  return
}
