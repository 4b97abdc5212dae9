// Two functions that anything may call, so nothing is known about their arguments.
func.func @rows(%a: tensor<64x64xf64>, %b: tensor<64x64xf64>) -> tensor<64x64xf64> {
  %0 = "toy.mul"(%a, %b) : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
  %1 = "toy.add"(%0, %a) : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
  return %1 : tensor<64x64xf64>
}

func.func @columns(%a: tensor<64x64xf64>, %b: tensor<64x64xf64>) -> tensor<64x64xf64> {
  %0 = "toy.transpose"(%a) : (tensor<64x64xf64>) -> tensor<64x64xf64>
  %1 = "toy.mul"(%0, %b) : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
  return %1 : tensor<64x64xf64>
}
