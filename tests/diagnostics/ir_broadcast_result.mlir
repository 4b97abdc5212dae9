// The result of an operation with a scalar has the shape of the other operand.
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %0 = "toy.div"(%s, %c) : (tensor<f64>, tensor<2x3xf64>) -> tensor<f64>
  return
}
