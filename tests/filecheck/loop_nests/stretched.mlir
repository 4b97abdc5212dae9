// Operands without some of the dimensions of the result: a loop for each row, in which an element for the whole row is
// read once.
// RUN: toy-opt %s --toy-loop-nests | FileCheck %s
// RUN: toy-opt %s --toy-loop-nests="nontemporal-bytes=1 vector-bytes=64" | FileCheck %s --check-prefix=PAST

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#column = affine_map<(d0, d1) -> (d0)>
#turned = affine_map<(d0, d1) -> (d1, d0)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#last3 = affine_map<(d0, d1, d2) -> (d1, d2)>

// CHECK-LABEL: func.func @column
// CHECK:         scf.for %[[I:.*]] = %c0 to %c33 step %c1 {
// CHECK-NEXT:      %[[E:.*]] = memref.load %arg1[%[[I]]] : memref<33xf64>
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0 to %c64 step %c16 {
// CHECK-NEXT:        vector.load %arg0[%[[I]], %[[J]]] : memref<33x70xf64>, vector<8xf64>
// CHECK-NEXT:        vector.broadcast %[[E]]
// CHECK-NEXT:        arith.subf {{.*}} : vector<8xf64>
// CHECK-COUNT-2:     vector.store
// CHECK-NEXT:      }
// CHECK:           vector.load %arg0[%[[I]], %c64] : memref<33x70xf64>, vector<4xf64>
// Rows that are no multiple of a vector begin in other places of a line.
// PAST-LABEL: func.func @column
// PAST-NOT:     nontemporal
func.func @column(%a: memref<33x70xf64>, %m: memref<33xf64>, %o: memref<33x70xf64>) {
  linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %m : memref<33x70xf64>, memref<33xf64>) outs(%o : memref<33x70xf64>) {
  ^bb0(%x: f64, %y: f64, %old: f64):
    %0 = arith.subf %x, %y : f64
    linalg.yield %0 : f64
  }
  return
}
// CHECK-LABEL: func.func @row
// CHECK:         scf.for %[[I:.*]] = %c0 to %c32 step %c1 {
// CHECK-NEXT:      scf.for %[[J:.*]] = %c0 to %c64 step %c16 {
// CHECK:             vector.load %arg1[%[[J]]] : memref<64xf64>, vector<8xf64>
// PAST-LABEL: func.func @row
// PAST:         nontemporal
func.func @row(%a: memref<32x64xf64>, %m: memref<64xf64>, %o: memref<32x64xf64>) {
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %m : memref<32x64xf64>, memref<64xf64>) outs(%o : memref<32x64xf64>) {
  ^bb0(%x: f64, %y: f64, %old: f64):
    %0 = arith.subf %x, %y : f64
    linalg.yield %0 : f64
  }
  return
}
// Neighbors in all operands are one dimension.
// CHECK-LABEL: func.func @joined
// CHECK-DAG:     memref.collapse_shape %arg0 {{.*}} into memref<5x24xf64>
// CHECK-DAG:     memref.collapse_shape %arg1 {{.*}} into memref<24xf64>
// CHECK:         scf.for
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @joined(%a: memref<5x4x6xf64>, %m: memref<4x6xf64>) {
  linalg.generic {indexing_maps = [#last3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%m : memref<4x6xf64>) outs(%a : memref<5x4x6xf64>) {
  ^bb0(%y: f64, %old: f64):
    %0 = arith.addf %old, %y : f64
    linalg.yield %0 : f64
  }
  return
}
// Next to a transposition, a row is one more operand along the rows.
// CHECK-LABEL: func.func @turned
// CHECK-NOT:     linalg.generic
// CHECK:         vector.load %arg1[%{{.*}}] : memref<64xf64>
// CHECK:         return
func.func @turned(%a: memref<64x32xf64>, %m: memref<64xf64>, %o: memref<32x64xf64>) {
  linalg.generic {indexing_maps = [#turned, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %m : memref<64x32xf64>, memref<64xf64>) outs(%o : memref<32x64xf64>) {
  ^bb0(%x: f64, %y: f64, %old: f64):
    %0 = arith.subf %x, %y : f64
    linalg.yield %0 : f64
  }
  return
}
