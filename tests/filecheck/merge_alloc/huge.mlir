// Buffers of more memory than there is: their scope stays as it is, with a remark, unless there is a
// capacity.
// RUN: toy-opt %s --merge-alloc --verify-diagnostics -o /dev/null
// RUN: toy-opt %s --merge-alloc 2>/dev/null | FileCheck %s
// RUN: toy-opt %s --merge-alloc=plan-only 2>/dev/null | FileCheck %s --check-prefix=PLAN
// RUN: not toy-opt %s --merge-alloc=capacity=4096 2>&1 | FileCheck %s --check-prefix=CAPACITY
// CAPACITY: E0403{{.*}} the buffers take more bytes than memory has, but the capacity is 4096

// CHECK-LABEL: func.func @size
// CHECK:         memref.alloc() : memref<9223372036854775807xi8>
// CHECK-NEXT:    memref.alloc() : memref<1xi8>
// PLAN-LABEL:  func.func @size
// PLAN-COUNT-2:  untouched = "its scope needs more bytes than memory has"
// expected-remark@below {{the buffers of this scope need more bytes than memory has}}
func.func @size(%i: index, %v: i8) {
  %a = memref.alloc() : memref<9223372036854775807xi8>
  %b = memref.alloc() : memref<1xi8>
  memref.store %v, %a[%i] : memref<9223372036854775807xi8>
  memref.store %v, %b[%i] : memref<1xi8>
  memref.store %v, %a[%i] : memref<9223372036854775807xi8>
  return
}

// CHECK-LABEL: func.func @sum
// CHECK-NOT:     memref.view
// expected-remark@below {{the buffers of this scope need more bytes than memory has}}
func.func @sum(%i: index, %v: i8) {
  %a = memref.alloc() : memref<9223372036854775807xi8>
  %b = memref.alloc() : memref<9223372036854775807xi8>
  %c = memref.alloc() : memref<9223372036854775807xi8>
  memref.store %v, %a[%i] : memref<9223372036854775807xi8>
  memref.store %v, %b[%i] : memref<9223372036854775807xi8>
  memref.store %v, %c[%i] : memref<9223372036854775807xi8>
  memref.store %v, %a[%i] : memref<9223372036854775807xi8>
  memref.store %v, %b[%i] : memref<9223372036854775807xi8>
  return
}

// CHECK-LABEL: func.func @alignment
// CHECK-NOT:     memref.view
// expected-remark@below {{the buffers of this scope need more bytes than memory has}}
func.func @alignment(%i: index, %v: i8) {
  %a = memref.alloc() {alignment = 4611686018427387904 : i64} : memref<1xi8>
  %b = memref.alloc() {alignment = 4611686018427387904 : i64} : memref<1xi8>
  %c = memref.alloc() {alignment = 4611686018427387904 : i64} : memref<1xi8>
  memref.store %v, %a[%i] : memref<1xi8>
  memref.store %v, %b[%i] : memref<1xi8>
  memref.store %v, %c[%i] : memref<1xi8>
  memref.store %v, %a[%i] : memref<1xi8>
  memref.store %v, %b[%i] : memref<1xi8>
  return
}

// One after the other they fit.
// CHECK-LABEL: func.func @in_turn
// CHECK-NEXT:    memref.alloc() {{.*}} : memref<9223372036854775807xi8>
// CHECK-NOT:     memref.alloc
func.func @in_turn(%i: index, %v: i8) {
  %a = memref.alloc() : memref<9223372036854775807xi8>
  %b = memref.alloc() : memref<1xi8>
  memref.store %v, %a[%i] : memref<9223372036854775807xi8>
  memref.store %v, %b[%i] : memref<1xi8>
  return
}
