// Which operations write over an operand that is not needed again.
// RUN: toy-opt %s --toy-in-place | FileCheck %s
// RUN: toy-opt %s --toy-in-place | toy-opt --toy-in-place | FileCheck %s
// RUN: toy-opt %s --toy-in-place --merge-alloc --lower-affine --convert-scf-to-cf --verify-merged-allocs

#id = affine_map<(i, j) -> (i, j)>
#turned = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (j)>
func.func private @use(memref<4x4xf64>)

// A chain of them has one buffer; that of the first aligns as the others ask for.
// CHECK-LABEL: func.func @chain(
// CHECK:         %[[A:.*]] = memref.alloc() {alignment = 64 : i64}
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.fill {{.*}} outs(%[[A]]
// CHECK-NEXT:    linalg.add ins(%[[A]], %[[A]] : {{.*}} outs(%[[A]]
// CHECK-NEXT:    linalg.exp ins(%[[A]] {{.*}} outs(%[[A]]
// CHECK-NEXT:    call @use(%[[A]])
func.func @chain(%x: f64) {
  %a = memref.alloc() : memref<4x4xf64>
  %b = memref.alloc() {alignment = 64 : i64} : memref<4x4xf64>
  %c = memref.alloc() : memref<4x4xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<4x4xf64>)
  linalg.add ins(%a, %a : memref<4x4xf64>, memref<4x4xf64>) outs(%b : memref<4x4xf64>)
  linalg.exp ins(%b : memref<4x4xf64>) outs(%c : memref<4x4xf64>)
  call @use(%c) : (memref<4x4xf64>) -> ()
  return
}
// A copy of what is not needed again is none.
// CHECK-LABEL: func.func @copied(
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT:     memref.alloc
// CHECK-NOT:     memref.copy
// CHECK:         return
func.func @copied(%x: f64) {
  %a = memref.alloc() : memref<4x4xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<4x4xf64>)
  %b = memref.alloc() : memref<4x4xf64>
  memref.copy %a, %b : memref<4x4xf64> to memref<4x4xf64>
  call @use(%b) : (memref<4x4xf64>) -> ()
  return
}
// What is read later stays, under whatever name.
// CHECK-LABEL: func.func @needed(
// CHECK-COUNT-4: memref.alloc()
func.func @needed(%x: f64) {
  %a = memref.alloc() : memref<4x4xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<4x4xf64>)
  %v = memref.collapse_shape %a [[0, 1]] : memref<4x4xf64> into memref<16xf64>
  %b = memref.alloc() : memref<4x4xf64>
  linalg.exp ins(%a : memref<4x4xf64>) outs(%b : memref<4x4xf64>)
  %w = memref.alloc() : memref<16xf64>
  linalg.exp ins(%v : memref<16xf64>) outs(%w : memref<16xf64>)
  %c = memref.alloc() : memref<4x4xf64>
  %u = memref.expand_shape %w [[0, 1]] output_shape [4, 4] : memref<16xf64> into memref<4x4xf64>
  linalg.add ins(%b, %b : memref<4x4xf64>, memref<4x4xf64>) outs(%c : memref<4x4xf64>)
  call @use(%u) : (memref<4x4xf64>) -> ()
  call @use(%b) : (memref<4x4xf64>) -> ()
  call @use(%c) : (memref<4x4xf64>) -> ()
  return
}
// Elements that go to other places, and results that are written before, or by parts.
// CHECK-LABEL: func.func @not_in_place(
// CHECK-COUNT-7: memref.alloc()
func.func @not_in_place(%x: f64) {
  %a = memref.alloc() : memref<4x4xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<4x4xf64>)
  // Turned.
  %b = memref.alloc() : memref<4x4xf64>
  linalg.transpose ins(%a : memref<4x4xf64>) outs(%b : memref<4x4xf64>) permutation = [1, 0]
  // Twice, once turned.
  %c = memref.alloc() : memref<4x4xf64>
  linalg.generic {indexing_maps = [#turned, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%b, %b : memref<4x4xf64>, memref<4x4xf64>) outs(%c : memref<4x4xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %s = arith.addf %p, %q : f64
    linalg.yield %s : f64
  }
  // Under another name, turned.
  %d = memref.alloc() : memref<4x4xf64>
  %t = memref.transpose %c (i, j) -> (j, i) : memref<4x4xf64> to memref<4x4xf64, strided<[1, 4]>>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%c, %t : memref<4x4xf64>, memref<4x4xf64, strided<[1, 4]>>) outs(%d : memref<4x4xf64>) {
  ^bb0(%p: f64, %q: f64, %o: f64):
    %s = arith.addf %p, %q : f64
    linalg.yield %s : f64
  }
  // A sum.
  %e = memref.alloc() : memref<4x4xf64>
  linalg.matmul ins(%d, %d : memref<4x4xf64>, memref<4x4xf64>) outs(%e : memref<4x4xf64>)
  // A row for all rows, of another type.
  %g = memref.alloc() : memref<4xf64>
  linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel"]}
    ins(%e : memref<4x4xf64>) outs(%g : memref<4xf64>) {
  ^bb0(%p: f64, %o: f64):
    linalg.yield %p : f64
  }
  // The result holds something that is read.
  %h = memref.alloc() : memref<4x4xf64>
  linalg.fill ins(%x : f64) outs(%h : memref<4x4xf64>)
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%e : memref<4x4xf64>) outs(%h : memref<4x4xf64>) {
  ^bb0(%p: f64, %o: f64):
    %s = arith.addf %p, %o : f64
    linalg.yield %s : f64
  }
  call @use(%h) : (memref<4x4xf64>) -> ()
  return
}
// The body reads other elements than those in the same place.
// CHECK-LABEL: func.func @inside(
// CHECK-COUNT-2: memref.alloc()
func.func @inside(%x: f64) {
  %zero = arith.constant 0 : index
  %a = memref.alloc() : memref<4x4xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<4x4xf64>)
  %b = memref.alloc() : memref<4x4xf64>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
    ins(%a : memref<4x4xf64>) outs(%b : memref<4x4xf64>) {
  ^bb0(%p: f64, %o: f64):
    %first = memref.load %a[%zero, %zero] : memref<4x4xf64>
    %s = arith.addf %p, %first : f64
    linalg.yield %s : f64
  }
  call @use(%b) : (memref<4x4xf64>) -> ()
  return
}
// In a loop: what comes from outside is needed again, what is of the iteration is not.
// CHECK-LABEL: func.func @loop(
// CHECK:         %[[A:.*]] = memref.alloc()
// CHECK:         scf.for
// CHECK-NEXT:      %[[B:.*]] = memref.alloc()
// CHECK-NEXT:      linalg.exp ins(%[[A]] {{.*}} outs(%[[B]]
// CHECK-NEXT:      linalg.exp ins(%[[B]] {{.*}} outs(%[[B]]
// CHECK-NEXT:      func.call @use(%[[B]])
func.func @loop(%x: f64, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<4x4xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<4x4xf64>)
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() : memref<4x4xf64>
    linalg.exp ins(%a : memref<4x4xf64>) outs(%b : memref<4x4xf64>)
    %c = memref.alloc() : memref<4x4xf64>
    linalg.exp ins(%b : memref<4x4xf64>) outs(%c : memref<4x4xf64>)
    func.call @use(%c) : (memref<4x4xf64>) -> ()
  }
  return
}
// The argument of a public function is the caller's, and so is what is passed twice. A returned buffer
// is not followed.
// CHECK-LABEL: func.func @public(
// CHECK-COUNT-2: memref.alloc()
func.func @public(%x: f64, %o: memref<4x4xf64>) -> memref<4x4xf64> {
  %a = memref.alloc() : memref<4x4xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<4x4xf64>)
  linalg.exp ins(%a : memref<4x4xf64>) outs(%o : memref<4x4xf64>)
  %b = memref.alloc() : memref<4x4xf64>
  linalg.exp ins(%o : memref<4x4xf64>) outs(%b : memref<4x4xf64>)
  return %b : memref<4x4xf64>
}
