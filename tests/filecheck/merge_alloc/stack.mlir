// The option `stack`: which merged allocations are on the stack.
// RUN: toy-opt %s --merge-alloc="call-trees stack=4096" | FileCheck %s
// RUN: toy-opt %s --merge-alloc="call-trees stack=4096" | toy-opt --merge-alloc="call-trees stack=4096" | FileCheck %s
// RUN: toy-opt %s --merge-alloc="call-trees" | FileCheck %s --check-prefix=HEAP
// RUN: toy-opt %s --merge-alloc="call-trees stack=127" | FileCheck %s --check-prefix=HEAP
// RUN: toy-opt %s --merge-alloc="call-trees stack=4096" --verify-merged-allocs
// RUN: toy-opt %s --merge-alloc="plan-only stack=4096" | FileCheck %s --check-prefix=PLAN
// RUN: not toy-opt %s --merge-alloc="stack=much" 2>&1 | FileCheck %s --check-prefix=WRONG
// HEAP-NOT: memref.alloca()
// WRONG: `stack=much`: a number has digits only

func.func private @print(memref<16xf64>)
func.func private @toy_print(memref<*xf64>)

// Nothing calls it: the memory of its whole call tree is on the stack, with the alignment of its buffers.
// CHECK-LABEL: func.func @outermost(
// CHECK-NEXT:    memref.alloca() {alignment = 64 : i64} : memref<256xi8>
// CHECK-NOT:     memref.alloc
// PLAN-LABEL:  func.func @outermost(
// PLAN-SAME:     merge_alloc.stack
func.func @outermost(%x: f64) {
  %a = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
  call @inner(%a) : (memref<16xf64>) -> ()
  %u = memref.cast %a : memref<16xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  return
}
// CHECK-LABEL: func.func private @inner(
// CHECK-SAME:    memref<128xi8>)
// CHECK-NOT:     memref.alloc
func.func private @inner(%a: memref<16xf64>) {
  %b = memref.alloc() : memref<16xf64>
  memref.copy %a, %b : memref<16xf64> to memref<16xf64>
  %u = memref.cast %b : memref<16xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  return
}
// A function that is called somewhere may have callers with memory on the stack.
// CHECK-LABEL: func.func @called(
// CHECK-NEXT:    memref.alloc()
func.func @called(%x: f64) {
  %a = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
  %b = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%b : memref<16xf64>)
  linalg.add ins(%a, %b : memref<16xf64>, memref<16xf64>) outs(%b : memref<16xf64>)
  return
}
// CHECK-LABEL: func.func @calling(
// CHECK:         memref.alloca() {alignment = 64 : i64} : memref<128xi8>
func.func @calling(%x: f64) {
  %a = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
  call @called(%x) : (f64) -> ()
  linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
  return
}
// A function that calls itself, or that something calls whose name only is used.
// CHECK-LABEL: func.func @recursive(
// CHECK-NOT:     memref.alloca()
// CHECK-LABEL: func.func @by_name(
// CHECK-NOT:     memref.alloca()
func.func @recursive(%x: f64, %p: i1) {
  %a = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
  %b = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%b : memref<16xf64>)
  linalg.add ins(%a, %b : memref<16xf64>, memref<16xf64>) outs(%b : memref<16xf64>)
  scf.if %p {
    func.call @recursive(%x, %p) : (f64, i1) -> ()
  }
  return
}
func.func @by_name(%x: f64) {
  %a = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
  %f = func.constant @by_name : (f64) -> ()
  linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
  return
}
// A function outside of the module may call it again, but not `main`.
// CHECK-LABEL: func.func @calls_out(
// CHECK:         memref.alloc()
// CHECK-NOT:     memref.alloca()
// CHECK-LABEL: func.func @main(
// CHECK:         memref.alloca()
func.func @calls_out() {
  %a = memref.alloc() : memref<16xf64>
  call @print(%a) : (memref<16xf64>) -> ()
  %b = memref.alloc() : memref<16xf64>
  call @print(%b) : (memref<16xf64>) -> ()
  return
}
func.func @main() {
  %a = memref.alloc() : memref<16xf64>
  call @print(%a) : (memref<16xf64>) -> ()
  %b = memref.alloc() : memref<16xf64>
  call @print(%b) : (memref<16xf64>) -> ()
  return
}
// Too large, also when only the alignment is.
// CHECK-LABEL: func.func @large(
// CHECK-NOT:     memref.alloca()
func.func @large(%x: f64) {
  %a = memref.alloc() : memref<513xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<513xf64>)
  linalg.fill ins(%x : f64) outs(%a : memref<513xf64>)
  return
}
// CHECK-LABEL: func.func @aligned(
// CHECK-NOT:     memref.alloca()
func.func @aligned(%x: f64) {
  %a = memref.alloc() {alignment = 8192} : memref<8xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<8xf64>)
  linalg.fill ins(%x : f64) outs(%a : memref<8xf64>)
  return
}
// A buffer that is returned, or that another thread may have; memory for each iteration.
// CHECK-LABEL: func.func @returned(
// CHECK-NOT:     memref.alloca()
// CHECK-LABEL: func.func @parallel(
// CHECK-NEXT:    memref.alloca()
// CHECK:         scf.parallel
// CHECK:           memref.alloc()
func.func @returned(%x: f64) -> memref<16xf64> {
  %a = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
  return %a : memref<16xf64>
}
func.func @parallel(%x: f64, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %o = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%o : memref<16xf64>)
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %a = memref.alloc() : memref<16xf64>
    linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
    %b = memref.alloc() : memref<16xf64>
    linalg.fill ins(%x : f64) outs(%b : memref<16xf64>)
    linalg.add ins(%a, %o : memref<16xf64>, memref<16xf64>) outs(%b : memref<16xf64>)
  }
  return
}
// A loop allocates nothing: the memory is in the entry block, in a graph of blocks as well.
// CHECK-LABEL: func.func @blocks(
// CHECK-NEXT:    memref.alloca()
// CHECK:       ^bb1
// CHECK-NOT:     memref.alloc
func.func @blocks(%x: f64, %p: i1) {
  cf.br ^bb1
^bb1:
  %a = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
  cf.cond_br %p, ^bb1, ^bb2
^bb2:
  return
}
// Memory of a device is another matter.
// CHECK-LABEL: gpu.func @kernel(
// CHECK-NOT:     memref.alloca()
// CHECK-LABEL: func.func @on_device(
// CHECK-NOT:     memref.alloca()
gpu.module @device {
  gpu.func @kernel(%x: f64) {
    %a = memref.alloc() : memref<16xf64>
    linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
    %b = memref.alloc() : memref<16xf64>
    linalg.fill ins(%x : f64) outs(%b : memref<16xf64>)
    gpu.return
  }
  func.func @on_device(%x: f64) {
    %a = memref.alloc() : memref<16xf64>
    linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
    %b = memref.alloc() : memref<16xf64>
    linalg.fill ins(%x : f64) outs(%b : memref<16xf64>)
    return
  }
}
