// A bit of ownership that is 0 on every path is `false`, and the deallocation goes; one that may be 1 stays.
// RUN: toy-opt %s --toy-never-owned | FileCheck %s
// CHECK-LABEL: func.func @never
// CHECK: %[[NO:.*]] = arith.constant false
// CHECK: scf.for
// CHECK-NOT: bufferization.dealloc
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[NO]], %[[NO]]
func.func @never(%a: memref<2xf64>, %b: memref<2xf64>, %n: index) {
  %no = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %p = %no, %q = %no)
      -> (memref<2xf64>, memref<2xf64>, i1, i1) {
    %u, %o0, %s0, %t0 = memref.extract_strided_metadata %x : memref<2xf64> -> memref<f64>, index, index, index
    %v, %o1, %s1, %t1 = memref.extract_strided_metadata %y : memref<2xf64> -> memref<f64>, index, index, index
    %d:2 = bufferization.dealloc (%u, %v : memref<f64>, memref<f64>) if (%p, %q)
        retain (%y, %x : memref<2xf64>, memref<2xf64>)
    scf.yield %y, %x, %d#0, %d#1 : memref<2xf64>, memref<2xf64>, i1, i1
  }
  return
}
// CHECK-LABEL: func.func @perhaps
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}, %[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK: %[[D:.*]]:2 = bufferization.dealloc {{.*}} if (%[[P]], %[[Q]])
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[D]]#0, %[[D]]#1
func.func @perhaps(%a: memref<2xf64>, %b: memref<2xf64>, %n: index, %owns: i1) {
  %no = arith.constant false
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %p = %owns, %q = %no)
      -> (memref<2xf64>, memref<2xf64>, i1, i1) {
    %u, %o0, %s0, %t0 = memref.extract_strided_metadata %x : memref<2xf64> -> memref<f64>, index, index, index
    %v, %o1, %s1, %t1 = memref.extract_strided_metadata %y : memref<2xf64> -> memref<f64>, index, index, index
    %d:2 = bufferization.dealloc (%u, %v : memref<f64>, memref<f64>) if (%p, %q)
        retain (%y, %x : memref<2xf64>, memref<2xf64>)
    scf.yield %y, %x, %d#0, %d#1 : memref<2xf64>, memref<2xf64>, i1, i1
  }
  return
}
