// The second half of a tensor is filled.
func.func @half(%t: tensor<8xf64>, %x: f64) -> tensor<8xf64> {
  %half = tensor.extract_slice %t[4] [4] [1] : tensor<8xf64> to tensor<4xf64>
  %filled = linalg.fill ins(%x : f64) outs(%half : tensor<4xf64>) -> tensor<4xf64>
  %u = tensor.insert_slice %filled into %t[4] [4] [1] : tensor<4xf64> into tensor<8xf64>
  return %u : tensor<8xf64>
}
