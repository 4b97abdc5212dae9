// scf.while whose body yields a value from outside while the condition writes in place: the value is copied.
// RUN: for O in 0 1 2 3; do toyc %s -emit=jit -O$O | FileCheck %s || exit 1; done
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 4.000000 4.000000 8.000000 8.000000 8.000000 8.000000 8.000000 8.000000 4.000000 4.000000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 3 : index
  %x = arith.constant dense<2.0> : tensor<2xf64>
  %y = arith.constant dense<4.0> : tensor<2xf64>
  %r = scf.while (%u = %x, %i = %c0) : (tensor<2xf64>, index) -> (index) {
    %w = linalg.add ins(%u, %u : tensor<2xf64>, tensor<2xf64>) outs(%u : tensor<2xf64>) -> tensor<2xf64>
    "toy.print"(%w) : (tensor<2xf64>) -> ()
    %k = arith.cmpi ult, %i, %n : index
    scf.condition(%k) %i : index
  } do {
  ^bb0(%i: index):
    %j = arith.addi %i, %c1 : index
    scf.yield %y, %j : tensor<2xf64>, index
  }
  "toy.print"(%y) : (tensor<2xf64>) -> ()
  return
}
