// A public function of a library frees its argument. That is a caller's elsewhere, and stays as it is; but a function
// of the library may not give it a buffer of the library, which the compiler frees.
// RUN: sed '/^func.func @both/,$d' %s | toyc -x mlir - -emit=dealloc | FileCheck %s
// RUN: not toyc %s -emit=dealloc 2>&1 | FileCheck %s --check-prefix=BOTH
// CHECK-LABEL: func.func @destroy(
// CHECK: memref.dealloc
// CHECK-LABEL: func.func @late(
// CHECK-NOT: dealloc
// CHECK: call @destroy(
// CHECK-NOT: dealloc
// BOTH: error[E0407]: a public function frees buffers of its callers and buffers of this module
// BOTH: memref.dealloc %a
// BOTH: make it private: `func.func private`
func.func @make(%x: f64) -> memref<4xf64> {
  %a = memref.alloc() : memref<4xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<4xf64>)
  return %a : memref<4xf64>
}
func.func @destroy(%a: memref<4xf64>) {
  memref.dealloc %a : memref<4xf64>
  return
}
func.func @late(%a: memref<4xf64>) {
  call @destroy(%a) : (memref<4xf64>) -> ()
  return
}
func.func @both(%x: f64) {
  %a = func.call @make(%x) : (f64) -> memref<4xf64>
  func.call @late(%a) : (memref<4xf64>) -> ()
  return
}
