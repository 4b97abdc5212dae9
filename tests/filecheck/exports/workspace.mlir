// What an exported function allocates is one more parameter: at a multiple of 64 each, and 63 bytes more for C, where it
// may begin anywhere.
// RUN: toy-opt %s --toy-export-workspace | FileCheck %s

// CHECK:       func.func @two$export(%[[SPACE:.*]]: memref<80xi8>)
// CHECK-SAME:    workspace = 143 : i64
// CHECK:         %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:         memref.view %[[SPACE]][%[[ZERO]]][] : memref<80xi8> to memref<3xf64>
// CHECK:         %[[NEXT:.*]] = arith.constant 64 : index
// CHECK:         memref.view %[[SPACE]][%[[NEXT]]][] : memref<80xi8> to memref<2xf64>
func.func @two$export() attributes {toy.export = {name = "two", function = "two", signature = "two()", parameters = []}} {
  %0 = memref.alloc() : memref<3xf64>
  %1 = memref.alloc() {alignment = 32 : i64} : memref<2xf64>
  func.call @use(%0, %1) : (memref<3xf64>, memref<2xf64>) -> ()
  return
}
func.func private @use(memref<3xf64>, memref<2xf64>)

// An arena is the workspace itself. What the function frees itself, allocates in loops, or in other sizes, is left alone.
// CHECK:       func.func @arena$export(%arg0: index, %[[SPACE:.*]]: memref<128xi8>)
// CHECK:         memref.view %[[SPACE]]
// CHECK:         memref.alloc() : memref<5xf64>
// CHECK:         memref.alloc(%arg0) : memref<?xf64>
// CHECK:         scf.for
// CHECK-NEXT:      memref.alloc() : memref<7xf64>
func.func @arena$export(%n: index) attributes {toy.export = {name = "arena", function = "arena", signature = "arena()", parameters = []}} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = memref.alloc() {alignment = 64 : i64} : memref<128xi8>
  %1 = memref.view %0[%c0][] : memref<128xi8> to memref<16xf64>
  %2 = memref.alloc() : memref<5xf64>
  %3 = memref.alloc(%n) : memref<?xf64>
  scf.for %i = %c0 to %n step %c1 {
    %4 = memref.alloc() : memref<7xf64>
    func.call @use_all(%1, %2, %3, %4) : (memref<16xf64>, memref<5xf64>, memref<?xf64>, memref<7xf64>) -> ()
  }
  memref.dealloc %2 : memref<5xf64>
  return
}
func.func private @use_all(memref<16xf64>, memref<5xf64>, memref<?xf64>, memref<7xf64>)
