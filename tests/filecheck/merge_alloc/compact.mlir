// The option `compact`: what is smaller than a cache line shares one with others.
// RUN: toy-opt %s --merge-alloc="compact memory-spaces=1" | FileCheck %s
// RUN: toy-opt %s --merge-alloc="call-trees compact" | FileCheck %s --check-prefix=TREES
// RUN: toy-opt %s --merge-alloc | FileCheck %s --check-prefix=DEFAULT
// RUN: toy-opt %s --merge-alloc="compact plan-only reuse=none" | FileCheck %s --check-prefix=PLAN

// What malloc aligns anyway does not ask for it.
// CHECK-LABEL:   func.func @small(
// CHECK-NEXT:      memref.alloc() : memref<24xi8>
// DEFAULT-LABEL: func.func @small(
// DEFAULT-NEXT:    memref.alloc() {alignment = 64 : i64} : memref<72xi8>
func.func @small(%x: f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf64>
  %b = memref.alloc() : memref<2xf64>
  memref.store %x, %a[%c0] : memref<1xf64>
  memref.store %x, %b[%c0] : memref<2xf64>
  memref.copy %a, %a : memref<1xf64> to memref<1xf64>
  return
}
// 48 bytes are aligned as malloc would align them, and so are 24 and 80; what asks for more gets it.
// CHECK-LABEL: func.func @large(
// CHECK-NEXT:    memref.alloc() {alignment = 256 : i64}
// PLAN-LABEL:  func.func @large(
// PLAN-DAG:      merge_alloc.offset = {{16|96|112|160|176}} : i64} : memref<6xf64>
// PLAN-DAG:      merge_alloc.offset = {{16|64|96|144|160|176|192|224}} : i64} : memref<3xf64>
// PLAN-DAG:      {alignment = 256 : i64, {{.*}}merge_alloc.offset = 0 : i64} : memref<2xf64>
// PLAN-DAG:      merge_alloc.offset = {{[0-9]*}} : i64} : memref<10xf64>
func.func @large(%x: f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<6xf64>
  %b = memref.alloc() : memref<3xf64>
  %c = memref.alloc() {alignment = 256 : i64} : memref<2xf64>
  %d = memref.alloc() : memref<10xf64>
  memref.store %x, %a[%c0] : memref<6xf64>
  memref.store %x, %b[%c0] : memref<3xf64>
  memref.store %x, %c[%c0] : memref<2xf64>
  memref.store %x, %d[%c0] : memref<10xf64>
  return
}
// Nothing is known of the allocator of another memory space.
// CHECK-LABEL: func.func @space(
// CHECK-NEXT:    memref.alloc() {alignment = 8 : i64} : memref<8xi8, 1>
func.func @space(%x: f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf64, 1>
  %b = memref.alloc() : memref<1xf64, 1>
  memref.store %x, %a[%c0] : memref<1xf64, 1>
  memref.store %x, %b[%c0] : memref<1xf64, 1>
  return
}
// A function's memory is aligned as the buffers in it: 16 bytes of the callee share the caller's line.
// TREES-LABEL: func.func @caller(
// TREES-NEXT:    memref.alloc() : memref<24xi8>
// TREES:       func.func private @callee(%arg0: f64, %arg1: memref<16xi8>)
func.func @caller(%x: f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<1xf64>
  memref.store %x, %a[%c0] : memref<1xf64>
  call @callee(%x) : (f64) -> ()
  memref.copy %a, %a : memref<1xf64> to memref<1xf64>
  return
}
func.func private @callee(%x: f64) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<2xf64>
  %b = memref.alloc() : memref<1xf64>
  memref.store %x, %a[%c0] : memref<2xf64>
  memref.store %x, %b[%c0] : memref<1xf64>
  return
}
