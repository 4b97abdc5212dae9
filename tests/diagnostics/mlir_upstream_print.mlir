// A comment about toy.add is no operation.
func.func @f(%arg0: tensor<*xf64>) {
  toy.print %arg0 : tensor<*xf64>
  return
}
