func.func @f(%x: tensor<4xf64>, %e: tensor<2x2xf64>) -> tensor<2x2xf64> {
  %y = linalg.pack %x inner_dims_pos = [0] inner_tiles = [2] into %e : tensor<4xf64> -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}
func.func @main() {
  return
}
