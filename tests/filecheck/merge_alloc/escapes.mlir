// Buffers that get out of sight stay as they are, each with the reason; the loose end of every
// function could be merged.
// RUN: toyc %s -opt -emit=merged --merge-alloc="analysis-only min-allocs=1" | FileCheck %s
// RUN: toyc %s -opt -emit=merged | FileCheck %s --check-prefix=MERGED
// MERGED-NOT: memref.view
func.func private @use(memref<8x64xf32>)

// CHECK-LABEL: func.func @returned(
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "`func.return` returns it"}
func.func @returned() -> memref<8x?xf32> {
  %a = memref.alloc() : memref<8x64xf32>
  %r = memref.cast %a : memref<8x64xf32> to memref<8x?xf32>
  return %r : memref<8x?xf32>
}

// CHECK-LABEL: func.func @freed(
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "`memref.dealloc` frees it"}
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 1, 3, 3>}
func.func @freed() {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<8x64xf32>
  func.call @use(%a) : (memref<8x64xf32>) -> ()
  func.call @use(%b) : (memref<8x64xf32>) -> ()
  memref.dealloc %a : memref<8x64xf32>
  return
}

// CHECK-LABEL: func.func @reallocated(
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "`memref.realloc` frees it"}
func.func @reallocated(%i: index) -> memref<128xf32> {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.realloc %a : memref<64xf32> to memref<128xf32>
  return %b : memref<128xf32>
}

// CHECK-LABEL: func.func @address(
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "`memref.extract_aligned_pointer_as_index` takes its address"}
func.func @address() -> index {
  %a = memref.alloc() : memref<8x64xf32>
  %v = memref.subview %a[0, 0] [2, 2] [1, 1] : memref<8x64xf32> to memref<2x2xf32, strided<[64, 1]>>
  %p = memref.extract_aligned_pointer_as_index %v : memref<2x2xf32, strided<[64, 1]>> -> index
  func.call @use(%a) : (memref<8x64xf32>) -> ()
  return %p : index
}

// CHECK-LABEL: func.func @converted(
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "`builtin.unrealized_conversion_cast` takes its address"}
func.func @converted() -> i64 {
  %a = memref.alloc() : memref<8x64xf32>
  %p = builtin.unrealized_conversion_cast %a : memref<8x64xf32> to i64
  func.call @use(%a) : (memref<8x64xf32>) -> ()
  return %p : i64
}

// Each iteration needs its own.
// CHECK-LABEL: func.func @iterated(
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime = array<i64: 5, 1, 6>}
// CHECK:           memref.alloc() {merge_alloc.untouched = "`scf.yield` passes it on to the next iteration"}
func.func @iterated(%from: index, %to: index, %step: index, %c: i1) {
  %a = memref.alloc() : memref<8x64xf32>
  %r = scf.for %i = %from to %to step %step iter_args(%x = %a) -> (memref<8x64xf32>) {
    %b = memref.alloc() : memref<8x64xf32>
    memref.copy %x, %b : memref<8x64xf32> to memref<8x64xf32>
    %s = arith.select %c, %b, %x : memref<8x64xf32>
    scf.yield %s : memref<8x64xf32>
  }
  func.call @use(%r) : (memref<8x64xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @condition(
// CHECK:         scf.while
// CHECK:           memref.alloc() {merge_alloc.untouched = "`scf.condition` passes it on to the next iteration"}
func.func @condition(%c: i1) {
  %r = scf.while : () -> memref<8x64xf32> {
    %a = memref.alloc() : memref<8x64xf32>
    func.call @use(%a) : (memref<8x64xf32>) -> ()
    scf.condition(%c) %a : memref<8x64xf32>
  } do {
  ^bb0(%x: memref<8x64xf32>):
    func.call @use(%x) : (memref<8x64xf32>) -> ()
    scf.yield
  }
  func.call @use(%r) : (memref<8x64xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @stored(
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "`memref.store` stores it"}
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "the size of its elements is not known"}
func.func @stored() -> memref<memref<8x64xf32>> {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<memref<8x64xf32>>
  memref.store %a, %b[] : memref<memref<8x64xf32>>
  return %b : memref<memref<8x64xf32>>
}

// Functions of the module are looked at, through other functions and around in circles.
// CHECK-LABEL: func.func @captured(
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "`func.call` calls a function that keeps or frees it"}
// CHECK-NEXT:    memref.alloc() {merge_alloc.lifetime
func.func @captured(%c: i1) {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<8x64xf32>
  func.call @second_is_freed(%b, %a, %c) : (memref<8x64xf32>, memref<8x64xf32>, i1) -> ()
  return
}
func.func @second_is_freed(%x: memref<8x64xf32>, %y: memref<8x64xf32>, %c: i1) {
  func.call @use(%x) : (memref<8x64xf32>) -> ()
  scf.if %c {
    func.call @frees(%y, %x) : (memref<8x64xf32>, memref<8x64xf32>) -> ()
  } else {
    func.call @second_is_freed(%x, %y, %c) : (memref<8x64xf32>, memref<8x64xf32>, i1) -> ()
  }
  return
}
func.func @frees(%x: memref<8x64xf32>, %y: memref<8x64xf32>) {
  func.call @use(%y) : (memref<8x64xf32>) -> ()
  memref.dealloc %x : memref<8x64xf32>
  return
}

// It goes on behind the operation's last mention of the buffer.
// CHECK-LABEL: func.func @asynchronous(
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "`async.execute` uses it in a region and is not known to merge-alloc"}
// CHECK:           memref.alloc() {merge_alloc.untouched = "an operation around it is not known to merge-alloc"}
func.func @asynchronous() {
  %a = memref.alloc() : memref<8x64xf32>
  %t = async.execute {
    %b = memref.alloc() : memref<8x64xf32>
    func.call @use(%a) : (memref<8x64xf32>) -> ()
    func.call @use(%b) : (memref<8x64xf32>) -> ()
    async.yield
  }
  async.await %t : !async.token
  return
}

// CHECK-LABEL: func.func @unknown(
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "`memref.dma_start` is not known to merge-alloc"}
func.func @unknown(%i: index, %to: memref<8x64xf32, 1>, %tag: memref<1xi32>) {
  %a = memref.alloc() : memref<8x64xf32>
  memref.dma_start %a[%i, %i], %to[%i, %i], %i, %tag[%i] : memref<8x64xf32>, memref<8x64xf32, 1>, memref<1xi32>
  memref.dma_wait %tag[%i], %i : memref<1xi32>
  return
}

// LLVM is told that these are different allocations.
// CHECK-LABEL: func.func @distinct(
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "`memref.distinct_objects` is not known to merge-alloc"}
// CHECK-NEXT:    memref.alloc() {merge_alloc.untouched = "`memref.distinct_objects` is not known to merge-alloc"}
func.func @distinct() {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<8x64xf32>
  %c, %d = memref.distinct_objects %a, %b : memref<8x64xf32>, memref<8x64xf32>
  func.call @use(%c) : (memref<8x64xf32>) -> ()
  func.call @use(%d) : (memref<8x64xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @unused(
// CHECK:         memref.alloc() {merge_alloc.untouched = "it is never accessed"}
func.func @unused(%i: index) -> index {
  %a = memref.alloc() : memref<8x64xf32>
  %u = memref.cast %a : memref<8x64xf32> to memref<*xf32>
  %r = memref.rank %u : memref<*xf32>
  return %r : index
}
