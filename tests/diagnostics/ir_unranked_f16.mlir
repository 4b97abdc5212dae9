func.func @f(%x: tensor<*xf16>) {
  "toy.print"(%x) : (tensor<*xf16>) -> ()
  return
}
func.func @main() {
  return
}
