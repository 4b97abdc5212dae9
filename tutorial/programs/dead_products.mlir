// Two multiplications whose results are not used.
func.func @f(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = arith.mulf %x, %x : tensor<2x3xf64>
  %1 = "toy.mul"(%x, %x) : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return %x : tensor<2x3xf64>
}
