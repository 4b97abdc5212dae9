// An element that turns out to be no scalar.
func.func private @f(%x: tensor<*xf64>) {
  %0 = "toy.from_elements"(%x) : (tensor<*xf64>) -> tensor<1xf64>
  return
}
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  "toy.generic_call"(%c) {callee = @f} : (tensor<2x3xf64>) -> ()
  return
}
