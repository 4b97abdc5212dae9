// For a linker, public functions stay public. What they return is for callers elsewhere to free, so it is a copy if the
// function may not own it, or returns it twice.
// RUN: sed 's/@main/@others/' %s | toyc -x mlir - -emit=dealloc | FileCheck %s
// RUN: toyc %s -emit=llvm | FileCheck %s --check-prefix=LINKED
// RUN: toyc %s -emit=asm -o - | FileCheck %s --check-prefix=LINKED
// RUN: toyc %s -emit=jit
// RUN: toyc %s -emit=dealloc | FileCheck %s --check-prefix=PRIVATE
// RUN: toyc %s -emit=memref | toy-opt --toy-make-private | FileCheck %s --check-prefix=ALONE
// LINKED:    larger
// PRIVATE-NOT: clone
// PRIVATE:   func.func private @larger({{.*}}) -> (memref<2xf64>, i1)
// ALONE:     func.func private @larger({{.*}}) -> memref<2xf64>
// ALONE:     func.func @main()
memref.global "private" @g : memref<2xf64> = dense<3.0>
// CHECK-LABEL: func.func @larger(
// CHECK:       %[[S:.*]] = arith.select
// CHECK:       %[[C:.*]] = memref.alloc() : memref<2xf64>
// CHECK:       memref.copy %[[S]], %[[C]]
// CHECK-NEXT:  return %[[C]]
func.func @larger(%a: memref<2xf64>, %b: memref<2xf64>, %p: i1) -> memref<2xf64> {
  %s = arith.select %p, %a, %b : memref<2xf64>
  return %s : memref<2xf64>
}
// CHECK-LABEL: func.func @shared(
// CHECK:       %[[G:.*]] = memref.get_global
// CHECK:       memref.copy %[[G]], %[[C:.*]] :
// CHECK-NEXT:  return %[[C]]
func.func @shared() -> memref<2xf64> {
  %g = memref.get_global @g : memref<2xf64>
  return %g : memref<2xf64>
}
// One is its own.
// CHECK-LABEL: func.func @twice(
// CHECK:       %[[A:.*]] = memref.alloc()
// CHECK:       memref.copy %[[A]], %[[C:.*]] :
// CHECK-NEXT:  return %[[A]], %[[C]]
func.func @twice() -> (memref<2xf64>, memref<2xf64>) {
  %a = memref.alloc() : memref<2xf64>
  return %a, %a : memref<2xf64>, memref<2xf64>
}
// What may be its own is freed where it is not returned.
// CHECK-LABEL: func.func @either(
// CHECK:       %[[A:.*]] = memref.alloc() : memref<2xf64>
// CHECK:       memref.copy %{{.*}}, %[[C:.*]] :
// CHECK:       memref.dealloc %[[A]]
// CHECK-NEXT:  return %[[C]]
func.func @either(%a: memref<2xf64>, %p: i1) -> memref<2xf64> {
  %b = memref.alloc() : memref<2xf64>
  memref.copy %a, %b : memref<2xf64> to memref<2xf64>
  %s = arith.select %p, %a, %b : memref<2xf64>
  return %s : memref<2xf64>
}
// Sizes and offsets of any value fit a new buffer.
// CHECK-LABEL: func.func @part(
// CHECK:       %[[D:.*]] = memref.dim %{{.*}}, %c0
// CHECK:       %[[C:.*]] = memref.alloc(%[[D]]) : memref<?x3xf64>
// CHECK:       %[[R:.*]] = memref.cast %[[C]]
// CHECK:       return %[[R]]
func.func @part(%a: memref<?x3xf64, strided<[?, 1], offset: ?>>) -> memref<?x3xf64, strided<[?, 1], offset: ?>> {
  return %a : memref<?x3xf64, strided<[?, 1], offset: ?>>
}
// New buffers, and former tensors, which are values, may be returned.
func.func private @new() -> memref<2xf64> {
  %a = memref.alloc() : memref<2xf64>
  return %a : memref<2xf64>
}
func.func @fresh(%p: i1) -> memref<2xf64> {
  %a = func.call @new() : () -> memref<2xf64>
  %b = func.call @new() : () -> memref<2xf64>
  %s = arith.select %p, %a, %b : memref<2xf64>
  return %s : memref<2xf64>
}
func.func @value(%a: tensor<2xf64>) -> tensor<2xf64> {
  return %a : tensor<2xf64>
}
func.func @main() {
  return
}
