// Where the pass stops because it does not know something, it says so; otherwise it is silent.
// RUN: toy-opt %s --merge-alloc --verify-diagnostics --allow-unregistered-dialect -o /dev/null
// RUN: toy-opt %s --merge-alloc --allow-unregistered-dialect -o /dev/null 2>&1 | FileCheck %s
// RUN: toy-opt %s --merge-alloc --allow-unregistered-dialect -o /dev/null --error-format=short 2>&1 | FileCheck %s --check-prefix=SHORT
// RUN: toy-opt %s --merge-alloc --allow-unregistered-dialect -o /dev/null --error-format=json 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: toy-opt %s --merge-alloc --allow-unregistered-dialect --strip-debuginfo -o /dev/null
// RUN: grep -v '"test' %s > %t.mlir
// RUN: toyc %t.mlir -emit=merged -O1 -o /dev/null 2>&1 | count 0
// RUN: toyc %t.mlir -emit=merged -O1 -o /dev/null -Rpass-missed=merge-alloc 2>&1 | FileCheck %s --check-prefix=TOYC
// RUN: toyc %t.mlir -emit=merged -O1 -o /dev/null -Rpass-missed=merge-alloc -Werror
// TOYC: remark[R0101]: `async.execute` is not known to merge-alloc
// SHORT: remarks.mlir:[[#@LINE+15]]:8: remark[R0101]: `async.execute` is not known to merge-alloc
// JSON: {{.*}}"code":"R0101","severity":"remark","message":"`async.execute` is not known
// CHECK: remark[R0101]: `async.execute` is not known to merge-alloc
// CHECK: this buffer stays as it is
// CHECK: it is not known when and how often this is executed
// CHECK: this buffer stays as it is
// CHECK: remark[R0101]: `test.all` is not known to merge-alloc
// CHECK: Note: 2 more buffers stay as they are
// CHECK: 4 remarks
// CHECK: For more about a remark, run `toyc --explain R0101`.
func.func private @use(memref<4xf32>)

// One remark for all that it does.
func.func @regions() {
  %a = memref.alloc() : memref<4xf32>
  %t = async.execute {  // expected-remark 1 {{`async.execute` is not known to merge-alloc}}
    func.call @use(%a) : (memref<4xf32>) -> ()
    %b = memref.alloc() : memref<4xf32>
    func.call @use(%b) : (memref<4xf32>) -> ()
    async.yield
  }
  return
}
func.func @many() {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %c = memref.alloc() : memref<4xf32>
  %d = memref.alloc() : memref<4xf32>
  %e = memref.alloc() : memref<4xf32>
  // expected-remark@below {{`test.all` is not known to merge-alloc}}
  "test.all"(%a, %b, %c, %d, %e) : (memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>, memref<4xf32>) -> ()
  "test.none"() : () -> ()
  return
}

// Asynchronous copies end some other time.
func.func @dma(%out: memref<4xf32>, %tag: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloc() : memref<4xf32>
  // expected-remark@below {{`memref.dma_start` is not known to merge-alloc}}
  memref.dma_start %a[%c0], %out[%c0], %c4, %tag[%c0] : memref<4xf32>, memref<4xf32>, memref<1xi32>
  return
}

// A buffer of the iteration before and one of this iteration are two.
func.func @blocks(%c: i1) {
  %a = memref.alloc() : memref<4xf32>
  cf.br ^bb1(%a : memref<4xf32>)
^bb1(%x: memref<4xf32>):
  %b = memref.alloc() : memref<4xf32>
  call @use(%x) : (memref<4xf32>) -> ()
  // expected-remark@below {{`cf.cond_br` passes a buffer on to another block}}
  cf.cond_br %c, ^bb1(%b : memref<4xf32>), ^bb2
^bb2:
  return
}

// These are as the program wants them.
func.func @silent(%n: index) -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc(%n) : memref<?xf32>
  %c = memref.alloc() : memref<4xf32>
  memref.dealloc %c : memref<4xf32>
  %d = memref.alloc() : memref<4xf32>
  %p = memref.extract_aligned_pointer_as_index %d : memref<4xf32> -> index
  return %a : memref<4xf32>
}
