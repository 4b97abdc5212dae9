// What a function works in, its caller passes whatever else there is.
// RUN: toy-opt %s --merge-alloc=call-trees -o %t --verify-diagnostics && FileCheck %s < %t
// RUN: toy-opt %t --merge-alloc=call-trees 2>/dev/null | diff %t -
func.func private @use(memref<1xi8>)
// CHECK: func.func private @small(%arg0: memref<65xi8>)
func.func private @small() {
  %a = memref.alloc() : memref<1xi8>
  %b = memref.alloc() : memref<1xi8>
  call @use(%a) : (memref<1xi8>) -> ()
  call @use(%b) : (memref<1xi8>) -> ()
  call @use(%a) : (memref<1xi8>) -> ()
  return
}
// CHECK-LABEL: func.func @large
// CHECK-NEXT:    memref.alloc() {{.*}} : memref<65xi8>
// CHECK-NEXT:    memref.alloc() : memref<9223372036854775807xi8>
// CHECK:         call @small(%alloc) : (memref<65xi8>) -> ()
// expected-remark@below {{the buffers of this scope need more bytes than memory has}}
func.func @large(%i: index, %v: i8) {
  %a = memref.alloc() : memref<9223372036854775807xi8>
  memref.store %v, %a[%i] : memref<9223372036854775807xi8>
  call @small() : () -> ()
  memref.store %v, %a[%i] : memref<9223372036854775807xi8>
  return
}
