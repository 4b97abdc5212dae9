// A tensor carried round a loop of blocks. One-Shot Bufferize takes the blocks for straight-line code, and put the
// last insertion into the buffer of %a: they are lifted to scf.while before.
// RUN: for O in 0 1 2 3; do toyc %s -emit=jit -O$O | FileCheck %s || exit 1; done
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 1.000000 2.000000 9.000000 2.000000
func.func private @toy_print(tensor<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func private @bump(%v: tensor<2xf64>) -> tensor<2xf64> {
  %c0 = arith.constant 0 : index
  %f = arith.constant 5.0 : f64
  %r = tensor.insert %f into %v[%c0] : tensor<2xf64>
  return %r : tensor<2xf64>
}
func.func @main() {
  %f = arith.constant 1.0 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<2xf64>
  %x = linalg.fill ins(%f : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  cf.br ^h(%c0, %x : index, tensor<2xf64>)
^h(%i: index, %a: tensor<2xf64>):
  %k = arith.cmpi slt, %i, %c2 : index
  cf.cond_br %k, ^b, ^x
^b:
  %n = arith.addf %f, %f : f64
  %a2 = tensor.insert %n into %a[%c1] : tensor<2xf64>
  %j = arith.addi %i, %c1 : index
  cf.br ^h(%j, %a2 : index, tensor<2xf64>)
^x:
  %f9 = arith.constant 9.0 : f64
  %y = tensor.insert %f9 into %a[%c0] : tensor<2xf64>
  %p = tensor.cast %a : tensor<2xf64> to tensor<*xf64>
  func.call @toy_print(%p) : (tensor<*xf64>) -> ()
  %q = tensor.cast %y : tensor<2xf64> to tensor<*xf64>
  func.call @toy_print(%q) : (tensor<*xf64>) -> ()
  return
}
