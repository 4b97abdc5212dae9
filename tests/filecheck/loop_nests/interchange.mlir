// Products that have no loop nests go along the rows of the result innermost; each element is added up in the order of
// the dimensions that are reduced.
// RUN: toy-opt %s --toy-interchange | FileCheck %s
// RUN: toyc %s -O2 -emit=loops | FileCheck %s --check-prefix=LOOPS
// RUN: toyc %s -O2 -emit=jit > %t.2
// RUN: toyc %s -O0 -emit=jit > %t.0
// RUN: cmp %t.0 %t.2

// CHECK-DAG: [[IK:#.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-DAG: [[KJ:#.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: [[IJ:#.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>

#ik = affine_map<(i, j, k) -> (i, k)>
#kj = affine_map<(i, j, k) -> (k, j)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>

// CHECK-LABEL: @integers
// CHECK: linalg.generic {indexing_maps = {{\[}}[[IK]], [[KJ]], [[IJ]]], iterator_types = ["parallel", "reduction", "parallel"]}
// LOOPS-LABEL: @integers
// LOOPS: scf.for %[[I:.*]] = %c0 to %c4
// LOOPS: scf.for %[[K:.*]] = %c0 to %c5
// LOOPS: scf.for %[[J:.*]] = %c0 to %c6
// LOOPS: memref.load %arg1[%[[K]], %[[J]]]
func.func private @integers(%a: memref<4x5xi32>, %b: memref<5x6xi32>, %c: memref<4x6xi32>) attributes {no_inline} {
  linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x5xi32>, memref<5x6xi32>) outs(%c : memref<4x6xi32>) {
  ^bb0(%x: i32, %y: i32, %old: i32):
    %0 = arith.muli %x, %y : i32
    %1 = arith.addi %old, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

// Indices in the body are those of the same dimensions.
// CHECK-LABEL: @dynamic
// CHECK: iterator_types = ["parallel", "reduction", "parallel"]
// CHECK: linalg.index 0
// CHECK: linalg.index 2
// CHECK: linalg.index 1
func.func private @dynamic(%a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) attributes {no_inline} {
  linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<?x?xf64>, memref<?x?xf64>) outs(%c : memref<?x?xf64>) {
  ^bb0(%x: f64, %y: f64, %old: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %ij = arith.muli %i, %j : index
    %ijk = arith.addi %ij, %k : index
    %integer = arith.index_cast %ijk : index to i64
    %weight = arith.sitofp %integer : i64 to f64
    %0 = arith.mulf %x, %y : f64
    %1 = arith.mulf %0, %weight : f64
    %2 = arith.addf %old, %1 : f64
    linalg.yield %2 : f64
  }
  return
}

// The second matrix is read along its rows already.
// CHECK-LABEL: @transposed
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func private @transposed(%a: memref<4x5xi32>, %b: memref<6x5xi32>, %c: memref<4x6xi32>) {
  linalg.generic {indexing_maps = [#ik, #jk, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<4x5xi32>, memref<6x5xi32>) outs(%c : memref<4x6xi32>) {
  ^bb0(%x: i32, %y: i32, %old: i32):
    %0 = arith.muli %x, %y : i32
    %1 = arith.addi %old, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

// The order of iterations counts if the result is read.
// CHECK-LABEL: @in_place
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
func.func private @in_place(%a: memref<4x4xi32>, %c: memref<4x4xi32>) {
  linalg.generic {indexing_maps = [#ik, #kj, #ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %c : memref<4x4xi32>, memref<4x4xi32>) outs(%c : memref<4x4xi32>) {
  ^bb0(%x: i32, %y: i32, %old: i32):
    %0 = arith.muli %x, %y : i32
    %1 = arith.addi %old, %0 : i32
    linalg.yield %1 : i32
  }
  return
}

func.func private @numbers(%c: memref<?x?xf64>, %scale: f64) attributes {no_inline} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%c : memref<?x?xf64>) {
  ^bb0(%old: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %seven = arith.constant 7 : index
    %k = arith.muli %i, %seven : index
    %sum = arith.addi %k, %j : index
    %int = arith.index_cast %sum : index to i64
    %float = arith.sitofp %int : i64 to f64
    %result = arith.mulf %float, %scale : f64
    linalg.yield %result : f64
  }
  return
}

func.func @main() {
  %one = arith.constant 0.37 : f64
  %two = arith.constant -1.13 : f64
  %a = memref.alloc() : memref<4x5xf64>
  %b = memref.alloc() : memref<5x6xf64>
  %c = memref.alloc() : memref<4x6xf64>
  %da = memref.cast %a : memref<4x5xf64> to memref<?x?xf64>
  %db = memref.cast %b : memref<5x6xf64> to memref<?x?xf64>
  %dc = memref.cast %c : memref<4x6xf64> to memref<?x?xf64>
  call @numbers(%da, %one) : (memref<?x?xf64>, f64) -> ()
  call @numbers(%db, %two) : (memref<?x?xf64>, f64) -> ()
  call @numbers(%dc, %two) : (memref<?x?xf64>, f64) -> ()
  call @dynamic(%da, %db, %dc) : (memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
  %t = bufferization.to_tensor %c restrict : memref<4x6xf64> to tensor<4x6xf64>
  "toy.print"(%t) : (tensor<4x6xf64>) -> ()
  memref.dealloc %a : memref<4x5xf64>
  memref.dealloc %b : memref<5x6xf64>
  memref.dealloc %c : memref<4x6xf64>
  return
}
