// Comparisons and selections work on vectors as arithmetic does; a comparison itself is not shuffled.
// RUN: toy-opt %s --toy-loop-nests="register-bytes=32" | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>

// CHECK-LABEL: func.func @larger
// CHECK:         scf.for
// CHECK:           %[[A:.*]] = vector.load %{{.*}} : memref<4096xf64>, vector<8xf64>
// CHECK:           %[[B:.*]] = vector.load %{{.*}} : memref<4096xf64>, vector<8xf64>
// CHECK:           %[[LESS:.*]] = arith.cmpf olt, %[[A]], %[[B]] : vector<8xf64>
// CHECK:           arith.select %[[LESS]], %[[B]], %[[A]] : vector<8xi1>, vector<8xf64>
func.func @larger(%a: memref<64x64xf64>, %b: memref<64x64xf64>, %out: memref<64x64xf64>) {
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<64x64xf64>, memref<64x64xf64>) outs(%out : memref<64x64xf64>) {
  ^bb0(%x: f64, %y: f64, %old: f64):
    %less = arith.cmpf olt, %x, %y : f64
    %larger = arith.select %less, %y, %x : f64
    linalg.yield %larger : f64
  }
  return
}

// A comparison is a number in Toy.
// CHECK-LABEL: func.func @count
// CHECK:         %[[LESS:.*]] = arith.cmpf olt, %{{.*}}, %{{.*}} : vector<16xf32>
// CHECK:         arith.uitofp %[[LESS]] : vector<16xi1> to vector<16xf32>
func.func @count(%a: memref<64x64xf32>, %b: memref<64x64xf32>, %out: memref<64x64xf32>) {
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<64x64xf32>, memref<64x64xf32>) outs(%out : memref<64x64xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %less = arith.cmpf olt, %x, %y : f32
    %number = arith.uitofp %less : i1 to f32
    linalg.yield %number : f32
  }
  return
}

// The numbers are transposed, and compared afterwards.
// CHECK-LABEL: func.func @transposed
// CHECK:         vector.shuffle {{.*}} : vector<4xf64>, vector<4xf64>
// CHECK-NOT:     vector.shuffle {{.*}}xi1>
// CHECK:         %[[POSITIVE:.*]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : vector<4xf64>
// CHECK:         arith.select %[[POSITIVE]], %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xf64>
// CHECK-NOT:     vector.shuffle {{.*}}xi1>
func.func @transposed(%a: memref<64x64xf64>, %b: memref<64x64xf64>, %out: memref<64x64xf64>) {
  %zero = arith.constant 0.0 : f64
  linalg.generic {indexing_maps = [#t, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<64x64xf64>, memref<64x64xf64>) outs(%out : memref<64x64xf64>) {
  ^bb0(%x: f64, %y: f64, %old: f64):
    %positive = arith.cmpf ogt, %x, %zero : f64
    %chosen = arith.select %positive, %zero, %y : f64
    linalg.yield %chosen : f64
  }
  return
}
