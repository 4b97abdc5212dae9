// What the pass does not know is left to convert-linalg-to-loops.
// RUN: toy-opt %s --toy-loop-nests | FileCheck %s
// CHECK-NOT: vector.
// CHECK-COUNT-10: linalg.generic
// CHECK-NOT: vector.

#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
#diagonal = affine_map<(d0, d1) -> (d0, d0)>
#left = affine_map<(d0, d1) -> (d0)>
#shifted = affine_map<(d0, d1) -> (d0 + 1, d1)>
func.func @dynamic(%a: memref<?x8xf64>, %o: memref<?x8xf64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<?x8xf64>) outs(%o : memref<?x8xf64>) {
  ^bb0(%x: f64, %old: f64):
    linalg.yield %x : f64
  }
  return
}
func.func @diagonal(%a: memref<8x8xf64>, %o: memref<8x8xf64>) {
  linalg.generic {indexing_maps = [#diagonal, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf64>) outs(%o : memref<8x8xf64>) {
  ^bb0(%x: f64, %old: f64):
    linalg.yield %x : f64
  }
  return
}
func.func @shifted(%a: memref<9x8xf64>, %o: memref<8x8xf64>) {
  linalg.generic {indexing_maps = [#shifted, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<9x8xf64>) outs(%o : memref<8x8xf64>) {
  ^bb0(%x: f64, %old: f64):
    linalg.yield %x : f64
  }
  return
}
func.func @strided(%a: memref<8x8xf64, strided<[16, 1]>>, %o: memref<8x8xf64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf64, strided<[16, 1]>>) outs(%o : memref<8x8xf64>) {
  ^bb0(%x: f64, %old: f64):
    linalg.yield %x : f64
  }
  return
}
func.func @integers(%a: memref<8x8xi32>, %o: memref<8x8xi32>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xi32>) outs(%o : memref<8x8xi32>) {
  ^bb0(%x: i32, %old: i32):
    linalg.yield %x : i32
  }
  return
}
// The exponential function of a vector may have other bits.
func.func @function(%a: memref<8x8xf64>, %o: memref<8x8xf64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf64>) outs(%o : memref<8x8xf64>) {
  ^bb0(%x: f64, %old: f64):
    %0 = math.exp %x : f64
    linalg.yield %0 : f64
  }
  return
}
func.func @index(%a: memref<8x8xf64>, %o: memref<8x8xf64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf64>) outs(%o : memref<8x8xf64>) {
  ^bb0(%x: f64, %old: f64):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i64
    %0 = arith.sitofp %j : i64 to f64
    linalg.yield %0 : f64
  }
  return
}
// Views of one buffer that overlap, and a transposition onto itself.
func.func @overlap(%m: memref<1024xi8>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %a = memref.view %m[%c0][] : memref<1024xi8> to memref<8x8xf64>
  %o = memref.view %m[%c64][] : memref<1024xi8> to memref<8x8xf64>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf64>) outs(%o : memref<8x8xf64>) {
  ^bb0(%x: f64, %old: f64):
    linalg.yield %x : f64
  }
  linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : memref<8x8xf64>) outs(%a : memref<8x8xf64>) {
  ^bb0(%x: f64, %old: f64):
    linalg.yield %x : f64
  }
  return
}
// In parallel, where the stage would be shared.
func.func @parallel(%a: memref<8x8xf64>, %o: memref<8x8xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : memref<8x8xf64>) outs(%o : memref<8x8xf64>) {
    ^bb0(%x: f64, %old: f64):
      linalg.yield %x : f64
    }
  }
  return
}
