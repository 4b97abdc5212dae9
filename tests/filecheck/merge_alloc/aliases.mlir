// Everything that may be another name of a buffer counts for it, everything that only asks for its
// shape does not.
// RUN: toy-opt %s --merge-alloc="plan-only min-allocs=1" | FileCheck %s
func.func private @use(memref<8x64xf32>)
func.func private @use_unranked(memref<*xf32>)
func.func private @use_strided(memref<2x2xf32, strided<[64, 1], offset: ?>>)
func.func private @same(memref<8x64xf32>, memref<8x64xf32>) -> memref<8x64xf32>

// CHECK-LABEL: func.func @subviews(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 0, 1, 5>, merge_alloc.offset = 0
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 0, 4, 4>, merge_alloc.offset = 2048
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 0, 7, 7>, merge_alloc.offset = 0
func.func @subviews(%i: index) {
  %a = memref.alloc() : memref<8x64xf32>
  func.call @use(%a) : (memref<8x64xf32>) -> ()
  %v = memref.subview %a[%i, 0] [2, 2] [1, 1] : memref<8x64xf32> to memref<2x2xf32, strided<[64, 1], offset: ?>>
  %b = memref.alloc() : memref<8x64xf32>
  func.call @use(%b) : (memref<8x64xf32>) -> ()
  func.call @use_strided(%v) : (memref<2x2xf32, strided<[64, 1], offset: ?>>) -> ()
  %c = memref.alloc() : memref<8x64xf32>
  func.call @use(%c) : (memref<8x64xf32>) -> ()
  return
}

// A name that says nothing of the shape is a name all the same.
// CHECK-LABEL: func.func @unranked(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 1, 1, 5>, merge_alloc.offset = 0
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 1, 4, 4>, merge_alloc.offset = 2048
func.func @unranked() {
  %a = memref.alloc() : memref<8x64xf32>
  func.call @use(%a) : (memref<8x64xf32>) -> ()
  %u = memref.cast %a : memref<8x64xf32> to memref<*xf32>
  %b = memref.alloc() : memref<8x64xf32>
  func.call @use(%b) : (memref<8x64xf32>) -> ()
  func.call @use_unranked(%u) : (memref<*xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @dim(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 2, 1, 1>, merge_alloc.offset = 0
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 2, 4, 4>, merge_alloc.offset = 0
func.func @dim() -> index {
  %a = memref.alloc() : memref<8x64xf32>
  func.call @use(%a) : (memref<8x64xf32>) -> ()
  %u = memref.cast %a : memref<8x64xf32> to memref<*xf32>
  %b = memref.alloc() : memref<8x64xf32>
  func.call @use(%b) : (memref<8x64xf32>) -> ()
  %r = memref.rank %u : memref<*xf32>
  return %r : index
}

// CHECK-LABEL: func.func @selects(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 3, 7, 7>
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 3, 7, 7>
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 3, 7, 7>
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 3, 7, 7>
func.func @selects(%p: i1, %q: i1, %r: i1) {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<8x64xf32>
  %c = memref.alloc() : memref<8x64xf32>
  %d = memref.alloc() : memref<8x64xf32>
  %1 = arith.select %p, %a, %b : memref<8x64xf32>
  %2 = arith.select %q, %1, %c : memref<8x64xf32>
  %3 = arith.select %r, %2, %d : memref<8x64xf32>
  func.call @use(%3) : (memref<8x64xf32>) -> ()
  return
}

// A call may return any of its arguments.
// CHECK-LABEL: func.func @call_results(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 4, 2, 5>
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 4, 2, 5>
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 4, 4, 4>
func.func @call_results() {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<8x64xf32>
  %r = func.call @same(%a, %b) : (memref<8x64xf32>, memref<8x64xf32>) -> memref<8x64xf32>
  %c = memref.alloc() : memref<8x64xf32>
  func.call @use(%c) : (memref<8x64xf32>) -> ()
  func.call @use(%r) : (memref<8x64xf32>) -> ()
  return
}

// An operation that reads one buffer and writes another needs both.
// CHECK-LABEL: func.func @touching(
// CHECK-SAME:    merge_alloc.total = 4096
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 5, 1, 3>, merge_alloc.offset = 0
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 5, 3, 5>, merge_alloc.offset = 2048
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 5, 5, 5>, merge_alloc.offset = 0
func.func @touching() {
  %a = memref.alloc() : memref<8x64xf32>
  func.call @use(%a) : (memref<8x64xf32>) -> ()
  %b = memref.alloc() : memref<8x64xf32>
  memref.copy %a, %b : memref<8x64xf32> to memref<8x64xf32>
  %c = memref.alloc() : memref<8x64xf32>
  memref.copy %b, %c : memref<8x64xf32> to memref<8x64xf32>
  return
}

// The shape that memref.reshape reads is in a buffer, too.
// CHECK-LABEL: func.func @reshape(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 6, 4, 4>
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 6, 2, 3>
func.func @reshape(%i: index) {
  %a = memref.alloc() : memref<8x64xf32>
  %s = memref.alloc() : memref<1xindex>
  memref.store %i, %s[%i] : memref<1xindex>
  %r = memref.reshape %a(%s) : (memref<8x64xf32>, memref<1xindex>) -> memref<?xf32>
  %u = memref.load %r[%i] : memref<?xf32>
  %x = math.absf %u : f32
  %e = memref.alloc() : memref<f32>
  memref.store %x, %e[] : memref<f32>
  %z = memref.cast %e : memref<f32> to memref<*xf32>
  func.call @use_unranked(%z) : (memref<*xf32>) -> ()
  return
}
