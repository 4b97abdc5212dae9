// Parallel bodies are scopes of their own, sequential loops are none.
// RUN: toyc %s -opt -emit=merged | FileCheck %s
// RUN: toyc %s -opt -emit=merged --merge-alloc=plan-only | FileCheck %s --check-prefix=PLAN
// RUN: toyc %s -opt -emit=merged | toyc -x mlir - -opt -emit=merged > %t
// RUN: toyc %s -opt -emit=merged | toyc -x mlir - -opt -emit=memref | cmp - %t
func.func private @use(memref<8x64xf32>)

// CHECK-LABEL: func.func @forall(
// CHECK-NEXT:    %[[OUTER:.*]] = memref.alloc() {{.*}} : memref<6144xi8>
// CHECK:         scf.forall
// CHECK-NEXT:      %[[INNER:.*]] = memref.alloc() {{.*}} : memref<4096xi8>
// CHECK:           memref.view %[[INNER]]
// CHECK:           scf.for
// CHECK:             memref.view %[[INNER]]
// CHECK:           memref.view %[[INNER]]
// CHECK:         memref.view %[[OUTER]]
// PLAN-LABEL:  func.func @forall(
// PLAN-SAME:     merge_alloc.scope = 0
// PLAN:          } {merge_alloc.lower_bound = 4096 : i64, merge_alloc.scope = 1 : i64, merge_alloc.total = 4096 : i64}
func.func @forall(%n: index, %step: index) {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<8x64xf32>
  func.call @use(%b) : (memref<8x64xf32>) -> ()
  scf.forall (%i) in (%n) {
    %c = memref.alloc() : memref<8x64xf32>
    func.call @use(%c) : (memref<8x64xf32>) -> ()
    scf.for %j = %i to %n step %step {
      %d = memref.alloc() : memref<8x64xf32>
      func.call @use(%a) : (memref<8x64xf32>) -> ()
      memref.copy %c, %d : memref<8x64xf32> to memref<8x64xf32>
    }
    %e = memref.alloc() : memref<8x64xf32>
    func.call @use(%e) : (memref<8x64xf32>) -> ()
  }
  %f = memref.alloc() : memref<8x128xf32>
  %v = memref.subview %f[0, 0] [8, 64] [1, 1] : memref<8x128xf32> to memref<8x64xf32, strided<[128, 1]>>
  memref.copy %b, %v : memref<8x64xf32> to memref<8x64xf32, strided<[128, 1]>>
  return
}

// CHECK-LABEL: func.func @nested(
// CHECK-NOT:     memref.alloc
// CHECK:         scf.for
// CHECK:           scf.if
// CHECK:             scf.parallel
// CHECK-NEXT:          memref.alloc() {{.*}} : memref<2048xi8>
// CHECK-COUNT-2:       memref.view
func.func @nested(%from: index, %n: index, %step: index, %c: i1) {
  scf.for %j = %from to %n step %step {
    scf.if %c {
      scf.parallel (%i) = (%j) to (%n) step (%step) {
        %a = memref.alloc() : memref<8x64xf32>
        func.call @use(%a) : (memref<8x64xf32>) -> ()
        %b = memref.alloc() : memref<8x64xf32>
        func.call @use(%b) : (memref<8x64xf32>) -> ()
      }
    }
  }
  return
}

// The body of an affine loop is no scope either.
// CHECK-LABEL: func.func @affine(
// CHECK-NEXT:    memref.alloc() {{.*}} : memref<2048xi8>
// CHECK-COUNT-2: memref.view
func.func @affine(%n: index) {
  affine.for %i = 0 to %n {
    %a = memref.alloc() : memref<8x64xf32>
    func.call @use(%a) : (memref<8x64xf32>) -> ()
    %b = memref.alloc() : memref<8x64xf32>
    func.call @use(%b) : (memref<8x64xf32>) -> ()
  }
  return
}

// One allocation is none too many.
// CHECK-LABEL: func.func @one(
// CHECK-NEXT:    memref.alloc() : memref<8x64xf32>
// CHECK-NOT:     memref.view
func.func @one() {
  %a = memref.alloc() : memref<8x64xf32>
  func.call @use(%a) : (memref<8x64xf32>) -> ()
  return
}
