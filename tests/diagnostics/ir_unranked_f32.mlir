func.func @f(%x: tensor<*xf32>) {
  "toy.print"(%x) : (tensor<*xf32>) -> ()
  return
}
func.func @main() {
  return
}
