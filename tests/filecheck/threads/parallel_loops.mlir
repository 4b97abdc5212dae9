// Marked loops that compute enough elements run in parallel; each thread has its own buffers on the stack.
// RUN: toy-opt %s --toy-parallel-loops | FileCheck %s
// RUN: toy-opt %s --toy-parallel-loops=least-elements=10 | FileCheck %s --check-prefix=SMALL
// RUN: toy-opt %s --toy-parallel-loops --toy-openmp=threads=3 | FileCheck %s --check-prefix=OMP

// CHECK-LABEL: @large
// CHECK: scf.parallel
// CHECK-NOT: toy.parallel
// CHECK: scf.for
// CHECK: scf.reduce
// CHECK-LABEL: @small
// CHECK-NOT: scf.parallel
// CHECK-NOT: toy.parallel
// SMALL-LABEL: @small
// SMALL: scf.parallel
// OMP-LABEL: @large
// OMP-NOT: memref.alloca()
// OMP: omp.parallel num_threads(%{{.*}} : i32)
// OMP-NEXT: %[[ROW:.*]] = memref.alloca() : memref<300xf64>
// OMP-NEXT: omp.wsloop
// OMP: memref.store %{{.*}}, %[[ROW]]
// OMP-LABEL: @small
// OMP-NOT: omp
func.func @large(%a: memref<200x300xf64>, %b: memref<200x300xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  %c300 = arith.constant 300 : index
  %row = memref.alloca() {toy.thread_private} : memref<300xf64>
  scf.for %i = %c0 to %c200 step %c1 {
    scf.for %j = %c0 to %c300 step %c1 {
      %x = memref.load %a[%i, %j] : memref<200x300xf64>
      memref.store %x, %row[%j] : memref<300xf64>
    }
    scf.for %j = %c0 to %c300 step %c1 {
      %x = memref.load %row[%j] : memref<300xf64>
      memref.store %x, %b[%i, %j] : memref<200x300xf64>
    }
  } {toy.parallel = 600000 : i64}
  return
}

func.func @small(%a: memref<200xf64>, %b: memref<200xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  scf.for %i = %c0 to %c200 step %c1 {
    %x = memref.load %a[%i] : memref<200xf64>
    memref.store %x, %b[%i] : memref<200xf64>
  } {toy.parallel = 200 : i64}
  return
}

// A loop that carries a value has an order. A buffer that is not marked stays where it is.
// CHECK-LABEL: @carried
// CHECK-NOT: scf.parallel
// OMP-LABEL: @carried
// OMP-NEXT: memref.alloca
func.func @carried(%a: memref<200xf64>) -> f64 {
  %row = memref.alloca() : memref<1xf64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  %zero = arith.constant 0.0 : f64
  %sum = scf.for %i = %c0 to %c200 step %c1 iter_args(%s = %zero) -> (f64) {
    %x = memref.load %a[%i] : memref<200xf64>
    %t = arith.addf %s, %x : f64
    memref.store %t, %row[%c0] : memref<1xf64>
    scf.yield %t : f64
  } {toy.parallel = 600000 : i64}
  %last = memref.load %row[%c0] : memref<1xf64>
  return %last : f64
}

// Two regions with one buffer get one each, also for what is in branches.
// CHECK-LABEL: @two
// OMP-LABEL: @two
// OMP-NOT: toy.thread_private
// OMP: omp.parallel
// OMP-NEXT: %[[FIRST:.*]] = memref.alloca() : memref<1xf64>
// OMP: memref.store %{{.*}}, %[[FIRST]]
// OMP: omp.parallel
// OMP-NEXT: %[[SECOND:.*]] = memref.alloca() : memref<1xf64>
// OMP: memref.store %{{.*}}, %[[SECOND]]
// OMP: return
func.func @two(%a: memref<200xf64>, %condition: i1) {
  %cell = memref.alloca() {toy.thread_private} : memref<1xf64>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  scf.for %i = %c0 to %c200 step %c1 {
    %x = memref.load %a[%i] : memref<200xf64>
    memref.store %x, %cell[%c0] : memref<1xf64>
    %y = memref.load %cell[%c0] : memref<1xf64>
    memref.store %y, %a[%i] : memref<200xf64>
  } {toy.parallel = 600000 : i64}
  scf.if %condition {
    scf.for %i = %c0 to %c200 step %c1 {
      %x = memref.load %a[%i] : memref<200xf64>
      memref.store %x, %cell[%c0] : memref<1xf64>
      %y = memref.load %cell[%c0] : memref<1xf64>
      memref.store %y, %a[%i] : memref<200xf64>
    } {toy.parallel = 600000 : i64}
  }
  return
}
