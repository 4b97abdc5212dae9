// Loop nests read and write rows of buffers, from offsets that are known and that are not. Where such parts overlap
// otherwise than element by element, the order of iterations stays.
// RUN: toyc %s -O0 -emit=jit > %t.0
// RUN: toyc %s -O2 -emit=jit | cmp %t.0 -
// RUN: toyc %s -O2 --threads 2 -emit=jit | cmp %t.0 -
// RUN: toyc %s -O2 --target x86_64-unknown-linux-gnu --cpu x86-64-v3 -emit=loops | FileCheck %s
// CHECK-LABEL: @f(
// CHECK: vector.load {{.*}} : memref<1920xf64, strided<[1], offset: ?>>
// CHECK: vector.load {{.*}} : memref<1920xf64, strided<[1], offset: 144>>
// CHECK: vector.store {{.*}} : memref<1920xf64, strided<[1], offset: ?>>
// CHECK: vector.load {{.*}} : memref<48x48xf64, strided<[48, 1], offset: ?>>
// CHECK: vector.store {{.*}} : memref<48x48xf64, strided<[48, 1], offset: 240>>
// CHECK: memref.load {{.*}} strided<[48, 1], offset: 96>>
// CHECK: vector.store {{.*}} : memref<40x33xf64, strided<[33, 1], offset: ?>>
func.func private @f(%a: memref<70x48xf64>, %i: index, %o: memref<60x48xf64>, %p: memref<90x33xf64>, %q: memref<48x33xf64>) attributes {no_inline} {
  %s = memref.subview %a[%i, 0] [40, 48] [1, 1] : memref<70x48xf64> to memref<40x48xf64, strided<[48, 1], offset: ?>>
  %t = memref.subview %a[3, 0] [40, 48] [1, 1] : memref<70x48xf64> to memref<40x48xf64, strided<[48, 1], offset: 144>>
  %d = memref.subview %o[5, 0] [48, 48] [1, 1] : memref<60x48xf64> to memref<48x48xf64, strided<[48, 1], offset: 240>>
  %e = memref.subview %o[%i, 0] [40, 48] [1, 1] : memref<60x48xf64> to memref<40x48xf64, strided<[48, 1], offset: ?>>
  %d40 = memref.subview %o[2, 0] [48, 48] [1, 1] : memref<60x48xf64> to memref<48x48xf64, strided<[48, 1], offset: 96>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s, %t : memref<40x48xf64, strided<[48, 1], offset: ?>>, memref<40x48xf64, strided<[48, 1], offset: 144>>) outs(%e : memref<40x48xf64, strided<[48, 1], offset: ?>>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %0, %z : f64
    linalg.yield %1 : f64
  }
  %u = memref.subview %a[%i, 0] [48, 48] [1, 1] : memref<70x48xf64> to memref<48x48xf64, strided<[48, 1], offset: ?>>
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%u : memref<48x48xf64, strided<[48, 1], offset: ?>>) outs(%d : memref<48x48xf64, strided<[48, 1], offset: 240>>) {
  ^bb0(%x: f64, %z: f64):
    %1 = arith.addf %x, %z : f64
    linalg.yield %1 : f64
  }
  // The operand and the result overlap in other rows.
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%d40 : memref<48x48xf64, strided<[48, 1], offset: 96>>) outs(%d : memref<48x48xf64, strided<[48, 1], offset: 240>>) {
  ^bb0(%x: f64, %z: f64):
    %1 = arith.addf %x, %z : f64
    linalg.yield %1 : f64
  }
  %r = memref.subview %p[%i, 0] [40, 33] [1, 1] : memref<90x33xf64> to memref<40x33xf64, strided<[33, 1], offset: ?>>
  linalg.matmul ins(%s, %q : memref<40x48xf64, strided<[48, 1], offset: ?>>, memref<48x33xf64>) outs(%r : memref<40x33xf64, strided<[33, 1], offset: ?>>)
  return
}
func.func private @numbers(%c: memref<?x?xf64>, %scale: f64) attributes {no_inline} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%c : memref<?x?xf64>) {
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
  %a = memref.alloc() : memref<70x48xf64>
  %o = memref.alloc() : memref<60x48xf64>
  %p = memref.alloc() : memref<90x33xf64>
  %q = memref.alloc() : memref<48x33xf64>
  %i = arith.constant 7 : index
  %da = memref.cast %a : memref<70x48xf64> to memref<?x?xf64>
  %do = memref.cast %o : memref<60x48xf64> to memref<?x?xf64>
  %dp = memref.cast %p : memref<90x33xf64> to memref<?x?xf64>
  %dq = memref.cast %q : memref<48x33xf64> to memref<?x?xf64>
  call @numbers(%da, %one) : (memref<?x?xf64>, f64) -> ()
  call @numbers(%do, %one) : (memref<?x?xf64>, f64) -> ()
  call @numbers(%dp, %one) : (memref<?x?xf64>, f64) -> ()
  call @numbers(%dq, %one) : (memref<?x?xf64>, f64) -> ()
  call @f(%a, %i, %o, %p, %q) : (memref<70x48xf64>, index, memref<60x48xf64>, memref<90x33xf64>, memref<48x33xf64>) -> ()
  %t = bufferization.to_tensor %o restrict : memref<60x48xf64> to tensor<60x48xf64>
  "toy.print"(%t) : (tensor<60x48xf64>) -> ()
  %t2 = bufferization.to_tensor %p restrict : memref<90x33xf64> to tensor<90x33xf64>
  "toy.print"(%t2) : (tensor<90x33xf64>) -> ()
  memref.dealloc %a : memref<70x48xf64>
  memref.dealloc %o : memref<60x48xf64>
  memref.dealloc %p : memref<90x33xf64>
  memref.dealloc %q : memref<48x33xf64>
  return
}
