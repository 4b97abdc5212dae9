// The transpose of 2x3 is 3x2.
func.func @main() {
  %0 = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %1 = "toy.transpose"(%0) : (tensor<2x3xf64>) -> tensor<2x3xf64>
  "toy.print"(%1) : (tensor<2x3xf64>) -> ()
  return
}
