// The judge counts the bytes of complex numbers and vectors.
// RUN: toy-opt %s --verify-merged-allocs --verify-diagnostics
func.func @complex(%c: complex<f32>, %i: index) {
  %m = memref.alloc() : memref<128xi8>
  %c0 = arith.constant 0 : index
  %c60 = arith.constant 60 : index
  %a = memref.view %m[%c0][] : memref<128xi8> to memref<8xcomplex<f32>>
  %b = memref.view %m[%c60][] : memref<128xi8> to memref<8xcomplex<f32>>
  memref.store %c, %a[%i] : memref<8xcomplex<f32>>
  // expected-error@below {{share the bytes 60 to 63}}
  memref.store %c, %b[%i] : memref<8xcomplex<f32>>
  memref.store %c, %a[%i] : memref<8xcomplex<f32>>
  return
}
func.func @vectors(%v: vector<2x3xf32>, %i: index) {
  %m = memref.alloc() : memref<128xi8>
  %c0 = arith.constant 0 : index
  %c48 = arith.constant 48 : index
  %a = memref.view %m[%c0][] : memref<128xi8> to memref<2xvector<2x3xf32>>
  %b = memref.view %m[%c48][] : memref<128xi8> to memref<2xvector<2x3xf32>>
  memref.store %v, %a[%i] : memref<2xvector<2x3xf32>>
  // expected-error@below {{share the bytes 48 to 63}}
  memref.store %v, %b[%i] : memref<2xvector<2x3xf32>>
  memref.store %v, %a[%i] : memref<2xvector<2x3xf32>>
  return
}
