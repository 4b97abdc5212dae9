// Where a loop of blocks ends, lifting hands poison on. Its copies read as many elements as its type says, so it
// becomes an empty tensor, of no elements where the type leaves that open.
// RUN: for O in 0 1 2 3; do toyc %s -emit=jit -O$O | FileCheck %s || exit 1; done
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -emit=memref | FileCheck %s --check-prefix=EMPTY
// RUN: toy-opt %s --lift-cf-to-scf --toy-freeze-tensors | FileCheck %s --check-prefix=FROZEN
// CHECK: 8.000000 8.000000 8.000000 8.000000
// EMPTY-NOT: ub.poison : {{tensor|memref}}
// FROZEN-LABEL: func.func private @f
// FROZEN-NOT:     ub.poison : tensor
// FROZEN:         tensor.empty() : tensor<1000xf64>
// FROZEN-NOT:     ub.poison : tensor
// FROZEN-LABEL: func.func private @g
// FROZEN-NOT:     ub.poison : tensor
// FROZEN:         %[[ZERO:.*]] = arith.constant 0 : index
// FROZEN:         tensor.empty(%[[ZERO]]) : tensor<?xf64>
// FROZEN-NOT:     ub.poison : tensor
func.func private @f(%x: tensor<1000xf64>) -> tensor<1000xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  cf.br ^head(%c0, %x : index, tensor<1000xf64>)
^head(%i: index, %a: tensor<1000xf64>):
  %k = arith.cmpi slt, %i, %c3 : index
  cf.cond_br %k, ^body, ^end
^body:
  %t = linalg.add ins(%a, %a : tensor<1000xf64>, tensor<1000xf64>) outs(%a : tensor<1000xf64>) -> tensor<1000xf64>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %t : index, tensor<1000xf64>)
^end:
  return %a : tensor<1000xf64>
}
func.func private @g(%one: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty(%c2) : tensor<?xf64>
  %x = linalg.fill ins(%one : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  cf.br ^head(%c0, %x : index, tensor<?xf64>)
^head(%i: index, %a: tensor<?xf64>):
  %k = arith.cmpi slt, %i, %c3 : index
  cf.cond_br %k, ^body, ^end
^body:
  %t = linalg.add ins(%a, %a : tensor<?xf64>, tensor<?xf64>) outs(%a : tensor<?xf64>) -> tensor<?xf64>
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j, %t : index, tensor<?xf64>)
^end:
  %s = tensor.cast %a : tensor<?xf64> to tensor<2xf64>
  "toy.print"(%s) : (tensor<2xf64>) -> ()
  return
}
func.func @main() {
  %one = arith.constant 1.0 : f64
  %e = tensor.empty() : tensor<1000xf64>
  %x = linalg.fill ins(%one : f64) outs(%e : tensor<1000xf64>) -> tensor<1000xf64>
  %y = func.call @f(%x) : (tensor<1000xf64>) -> tensor<1000xf64>
  %part = tensor.extract_slice %y[998] [2] [1] : tensor<1000xf64> to tensor<2xf64>
  "toy.print"(%part) : (tensor<2xf64>) -> ()
  func.call @g(%one) : (f64) -> ()
  return
}
