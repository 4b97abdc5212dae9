func.func @f(%arg0: tensor<*xf64>) -> tensor<*xf64> {
  %0 = toy.generic_call @g(%arg0) : (tensor<*xf64>) -> tensor<*xf64>
  return %0 : tensor<*xf64>
}
