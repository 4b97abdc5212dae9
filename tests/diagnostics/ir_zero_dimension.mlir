func.func @f(%x: tensor<0x2xf64>) {
  "toy.print"(%x) : (tensor<0x2xf64>) -> ()
  return
}
func.func @main() {
  return
}
