// A detour, for the pattern in transpose_of_transpose.pdl.mlir.
func.func @f(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = "toy.transpose"(%x) : (tensor<2x3xf64>) -> tensor<3x2xf64>
  %1 = "toy.transpose"(%0) : (tensor<3x2xf64>) -> tensor<2x3xf64>
  return %1 : tensor<2x3xf64>
}
