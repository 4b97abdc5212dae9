func.func @main(%x: tensor<2xf64>) {
  "toy.print"(%x) : (tensor<2xf64>) -> ()
  return
}
