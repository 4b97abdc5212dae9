// Odd corners: each once.
// RUN: toy-opt %s --merge-alloc="plan-only memory-spaces=1" -o - 2>/dev/null | FileCheck %s
// RUN: toy-opt %s --merge-alloc="memory-spaces=1 call-trees" -o %t 2>/dev/null && FileCheck %s --check-prefix=MERGED < %t
// RUN: toy-opt %t --merge-alloc="memory-spaces=1 call-trees" 2>/dev/null | diff %t -
func.func private @use(memref<4xf32>)
func.func private @use2(memref<4xf32>, memref<4xf32>)

// One operand is as good as two.
// CHECK-LABEL: func.func @twice
// CHECK-NEXT:    lifetime = array<i64: {{[0-9]+}}, 2, 2>
// CHECK-NEXT:    lifetime = array<i64: {{[0-9]+}}, 3, 3>
func.func @twice() {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  call @use2(%a, %a) : (memref<4xf32>, memref<4xf32>) -> ()
  call @use2(%b, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// A function that returns its argument, and works in memory of the caller.
// CHECK-LABEL: func.func private @same
// MERGED-LABEL: func.func private @same(%arg0: memref<4xf32>, %arg1: memref<16xi8>) -> memref<4xf32>
func.func private @same(%x: memref<4xf32>) -> memref<4xf32> {
  %t = memref.alloc() : memref<4xf32>
  call @use2(%x, %t) : (memref<4xf32>, memref<4xf32>) -> ()
  return %x : memref<4xf32>
}
// What it returns lasts; the workspace does not.
// MERGED-LABEL: func.func @returned_argument
// MERGED-NEXT:    memref.alloc() {alignment = 64 : i64} : memref<80xi8>
// CHECK-LABEL: func.func @returned_argument
// CHECK-NEXT:    lifetime = array<i64: {{[0-9]+}}, 1, 5>
// CHECK-NEXT:    call @same
// CHECK-NEXT:    lifetime = array<i64: {{[0-9]+}}, 3, 4>
func.func @returned_argument() {
  %a = memref.alloc() : memref<4xf32>
  %r = call @same(%a) : (memref<4xf32>) -> memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  call @use(%b) : (memref<4xf32>) -> ()
  memref.copy %b, %b : memref<4xf32> to memref<4xf32>
  call @use(%r) : (memref<4xf32>) -> ()
  return
}

// The result of asynchronous work may be the buffer.
// CHECK-LABEL: func.func @asynchronous_result
// CHECK:         memref.alloc() {merge_alloc.untouched = "an operation around it is not known to merge-alloc"}
// CHECK:         memref.alloc() {merge_alloc.untouched = "`async.execute` uses it in a region and is not known to merge-alloc"}
func.func @asynchronous_result() {
  %t, %r = async.execute -> !async.value<memref<4xf32>> {
    %a = memref.alloc() : memref<4xf32>
    async.yield %a : memref<4xf32>
  }
  %b = memref.alloc() : memref<4xf32>
  %u, %s = async.execute -> !async.value<memref<4xf32>> {
    async.yield %b : memref<4xf32>
  }
  return
}

// One per memory space is one too few.
// CHECK-LABEL: func.func @lonely_spaces
// CHECK-COUNT-2: untouched = "too few in its scope to merge"
func.func @lonely_spaces(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32, 1>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32, 1>
  return
}

// What a parallel loop does with a part of a buffer, it does all the time; its own buffers are used
// through parts in an inner one.
// CHECK-LABEL: func.func @parts_in_parallel
// CHECK-NEXT:    lifetime = array<i64: [[S:[0-9]+]], [[FIRST:[0-9]+]], [[LAST:[0-9]+]]>
// CHECK-NEXT:    lifetime = array<i64: [[S]], [[FIRST]], [[LAST]]>
// CHECK:         scf.forall
// CHECK-NEXT:      lifetime = array<i64: [[T:[0-9]+]], [[A:[0-9]+]], [[B:[0-9]+]]>
// CHECK-NEXT:      lifetime = array<i64: [[T]], [[A]], [[B]]>
func.func @parts_in_parallel(%n: index) {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  %p = memref.subview %a[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  %f = arith.constant 0.0 : f32
  scf.forall (%i) in (%n) {
    %c = memref.alloc() : memref<4xf32>
    %d = memref.alloc() : memref<4xf32>
    %q = memref.subview %c[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
    scf.forall (%j) in (%n) {
      linalg.fill ins(%f : f32) outs(%p : memref<2xf32, strided<[1], offset: 1>>)
      linalg.fill ins(%f : f32) outs(%q : memref<2xf32, strided<[1], offset: 1>>)
      linalg.fill ins(%f : f32) outs(%b : memref<4xf32>)
      linalg.fill ins(%f : f32) outs(%d : memref<4xf32>)
    }
  }
  return
}

// A buffer of the part of a loop before its condition, used there and nowhere else, and one that the
// condition passes out of the loop.
// CHECK-LABEL: func.func @before
// CHECK:         lifetime = array<i64: {{[0-9]+}}, 3, 3>
// CHECK-NEXT:    untouched = "`scf.condition` passes it on to the next iteration"
func.func @before(%c: i1) {
  %r = scf.while : () -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    func.call @use(%a) : (memref<4xf32>) -> ()
    func.call @use(%b) : (memref<4xf32>) -> ()
    scf.condition(%c) %b : memref<4xf32>
  } do {
  ^bb0(%x: memref<4xf32>):
    %d = memref.alloc() : memref<4xf32>
    func.call @use(%d) : (memref<4xf32>) -> ()
    scf.yield
  }
  func.call @use(%r) : (memref<4xf32>) -> ()
  return
}

// Views of views of another shape and type, and a cast back.
// CHECK-LABEL: func.func @reinterpreted
// CHECK-NEXT:    lifetime = array<i64: {{[0-9]+}}, 6, 6>
// CHECK-NEXT:    lifetime = array<i64: {{[0-9]+}}, 5, 6>
func.func @reinterpreted() {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<2x2xf32>
  %c = memref.collapse_shape %b [[0, 1]] : memref<2x2xf32> into memref<4xf32>
  %u = memref.cast %c : memref<4xf32> to memref<?xf32>
  %cast = memref.cast %u : memref<?xf32> to memref<4xf32>
  call @use(%cast) : (memref<4xf32>) -> ()
  call @use2(%a, %cast) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
