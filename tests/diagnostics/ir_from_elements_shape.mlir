// An element that is known to be no scalar; the cast shows where it stands.
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %s1 = "toy.cast"(%s) : (tensor<f64>) -> tensor<*xf64>
  %c1 = "toy.cast"(%c) : (tensor<2x3xf64>) -> tensor<*xf64>
  %0 = "toy.from_elements"(%s1, %c1) : (tensor<*xf64>, tensor<*xf64>) -> tensor<2xf64>
  return
}
