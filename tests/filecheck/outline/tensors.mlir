// 1,000 operations in one block, in the place of each other, which One-Shot Bufferize needs a minute for: parts of 100,
// which cost no copy. The same in the body of a loop.
// RUN: awk '/^ *REPEAT$/ {for (i = 1; i <= 1000; i++) {x = sprintf("x%d", i - 1); \
// RUN:   print "%x" i " = linalg.sub ins(%" x ", %one : tensor<2xf64>, tensor<2xf64>) outs(%" x " : tensor<2xf64>) -> tensor<2xf64>"}; next} {print}' %s > %t.mlir
// RUN: toyc %t.mlir -emit=memref -o %t.memref && FileCheck %s < %t.memref
// RUN: awk '/scf.for/ {on = 1} on && /call @repeated/ {n++} /scf.yield/ {exit n != 10}' %t.memref
// RUN: awk '/func.func/ {n=0} /linalg.sub/ {n++} n>100 {exit 1}' %t.memref
// RUN: for O in 0 1 2; do toyc %t.mlir -emit=jit -O$O | FileCheck %s --check-prefix=OUT || exit 1; done
// RUN: toyc %t.mlir -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s --check-prefix=OUT
// CHECK-LABEL: func.func private @straight$part9(
// CHECK-LABEL: func.func private @straight(
// CHECK-NOT:     memref.copy
// CHECK:       func.func private @repeated$part0(
// OUT: -999.000000 -999.000000 -1999.000000 -1999.000000
func.func private @straight(%x0: tensor<2xf64>, %one: tensor<2xf64>) -> tensor<2xf64> {
  REPEAT
  return %x1000 : tensor<2xf64>
}
func.func private @repeated(%x: tensor<2xf64>, %one: tensor<2xf64>) -> tensor<2xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%x0 = %x) -> tensor<2xf64> {
    REPEAT
    scf.yield %x1000 : tensor<2xf64>
  }
  return %r : tensor<2xf64>
}
func.func @main() {
  %n = arith.constant 1.0 : f64
  %one = tensor.from_elements %n, %n : tensor<2xf64>
  %x = tensor.from_elements %n, %n : tensor<2xf64>
  %y = func.call @straight(%x, %one) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%y) : (tensor<2xf64>) -> ()
  %x2 = tensor.from_elements %n, %n : tensor<2xf64>
  %z = func.call @repeated(%x2, %one) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%z) : (tensor<2xf64>) -> ()
  return
}
