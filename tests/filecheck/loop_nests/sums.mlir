// Sums along another axis than the last one, of operands that are larger than the caches of one core.
// RUN: toy-opt %s --toy-loop-nests="register-bytes=32" | FileCheck %s
// RUN: toy-opt %s --toy-loop-nests="register-bytes=64" | FileCheck %s --check-prefix=WIDE
// RUN: toy-opt %s --toy-loop-nests="register-bytes=16" | FileCheck %s --check-prefix=SMALL

// Eight rows at a time, of which two lines of the cache are in registers, or four registers if these are large.
// CHECK-LABEL: func.func @far
// CHECK-NOT:     memref.prefetch
// CHECK:         scf.for %[[FROM:.*]] = %c0 to %c1000 step %c8 {
// CHECK:           scf.for {{.*}} = %c0 to %c992 step %c16 {
// CHECK-COUNT-4:     vector.load %arg1[
// CHECK:             scf.for {{.*}} = %[[FROM]] to {{.*}} step %c1 iter_args(
// CHECK:         return
// WIDE-LABEL: func.func @far
// WIDE:         scf.for {{.*}} = %c0 to %c992 step %c32 {
// SMALL-LABEL: func.func @far
// SMALL:         scf.for {{.*}} = %c0 to %c992 step %c16 {
func.func @far(%a: memref<1000x1000xf64>, %o: memref<1000xf64>) {
  linalg.generic {indexing_maps = [affine_map<(k, j) -> (k, j)>, affine_map<(k, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<1000x1000xf64>) outs(%o : memref<1000xf64>) {
  ^bb0(%x: f64, %sum: f64):
    %1 = arith.addf %sum, %x : f64
    linalg.yield %1 : f64
  }
  return
}

// Past the caches, each row asks for the one in its place among the next eight, once for each line of the cache; not for
// rows after the last.
// CHECK-LABEL: func.func @past_caches
// CHECK:         scf.for %[[FROM:.*]] = %c0 to %c2096 step %c8 {
// CHECK:           scf.for %[[J:.*]] = %c0 to %c992 step %c16 {
// CHECK:             scf.for %[[K:.*]] = %[[FROM]] to {{.*}} step %c1 iter_args(
// CHECK:               %[[NEXT:.*]] = arith.addi %[[FROM]], %c8
// CHECK:               %[[LAST:.*]] = arith.minui %[[NEXT]], %c2093
// CHECK:               %[[DISTANCE:.*]] = arith.subi %[[LAST]], %[[FROM]]
// CHECK:               %[[ROW:.*]] = arith.addi %[[K]], %[[DISTANCE]]
// CHECK:               memref.prefetch %arg0[%[[ROW]], %[[J]]]
// CHECK:               memref.prefetch %arg0[%[[ROW]], {{.*}}]
// CHECK-NOT:           memref.prefetch
// CHECK:               scf.yield
func.func @past_caches(%a: memref<2101x1000xf64>, %o: memref<1000xf64>) {
  linalg.generic {indexing_maps = [affine_map<(k, j) -> (k, j)>, affine_map<(k, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<2101x1000xf64>) outs(%o : memref<1000xf64>) {
  ^bb0(%x: f64, %sum: f64):
    %1 = arith.addf %sum, %x : f64
    linalg.yield %1 : f64
  }
  return
}

// Maxima take longer, and more registers.
// CHECK-LABEL: func.func @maxima
// CHECK:         scf.for {{.*}} = %c0 to %c1000 step %c8 {
// CHECK:           scf.for {{.*}} = %c0 to %c992 step %c32 {
func.func @maxima(%a: memref<1000x1000xf64>, %o: memref<1000xf64>) {
  linalg.generic {indexing_maps = [affine_map<(k, j) -> (k, j)>, affine_map<(k, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<1000x1000xf64>) outs(%o : memref<1000xf64>) {
  ^bb0(%x: f64, %most: f64):
    %1 = arith.maximumf %most, %x : f64
    linalg.yield %1 : f64
  }
  return
}

// Few columns stay in registers, however many rows there are.
// CHECK-LABEL: func.func @few_columns
// CHECK:         scf.for {{.*}} = %c0 to %c100000 step %c1 iter_args(
// CHECK-COUNT-5:   arith.addf {{.*}} : vector<4xf64>
func.func @few_columns(%a: memref<100000x20xf64>, %o: memref<20xf64>) {
  linalg.generic {indexing_maps = [affine_map<(k, j) -> (k, j)>, affine_map<(k, j) -> (j)>],
                  iterator_types = ["reduction", "parallel"]}
      ins(%a : memref<100000x20xf64>) outs(%o : memref<20xf64>) {
  ^bb0(%x: f64, %sum: f64):
    %1 = arith.addf %sum, %x : f64
    linalg.yield %1 : f64
  }
  return
}

// Along the first of three axes, the others are one.
// CHECK-LABEL: func.func @first
// CHECK:         %[[A:.*]] = memref.collapse_shape %arg0 {{\[}}[0], [1, 2]] : memref<100x20x50xf64> into memref<100x1000xf64>
// CHECK:         scf.for {{.*}} = %c0 to %c96 step %c8 {
// CHECK:           scf.for {{.*}} = %c0 to %c992 step %c32 {
// CHECK:             vector.load %[[A]][
func.func @first(%a: memref<100x20x50xf64>, %o: memref<20x50xf64>) {
  linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (k, i, j)>, affine_map<(k, i, j) -> (i, j)>],
                  iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%a : memref<100x20x50xf64>) outs(%o : memref<20x50xf64>) {
  ^bb0(%x: f64, %sum: f64):
    %1 = arith.addf %sum, %x : f64
    linalg.yield %1 : f64
  }
  return
}

// Along the second one, one matrix after the other, as they are in memory.
// CHECK-LABEL: func.func @second
// CHECK:         scf.for %[[I:.*]] = %c0 to %c20 step %c1 {
// CHECK:           scf.for %[[FROM:.*]] = %c0 to %c96 step %c8 {
// CHECK:             scf.for {{.*}} = %c0 to %c496 step %c16 {
// CHECK:               scf.for {{.*}} = %[[FROM]] to {{.*}} step %c1 iter_args(
func.func @second(%a: memref<20x100x500xf64>, %o: memref<20x500xf64>) {
  linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, k, j)>, affine_map<(i, k, j) -> (i, j)>],
                  iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a : memref<20x100x500xf64>) outs(%o : memref<20x500xf64>) {
  ^bb0(%x: f64, %sum: f64):
    %1 = arith.addf %sum, %x : f64
    linalg.yield %1 : f64
  }
  return
}

// A row of one vector would wait for its sum in each step: those of eight rows are in registers.
// CHECK-LABEL: func.func @short_rows
// CHECK:         scf.for {{.*}} = %c0 to %c1024 step %c1 iter_args({{.*}}) -> (vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>, vector<4xf64>)
// CHECK:         return
func.func @short_rows(%w: memref<1024x8xf64>, %a: memref<1024x8x4xf64>, %o: memref<8x4xf64>) {
  linalg.generic {indexing_maps = [affine_map<(k, i, j) -> (k, i)>, affine_map<(k, i, j) -> (k, i, j)>,
                                   affine_map<(k, i, j) -> (i, j)>],
                  iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%w, %a : memref<1024x8xf64>, memref<1024x8x4xf64>) outs(%o : memref<8x4xf64>) {
  ^bb0(%x: f64, %y: f64, %sum: f64):
    %1 = arith.mulf %x, %y : f64
    %2 = arith.addf %sum, %1 : f64
    linalg.yield %2 : f64
  }
  return
}
