// Branches: an access in one counts for itself, wherever the buffer is allocated, so that exclusive
// branches share memory; what a branch yields is in use until the result is, in one place for all branches.
// RUN: toy-opt %s --merge-alloc="plan-only min-allocs=1" | FileCheck %s
func.func private @use(memref<8x64xf32>)

// CHECK-LABEL: func.func @else_only(
// CHECK-SAME:    merge_alloc.total = 2048
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 0, 4, 4>
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
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 2, 4, 4>, merge_alloc.offset
// CHECK:         scf.if
// CHECK-NEXT:      memref.alloc() {merge_alloc.lifetime = array<i64: 2, 3, 11>, merge_alloc.offset
// CHECK:           memref.alloc() {merge_alloc.lifetime = array<i64: 2, 3, 11>, merge_alloc.offset
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

// One is allocated outside, used in one branch only: the same.
// CHECK-LABEL: func.func @allocated_outside(
// CHECK-SAME:    merge_alloc.total = 2048
// CHECK-COUNT-3: merge_alloc.offset = 0
func.func @allocated_outside(%c: i1, %d: i1, %from: index, %to: index) {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<8x64xf32>
  %e = memref.alloc() : memref<8x64xf32>
  scf.if %c {
    func.call @use(%a) : (memref<8x64xf32>) -> ()
    func.call @use(%a) : (memref<8x64xf32>) -> ()
  } else {
    scf.if %d {
      func.call @use(%b) : (memref<8x64xf32>) -> ()
    } else {
      scf.for %i = %from to %to step %to {
        func.call @use(%e) : (memref<8x64xf32>) -> ()
      }
    }
  }
  return
}

// A branch in a loop: what was written in one iteration is perhaps used in the next one.
// CHECK-LABEL: func.func @in_a_loop(
// CHECK-SAME:    merge_alloc.total = 4096
func.func @in_a_loop(%c: i1, %from: index, %to: index) {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<8x64xf32>
  scf.for %i = %from to %to step %to {
    scf.if %c {
      func.call @use(%a) : (memref<8x64xf32>) -> ()
    } else {
      func.call @use(%b) : (memref<8x64xf32>) -> ()
    }
  }
  return
}

// CHECK-LABEL: func.func @without_else(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 5, 3, 3>, merge_alloc.offset = 0
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 5, 4, 5>, merge_alloc.offset = 0
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
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 6, 4, 4>, merge_alloc.offset = [[A:[0-9]+]]
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 6, 6, 6>, merge_alloc.offset = [[A]]
// CHECK:         memref.alloc() {merge_alloc.lifetime = array<i64: 6, 3, 3>, merge_alloc.offset = [[A]]
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
