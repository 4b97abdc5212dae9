// Operations without transpositions are one loop over all elements, whatever their shape.
// RUN: toy-opt %s --toy-loop-nests | FileCheck %s
// RUN: toy-opt %s --toy-loop-nests="vector-bytes=16 unroll=1" | FileCheck %s --check-prefix=SHORT

#id = affine_map<(d0, d1) -> (d0, d1)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#scalar = affine_map<(d0, d1) -> ()>

// 33 x 70 is 144 times 16, and 6. All operands of an iteration are read before anything is written.
// CHECK-LABEL: func.func @remainder
// CHECK-DAG:     %[[C2304:.*]] = arith.constant 2304 : index
// CHECK-DAG:     %[[A:.*]] = memref.collapse_shape %arg0 {{.*}} into memref<2310xf64>
// CHECK-DAG:     %[[O:.*]] = memref.collapse_shape %arg2 {{.*}} into memref<2310xf64>
// CHECK:         scf.for %[[I:.*]] = %c0 to %[[C2304]] step %c16 {
// CHECK-COUNT-2:   vector.load {{.*}} vector<8xf64>
// CHECK:           arith.mulf {{.*}} : vector<8xf64>
// CHECK-COUNT-2:   vector.load {{.*}} vector<8xf64>
// CHECK:           arith.mulf {{.*}} : vector<8xf64>
// CHECK-NOT:       vector.load
// CHECK-COUNT-2:   vector.store {{.*}} %[[O]][{{.*}}vector<8xf64>
// CHECK:         }
// CHECK:         vector.load %[[A]][%[[C2304]]] : memref<2310xf64>, vector<4xf64>
// CHECK:         vector.load %[[A]][%c2308] : memref<2310xf64>, vector<2xf64>
// SHORT-LABEL: func.func @remainder
// SHORT:         scf.for %{{.*}} = %c0 to %c2310 step %c2 {
// SHORT-NOT:     scf.for
// SHORT:         return
func.func @remainder(%a: memref<33x70xf64>, %b: memref<33x70xf64>, %o: memref<33x70xf64>) {
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<33x70xf64>, memref<33x70xf64>) outs(%o : memref<33x70xf64>) {
  ^bb0(%x: f64, %y: f64, %old: f64):
    %0 = arith.mulf %x, %y : f64
    linalg.yield %0 : f64
  }
  return
}

// A scalar is read once; what was in the result is an operand; values from outside are vectors, too.
// CHECK-LABEL: func.func @scalar
// CHECK:         %[[S:.*]] = memref.load %arg0[] : memref<f32>
// CHECK:         vector.broadcast %[[S]] : f32 to vector<16xf32>
// CHECK:         vector.broadcast %arg2 : f32 to vector<16xf32>
// CHECK:         scf.for
// CHECK:           vector.load {{.*}} vector<16xf32>
func.func @scalar(%s: memref<f32>, %o: memref<33x70xf32>, %outside: f32) {
  linalg.generic {indexing_maps = [#scalar, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s : memref<f32>) outs(%o : memref<33x70xf32>) {
  ^bb0(%x: f32, %old: f32):
    %0 = arith.mulf %x, %old : f32
    %1 = arith.addf %0, %outside : f32
    linalg.yield %1 : f32
  }
  return
}

// Small shapes have no loop, one element no vector.
// CHECK-LABEL: func.func @small
// CHECK-NOT:     scf.for
// CHECK:         vector.load {{.*}} vector<8xf64>
// CHECK:         vector.load {{.*}} vector<2xf64>
// CHECK:         memref.load
// CHECK:         vector.store {{.*}} vector<8xf64>
// CHECK:         vector.store {{.*}} vector<2xf64>
// CHECK:         memref.store
// CHECK-NOT:     scf.for
// CHECK:         return
func.func @small(%a: memref<1x11x1xf64>, %o: memref<1x11x1xf64>) {
  linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : memref<1x11x1xf64>) outs(%o : memref<1x11x1xf64>) {
  ^bb0(%x: f64, %old: f64):
    %0 = arith.negf %x : f64
    linalg.yield %0 : f64
  }
  return
}

// A transposed row is a row.
// CHECK-LABEL: func.func @row
// CHECK-DAG:     memref.collapse_shape %arg0 {{.*}} : memref<100x1xf64> into memref<100xf64>
// CHECK-DAG:     memref.collapse_shape %arg1 {{.*}} : memref<1x100xf64> into memref<100xf64>
// CHECK-NOT:     vector.shuffle
// CHECK:         return
func.func @row(%a: memref<100x1xf64>, %o: memref<1x100xf64>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<100x1xf64>) outs(%o : memref<1x100xf64>) {
  ^bb0(%x: f64, %old: f64):
    linalg.yield %x : f64
  }
  return
}

// What is larger than the caches is written past them, to aligned addresses, and then there is a fence.
// RUN: toy-opt %s --toy-loop-nests="nontemporal-bytes=30000" --toy-fences | FileCheck %s --check-prefix=PAST
// PAST-LABEL: func.func @remainder
// PAST:         %[[ADDRESS:.*]] = memref.extract_aligned_pointer_as_index
// PAST:         %[[NEGATIVE:.*]] = arith.subi %c0, %[[ADDRESS]]
// PAST:         %[[BYTES:.*]] = arith.andi %[[NEGATIVE]], %c63
// PAST:         %[[FROM:.*]] = arith.divui %[[BYTES]], %c8
// PAST:         scf.for {{.*}} = %c0 to %[[FROM]] step %c1 {
// PAST:           memref.store
// PAST:         scf.for {{.*}} = %[[FROM]] to %[[TO:.*]] step %c16 {
// PAST:           vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// PAST:         llvm.fence seq_cst
// PAST:         scf.for {{.*}} = %[[TO]] to %c2310 step %c1 {
// PAST:         return
// The result is an operand: its lines are in the cache.
// PAST-LABEL: func.func @scalar
// PAST-NOT:     nontemporal
