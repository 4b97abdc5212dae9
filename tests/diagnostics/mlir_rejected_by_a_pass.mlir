func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = arith.addf %x, %x : tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func @main() {
  return
}
