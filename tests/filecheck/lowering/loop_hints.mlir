// A loop that runs once in the program, some times around, is not unrolled: in `main`, and in what it calls once. Others
// may be: those in a loop, in a function that is called twice, and very short or long ones.
// RUN: toy-opt %s --toy-loop-hints | FileCheck %s
// CHECK-DAG: #[[KEPT:.*]] = #llvm.loop_annotation<unroll =
// CHECK-DAG: #[[SCALAR:.*]] = #llvm.loop_annotation<vectorize =
// CHECK-LABEL: func.func private @once
// CHECK: } {loop_annotation = #[[KEPT]]}
func.func private @once(%a: memref<96xf64>, %from: index, %to: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c96 = arith.constant 96 : index
  scf.for %i = %c0 to %c96 step %c8 {
    %x = memref.load %a[%i] : memref<96xf64>
  }
  return
}
// CHECK-LABEL: func.func private @twice
// CHECK-NOT: loop_annotation
func.func private @twice(%a: memref<96xf64>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c96 = arith.constant 96 : index
  scf.for %i = %c0 to %c96 step %c8 {
    %x = memref.load %a[%i] : memref<96xf64>
  }
  return
}
// CHECK-LABEL: func.func @main
func.func @main(%c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c24 = arith.constant 24 : index
  %c96 = arith.constant 96 : index
  %a = memref.alloca() : memref<96xf64>
  call @once(%a, %c0, %c96, %c8) : (memref<96xf64>, index, index, index) -> ()
  call @twice(%a) : (memref<96xf64>) -> ()
  call @twice(%a) : (memref<96xf64>) -> ()
  // CHECK: scf.if
  // CHECK: } {loop_annotation = #[[KEPT]]}
  scf.if %c {
    scf.for %i = %c0 to %c96 step %c8 {
      %x = memref.load %a[%i] : memref<96xf64>
    }
  }
  // CHECK-NOT: loop_annotation
  scf.for %i = %c0 to %c24 step %c8 {
    %x = memref.load %a[%i] : memref<96xf64>
  }
  scf.for %i = %c0 to %c96 step %c1 {
    %x = memref.load %a[%i] : memref<96xf64>
  }
  scf.for %i = %c0 to %c96 step %c8 {
    scf.for %j = %c0 to %c96 step %c8 {
      %x = memref.load %a[%j] : memref<96xf64>
    }
  }
  return
}

// A loop across rows is not vectorized: the inner loop runs along the rows of %a. Where it runs down the columns, a vector
// of outer iterations reads neighbors, and where it is long, LLVM does not unroll it.
// CHECK-LABEL: func.func private @across
// CHECK: memref.load
// CHECK: } {loop_annotation = #[[SCALAR]]}
// CHECK: memref.load
// CHECK-NOT: loop_annotation
func.func private @across(%a: memref<96x96xf64>, %n: index) {
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c96 = arith.constant 96 : index
  scf.for %i = %c1 to %n step %c1 {
    scf.for %j = %c1 to %c15 step %c1 {
      %i1 = arith.addi %i, %c1 : index
      %j1 = arith.subi %j, %c1 : index
      %x = memref.load %a[%i1, %j1] : memref<96x96xf64>
    }
  }
  scf.for %i = %c1 to %n step %c1 {
    scf.for %j = %c1 to %c15 step %c1 {
      %x = memref.load %a[%j, %i] : memref<96x96xf64>
    }
  }
  scf.for %i = %c1 to %n step %c1 {
    scf.for %j = %c1 to %c96 step %c1 {
      %x = memref.load %a[%i, %j] : memref<96x96xf64>
    }
  }
  return
}
