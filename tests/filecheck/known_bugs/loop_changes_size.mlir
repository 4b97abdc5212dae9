// Canonicalization gives what the loop carries the size that it has before the loop.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O1 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -emit=jit -O3 | FileCheck %s
// CHECK: 7.000000 7.000000
func.func private @toy_print(tensor<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
memref.global "private" @n : memref<index> = dense<2>
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f1 = arith.constant 1.0 : f64
  %f7 = arith.constant 7.0 : f64
  %g = memref.get_global @n : memref<index>
  %n = memref.load %g[] : memref<index>
  %x0 = tensor.from_elements %f1 : tensor<1xf64>
  %a = tensor.cast %x0 : tensor<1xf64> to tensor<?xf64>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<?xf64> {
    %e = tensor.empty(%n) : tensor<?xf64>
    %z = linalg.fill ins(%f7 : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
    scf.yield %z : tensor<?xf64>
  }
  %q = tensor.cast %r : tensor<?xf64> to tensor<*xf64>
  func.call @toy_print(%q) : (tensor<*xf64>) -> ()
  return
}
