// A cast does not change what is known.
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "toy.cast"(%c) : (tensor<2x3xf64>) -> tensor<3x2xf64>
  return
}
