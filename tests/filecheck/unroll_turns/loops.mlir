// Loops whose buffers take turns: each buffer has one place in each of the copies.
// RUN: toy-opt %s --toy-unroll-turns | FileCheck %s
// RUN: toy-opt %s --toy-unroll-turns --convert-linalg-to-loops > /dev/null

// CHECK-LABEL: func.func @swap(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>, %[[B:.*]]: memref<8xf64>, %{{.*}}: memref<8xf64>)
// CHECK:         scf.for %[[I:.*]] = %c2 to %c22{{.*}} step %c4
// CHECK:           memref.load %[[A]][%[[I]]]
// CHECK-NEXT:      memref.store %{{.*}}, %[[B]][%[[I]]]
// CHECK:           %[[NEXT:.*]] = arith.addi %[[I]], %c2
// CHECK:           memref.load %[[B]][%[[NEXT]]]
// CHECK-NEXT:      memref.store %{{.*}}, %[[A]][%[[NEXT]]]
// CHECK:           scf.yield %[[A]], %[[B]]
// CHECK:         memref.copy %[[A]], %arg2
func.func @swap(%a: memref<8xf64>, %b: memref<8xf64>, %r: memref<8xf64>) {
  %from = arith.constant 2 : index
  %to = arith.constant 21 : index
  %step = arith.constant 2 : index
  %0:2 = scf.for %i = %from to %to step %step iter_args(%x = %a, %y = %b) -> (memref<8xf64>, memref<8xf64>) {
    %v = memref.load %x[%i] : memref<8xf64>
    memref.store %v, %y[%i] : memref<8xf64>
    scf.yield %y, %x : memref<8xf64>, memref<8xf64>
  }
  memref.copy %0#0, %r : memref<8xf64> to memref<8xf64>
  return
}

// Three buffers go around, in regions, too; 7 iterations are twice 3 and one that is left. Numbers are carried as
// before.
// CHECK-LABEL: func.func @around(
// CHECK-SAME:    %[[A:.*]]: memref<8xf64>, %[[B:.*]]: memref<8xf64>, %[[C:.*]]: memref<8xf64>, %[[R:.*]]: memref<8xf64>)
// CHECK:         %[[LOOP:.*]]:4 = scf.for %{{.*}} = %c0 to %c6{{.*}} step %c3
// CHECK-SAME:      iter_args(%{{.*}} = %[[A]], %[[S:.*]] = %{{.*}}, %{{.*}} = %[[B]], %{{.*}} = %[[C]])
// CHECK:           scf.if
// CHECK:             memref.store %{{.*}}, %[[A]]
// CHECK:           %[[FIRST:.*]] = arith.addf %[[S]],
// CHECK:           scf.if
// CHECK:             memref.store %{{.*}}, %[[B]]
// CHECK:           %[[SECOND:.*]] = arith.addf %[[FIRST]],
// CHECK:           scf.if
// CHECK:             memref.store %{{.*}}, %[[C]]
// CHECK:           %[[THIRD:.*]] = arith.addf %[[SECOND]],
// CHECK:           scf.yield %[[A]], %[[THIRD]], %[[B]], %[[C]]
// CHECK:         scf.if
// CHECK:           memref.store %{{.*}}, %[[A]]
// CHECK:         %[[LAST:.*]] = arith.addf %[[LOOP]]#1,
// CHECK:         memref.copy %[[B]], %[[R]]
// CHECK:         return %[[LAST]]
func.func @around(%a: memref<8xf64>, %b: memref<8xf64>, %c: memref<8xf64>, %r: memref<8xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f64
  %0:4 = scf.for %i = %c0 to %c7 step %c1 iter_args(%x = %a, %s = %zero, %y = %b, %z = %c)
      -> (memref<8xf64>, f64, memref<8xf64>, memref<8xf64>) {
    %v = memref.load %y[%i] : memref<8xf64>
    %is = arith.cmpf olt, %v, %s : f64
    scf.if %is {
      memref.store %v, %x[%i] : memref<8xf64>
    }
    %t = arith.addf %s, %v : f64
    scf.yield %y, %t, %z, %x : memref<8xf64>, f64, memref<8xf64>, memref<8xf64>
  }
  memref.copy %0#0, %r : memref<8xf64> to memref<8xf64>
  return %0#1 : f64
}

// Buffers that stay in their places, a buffer from elsewhere, bounds that are not known, and a call of a function that
// is in the program.
// CHECK-LABEL: func.func @denied(
func.func @denied(%a: memref<8xf64>, %b: memref<8xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  // CHECK: scf.for %{{.*}} = %c0 to %c7 step %c1
  %0 = scf.for %i = %c0 to %c7 step %c1 iter_args(%x = %a) -> (memref<8xf64>) {
    scf.yield %x : memref<8xf64>
  }
  // CHECK: scf.for %{{.*}} = %c0 to %c7 step %c1
  %1:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%x = %a, %y = %a) -> (memref<8xf64>, memref<8xf64>) {
    scf.yield %y, %b : memref<8xf64>, memref<8xf64>
  }
  // CHECK: scf.for %{{.*}} = %c0 to %arg2 step %c1
  %2:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b) -> (memref<8xf64>, memref<8xf64>) {
    scf.yield %y, %x : memref<8xf64>, memref<8xf64>
  }
  // CHECK: scf.for %{{.*}} = %c0 to %c7 step %c1
  %3:2 = scf.for %i = %c0 to %c7 step %c1 iter_args(%x = %a, %y = %b) -> (memref<8xf64>, memref<8xf64>) {
    func.call @callee() : () -> ()
    scf.yield %y, %x : memref<8xf64>, memref<8xf64>
  }
  return
}
func.func private @callee() {
  return
}
