func.func @f(%x: tensor<9999999999x9999999999xf64>) {
  "toy.print"(%x) : (tensor<9999999999x9999999999xf64>) -> ()
  return
}
func.func @main() {
  return
}
