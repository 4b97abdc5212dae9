// Large operations on operands that are transposed and others go through a buffer on the stack.
// RUN: toy-opt %s --toy-loop-nests | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// The product of the two transposed operands is one value of the stage.
// CHECK-LABEL: func.func @mixed
// CHECK-NEXT:    %[[STAGE:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32x64xf64>
// CHECK-NOT:     memref.alloca
// CHECK:         scf.for %[[TI:.*]] = %c0 to %c1000 step %c32 {
// CHECK:           scf.for %[[TJ:.*]] = %c0 to %c777 step %c64 {
// CHECK:             %[[END:.*]] = arith.minui
// Filled along the rows of the transposed operands.
// CHECK:             scf.for %{{.*}} = %[[TJ]] to %[[END]] step %c8 {
// CHECK:               scf.for
// CHECK:                 arith.mulf
// CHECK:                 vector.shuffle
// CHECK:                 vector.store {{.*}}, %[[STAGE]]
// The last vector of a row is computed before any of it is written.
// CHECK:             scf.for %[[I:.*]] = %[[TI]]
// CHECK:               vector.load %[[STAGE]]
// CHECK:               vector.load %arg2
// CHECK:               %[[LAST:.*]] = arith.addf {{.*}} : vector<8xf64>
// CHECK:               scf.for
// CHECK:                 arith.addf
// CHECK:                 vector.store {{.*}} %arg3
// CHECK:               }
// CHECK:               vector.store %[[LAST]], %arg3
func.func @mixed(%a: memref<777x1000xf64>, %b: memref<777x1000xf64>, %c: memref<1000x777xf64>, %o: memref<1000x777xf64>) {
  linalg.generic {indexing_maps = [#t, #t, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c : memref<777x1000xf64>, memref<777x1000xf64>, memref<1000x777xf64>) outs(%o : memref<1000x777xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64, %old: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %0, %z : f64
    linalg.yield %1 : f64
  }
  return
}
