// Products of matrices: tiles of the result in registers, panels that are copied if they are large.
// RUN: toy-opt %s --toy-loop-nests="register-bytes=64" | FileCheck %s
// RUN: toy-opt %s --toy-loop-nests="register-bytes=16" | FileCheck %s --check-prefix=NARROW
// RUN: toy-opt %s --toy-loop-nests="register-bytes=64 unpacked-bytes=1000 block=20" | FileCheck %s --check-prefix=PACKED
// RUN: toy-opt %s --toy-loop-nests="register-bytes=32 unpacked-bytes=1000 block=30 rows-bytes=4000" | FileCheck %s --check-prefix=COPIED

#lhs = affine_map<(i, k, j) -> (i, k)>
#rhs = affine_map<(i, k, j) -> (k, j)>
#out = affine_map<(i, k, j) -> (i, j)>

// 4 rows of 4 vectors, which one loop carries.
// CHECK-LABEL: func.func @square
// CHECK-NOT:     memref.alloca
// CHECK:         scf.for %[[J:.*]] = %c0 to %c64 step %c32 {
// CHECK:           scf.for %[[I:.*]] = %c0 to %c64 step %c4 {
// CHECK-COUNT-16:    vector.load %arg2
// CHECK:             scf.for %[[K:.*]] = %c0 to %c64 step %c1 iter_args(
// CHECK-COUNT-4:       vector.load %arg1[%[[K]], {{.*}} : memref<64x64xf64>, vector<8xf64>
// CHECK:               %[[A:.*]] = memref.load %arg0[%[[I]], %[[K]]]
// CHECK:               %[[V:.*]] = vector.broadcast %[[A]] : f64 to vector<8xf64>
// CHECK:               %[[P:.*]] = arith.mulf %[[V]], %{{.*}} : vector<8xf64>
// CHECK-NEXT:          arith.addf %{{.*}}, %[[P]] : vector<8xf64>
// CHECK:               scf.yield
// CHECK-COUNT-16:    vector.store {{.*}}, %arg2
// NARROW-LABEL: func.func @square
// NARROW:         scf.for {{.*}} = %c0 to %c64 step %c8 {
// NARROW:           scf.for {{.*}} = %c0 to %c64 step %c2 {
// PACKED-LABEL: func.func @square
// PACKED:         %[[PANEL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16x32xf64>
// PACKED:         scf.for %[[FROM:.*]] = %c0 to %c64 step %c16 {
// PACKED:           scf.for %[[J:.*]] = %c0 to %c64 step %c32 {
// PACKED:             scf.for %[[K:.*]] = %[[FROM]] to
// PACKED:               vector.load %arg1[%[[K]], %[[J]]]
// PACKED:               vector.store {{.*}}, %[[PANEL]]
// PACKED:             scf.for %{{.*}} = %c0 to %c64 step %c4 {
// COPIED-LABEL: func.func @square
// COPIED:         %[[PANEL:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16x8xf64>
// COPIED:         %[[ROWS:.*]] = memref.alloca() {alignment = 64 : i64} : memref<384xf64>
// COPIED:         scf.for %[[FROM:.*]] = %c0 to %c64 step %c16 {
// COPIED:           scf.for %[[FIRST:.*]] = %c0 to %c64 step %c24 {
// COPIED:             %[[END:.*]] = arith.minui %{{.*}}, %c64
// COPIED:             scf.for %[[I:.*]] = %[[FIRST]] to %{{.*}} step %c6 {
// COPIED:               scf.for %[[K:.*]] = %[[FROM]] to
// COPIED:                 memref.load %arg0[%[[I]], %[[K]]]
// COPIED-NEXT:            memref.store %{{.*}}, %[[ROWS]]
// COPIED:             scf.for %{{.*}} = %c60 to %[[END]] step %c4 {
// COPIED:             scf.for %[[J:.*]] = %c0 to %c64 step %c8 {
// COPIED:               vector.store {{.*}}, %[[PANEL]]
// COPIED:               scf.for %{{.*}} = %[[FIRST]] to %{{.*}} step %c6 {
// COPIED-COUNT-12:        memref.prefetch %arg2
// COPIED-COUNT-6:         memref.prefetch %arg1
// COPIED-COUNT-12:        vector.load %arg2
// COPIED:                 scf.for
// COPIED-COUNT-2:           vector.load %[[PANEL]]
// COPIED-COUNT-6:           memref.load %[[ROWS]]
// COPIED:               scf.for %{{.*}} = %c60 to %[[END]] step %c4 {
func.func @square(%a: memref<64x64xf64>, %b: memref<64x64xf64>, %o: memref<64x64xf64>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<64x64xf64>, memref<64x64xf64>) outs(%o : memref<64x64xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// 5 rows are 4 and 1. 35 columns are 32 and 3: these are the last of a vector that is moved back by one, of which
// the first element is not written.
// CHECK-LABEL: func.func @odd
// CHECK:         vector.load %arg2[%c0, %c0]
// CHECK:         scf.for {{.*}} = %c0 to %c7 step %c1 iter_args(
// CHECK:         vector.load %arg2[%c4, %c0]
// CHECK:         vector.load %arg2[%c0, %c31] : memref<5x35xf64>, vector<4xf64>
// CHECK:         vector.extract %{{.*}}[1] : f64 from vector<4xf64>
// CHECK-NEXT:    memref.store %{{.*}}, %arg2[%c0, %c32]
// CHECK:         vector.store %{{.*}}, %arg2[%c0, %c33] : memref<5x35xf64>, vector<2xf64>
// CHECK-NOT:     linalg.generic
func.func @odd(%a: memref<5x7xf64>, %b: memref<7x35xf64>, %o: memref<5x35xf64>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<5x7xf64>, memref<7x35xf64>) outs(%o : memref<5x35xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// Sums of columns: nothing is the same in a whole row.
// CHECK-LABEL: func.func @columns
// CHECK:         scf.for %[[J:.*]] = %c0 to %c256 step %c64 {
// CHECK-COUNT-8:   vector.load %arg1[
// CHECK:           scf.for %[[K:.*]] = %c0 to %c30 step %c1 iter_args(
// CHECK:             vector.load %arg0[%[[K]], %[[J]]]
func.func @columns(%a: memref<30x256xf64>, %o: memref<256xf64>) {
  linalg.generic {indexing_maps = [affine_map<(k, j) -> (k, j)>, affine_map<(k, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<30x256xf64>) outs(%o : memref<256xf64>) {
  ^bb0(%x: f64, %sum: f64):
    %1 = arith.addf %sum, %x : f64
    linalg.yield %1 : f64
  }
  return
}

// The fill is part of the product, where the result is written once; each vector of a tile but the first reads the
// elements of the left side again, at an index that LLVM takes for another one.
// CHECK-LABEL: func.func @filled
// CHECK-NOT:     linalg.generic
// CHECK:         %[[ZERO:.*]] = vector.broadcast %cst : f64 to vector<8xf64>
// CHECK-COUNT-3: llvm.inline_asm "", "=r,0"
// CHECK-NOT:     vector.load %arg2
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]]
// NARROW-LABEL: func.func @filled
// NARROW-NOT:     llvm.inline_asm
func.func @filled(%a: memref<64x64xf64>, %b: memref<64x64xf64>, %o: memref<64x64xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%o : memref<64x64xf64>) {
  ^bb0(%old: f64):
    linalg.yield %zero : f64
  }
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<64x64xf64>, memref<64x64xf64>) outs(%o : memref<64x64xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// One column: squares of the left side are transposed in registers; 20 elements of k are two squares and 4.
// CHECK-LABEL: func.func @column
// CHECK:         memref.collapse_shape %arg1
// CHECK:         scf.for %[[I:.*]] = %c0 to %c32 step %c16 {
// CHECK:           scf.for %[[K:.*]] = %c0 to %c16 step %c8 iter_args(
// CHECK:             vector.load %arg0[%[[I]], %[[K]]] : memref<32x20xf64>, vector<8xf64>
// CHECK:             vector.shuffle
// CHECK:           scf.for {{.*}} = %c16 to %c20 step %c1 iter_args(
func.func @column(%a: memref<32x20xf64>, %b: memref<20x1xf64>, %o: memref<32x1xf64>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<32x20xf64>, memref<20x1xf64>) outs(%o : memref<32x1xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// Sums of columns that are far: eight rows at a time, and what is left.
// CHECK-LABEL: func.func @far_columns
// CHECK:         scf.for %[[FROM:.*]] = %c0 to %c96 step %c8 {
// CHECK:           scf.for %[[J:.*]] = %c0 to %c256 step %c64 {
// CHECK:             scf.for %[[K:.*]] = %[[FROM]] to {{.*}} step %c1 iter_args(
// CHECK:         scf.for %[[J:.*]] = %c0 to %c256 step %c64 {
// CHECK:           scf.for {{.*}} = %c96 to %c100 step %c1 iter_args(
func.func @far_columns(%a: memref<100x256xf64>, %o: memref<256xf64>) {
  linalg.generic {indexing_maps = [affine_map<(k, j) -> (k, j)>, affine_map<(k, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<100x256xf64>) outs(%o : memref<256xf64>) {
  ^bb0(%x: f64, %sum: f64):
    %1 = arith.addf %sum, %x : f64
    linalg.yield %1 : f64
  }
  return
}

// The result is an operand: another order of elements would be another result.
// CHECK-LABEL: func.func @in_place
// CHECK:         linalg.generic
func.func @in_place(%a: memref<8x8xf64>, %o: memref<8x8xf64>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %o : memref<8x8xf64>, memref<8x8xf64>) outs(%o : memref<8x8xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %sum, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// Fused, as products of Toy are.
// CHECK-LABEL: func.func @fused
// CHECK:         %[[V:.*]] = vector.broadcast %{{.*}} : f64 to vector<8xf64>
// CHECK:         math.fma %[[V]], %{{.*}} : vector<8xf64>
func.func @fused(%a: memref<64x64xf64>, %b: memref<64x64xf64>, %o: memref<64x64xf64>) {
  linalg.generic {indexing_maps = [#lhs, #rhs, #out], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : memref<64x64xf64>, memref<64x64xf64>) outs(%o : memref<64x64xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %0 = math.fma %x, %y, %sum : f64
    linalg.yield %0 : f64
  }
  return
}
