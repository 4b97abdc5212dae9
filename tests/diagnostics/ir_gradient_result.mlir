// Two gradients are a struct.
func.func private @f(%x: tensor<*xf64>, %y: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.mul"(%x, %y) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  return %0 : tensor<*xf64>
}
func.func @main() {
  %0 = "toy.constant"() {value = dense<2.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "toy.generic_call"(%0, %0) {callee = @f, gradient = array<i64: 0, 1>} : (tensor<f64>, tensor<f64>) -> tensor<*xf64>
  "toy.print"(%1) : (tensor<*xf64>) -> ()
  return
}
