// For a linker, public functions stay public. What they return is for callers elsewhere to free.
// RUN: not toyc %s -emit=obj -o %t.o 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: not toyc %s -emit=llvm 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: not toyc %s -emit=asm -o - 2> %t.err
// RUN: FileCheck %s < %t.err
// RUN: toyc %s -emit=jit
// RUN: toyc %s -emit=dealloc | FileCheck %s --check-prefix=PRIVATE
// RUN: toyc %s -emit=memref | toy-opt --toy-make-private | FileCheck %s --check-prefix=ALONE
// CHECK:     error[E0407]: `@larger` may return one of its arguments, and its callers are not known
// CHECK:     error[E0407]: `@shared` may return a global
// CHECK:     error[E0407]: `@twice` may return another result
// CHECK-NOT: Error
// PRIVATE-NOT: clone
// PRIVATE:   func.func private @larger({{.*}}) -> (memref<2xf64>, i1)
// ALONE:     func.func private @larger({{.*}}) -> memref<2xf64>
// ALONE:     func.func @main()
memref.global "private" @g : memref<2xf64> = dense<3.0>
func.func @larger(%a: memref<2xf64>, %b: memref<2xf64>, %p: i1) -> memref<2xf64> {
  %s = arith.select %p, %a, %b : memref<2xf64>
  return %s : memref<2xf64>
}
func.func @shared() -> memref<2xf64> {
  %g = memref.get_global @g : memref<2xf64>
  return %g : memref<2xf64>
}
func.func @twice() -> (memref<2xf64>, memref<2xf64>) {
  %a = memref.alloc() : memref<2xf64>
  return %a, %a : memref<2xf64>, memref<2xf64>
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
