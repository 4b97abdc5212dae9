func.func @f(%x: tensor<2xf64>) -> tensor<2xf64> {
  %y = tosa.reverse %x {axis = 0 : i32} : (tensor<2xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}
func.func @main() {
  return
}
