// An axis is a number that the operand has.
func.func private @f(%s: tensor<f64>, %v: tensor<3xf64>, %m: tensor<2x3xf64>, %u: tensor<*xf64>, %i: index, %t: i1) {
  %0 = "toy.reduce"(%v) {kind = "sum", axis = 1 : i64} : (tensor<3xf64>) -> tensor<f64>
  %1 = "toy.reduce"(%v) {kind = "sum", axis = -1 : i64} : (tensor<3xf64>) -> tensor<f64>
  %2 = "toy.reduce"(%v) {kind = "sum", axis = "0"} : (tensor<3xf64>) -> tensor<f64>
  %3 = "toy.reduce"(%v) {kind = "sum", axis = 0 : i128} : (tensor<3xf64>) -> tensor<f64>
  return
}
func.func @main() { return }
