// A buffer of poison becomes an element on the stack, seen as a buffer of the wanted type.
// RUN: toy-opt %s --toy-freeze-poison | FileCheck %s
// RUN: toy-opt %s --toy-freeze-poison --ownership-based-buffer-deallocation --canonicalize | toy-opt --canonicalize
// CHECK-LABEL: func.func private @types
// CHECK-DAG:   memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [0, 3], strides: [3, 1] : memref<f64> to memref<?x3xf64>
// CHECK-DAG:   memref.cast %{{.*}} : memref<f64> to memref<*xf64>
// CHECK-DAG:   memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [0, 3], strides: [0, 1] : memref<f64> to memref<?x3xf64, strided<[?, 1], offset: ?>>
// CHECK-DAG:   memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [], strides: [] : memref<f64> to memref<f64>
// CHECK-DAG:   memref.alloca() : memref<vector<4xi1>>
// The stack is in one memory space only.
// CHECK-DAG:   memref.alloc() : memref<f32, 1>
// What has no strides nobody lowers; numbers nobody compares.
// CHECK-DAG:   ub.poison : memref<3x4xf64, #{{.*}}>
// CHECK-DAG:   ub.poison : index
func.func private @types() {
  %a = ub.poison : memref<?x3xf64>
  %b = ub.poison : memref<*xf64>
  %c = ub.poison : memref<?x3xf64, strided<[?, 1], offset: ?>>
  %d = ub.poison : memref<2xf32, 1>
  %e = ub.poison : memref<f64>
  %f = ub.poison : memref<3x4xf64, affine_map<(a, b) -> (b, a)>>
  %g = ub.poison : memref<0xvector<4xi1>>
  %i = ub.poison : index
  call @use(%a, %b, %c, %d, %e, %f, %g, %i) : (memref<?x3xf64>, memref<*xf64>, memref<?x3xf64, strided<[?, 1], offset: ?>>, memref<2xf32, 1>, memref<f64>, memref<3x4xf64, affine_map<(a, b) -> (b, a)>>, memref<0xvector<4xi1>>, index) -> ()
  return
}
// In a loop, the stack does not grow.
// CHECK-LABEL: func.func private @loop
// CHECK-NEXT:    memref.alloca
// CHECK:         scf.for
// CHECK-NOT:     alloca
// CHECK:         return
func.func private @loop(%n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %a = ub.poison : memref<*xf64>
    func.call @look(%a) : (memref<*xf64>) -> ()
  }
  return
}
func.func private @use(memref<?x3xf64>, memref<*xf64>, memref<?x3xf64, strided<[?, 1], offset: ?>>, memref<2xf32, 1>, memref<f64>, memref<3x4xf64, affine_map<(a, b) -> (b, a)>>, memref<0xvector<4xi1>>, index)
func.func private @look(memref<*xf64>)
