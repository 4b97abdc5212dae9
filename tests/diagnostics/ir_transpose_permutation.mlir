// A permutation has each dimension of the operand once.
func.func private @f(%x: tensor<2x3xf64>, %a: tensor<f64>) {
  %0 = "toy.transpose"(%x) {permutation = array<i64: 0, 0>} : (tensor<2x3xf64>) -> tensor<*xf64>
  %1 = "toy.transpose"(%x) {permutation = array<i64: 0, 2, 1>} : (tensor<2x3xf64>) -> tensor<*xf64>
  %2 = "toy.transpose"(%x) {permutation = "reversed"} : (tensor<2x3xf64>) -> tensor<*xf64>
  %3 = "toy.transpose"(%x, %a, %a) {permutation = array<i64: 0, 1>} : (tensor<2x3xf64>, tensor<f64>, tensor<f64>) -> tensor<*xf64>
  %4 = "toy.transpose"(%x) {permutation = array<i64: 0, 1>} : (tensor<2x3xf64>) -> tensor<3x2xf64>
  %5 = "toy.reduce"(%x) {kind = "sum", keep = 1 : i64} : (tensor<2x3xf64>) -> tensor<1x1xf64>
  %6 = "toy.reduce"(%x) {kind = "sum", keep} : (tensor<2x3xf64>) -> tensor<f64>
  return
}
