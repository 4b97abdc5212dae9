// One-Shot Bufferize takes what scf.index_switch returns for a new buffer, whatever is yielded: without a copy, %x changed.
// RUN: for O in 0 1 2 3; do toyc %s -emit=jit -O$O | FileCheck %s || exit 1; done
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 9.000000 1.000000 1.000000 1.000000
func.func private @f(%n: index, %one: f64) {
  %c0 = arith.constant 0 : index
  %f = arith.constant 9.0 : f64
  %x = tensor.from_elements %one, %one : tensor<2xf64>
  %r = scf.index_switch %n -> tensor<2xf64>
  case 1 {
    scf.yield %x : tensor<2xf64>
  }
  default {
    %y = tensor.from_elements %f, %f : tensor<2xf64>
    scf.yield %y : tensor<2xf64>
  }
  %w = tensor.insert %f into %r[%c0] : tensor<2xf64>
  "toy.print"(%w) : (tensor<2xf64>) -> ()
  "toy.print"(%x) : (tensor<2xf64>) -> ()
  return
}
func.func @main() {
  %n = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  func.call @f(%n, %one) : (index, f64) -> ()
  return
}
