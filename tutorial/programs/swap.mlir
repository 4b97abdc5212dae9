// Two tensors change places in every round.
func.func @swap(%a: tensor<2xf64>, %b: tensor<2xf64>, %n: index) -> (tensor<2xf64>, tensor<2xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r:2 = scf.for %k = %zero to %n step %one iter_args(%x = %a, %y = %b) -> (tensor<2xf64>, tensor<2xf64>) {
    scf.yield %y, %x : tensor<2xf64>, tensor<2xf64>
  }
  return %r#0, %r#1 : tensor<2xf64>, tensor<2xf64>
}
