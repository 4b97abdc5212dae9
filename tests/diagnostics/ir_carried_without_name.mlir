// Without names, variables are numbered.
func.func @main() {
  %a = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %x = "toy.cast"(%a) : (tensor<2x3xf64>) -> tensor<*xf64>
  %t = arith.constant true
  %r:2 = scf.while (%y = %x, %z = %x) : (tensor<*xf64>, tensor<*xf64>) -> (tensor<*xf64>, tensor<*xf64>) {
    scf.condition(%t) %y, %z : tensor<*xf64>, tensor<*xf64>
  } do {
  ^bb0(%y: tensor<*xf64>, %z: tensor<*xf64>):
    %w = "toy.transpose"(%z) : (tensor<*xf64>) -> tensor<*xf64>
    scf.yield %y, %w : tensor<*xf64>, tensor<*xf64>
  }
  "toy.print"(%r#1) : (tensor<*xf64>) -> ()
  return
}
