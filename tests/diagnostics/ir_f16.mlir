func.func @main() {
  %0 = "toy.constant"() {value = dense<1.0> : tensor<2xf16>} : () -> tensor<2xf16>
  "toy.print"(%0) : (tensor<2xf16>) -> ()
  return
}
