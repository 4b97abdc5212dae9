// Each iteration of a parallel loop allocates and frees memory of its own, for three buffers in two
// slots.
// RUN: toyc %s -O2 -emit=dealloc | FileCheck %s
// RUN: toyc %s -emit=jit > %t && toyc %s -O2 -emit=jit | cmp - %t
// RUN: toyc %s -O2 -o %t.exe && valgrind -q --leak-check=full --error-exitcode=9 %t.exe | cmp - %t
// CHECK:      scf.parallel
// CHECK-NEXT:   %[[ALL:.*]] = memref.alloc() : memref<64xi8>
// CHECK-NOT:    memref.alloc()
// CHECK:        memref.dealloc %[[ALL]]
// CHECK-NEXT:   scf.reduce
func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func private @f(%n: index, %one: index, %zero: index) {
  %x = arith.constant 2.0 : f64
  %o = memref.alloc() : memref<2x2xf64>
  linalg.fill ins(%x : f64) outs(%o : memref<2x2xf64>)
  scf.parallel (%i) = (%zero) to (%n) step (%one) {
    %a = memref.alloc() : memref<2x2xf64>
    linalg.add ins(%o, %o : memref<2x2xf64>, memref<2x2xf64>) outs(%a : memref<2x2xf64>)
    %b = memref.alloc() : memref<2x2xf64>
    linalg.transpose ins(%a : memref<2x2xf64>) outs(%b : memref<2x2xf64>) permutation = [1, 0]
    %c = memref.alloc() : memref<2x2xf64>
    linalg.transpose ins(%b : memref<2x2xf64>) outs(%c : memref<2x2xf64>) permutation = [1, 0]
    memref.copy %c, %o : memref<2x2xf64> to memref<2x2xf64>
  }
  %u = memref.cast %o : memref<2x2xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  return
}
func.func @main() {
  %n = arith.constant 3 : index
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  call @f(%n, %one, %zero) : (index, index, index) -> ()
  return
}
