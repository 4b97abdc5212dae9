// A function whose name is empty has a name in the memory plan.
// RUN: toyc %s -emit=memory-plan -O1 | FileCheck %s
// CHECK: "": 2 buffers
func.func private @use(memref<4xf64>, memref<4xf64>)
func.func @""() {
  %a = memref.alloc() : memref<4xf64>
  %b = memref.alloc() : memref<4xf64>
  call @use(%a, %b) : (memref<4xf64>, memref<4xf64>) -> ()
  return
}
