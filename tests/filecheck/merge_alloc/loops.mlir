// Loops. The first two functions are the document's examples, with its ticks.
// RUN: toyc %s -opt -emit=merged --merge-alloc="plan-only min-allocs=1" | FileCheck %s
func.func private @use(memref<8x64xf32>)

// CHECK-LABEL: func.func @outside(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 0, 2, 4>, merge_alloc.offset = 0 : i64}
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 0, 2, 4>, merge_alloc.offset = 2048 : i64}
func.func @outside(%from: index, %to: index, %step: index) {
  %e = memref.alloc() : memref<8x64xf32>
  %f = memref.alloc() : memref<8x64xf32>
  scf.for %i = %from to %to step %step {
    func.call @use(%e) : (memref<8x64xf32>) -> ()
    func.call @use(%f) : (memref<8x64xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @inside(
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 1, 3, 3>, merge_alloc.offset = 0 : i64}
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 1, 4, 4>, merge_alloc.offset = 0 : i64}
func.func @inside(%from: index, %to: index, %step: index) {
  scf.for %i = %from to %to step %step {
    %g = memref.alloc() : memref<8x64xf32>
    %h = memref.alloc() : memref<8x64xf32>
    func.call @use(%g) : (memref<8x64xf32>) -> ()
    func.call @use(%h) : (memref<8x64xf32>) -> ()
  }
  return
}

// One per level, all used in the innermost loop only: each is in use all through the loops inside
// the one that allocates it.
// CHECK-LABEL: func.func @levels(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 2, 1, 11>
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 2, 3, 9>
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 2, 5, 9>
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 2, 9, 9>
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 2, 11, 11>
func.func @levels(%from: index, %to: index, %step: index) {
  %a = memref.alloc() : memref<8x64xf32>
  scf.for %i = %from to %to step %step {
    %b = memref.alloc() : memref<8x64xf32>
    scf.for %j = %from to %to step %step {
      %c = memref.alloc() : memref<8x64xf32>
      scf.for %k = %from to %to step %step {
        %d = memref.alloc() : memref<8x64xf32>
        func.call @use(%a) : (memref<8x64xf32>) -> ()
        func.call @use(%c) : (memref<8x64xf32>) -> ()
        memref.copy %b, %d : memref<8x64xf32> to memref<8x64xf32>
      }
    }
    // The last tick of the function.
    %e = memref.alloc() : memref<8x64xf32>
    func.call @use(%e) : (memref<8x64xf32>) -> ()
  }
  return
}

// Two buffers that change places: both are in use all through the loop, under each other's name.
// CHECK-LABEL: func.func @swap(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 3, 2, 5>, merge_alloc.offset = 0 : i64}
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 3, 2, 5>, merge_alloc.offset = 2048 : i64}
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 3, 7, 7>, merge_alloc.offset = 0 : i64}
func.func @swap(%from: index, %to: index, %step: index) {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<8x64xf32>
  %r:2 = scf.for %i = %from to %to step %step iter_args(%x = %a, %y = %b) -> (memref<8x64xf32>, memref<8x64xf32>) {
    func.call @use(%x) : (memref<8x64xf32>) -> ()
    memref.copy %x, %y : memref<8x64xf32> to memref<8x64xf32>
    scf.yield %y, %x : memref<8x64xf32>, memref<8x64xf32>
  }
  %c = memref.alloc() : memref<8x64xf32>
  func.call @use(%c) : (memref<8x64xf32>) -> ()
  return
}

// A result of a loop may be what went in, also if it does not run.
// CHECK-LABEL: func.func @result(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 4, 1, 7>
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 4, 6, 6>
func.func @result(%from: index, %to: index, %step: index, %arg: i1) {
  %a = memref.alloc() : memref<8x64xf32>
  %r = scf.for %i = %from to %to step %step iter_args(%x = %a) -> (memref<8x64xf32>) {
    func.call @use(%a) : (memref<8x64xf32>) -> ()
    %s = arith.select %arg, %x, %a : memref<8x64xf32>
    scf.yield %s : memref<8x64xf32>
  }
  %c = memref.alloc() : memref<8x64xf32>
  func.call @use(%c) : (memref<8x64xf32>) -> ()
  func.call @use(%r) : (memref<8x64xf32>) -> ()
  return
}

// A part of a buffer that a loop hands on is the buffer.
// CHECK-LABEL: func.func @part(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 5, 4, 11>
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 5, 4, 11>
// CHECK:           memref.alloc() {merge_alloc.lifetime = array<i64: 5, 6, 7>
func.func private @use_part(memref<2x2xf32, strided<[64, 1], offset: 3>>)
func.func @part(%from: index, %to: index, %step: index, %c: i1) {
  %a = memref.alloc() : memref<8x64xf32>
  %p = memref.subview %a[0, 3] [2, 2] [1, 1] : memref<8x64xf32> to memref<2x2xf32, strided<[64, 1], offset: 3>>
  %d = memref.alloc() : memref<8x64xf32>
  %q = memref.subview %d[0, 3] [2, 2] [1, 1] : memref<8x64xf32> to memref<2x2xf32, strided<[64, 1], offset: 3>>
  %r = scf.for %i = %from to %to step %step iter_args(%x = %p) -> (memref<2x2xf32, strided<[64, 1], offset: 3>>) {
    %b = memref.alloc() : memref<8x64xf32>
    func.call @use(%b) : (memref<8x64xf32>) -> ()
    func.call @use(%b) : (memref<8x64xf32>) -> ()
    func.call @use_part(%x) : (memref<2x2xf32, strided<[64, 1], offset: 3>>) -> ()
    %s = arith.select %c, %x, %q : memref<2x2xf32, strided<[64, 1], offset: 3>>
    scf.yield %s : memref<2x2xf32, strided<[64, 1], offset: 3>>
  }
  func.call @use_part(%r) : (memref<2x2xf32, strided<[64, 1], offset: 3>>) -> ()
  return
}
