// A buffer is aligned to what the elements of every type need that it is viewed as, here or in a
// function that is called.
// RUN: toy-opt %s --merge-alloc="plan-only alignment=1" | FileCheck %s
// RUN: toy-opt %s --merge-alloc="alignment=1" | FileCheck %s --check-prefix=MERGED
func.func private @use(memref<1xi8>)

// CHECK-LABEL: func.func @type_cast
// CHECK-NEXT:    merge_alloc.offset = 64 : i64} : memref<1xf64>
// CHECK-NEXT:    merge_alloc.offset = 0 : i64} : memref<8xf64>
// MERGED-LABEL: func.func @type_cast
// MERGED-NEXT:    memref.alloc() {alignment = 64 : i64} : memref<72xi8>
func.func @type_cast(%f: f64, %i: index) {
  %x = memref.alloc() : memref<1xf64>
  %y = memref.alloc() : memref<8xf64>
  memref.store %f, %x[%i] : memref<1xf64>
  %v = vector.type_cast %y : memref<8xf64> to memref<vector<8xf64>>
  %l = memref.load %v[] : memref<vector<8xf64>>
  memref.store %f, %x[%i] : memref<1xf64>
  memref.store %l, %v[] : memref<vector<8xf64>>
  return
}

// CHECK-LABEL: func.func @view
// CHECK:         merge_alloc.offset = 16 : i64} : memref<1xi8>
// CHECK-NEXT:    merge_alloc.offset = 0 : i64} : memref<16xi8>
// MERGED-LABEL: func.func @view
// MERGED-NEXT:    memref.alloc() {alignment = 4 : i64} : memref<17xi8>
func.func @view(%f: f32, %i: index) {
  %c0 = arith.constant 0 : index
  %x = memref.alloc() : memref<1xi8>
  %y = memref.alloc() : memref<16xi8>
  call @use(%x) : (memref<1xi8>) -> ()
  %v = memref.view %y[%c0][] : memref<16xi8> to memref<4xf32>
  memref.store %f, %v[%i] : memref<4xf32>
  call @use(%x) : (memref<1xi8>) -> ()
  return
}

func.func private @outer(%x: memref<32xi8>, %l: vector<4xf64>) {
  call @inner(%x, %l) : (memref<32xi8>, vector<4xf64>) -> ()
  return
}
func.func private @inner(%x: memref<32xi8>, %l: vector<4xf64>) {
  %c0 = arith.constant 0 : index
  %v = memref.view %x[%c0][] : memref<32xi8> to memref<1xvector<4xf64>>
  memref.store %l, %v[%c0] : memref<1xvector<4xf64>>
  return
}

// CHECK-LABEL: func.func @in_a_call
// CHECK-NEXT:    merge_alloc.offset = 32 : i64} : memref<1xi8>
// CHECK-NEXT:    merge_alloc.offset = 0 : i64} : memref<32xi8>
// MERGED-LABEL: func.func @in_a_call
// MERGED-NEXT:    memref.alloc() {alignment = 32 : i64} : memref<33xi8>
func.func @in_a_call(%l: vector<4xf64>) {
  %x = memref.alloc() : memref<1xi8>
  %y = memref.alloc() : memref<32xi8>
  call @use(%x) : (memref<1xi8>) -> ()
  call @outer(%y, %l) : (memref<32xi8>, vector<4xf64>) -> ()
  call @use(%x) : (memref<1xi8>) -> ()
  return
}

// How these elements are aligned, nobody knows.
// CHECK-LABEL: func.func @unknown_elements
// CHECK:         memref.alloc() {merge_alloc.untouched = "`memref.view` makes elements of it whose size is not known"}
func.func @unknown_elements(%i: index) {
  %c0 = arith.constant 0 : index
  %y = memref.alloc() : memref<32xi8>
  %v = memref.view %y[%c0][] : memref<32xi8> to memref<2xvector<[4]xf32>>
  %l = memref.load %v[%i] : memref<2xvector<[4]xf32>>
  return
}
