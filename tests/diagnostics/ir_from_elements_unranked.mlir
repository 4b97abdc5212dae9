// A literal has a shape.
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "toy.from_elements"(%s) : (tensor<f64>) -> tensor<*xf64>
  return
}
