// Branches: what is used in one and allocated outside is in use all through it; what is allocated and
// used in one keeps its ticks, so that exclusive branches share memory; what a branch yields is in use
// from the branch on.
// RUN: toyc %s -opt -emit=merged --merge-alloc="plan-only min-allocs=1" | FileCheck %s
func.func private @use(memref<8x64xf32>)

// CHECK-LABEL: func.func @else_only(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 0, 1, 4>
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      memref.alloc() {merge_alloc.lifetime = array<i64: 0, 3, 3>
func.func @else_only(%c: i1) {
  %a = memref.alloc() : memref<8x64xf32>
  scf.if %c {
    %b = memref.alloc() : memref<8x64xf32>
    func.call @use(%b) : (memref<8x64xf32>) -> ()
  } else {
    func.call @use(%a) : (memref<8x64xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @exclusive(
// CHECK-SAME:    merge_alloc.total = 2048
// CHECK-COUNT-2: merge_alloc.offset = 0
func.func @exclusive(%c: i1) {
  scf.if %c {
    %a = memref.alloc() : memref<8x64xf32>
    func.call @use(%a) : (memref<8x64xf32>) -> ()
  } else {
    %b = memref.alloc() : memref<8x64xf32>
    func.call @use(%b) : (memref<8x64xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @yielded(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 2, 1, 8>, merge_alloc.offset
// CHECK:         scf.if
// CHECK-NEXT:      memref.alloc() {merge_alloc.lifetime = array<i64: 2, 1, 11>, merge_alloc.offset
// CHECK:           memref.alloc() {merge_alloc.lifetime = array<i64: 2, 1, 11>, merge_alloc.offset
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 2, 10, 10>, merge_alloc.offset
func.func @yielded(%c: i1) {
  %o = memref.alloc() : memref<8x64xf32>
  %r = scf.if %c -> memref<8x64xf32> {
    %a = memref.alloc() : memref<8x64xf32>
    func.call @use(%a) : (memref<8x64xf32>) -> ()
    func.call @use(%o) : (memref<8x64xf32>) -> ()
    scf.yield %a : memref<8x64xf32>
  } else {
    %b = memref.alloc() : memref<8x64xf32>
    func.call @use(%b) : (memref<8x64xf32>) -> ()
    scf.yield %b : memref<8x64xf32>
  }
  %d = memref.alloc() : memref<8x64xf32>
  func.call @use(%d) : (memref<8x64xf32>) -> ()
  func.call @use(%r) : (memref<8x64xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @without_else(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 3, 2, 4>, merge_alloc.offset = 0
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 3, 2, 5>, merge_alloc.offset = 2048
func.func @without_else(%c: i1) {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<8x64xf32>
  scf.if %c {
    func.call @use(%a) : (memref<8x64xf32>) -> ()
    func.call @use(%b) : (memref<8x64xf32>) -> ()
  }
  func.call @use(%b) : (memref<8x64xf32>) -> ()
  return
}

// The default region is the first one.
// CHECK-LABEL: func.func @index_switch(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 4, 1, 6>, merge_alloc.offset = [[A:[0-9]+]]
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 4, 6, 6>, merge_alloc.offset = [[B:[0-9]+]]
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 4, 3, 3>, merge_alloc.offset = [[B]]
func.func @index_switch(%c: index) {
  %a = memref.alloc() : memref<8x64xf32>
  scf.index_switch %c
  case 2 {
    func.call @use(%a) : (memref<8x64xf32>) -> ()
    %b = memref.alloc() : memref<8x64xf32>
    func.call @use(%b) : (memref<8x64xf32>) -> ()
    scf.yield
  }
  default {
    %b = memref.alloc() : memref<8x64xf32>
    func.call @use(%b) : (memref<8x64xf32>) -> ()
  }
  return
}
