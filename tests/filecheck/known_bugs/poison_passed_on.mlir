// Lifted to structured control flow, a loop passes poison on where it ends and a buffer is not needed any
// more. Ownership-based deallocation compares the addresses of all buffers that are passed on. What
// poison's address was equal to depended on what was in a register before: buffers were freed twice.
// RUN: toyc %s -emit=dealloc | FileCheck %s --check-prefix=FROZEN
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// FROZEN-LABEL: func.func private @f
// FROZEN-NOT:   ub.poison : memref
// FROZEN:       memref.alloca() : memref<f64>
// FROZEN-NOT:   ub.poison : memref
// FROZEN:       func.func @main
// CHECK: 2.000000 2.000000 2.000000 4.000000 4.000000 4.000000 8.000000 8.000000 8.000000
func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func private @f(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 1.0 : f64
  %a = memref.alloc() : memref<3xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<3xf64>)
  cf.br ^head(%n, %a : index, memref<3xf64>)
^head(%i: index, %b: memref<3xf64>):
  %done = arith.cmpi eq, %i, %zero : index
  cf.cond_br %done, ^end, ^next
^next:
  %c = memref.alloc() : memref<3xf64>
  linalg.add ins(%b, %b : memref<3xf64>, memref<3xf64>) outs(%c : memref<3xf64>)
  %j = arith.subi %i, %one : index
  %u = memref.cast %c : memref<3xf64> to memref<*xf64>
  func.call @toy_print(%u) : (memref<*xf64>) -> ()
  cf.br ^head(%j, %c : index, memref<3xf64>)
^end:
  return
}
func.func @main() {
  %n = arith.constant 3 : index
  call @f(%n) : (index) -> ()
  return
}
