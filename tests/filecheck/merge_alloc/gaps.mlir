// Contents that are dead for a while: an operation that overwrites all of a buffer begins another one.
// RUN: toy-opt %s --merge-alloc="plan-only" | FileCheck %s
// RUN: toy-opt %s --merge-alloc --verify-merged-allocs | FileCheck %s --check-prefix=MERGED
// RUN: toy-opt %s --merge-alloc=poison --verify-merged-allocs
// RUN: toy-opt %s --merge-alloc="plan-only reuse=none" | FileCheck %s --check-prefix=NONE
func.func private @use(memref<131072xf64>)

// CHECK-LABEL: func.func @line(
// CHECK-SAME:    merge_alloc.total = 1048576
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 0, 2, 4, 8, 10>, merge_alloc.offset = [0, 0]}
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 0, 5, 7>, merge_alloc.offset = 0
// MERGED-LABEL: func.func @line(
// MERGED-COUNT-3: memref.view
// MERGED-NOT:     memref.view
// NONE-LABEL: func.func @line(
// NONE-SAME:    merge_alloc.total = 2097152
// NONE-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 0, 2, 10>
func.func @line(%v: f64) {
  %a = memref.alloc() : memref<131072xf64>
  %b = memref.alloc() : memref<131072xf64>
  linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
  func.call @use(%a) : (memref<131072xf64>) -> ()
  linalg.fill ins(%v : f64) outs(%b : memref<131072xf64>)
  func.call @use(%b) : (memref<131072xf64>) -> ()
  linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
  func.call @use(%a) : (memref<131072xf64>) -> ()
  return
}

// What is read from on the way, through another name as well, is not dead.
// CHECK-LABEL: func.func @read(
// CHECK-SAME:    merge_alloc.total = 2097152
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 1, 3, 11>
// MERGED-LABEL: func.func @read(
func.func @read(%v: f64) {
  %a = memref.alloc() : memref<131072xf64>
  %b = memref.alloc() : memref<131072xf64>
  %name = memref.cast %a : memref<131072xf64> to memref<?xf64>
  linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
  linalg.fill ins(%v : f64) outs(%b : memref<131072xf64>)
  func.call @use(%b) : (memref<131072xf64>) -> ()
  memref.copy %name, %name : memref<?xf64> to memref<?xf64>
  linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
  memref.copy %name, %b : memref<?xf64> to memref<131072xf64>
  return
}

// A branch overwrites only if it is taken.
// CHECK-LABEL: func.func @perhaps(
// CHECK-SAME:    merge_alloc.total = 2097152
// MERGED-LABEL: func.func @perhaps(
func.func @perhaps(%v: f64, %c: i1) {
  %a = memref.alloc() : memref<131072xf64>
  %b = memref.alloc() : memref<131072xf64>
  linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
  linalg.fill ins(%v : f64) outs(%b : memref<131072xf64>)
  func.call @use(%b) : (memref<131072xf64>) -> ()
  scf.if %c {
    linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
  }
  func.call @use(%a) : (memref<131072xf64>) -> ()
  return
}

// Each iteration begins anew, wherever the buffers are allocated; the two are never in use at once.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    merge_alloc.total = 1048576
// MERGED-LABEL: func.func @loop(
// MERGED:         scf.for
// MERGED-COUNT-2:   memref.view
func.func @loop(%v: f64, %c: i1, %x: index, %y: index, %z: index) {
  %a = memref.alloc() : memref<131072xf64>
  %b = memref.alloc() : memref<131072xf64>
  scf.for %i = %x to %y step %z {
    linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
    func.call @use(%a) : (memref<131072xf64>) -> ()
    scf.if %c {
      linalg.fill ins(%v : f64) outs(%b : memref<131072xf64>)
      func.call @use(%b) : (memref<131072xf64>) -> ()
    }
  }
  return
}

// What an iteration leaves in %a the next one reads.
// CHECK-LABEL: func.func @carried(
// CHECK-SAME:    merge_alloc.total = 2097152
// MERGED-LABEL: func.func @carried(
func.func @carried(%v: f64, %x: index, %y: index, %z: index) {
  %a = memref.alloc() : memref<131072xf64>
  %b = memref.alloc() : memref<131072xf64>
  linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
  scf.for %i = %x to %y step %z {
    linalg.fill ins(%v : f64) outs(%b : memref<131072xf64>)
    func.call @use(%b) : (memref<131072xf64>) -> ()
    func.call @use(%a) : (memref<131072xf64>) -> ()
    linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
  }
  return
}

// The name that the next iteration gets is of the second part: it is read before that is overwritten.
// CHECK-LABEL: func.func @around(
// CHECK-SAME:    merge_alloc.total = 2097152
// MERGED-LABEL: func.func @around(
func.func @around(%v: f64, %x: index, %y: index, %z: index) {
  %a = memref.alloc() : memref<131072xf64>
  %b = memref.alloc() : memref<131072xf64>
  %r = scf.for %i = %x to %y step %z iter_args(%n = %b) -> (memref<131072xf64>) {
    linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
    func.call @use(%n) : (memref<131072xf64>) -> ()
    linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
    scf.yield %a : memref<131072xf64>
  }
  return
}

// One of two branches is taken: what they pass out has one place, and so has what the second one needs before.
// CHECK-LABEL: func.func @passed_out(
// CHECK-SAME:    merge_alloc.total = 1048576
// CHECK-COUNT-3: merge_alloc.offset = 0
// MERGED-LABEL: func.func @passed_out(
// MERGED:         memref.view
// MERGED-NEXT:    scf.if
// MERGED:         else
// MERGED:           memref.view
// MERGED-NOT:       memref.view
func.func @passed_out(%c: i1, %v: f64) {
  %r = scf.if %c -> memref<131072xf64> {
    %a = memref.alloc() : memref<131072xf64>
    linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
    scf.yield %a : memref<131072xf64>
  } else {
    %t = memref.alloc() : memref<131072xf64>
    linalg.fill ins(%v : f64) outs(%t : memref<131072xf64>)
    func.call @use(%t) : (memref<131072xf64>) -> ()
    %b = memref.alloc() : memref<131072xf64>
    linalg.fill ins(%v : f64) outs(%b : memref<131072xf64>)
    func.call @use(%b) : (memref<131072xf64>) -> ()
    scf.yield %b : memref<131072xf64>
  }
  func.call @use(%r) : (memref<131072xf64>) -> ()
  return
}

// Inner branches first.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME:    merge_alloc.total = 1048576
// MERGED-LABEL: func.func @nested(
// MERGED:         memref.view
// MERGED-NEXT:    scf.if
// MERGED-NOT:     memref.view
func.func @nested(%c: i1, %v: f64) {
  %r = scf.if %c -> memref<131072xf64> {
    %s = scf.if %c -> memref<131072xf64> {
      %a = memref.alloc() : memref<131072xf64>
      linalg.fill ins(%v : f64) outs(%a : memref<131072xf64>)
      scf.yield %a : memref<131072xf64>
    } else {
      %b = memref.alloc() : memref<131072xf64>
      linalg.fill ins(%v : f64) outs(%b : memref<131072xf64>)
      scf.yield %b : memref<131072xf64>
    }
    scf.yield %s : memref<131072xf64>
  } else {
    %d = memref.alloc() : memref<131072xf64>
    linalg.fill ins(%v : f64) outs(%d : memref<131072xf64>)
    scf.yield %d : memref<131072xf64>
  }
  func.call @use(%r) : (memref<131072xf64>) -> ()
  return
}
