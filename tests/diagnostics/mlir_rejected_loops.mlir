func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %x = arith.constant dense<1.0> : tensor<2xf64>
  %y = arith.constant dense<2.0> : tensor<2xf64>
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<2xf64>, tensor<2xf64>) {
    scf.yield %b, %a : tensor<2xf64>, tensor<2xf64>
  }
  "toy.print"(%r#0) : (tensor<2xf64>) -> ()
  return
}
