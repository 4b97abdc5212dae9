// The function returns a tensor.
func.func private @f(%x: tensor<*xf64>) -> tensor<*xf64> { return %x : tensor<*xf64> }
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "toy.generic_call"(%c) {callee = @f} : (tensor<2x3xf64>) -> !toy.struct<[tensor<*xf64>]>
  return
}
