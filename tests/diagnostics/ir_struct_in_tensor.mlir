// Structs hide nowhere.
func.func @main() {
  %0 = tensor.empty() : tensor<2x!toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>>
  return
}
