// Tensor functions called by their address: where it is that of one function, it is called by name; where it is
// one of several, that is refused, at every level.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O1 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: sed "s/call_indirect %%f/call_indirect %%s/" %s > %t.mlir
// RUN: not toyc %t.mlir -emit=jit -O0 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not toyc %t.mlir -emit=jit -O1 2>&1 | FileCheck %s --check-prefix=SEVERAL
// RUN: not toyc %t.mlir -emit=jit -O2 2>&1 | FileCheck %s --check-prefix=SEVERAL
// CHECK: {{^}}2.000000 6.000000{{ $}}
// SEVERAL: error[E0403]: the callee of this indirect call on tensors is not known
func.func private @f(%a: tensor<2xf64>) -> tensor<2xf64> {
  %b = linalg.add ins(%a, %a : tensor<2xf64>, tensor<2xf64>) outs(%a : tensor<2xf64>) -> tensor<2xf64>
  return %b : tensor<2xf64>
}
func.func private @g(%a: tensor<2xf64>) -> tensor<2xf64> {
  %b = linalg.mul ins(%a, %a : tensor<2xf64>, tensor<2xf64>) outs(%a : tensor<2xf64>) -> tensor<2xf64>
  return %b : tensor<2xf64>
}
func.func @main() {
  %a = arith.constant dense<[1.0, 3.0]> : tensor<2xf64>
  // Known at -O1.
  %p = arith.constant true
  %f = constant @f : (tensor<2xf64>) -> tensor<2xf64>
  %g = constant @g : (tensor<2xf64>) -> tensor<2xf64>
  %s = arith.select %p, %f, %g : (tensor<2xf64>) -> tensor<2xf64>
  %r = call_indirect %f(%a) : (tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%r) : (tensor<2xf64>) -> ()
  return
}
