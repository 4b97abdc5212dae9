// What an iteration of a parallel loop allocates is on the stack of its thread; with too much of it, the iterations are in
// order.
// RUN: toy-opt %s --toy-own-memory | FileCheck %s
// RUN: toy-opt %s --toy-own-memory --toy-parallel-loops | FileCheck %s --check-prefix=LOOPS

// CHECK-LABEL: func.func @tiles
// CHECK-NEXT: memref.alloca() {alignment = 64 : i64, toy.thread_private} : memref<4x100xf64>
// CHECK: scf.for
// CHECK-NOT: memref.alloc()
// CHECK: {toy.parallel = 400000 : i64}
// LOOPS-LABEL: func.func @tiles
// LOOPS: scf.parallel
func.func @tiles(%out: memref<400xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c400 = arith.constant 400 : index
  %x = arith.constant 1.0 : f64
  scf.for %i = %c0 to %c400 step %c4 {
    %tile = memref.alloc() : memref<4x100xf64>
    memref.store %x, %tile[%c0, %c1] : memref<4x100xf64>
    %y = memref.load %tile[%c0, %c1] : memref<4x100xf64>
    memref.store %y, %out[%i] : memref<400xf64>
    scf.for %j = %c0 to %c4 step %c1 {
      %k = arith.addi %i, %j : index
      memref.store %y, %out[%k] : memref<400xf64>
    } {toy.parallel = 200000 : i64}
  } {toy.parallel = 400000 : i64}
  return
}

// The outermost loop is parallel.
// LOOPS: scf.for
// LOOPS-NOT: scf.parallel
// LOOPS-LABEL: func.func @large

// CHECK-LABEL: func.func @large
// CHECK: memref.alloc() : memref<400x1000xf64>
// CHECK-NOT: toy.parallel
// LOOPS-NOT: scf.parallel
func.func @large(%out: memref<400xf64>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c400 = arith.constant 400 : index
  scf.for %i = %c0 to %c400 step %c4 {
    %tile = memref.alloc() : memref<400x1000xf64>
    %y = memref.load %tile[%c0, %c0] : memref<400x1000xf64>
    memref.store %y, %out[%i] : memref<400xf64>
  } {toy.parallel = 400000 : i64}
  return
}
