// RUN: toyc %s -emit=dealloc | FileCheck %s
// RUN: toyc %s -emit=jit
// A callee that frees its argument has said who frees it: the caller must not do it again.
// CHECK-COUNT-1: memref.dealloc
// CHECK-NOT: memref.dealloc
func.func private @consume(%m: memref<2xf64>) {
  memref.dealloc %m : memref<2xf64>
  return
}
func.func @main() {
  %a = memref.alloc() : memref<2xf64>
  call @consume(%a) : (memref<2xf64>) -> ()
  return
}
