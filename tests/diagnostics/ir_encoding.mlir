func.func @f(%x: tensor<2xf64, "secret">) {
  "toy.print"(%x) : (tensor<2xf64, "secret">) -> ()
  return
}
func.func @main() {
  return
}
