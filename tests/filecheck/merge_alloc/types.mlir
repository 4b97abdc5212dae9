// Which allocations can be merged, and how much memory they take.
// RUN: toy-opt %s --merge-alloc="plan-only min-allocs=1 reuse=none alignment=1" | FileCheck %s
// RUN: toy-opt %s --merge-alloc="min-allocs=1" | FileCheck %s --check-prefix=MERGED

func.func private @use0(memref<3xvector<3xf32>>)
func.func private @use1(memref<5xindex>)
func.func private @use2(memref<5xcomplex<f32>>)
func.func private @use3(memref<3xf32>)
func.func private @use4(memref<5xi12>)
func.func private @use5(memref<3xi1>)
func.func private @use6(memref<64xi1>)
func.func private @use7(memref<130xi8>)
func.func private @use8(memref<2xi8>)
func.func private @use9(memref<1xi32>)
func.func private @use10(memref<8x8xf32, strided<[16, 1]>>)
func.func private @use11(memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>)
func.func private @use12(memref<8xf32, strided<[1]>>)
func.func private @use13(memref<?xf32>)
func.func private @use14(memref<0x8xf32>)
func.func private @use15(memref<8xf32, 1>)
func.func private @use16(memref<8xf4E2M1FN>)

// Without reuse, the bound is the sum of the sizes: 48 + 40 + 40 + 12 + 10 + 3 + 64.
// CHECK-LABEL: func.func @sizes(
// CHECK-SAME:    merge_alloc.lower_bound = 217
// MERGED-LABEL: func.func @sizes(
// MERGED-NEXT:   memref.alloc() {alignment = 64 : i64}
func.func @sizes() {
  %a = memref.alloc() : memref<3xvector<3xf32>>
  %b = memref.alloc() : memref<5xindex>
  %c = memref.alloc() : memref<5xcomplex<f32>>
  %d = memref.alloc() : memref<3xf32>
  %e = memref.alloc() : memref<5xi12>
  %g = memref.alloc() : memref<3xi1>
  %h = memref.alloc() : memref<64xi1>
  func.call @use0(%a) : (memref<3xvector<3xf32>>) -> ()
  func.call @use1(%b) : (memref<5xindex>) -> ()
  func.call @use2(%c) : (memref<5xcomplex<f32>>) -> ()
  func.call @use3(%d) : (memref<3xf32>) -> ()
  func.call @use4(%e) : (memref<5xi12>) -> ()
  func.call @use5(%g) : (memref<3xi1>) -> ()
  func.call @use6(%h) : (memref<64xi1>) -> ()
  return
}

// CHECK-LABEL: func.func @alignments(
// CHECK-SAME:    merge_alloc.total = 134
// CHECK-DAG:     {alignment = 128 : i64, merge_alloc.lifetime = {{.*}}, merge_alloc.offset = 0 : i64} : memref<130xi8>
// CHECK-DAG:     {alignment = 4 : i64, merge_alloc.lifetime = {{.*}}, merge_alloc.offset = 132 : i64} : memref<2xi8>
// MERGED-LABEL: func.func @alignments(
// MERGED-NEXT:   memref.alloc() {alignment = 128 : i64}
func.func @alignments() {
  %a = memref.alloc() {alignment = 128} : memref<130xi8>
  %b = memref.alloc() {alignment = 4} : memref<2xi8>
  func.call @use7(%a) : (memref<130xi8>) -> ()
  func.call @use8(%b) : (memref<2xi8>) -> ()
  func.call @use7(%a) : (memref<130xi8>) -> ()
  return
}

// What the program says of the alignment stays true.
// MERGED-LABEL: func.func @assumed(
// MERGED-NEXT:   memref.alloc() {alignment = 256 : i64} : memref<4xi8>
func.func @assumed() {
  %a = memref.alloc() : memref<1xi32>
  %b = memref.assume_alignment %a, 256 : memref<1xi32>
  func.call @use9(%b) : (memref<1xi32>) -> ()
  return
}

// CHECK-LABEL: func.func @layouts(
// CHECK:         untouched = "its layout is not the identity"} : memref<8x8xf32, strided<[16, 1]>>
// CHECK:         untouched = "its layout is not the identity"} : memref<8x8xf32, #{{.*}}>
// CHECK:         untouched = "its layout is not the identity"} : memref<8xf32, strided<[1]>>
// CHECK:         untouched = "its size is not static"} : memref<?xf32>
// CHECK:         untouched = "it has no elements"} : memref<0x8xf32>
// CHECK:         untouched = "its memory space is not among `memory-spaces`"} : memref<8xf32, 1>
// CHECK:         untouched = "the size of its elements is not known"} : memref<8xf4E2M1FN>
// MERGED-LABEL: func.func @layouts(
// MERGED-NOT:    memref.view
func.func @layouts(%i: index) {
  %a = memref.alloc() : memref<8x8xf32, strided<[16, 1]>>
  %b = memref.alloc() : memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>
  %c = memref.alloc() : memref<8xf32, strided<[1]>>
  %d = memref.alloc(%i) : memref<?xf32>
  %e = memref.alloc() : memref<0x8xf32>
  %g = memref.alloc() : memref<8xf32, 1>
  %h = memref.alloc() : memref<8xf4E2M1FN>
  func.call @use10(%a) : (memref<8x8xf32, strided<[16, 1]>>) -> ()
  func.call @use11(%b) : (memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>) -> ()
  func.call @use12(%c) : (memref<8xf32, strided<[1]>>) -> ()
  func.call @use13(%d) : (memref<?xf32>) -> ()
  func.call @use14(%e) : (memref<0x8xf32>) -> ()
  func.call @use15(%g) : (memref<8xf32, 1>) -> ()
  func.call @use16(%h) : (memref<8xf4E2M1FN>) -> ()
  return
}
