// A loop that runs once in the program, some times around, is not unrolled: in `main`, and in what it calls once. Others
// may be: those in a loop, in a function that is called twice, and very short or long ones.
// RUN: toy-opt %s --toy-run-once | FileCheck %s
// CHECK-LABEL: func.func private @once
// CHECK: } {loop_annotation = #[[KEPT:.*]]}
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
