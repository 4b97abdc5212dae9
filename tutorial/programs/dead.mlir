// Nobody uses any of these three values.
func.func @nothing(%matrix: tensor<2x3xf64>) {
  %0 = arith.negf %matrix : tensor<2x3xf64>
  %1 = "toy.neg"(%matrix) : (tensor<2x3xf64>) -> tensor<2x3xf64>
  %2 = "toy.neg"(%matrix) : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return
}
