// Functions that may get one buffer as an argument and for the result.
// RUN: toy-opt %s --toy-in-place | FileCheck %s
// RUN: toy-opt %s --toy-in-place --merge-alloc=call-trees --lower-affine --convert-scf-to-cf --verify-merged-allocs
// RUN: toyc %s -emit=jit > %t && toyc %s -emit=jit -O1 | cmp - %t && toyc %s -emit=jit -O3 | cmp - %t
// RUN: toyc %s -O2 -o %t.exe && valgrind -q --leak-check=full --error-exitcode=9 %t.exe | cmp - %t
func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}

// A hundred such calls one in the other need one buffer.
// CHECK-LABEL: func.func private @twice(
// CHECK-SAME:    %[[X:.*]]: memref<2x2xf64>, %[[O:.*]]: memref<2x2xf64>)
// CHECK-NEXT:    linalg.add ins(%[[X]], %[[X]] : {{.*}} outs(%[[O]]
// CHECK-LABEL: func.func private @four_times(
// CHECK-SAME:    %[[X:.*]]: memref<2x2xf64>, %[[O:.*]]: memref<2x2xf64>)
// CHECK-NEXT:    call @twice(%[[X]], %[[O]])
// CHECK-NEXT:    call @twice(%[[O]], %[[O]])
// CHECK-NEXT:    return
func.func private @twice(%x: memref<2x2xf64>, %o: memref<2x2xf64>) {
  linalg.add ins(%x, %x : memref<2x2xf64>, memref<2x2xf64>) outs(%o : memref<2x2xf64>)
  return
}
func.func private @four_times(%x: memref<2x2xf64>, %o: memref<2x2xf64>) {
  %a = memref.alloc() : memref<2x2xf64>
  call @twice(%x, %a) : (memref<2x2xf64>, memref<2x2xf64>) -> ()
  call @twice(%a, %o) : (memref<2x2xf64>, memref<2x2xf64>) -> ()
  return
}
// The argument is read after the result is written, or in another order: no caller passes one for both.
// CHECK-LABEL: func.func private @plus_twice(
// CHECK-NOT:     memref.alloc
// CHECK-LABEL: func.func private @turned(
func.func private @plus_twice(%x: memref<2x2xf64>, %o: memref<2x2xf64>) {
  %a = memref.alloc() : memref<2x2xf64>
  call @twice(%x, %a) : (memref<2x2xf64>, memref<2x2xf64>) -> ()
  linalg.add ins(%a, %x : memref<2x2xf64>, memref<2x2xf64>) outs(%o : memref<2x2xf64>)
  return
}
func.func private @turned(%x: memref<2x2xf64>, %o: memref<2x2xf64>) {
  linalg.transpose ins(%x : memref<2x2xf64>) outs(%o : memref<2x2xf64>) permutation = [1, 0]
  return
}
// One of two results is written before the argument is read.
// CHECK-LABEL: func.func private @both(
func.func private @both(%x: memref<2x2xf64>, %o: memref<2x2xf64>, %p: memref<2x2xf64>) {
  linalg.add ins(%x, %x : memref<2x2xf64>, memref<2x2xf64>) outs(%o : memref<2x2xf64>)
  linalg.add ins(%x, %o : memref<2x2xf64>, memref<2x2xf64>) outs(%p : memref<2x2xf64>)
  return
}
// What is in the argument for the result is read: it is no result.
// CHECK-LABEL: func.func private @adds_to(
func.func private @adds_to(%x: memref<2x2xf64>, %o: memref<2x2xf64>) {
  linalg.add ins(%x, %o : memref<2x2xf64>, memref<2x2xf64>) outs(%o : memref<2x2xf64>)
  return
}
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-5: memref.alloc()
// CHECK-NOT:     memref.alloc()
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %five = arith.constant 5.0 : f64
  %a = memref.alloc() : memref<2x2xf64>
  linalg.fill ins(%one : f64) outs(%a : memref<2x2xf64>)
  memref.store %five, %a[%c0, %c1] : memref<2x2xf64>
  %b = memref.alloc() : memref<2x2xf64>
  call @four_times(%a, %b) : (memref<2x2xf64>, memref<2x2xf64>) -> ()
  %c = memref.alloc() : memref<2x2xf64>
  call @plus_twice(%b, %c) : (memref<2x2xf64>, memref<2x2xf64>) -> ()
  %d = memref.alloc() : memref<2x2xf64>
  call @turned(%c, %d) : (memref<2x2xf64>, memref<2x2xf64>) -> ()
  %e = memref.alloc() : memref<2x2xf64>
  %f = memref.alloc() : memref<2x2xf64>
  call @both(%d, %e, %f) : (memref<2x2xf64>, memref<2x2xf64>, memref<2x2xf64>) -> ()
  %g = memref.alloc() : memref<2x2xf64>
  linalg.fill ins(%five : f64) outs(%g : memref<2x2xf64>)
  call @adds_to(%f, %g) : (memref<2x2xf64>, memref<2x2xf64>) -> ()
  %h = memref.alloc() : memref<2x2xf64>
  linalg.sub ins(%g, %e : memref<2x2xf64>, memref<2x2xf64>) outs(%h : memref<2x2xf64>)
  %u = memref.cast %h : memref<2x2xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  return
}
