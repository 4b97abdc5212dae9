func.func @main() {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c5 = arith.constant 5 : i64
  %x = arith.constant dense<1.0> : tensor<2xf64>
  llvm.br ^head(%c0 : i64)
^head(%i: i64):
  %y = linalg.add ins(%x, %x : tensor<2xf64>, tensor<2xf64>) outs(%x : tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%y) : (tensor<2xf64>) -> ()
  %j = arith.addi %i, %c1 : i64
  %more = arith.cmpi ult, %j, %c5 : i64
  llvm.cond_br %more, ^head(%j : i64), ^end
^end:
  return
}
