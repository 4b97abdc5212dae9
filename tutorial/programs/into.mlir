// A kernel on tensors in a function on memory: the sum of %A and %B belongs into %C.
func.func @add(%A: memref<3x5xf64>, %B: memref<3x5xf64>, %C: memref<3x5xf64>) {
  %a = bufferization.to_tensor %A restrict : memref<3x5xf64> to tensor<3x5xf64>
  %b = bufferization.to_tensor %B restrict : memref<3x5xf64> to tensor<3x5xf64>
  %empty = tensor.empty() : tensor<3x5xf64>
  %sum = linalg.add ins(%a, %b : tensor<3x5xf64>, tensor<3x5xf64>)
      outs(%empty : tensor<3x5xf64>) -> tensor<3x5xf64>
  bufferization.materialize_in_destination %sum in restrict writable %C
      : (tensor<3x5xf64>, memref<3x5xf64>) -> ()
  return
}
