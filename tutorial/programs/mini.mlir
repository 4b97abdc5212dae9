// A function with the operation of the dialect `mini`.
func.func @flipped(%matrix: tensor<2x3xf64>) -> tensor<3x2xf64> {
  %0 = "mini.transpose"(%matrix) : (tensor<2x3xf64>) -> tensor<3x2xf64>
  return %0 : tensor<3x2xf64>
}
