// A function whose address is taken keeps its type, so it returns a copy of what is not its own.
// RUN: toyc %s -emit=dealloc | FileCheck %s
// RUN: sed 's/return %a : memref/return %b : memref/' %s | toyc -x mlir - -emit=dealloc \
// RUN:   | FileCheck %s --check-prefix=OWN
// CHECK: func.func private @f(%[[A:.*]]: memref<2xf64>) -> memref<2xf64>
// CHECK: memref.copy %[[A]], %[[C:.*]] :
// CHECK: return %[[C]]
// OWN: func.func private @f({{.*}}) -> memref<2xf64>
// OWN-COUNT-1: memref.alloc()
// OWN: return
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
