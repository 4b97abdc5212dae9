func.func @f(%x: tensor<?x2xf64>) {
  "toy.print"(%x) : (tensor<?x2xf64>) -> ()
  return
}
func.func @main() {
  return
}
