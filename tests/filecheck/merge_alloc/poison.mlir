// The option `poison`: buffers are filled where they begin to be in use.
// RUN: toy-opt %s --merge-alloc=poison | FileCheck %s
// RUN: toy-opt %s --merge-alloc=poison --lower-affine --convert-scf-to-cf --verify-merged-allocs
func.func private @use(memref<3xf32>)

// Before the first access, not where the buffer is allocated.
// CHECK-LABEL: func.func @late(
// CHECK:         [[M:%.*]] = memref.alloc() {alignment = 64 : i64} : memref<76xi8>
// CHECK:         memref.view
// CHECK:         [[B:%.*]] = memref.view {{.*}} to memref<3xf32>
// CHECK:         [[P:%.*]] = memref.view [[M]]{{.*}} to memref<12xi8>
// CHECK:         [[ONES:%.*]] = arith.constant -1 : i8
// CHECK:         linalg.fill ins([[ONES]] : i8) outs([[P]] : memref<12xi8>)
// CHECK-NEXT:    call @use([[B]])
// CHECK:         linalg.fill
// CHECK:         scf.for
// CHECK-NOT:       linalg.fill
func.func @late(%n: index, %s: index) {
  %a = memref.alloc() : memref<3xf32>
  %b = memref.alloc() : memref<3xf32>
  func.call @use(%b) : (memref<3xf32>) -> ()
  scf.for %i = %n to %n step %s {
    func.call @use(%a) : (memref<3xf32>) -> ()
    func.call @use(%b) : (memref<3xf32>) -> ()
  }
  return
}

// What a branch allocates and yields is in use from its first access on; what lives in an iteration, in
// there.
// CHECK-LABEL: func.func @branch(
// CHECK-NOT:     linalg.fill
// CHECK:         scf.if
// CHECK:           linalg.fill
// CHECK:           call @use
// CHECK:         scf.for
// CHECK:           linalg.fill
func.func @branch(%c: i1, %o: memref<3xf32>, %n: index) {
  %r = scf.if %c -> memref<3xf32> {
    %a = memref.alloc() : memref<3xf32>
    func.call @use(%a) : (memref<3xf32>) -> ()
    scf.yield %a : memref<3xf32>
  } else {
    scf.yield %o : memref<3xf32>
  }
  func.call @use(%r) : (memref<3xf32>) -> ()
  scf.for %i = %n to %n step %n {
    %b = memref.alloc() : memref<3xf32>
    func.call @use(%b) : (memref<3xf32>) -> ()
  }
  return
}
