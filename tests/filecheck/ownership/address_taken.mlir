// A function whose address is taken keeps its type, so what it returns has to be its own.
// RUN: not toyc %s -emit=dealloc 2>&1 | FileCheck %s
// RUN: sed 's/return %a : memref/return %b : memref/' %s | toyc -x mlir - -emit=dealloc \
// RUN:   | FileCheck %s --check-prefix=OWN
// CHECK: error[E0407]: `@f` may return one of its arguments
// CHECK: its address is taken
// OWN: func.func private @f({{.*}}) -> memref<2xf64>
func.func private @f(%a: memref<2xf64>) -> memref<2xf64> {
  %b = memref.alloc() : memref<2xf64>
  memref.copy %a, %b : memref<2xf64> to memref<2xf64>
  return %a : memref<2xf64>
}
func.func private @g() -> ((memref<2xf64>) -> memref<2xf64>) {
  %f = func.constant @f : (memref<2xf64>) -> memref<2xf64>
  return %f : (memref<2xf64>) -> memref<2xf64>
}
func.func @main() {
  return
}
