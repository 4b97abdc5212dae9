// A value that meets no other has no shape.
func.func @main() {
  %t = arith.constant true
  %r = scf.if %t -> (tensor<*xf64>) {
    %a = "toy.unset"() : () -> tensor<*xf64>
    scf.yield %a : tensor<*xf64>
  } else {
    %b = "toy.unset"() : () -> tensor<*xf64>
    scf.yield %b : tensor<*xf64>
  }
  "toy.print"(%r) : (tensor<*xf64>) -> ()
  return
}
