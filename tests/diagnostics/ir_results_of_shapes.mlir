// A result has the shape that follows.
func.func private @f(%s: tensor<f64>, %v: tensor<3xf64>, %m: tensor<2x3xf64>, %u: tensor<*xf64>, %i: index, %t: i1) {
  %0 = "toy.compare"(%m, %s) {predicate = "lt"} : (tensor<2x3xf64>, tensor<f64>) -> tensor<f64>
  %1 = "toy.matmul"(%m, %v) : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %2 = "toy.reduce"(%m) {kind = "sum"} : (tensor<2x3xf64>) -> tensor<3xf64>
  %3 = "toy.reduce"(%m) {kind = "sum", axis = 0 : i64} : (tensor<2x3xf64>) -> tensor<2xf64>
  %4 = "toy.read"(%m, %i) {subscripts = ["at"]} : (tensor<2x3xf64>, index) -> tensor<2xf64>
  %5 = "toy.update"(%s, %m, %i) {subscripts = ["at"]} : (tensor<f64>, tensor<2x3xf64>, index) -> tensor<3xf64>
  %6 = "toy.select"(%m, %s, %s) : (tensor<2x3xf64>, tensor<f64>, tensor<f64>) -> tensor<f64>
  %7 = "toy.math"(%m) {function = "exp"} : (tensor<2x3xf64>) -> tensor<f64>
  %8 = "toy.max"(%m, %s) : (tensor<2x3xf64>, tensor<f64>) -> tensor<f64>
  return
}
func.func @main() { return }
