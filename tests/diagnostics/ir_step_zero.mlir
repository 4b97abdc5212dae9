// What an index is for, and what it cannot be.
func.func @main() {
  %zero = "toy.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %half = "toy.constant"() {value = dense<0.5> : tensor<f64>} : () -> tensor<f64>
  %huge = "toy.constant"() {value = dense<1.0e16> : tensor<f64>} : () -> tensor<f64>
  %v = "toy.constant"() {value = dense<1.0> : tensor<3xf64>} : () -> tensor<3xf64>
  %0 = "toy.to_index"(%zero) {what = "step"} : (tensor<f64>) -> index
  %1 = "toy.to_index"(%half) {what = "bound"} : (tensor<f64>) -> index
  %2 = "toy.to_index"(%huge) {what = "index"} : (tensor<f64>) -> index
  %3 = "toy.to_index"(%v) {what = "step"} : (tensor<3xf64>) -> index
  %4 = "toy.range"(%v) : (tensor<3xf64>) -> tensor<*xf64>
  %5 = "toy.shape"(%v, %v) : (tensor<3xf64>, tensor<3xf64>) -> tensor<f64>
  %6 = "toy.reduce_axis"(%v, %half) {kind = "sum"} : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return
}
