// Shapes are known at compile time.
func.func private @f(%n: tensor<*xf64>) -> tensor<*xf64> {
  %r = "toy.range"(%n) : (tensor<*xf64>) -> tensor<*xf64>
  return %r : tensor<*xf64>
}
func.func @main() {
  %a = "toy.constant"() {value = dense<3.0> : tensor<f64>} : () -> tensor<f64>
  %x = "toy.generic_call"(%a) {callee = @f} : (tensor<f64>) -> tensor<*xf64>
  "toy.print"(%x) : (tensor<*xf64>) -> ()
  return
}
