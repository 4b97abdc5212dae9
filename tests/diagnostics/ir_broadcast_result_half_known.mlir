// The other operand has this shape or is a scalar: the result has it in either case.
func.func private @f(%x: tensor<*xf64>) -> tensor<*xf64> { return %x : tensor<*xf64> }
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %x = "toy.generic_call"(%c) {callee = @f} : (tensor<2x3xf64>) -> tensor<*xf64>
  %0 = "toy.add"(%x, %c) : (tensor<*xf64>, tensor<2x3xf64>) -> tensor<f64>
  return
}
