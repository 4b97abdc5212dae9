// Every round of the loop starts from %y, and its condition works in place.
func.func private @toy_print(tensor<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 3 : index
  %e = tensor.empty() : tensor<1x2xf64>
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %x = linalg.fill ins(%one : f64) outs(%e : tensor<1x2xf64>) -> tensor<1x2xf64>
  %e2 = tensor.empty() : tensor<1x2xf64>
  %y = linalg.fill ins(%two : f64) outs(%e2 : tensor<1x2xf64>) -> tensor<1x2xf64>
  %r = scf.while (%u = %x, %i = %c0) : (tensor<1x2xf64>, index) -> (index) {
    %w = linalg.add ins(%u, %u : tensor<1x2xf64>, tensor<1x2xf64>) outs(%u : tensor<1x2xf64>) -> tensor<1x2xf64>
    %cast = tensor.cast %w : tensor<1x2xf64> to tensor<*xf64>
    func.call @toy_print(%cast) : (tensor<*xf64>) -> ()
    %k = arith.cmpi ult, %i, %n : index
    scf.condition(%k) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %y, %j : tensor<1x2xf64>, index
  }
  %cast = tensor.cast %y : tensor<1x2xf64> to tensor<*xf64>
  func.call @toy_print(%cast) : (tensor<*xf64>) -> ()
  return
}
