// The right operator in the message; a scalar would fit.
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %d = "toy.constant"() {value = dense<1.0> : tensor<3x2xf64>} : () -> tensor<3x2xf64>
  %x = "toy.sub"(%c, %s) : (tensor<2x3xf64>, tensor<f64>) -> tensor<*xf64>
  %0 = "toy.sub"(%c, %d) : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<*xf64>
  %1 = "toy.div"(%c, %d) : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<*xf64>
  return
}
