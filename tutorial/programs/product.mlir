// The product of two matrices, `a @ b` in Toy.
func.func @product(%a: tensor<2x3xf64>, %b: tensor<3x4xf64>) -> tensor<2x4xf64> {
  %zero = arith.constant 0.0 : f64
  %empty = tensor.empty() : tensor<2x4xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<2x4xf64>) -> tensor<2x4xf64>
  %product = linalg.matmul ins(%a, %b : tensor<2x3xf64>, tensor<3x4xf64>)
      outs(%zeros : tensor<2x4xf64>) -> tensor<2x4xf64>
  return %product : tensor<2x4xf64>
}
