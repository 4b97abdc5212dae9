func.func @main() {
  "toy.print"(%x) : (tensor<2xf64>) -> ()
  return
}
