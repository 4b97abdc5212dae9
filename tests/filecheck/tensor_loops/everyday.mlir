// Loops as one writes them, which hand new tensors on: accepted at every level, right, and freed.
// RUN: for O in 0 1 2 3; do toyc %s -emit=jit -O$O | FileCheck %s || exit 1; done
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK:      {{^}}2.000000 1.000000 1.000000 2.000000
// CHECK-SAME: 8.000000 13.000000
// CHECK-SAME: 32.000000 32.000000
// CHECK-SAME: 64.000000 64.000000
// CHECK-SAME: 81.000000 81.000000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %e = tensor.empty() : tensor<2xf64>
  %x = linalg.fill ins(%one : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %y = tensor.insert %two into %x[%c0] : tensor<2xf64>
  %z = tensor.insert %two into %x[%c1] : tensor<2xf64>

  // Swap.
  %s:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %y, %b = %z) -> (tensor<2xf64>, tensor<2xf64>) {
    scf.yield %b, %a : tensor<2xf64>, tensor<2xf64>
  }
  "toy.print"(%s#1) : (tensor<2xf64>) -> ()
  "toy.print"(%s#0) : (tensor<2xf64>) -> ()

  // Fibonacci, with tensors.
  %f0 = linalg.fill ins(%one : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %f:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %f0, %b = %f0) -> (tensor<2xf64>, tensor<2xf64>) {
    %n = tensor.empty() : tensor<2xf64>
    %sum = linalg.add ins(%a, %b : tensor<2xf64>, tensor<2xf64>) outs(%n : tensor<2xf64>) -> tensor<2xf64>
    scf.yield %b, %sum : tensor<2xf64>, tensor<2xf64>
  }
  %fa = tensor.extract %f#0[%c0] : tensor<2xf64>
  %fb = tensor.extract %f#1[%c1] : tensor<2xf64>
  %both = tensor.from_elements %fa, %fb : tensor<2xf64>
  "toy.print"(%both) : (tensor<2xf64>) -> ()

  // A new tensor in each iteration.
  %d = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (tensor<2xf64>) {
    %n = tensor.empty() : tensor<2xf64>
    %t = linalg.add ins(%a, %a : tensor<2xf64>, tensor<2xf64>) outs(%n : tensor<2xf64>) -> tensor<2xf64>
    scf.yield %t : tensor<2xf64>
  }
  "toy.print"(%d) : (tensor<2xf64>) -> ()

  // In the place of the old one: with -O1 and higher, fusion writes tensor.empty there.
  %o = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %d) -> (tensor<2xf64>) {
    %t = linalg.add ins(%a, %a : tensor<2xf64>, tensor<2xf64>) outs(%a : tensor<2xf64>) -> tensor<2xf64>
    scf.yield %t : tensor<2xf64>
  }
  "toy.print"(%o) : (tensor<2xf64>) -> ()

  // Until a condition holds.
  %three = arith.constant 3.0 : f64
  %limit = arith.constant 50.0 : f64
  %b3 = linalg.fill ins(%three : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %w = scf.while (%a = %x) : (tensor<2xf64>) -> (tensor<2xf64>) {
    %n = tensor.extract %a[%c0] : tensor<2xf64>
    %k = arith.cmpf olt, %n, %limit : f64
    scf.condition(%k) %a : tensor<2xf64>
  } do {
  ^bb0(%a: tensor<2xf64>):
    %n = tensor.empty() : tensor<2xf64>
    %t = linalg.mul ins(%a, %b3 : tensor<2xf64>, tensor<2xf64>) outs(%n : tensor<2xf64>) -> tensor<2xf64>
    scf.yield %t : tensor<2xf64>
  }
  "toy.print"(%w) : (tensor<2xf64>) -> ()
  return
}
