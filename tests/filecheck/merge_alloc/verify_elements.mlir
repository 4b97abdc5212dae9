// The judge knows how large the elements are that merge-alloc merges.
// RUN: toy-opt %s --merge-alloc --verify-merged-allocs -o /dev/null
// RUN: toy-opt %s --merge-alloc=alignment=1 --verify-merged-allocs -o /dev/null
func.func @complex(%c: complex<f32>, %i: index) {
  %a = memref.alloc() : memref<8xcomplex<f32>>
  memref.store %c, %a[%i] : memref<8xcomplex<f32>>
  %b = memref.alloc() : memref<8xcomplex<f32>>
  memref.store %c, %b[%i] : memref<8xcomplex<f32>>
  memref.copy %a, %b : memref<8xcomplex<f32>> to memref<8xcomplex<f32>>
  return
}
func.func @vectors(%v: vector<2x3xf32>, %w: vector<4xi1>, %i: index) {
  %a = memref.alloc() : memref<5xvector<2x3xf32>>
  memref.store %v, %a[%i] : memref<5xvector<2x3xf32>>
  %b = memref.alloc() : memref<5xvector<4xi1>>
  memref.store %w, %b[%i] : memref<5xvector<4xi1>>
  memref.store %v, %a[%i] : memref<5xvector<2x3xf32>>
  memref.store %w, %b[%i] : memref<5xvector<4xi1>>
  return
}
