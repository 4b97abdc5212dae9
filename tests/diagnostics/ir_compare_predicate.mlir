// The predicates are those of Toy.
func.func private @f(%s: tensor<f64>, %v: tensor<3xf64>, %m: tensor<2x3xf64>, %u: tensor<*xf64>, %i: index, %t: i1) {
  %0 = "toy.compare"(%v, %v) {predicate = "olt"} : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  %1 = "toy.math"(%v) {function = "gamma"} : (tensor<3xf64>) -> tensor<3xf64>
  %2 = "toy.reduce"(%v) {kind = "mean"} : (tensor<3xf64>) -> tensor<f64>
  %3 = "toy.reduce_axis"(%v, %s) {kind = ""} : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  %4 = "toy.to_index"(%s) {what = "size"} : (tensor<f64>) -> index
  %5 = "toy.truth"(%s) {what = 1 : i64} : (tensor<f64>) -> i1
  return
}
func.func @main() { return }
