// Transpositions in registers: tiles of 8 x 8 in squares of 4 x 4.
// RUN: toy-opt %s --toy-loop-nests | FileCheck %s
// RUN: toy-opt %s --toy-loop-nests="direct-rows=16 direct-columns=32" | FileCheck %s --check-prefix=TILES
// RUN: toy-opt %s --toy-loop-nests="register-bytes=64" | FileCheck %s --check-prefix=WIDE
// RUN: toy-opt %s --toy-loop-nests="register-bytes=64 direct-nontemporal-bytes=1" | FileCheck %s --check-prefix=PAST
// RUN: toy-opt %s --toy-loop-nests="register-bytes=32" | FileCheck %s --check-prefix=PAIRS
// RUN: toy-opt %s --toy-loop-nests="register-bytes=32 direct-nontemporal-bytes=1 prefetch-bytes=1" | FileCheck %s --check-prefix=BLOCKS
// RUN: toy-opt %s --toy-loop-nests="nests=1" | FileCheck %s --check-prefix=FEW

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#t3 = affine_map<(d0, d1, d2) -> (d2, d1, d0)>

// What is transposed is the product.
// CHECK-LABEL: func.func @product
// CHECK:         scf.for %[[J:.*]] = %c0 to %c48 step %c8 {
// CHECK:           scf.for %[[I:.*]] = %c0 to %c64 step %c8 {
// CHECK:             %[[A:.*]] = vector.load %arg0[%[[J]], %[[I]]] : memref<48x64xf64>, vector<4xf64>
// CHECK:             %[[B:.*]] = vector.load %arg1[%[[J]], %[[I]]] : memref<48x64xf64>, vector<4xf64>
// CHECK:             arith.mulf %[[A]], %[[B]] : vector<4xf64>
// CHECK-COUNT-3:     arith.mulf
// CHECK-NEXT:        vector.shuffle {{.*}} [0, 4, 2, 6]
// CHECK-NEXT:        vector.shuffle {{.*}} [1, 5, 3, 7]
// CHECK-NEXT:        vector.shuffle {{.*}} [0, 4, 2, 6]
// CHECK-NEXT:        vector.shuffle {{.*}} [1, 5, 3, 7]
// CHECK-NEXT:        %[[R:.*]] = vector.shuffle {{.*}} [0, 1, 4, 5]
// CHECK-NEXT:        vector.shuffle {{.*}} [0, 1, 4, 5]
// CHECK-NEXT:        vector.shuffle {{.*}} [2, 3, 6, 7]
// CHECK-NEXT:        vector.shuffle {{.*}} [2, 3, 6, 7]
// CHECK-NEXT:        vector.store %[[R]], %arg2[%[[I]], %[[J]]] : memref<64x48xf64>, vector<4xf64>
// TILES-LABEL: func.func @product
// TILES:         scf.for %[[TJ:.*]] = %c0 to %c48 step %c32 {
// TILES:           %[[END:.*]] = arith.minui
// TILES:           scf.for %[[TI:.*]] = %c0 to %c64 step %c16 {
// TILES:             scf.for %{{.*}} = %[[TJ]] to %[[END]] step %c8 {
// TILES:               scf.for
// Squares of 8 rows, which fill the largest registers, follow each other along the rows of the result.
// WIDE-LABEL: func.func @product
// WIDE:         scf.for %[[I:.*]] = %c0 to %c64 step %c8 {
// WIDE:           scf.for %[[J:.*]] = %c0 to %c48 step %c8 {
// WIDE-COUNT-8:     arith.mulf {{.*}} : vector<8xf64>
// WIDE-COUNT-8:     vector.shuffle
// WIDE-COUNT-8:     vector.shuffle {{.*}} [{{[02]}}, {{[13]}}, {{[46]}}, {{[57]}}, {{.*}}]
// WIDE-COUNT-8:     vector.shuffle {{.*}} [{{[02]}}, {{[13]}}, {{[46]}}, {{[57]}}, {{.*}}]
// WIDE-COUNT-8:     vector.store {{.*}} : memref<64x48xf64>, vector<8xf64>
// WIDE-NOT:         vector.store
// WIDE:         return
// Past the caches, if all rows begin with a line.
// PAST-LABEL: func.func @product
// PAST:         memref.extract_aligned_pointer_as_index %arg2
// PAST:         scf.if
// PAST-COUNT-8:   vector.store {{.*}} {alignment = 64 : i64, nontemporal = true} : memref<64x48xf64>, vector<8xf64>
// PAST:         } else {
// PAST-NOT:       nontemporal
// PAST:         return
// With registers of half a line, both squares beside each other are written row by row.
// PAIRS-LABEL: func.func @product
// PAIRS:         scf.for %[[TI:.*]] = %c0 to %c64 step %c16 {
// PAIRS:           scf.for %[[J:.*]] = %c0 to %c48 step %c8 {
// PAIRS:             scf.for %[[I:.*]] = %[[TI]] to {{.*}} step %c8 {
// PAIRS-COUNT-8:       arith.mulf {{.*}} : vector<4xf64>
// PAIRS:               vector.store {{.*}}, %arg2[%[[I]], %[[J]]] : memref<64x48xf64>, vector<4xf64>
// PAIRS-NEXT:          %[[NEXT:.*]] = arith.addi %[[J]], %c4
// PAIRS-NEXT:          vector.store {{.*}}, %arg2[%[[I]], %[[NEXT]]] : memref<64x48xf64>, vector<4xf64>
// PAIRS-COUNT-14:      vector.store
// PAIRS-NOT:           vector.store
// PAIRS:         return
// Past the caches, along the rows, and every tile asks for eight lines of one row of each operand.
// BLOCKS-LABEL: func.func @product
// BLOCKS:         scf.if
// BLOCKS:           scf.for %[[I:.*]] = %c0 to %c64 step %c8 {
// BLOCKS:             scf.for %[[J:.*]] = %c0 to %c48 step %c8 {
// BLOCKS:               %[[WITHIN:.*]] = arith.andi %[[I]], %c63
// BLOCKS:               %[[START:.*]] = arith.subi %[[I]], %[[WITHIN]]
// BLOCKS:               %[[AFTER:.*]] = arith.addi %[[START]], %c64
// BLOCKS:               %[[NEXT:.*]] = arith.minui %[[AFTER]], %c0
// BLOCKS:               %[[WHICH:.*]] = arith.divui %[[WITHIN]], %c8
// BLOCKS:               %[[ROW:.*]] = arith.addi %[[J]], %[[WHICH]]
// BLOCKS:               memref.prefetch %arg0[%[[ROW]], %[[NEXT]]]
// BLOCKS:               memref.prefetch %arg1[%[[ROW]], %[[NEXT]]]
// BLOCKS-COUNT-14:      memref.prefetch
// BLOCKS-NOT:           memref.prefetch
// BLOCKS-COUNT-16:      vector.store {{.*}} {alignment = 32 : i64, nontemporal = true} : memref<64x48xf64>, vector<4xf64>
// Where no row begins with a line: both sides, and the lines in between.
// BLOCKS:         } else {
// BLOCKS:           scf.for %{{.*}} = %c0 to %c64 step %c8 {
// BLOCKS-COUNT-32:    vector.store {{[^{]*}} : memref<64x48xf64>, vector<4xf64>
// BLOCKS:           %[[OVER:.*]] = arith.andi {{.*}}, %c7
// BLOCKS:           %[[END:.*]] = arith.subi %c48, %[[OVER]]
// BLOCKS:           scf.for %{{.*}} = %c0 to %c64 step %c8 {
// BLOCKS:             scf.for %{{.*}} = %{{.*}} to %[[END]] step %c8 {
// BLOCKS-COUNT-16:      vector.store {{.*}} {alignment = 32 : i64, nontemporal = true} : memref<64x48xf64>, vector<4xf64>
// BLOCKS:         return
func.func @product(%a: memref<48x64xf64>, %b: memref<48x64xf64>, %o: memref<64x48xf64>) {
  linalg.generic {indexing_maps = [#t, #t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<48x64xf64>, memref<48x64xf64>) outs(%o : memref<64x48xf64>) {
  ^bb0(%x: f64, %y: f64, %old: f64):
    %0 = arith.mulf %x, %y : f64
    linalg.yield %0 : f64
  }
  return
}

// At the end of 33 columns, a square is moved back by 3, of which only the last column is written: the result
// may be the operand that is not transposed.
// CHECK-LABEL: func.func @in_place
// CHECK:         scf.for {{.*}} to %c64 step %c16 {
// CHECK:         scf.for %[[I:.*]] = %c0 to %c64 step %c8 {
// CHECK:           %[[V:.*]] = arith.addf {{.*}} : vector<4xf64>
// CHECK-NEXT:      %[[LAST:.*]] = vector.extract %[[V]][3] : f64 from vector<4xf64>
// CHECK-NEXT:      memref.store %[[LAST]], %arg1[%[[I]], %c32] : memref<64x33xf64>
// FEW-LABEL: func.func @in_place
// FEW:         linalg.generic
func.func @in_place(%a: memref<33x64xf64>, %o: memref<64x33xf64>) {
  linalg.generic {indexing_maps = [#t, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %o : memref<33x64xf64>, memref<64x33xf64>) outs(%o : memref<64x33xf64>) {
  ^bb0(%x: f64, %y: f64, %old: f64):
    %0 = arith.addf %x, %y : f64
    linalg.yield %0 : f64
  }
  return
}

// The same operand, transposed and not.
// CHECK-LABEL: func.func @symmetric
// CHECK-NOT:     scf.for
// CHECK:         vector.shuffle
// CHECK:         arith.addf {{.*}} : vector<4xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         return
func.func @symmetric(%a: memref<5x5xf32>, %o: memref<5x5xf32>) {
  linalg.generic {indexing_maps = [#t, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %a : memref<5x5xf32>, memref<5x5xf32>) outs(%o : memref<5x5xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %0 = arith.addf %x, %y : f32
    linalg.yield %0 : f32
  }
  return
}

// The middle dimension is a loop around the plane of the others.
// CHECK-LABEL: func.func @rank3
// CHECK:         scf.for %[[M:.*]] = %c0 to %c30 step %c1 {
// CHECK:           scf.for %[[J:.*]] =
// CHECK:             scf.for %[[I:.*]] =
// CHECK:               vector.load %arg0[%[[J]], %[[M]], %[[I]]]
// CHECK:               vector.store {{.*}}, %arg1[%[[I]], %[[M]], %[[J]]]
func.func @rank3(%a: memref<40x30x20xf64>, %o: memref<20x30x40xf64>) {
  linalg.generic {indexing_maps = [#t3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : memref<40x30x20xf64>) outs(%o : memref<20x30x40xf64>) {
  ^bb0(%x: f64, %old: f64):
    linalg.yield %x : f64
  }
  return
}
