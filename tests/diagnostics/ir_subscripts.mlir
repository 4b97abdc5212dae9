// Subscripts are of three kinds, and take the operands that are there.
func.func private @f(%s: tensor<f64>, %v: tensor<3xf64>, %m: tensor<2x3xf64>, %u: tensor<*xf64>, %i: index, %t: i1) {
  %0 = "toy.read"(%m, %i) {subscripts = ["to"]} : (tensor<2x3xf64>, index) -> tensor<3xf64>
  %1 = "toy.read"(%m) {subscripts = ["at"]} : (tensor<2x3xf64>) -> tensor<3xf64>
  %2 = "toy.read"(%m, %i) {subscripts = ["range"]} : (tensor<2x3xf64>, index) -> tensor<3xf64>
  %3 = "toy.read"(%m) {subscripts = []} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %4 = "toy.read"(%m) {subscripts = [array<i64: 0>]} : (tensor<2x3xf64>) -> tensor<3xf64>
  %5 = "toy.read"(%m) {subscripts = [array<i64: 2, 1>]} : (tensor<2x3xf64>) -> tensor<3xf64>
  %6 = "toy.update"(%s, %m, %i, %i) {subscripts = ["at", 1]} : (tensor<f64>, tensor<2x3xf64>, index, index) -> tensor<2x3xf64>
  %7 = "toy.read"(%u) {subscripts = [array<i64: -1, 1>]} : (tensor<*xf64>) -> tensor<*xf64>
  return
}
func.func @main() { return }
