// Loops that call functions: what these write to decides.
// RUN: toy-opt %s --pass-pipeline='builtin.module(toy-rotate-buffers)' | FileCheck %s

// A parameter that the loop starts with is copied once: the function that is called writes to its second argument
// alone.
// CHECK-LABEL: func.func private @doubled(
// CHECK-COUNT-2: memref.alloc()
// CHECK:         scf.for
// CHECK-NOT:       memref.alloc
// CHECK:           scf.yield
func.func private @doubled(%a: memref<8xf64>, %out: memref<8xf64>, %from: index, %to: index, %by: index) {
  %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
    %new = memref.alloc() : memref<8xf64>
    func.call @double(%x, %new) : (memref<8xf64>, memref<8xf64>) -> ()
    scf.yield %new : memref<8xf64>
  }
  memref.copy %r, %out : memref<8xf64> to memref<8xf64>
  return
}
func.func private @double(%from: memref<8xf64>, %to: memref<8xf64>) {
  linalg.add ins(%from, %from : memref<8xf64>, memref<8xf64>) outs(%to : memref<8xf64>)
  return
}
