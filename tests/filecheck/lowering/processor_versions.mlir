// Functions with large loops get versions for processors; the function that is called chooses.
// RUN: toy-opt %s --toy-processor-versions | FileCheck %s
// RUN: toy-opt %s --toy-processor-versions --toy-loop-nests --convert-linalg-to-loops | FileCheck %s --check-prefix=LOOPS
// RUN: toy-opt %s --toy-processor-versions --toy-processor-versions | FileCheck %s --check-prefix=TWICE
// RUN: toy-opt %s --toy-processor-versions --mlir-print-debuginfo | FileCheck %s --check-prefix=PLACE

#id = affine_map<(d0) -> (d0)>
#a = affine_map<(d0, d1, d2) -> (d0, d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>

// A small loop by itself is not worth it.
// CHECK-LABEL: func.func @small(
// CHECK-NOT:   call
// CHECK:       return
func.func @small(%a: memref<1000xf64>, %r: memref<1000xf64>) {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<1000xf64>) outs(%r : memref<1000xf64>) {
  ^bb0(%x: f64, %y: f64):
    %0 = arith.addf %x, %x : f64
    linalg.yield %0 : f64
  }
  return
}

// Element-wise: for AVX2. Its result is the result of the version.
// CHECK-LABEL: func.func @sums(
// CHECK:         %[[P:.*]] = llvm.mlir.addressof @toy.processor
// CHECK:         %[[N:.*]] = llvm.load %[[P]]
// CHECK:         arith.cmpi sge, %[[N]], %c1_i32
// CHECK:         call @"sums.x86-64-v3"(%arg0, %arg1)
// CHECK:         call @"sums.x86-64"(%arg0, %arg1)
// CHECK:       func.func private @"sums.x86-64"(
// CHECK:         call @helper(
// CHECK:       func.func private @"sums.x86-64-v3"({{.*}} attributes {prefer_vector_width = "256", target_cpu = "x86-64-v3"
// CHECK:         call @"helper.x86-64-v3"(
// CHECK-NOT:   @"sums.x86-64-v4"
// LOOPS-LABEL: func.func @sums(
func.func @sums(%a: memref<5000xf64>, %r: memref<5000xf64>) -> f64 {
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<5000xf64>) outs(%r : memref<5000xf64>) {
  ^bb0(%x: f64, %y: f64):
    %0 = arith.addf %x, %x : f64
    linalg.yield %0 : f64
  }
  call @helper(%r) : (memref<5000xf64>) -> ()
  %c0 = arith.constant 0 : index
  %0 = memref.load %r[%c0] : memref<5000xf64>
  return %0 : f64
}

// Called by versions only: nothing chooses. A call of a function without loops is as before.
// CHECK-LABEL: func.func private @helper(
// CHECK:         linalg.generic
// CHECK:         call @nothing()
// CHECK:       func.func private @"helper.x86-64-v3"(
// CHECK:         call @nothing()
func.func private @helper(%r: memref<5000xf64>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%r : memref<5000xf64>) {
  ^bb0(%x: f64):
    %0 = arith.mulf %x, %x : f64
    linalg.yield %0 : f64
  }
  call @nothing() : () -> ()
  return
}

// CHECK-LABEL: func.func private @nothing(
func.func private @nothing() {
  return
}

// A product in a loop of a function without loops on elements of its own: for AVX-512, too.
// CHECK-LABEL: func.func @main(
// CHECK:         call @product(
// CHECK-LABEL: func.func private @product(
// CHECK:         arith.cmpi sge, %{{.*}}, %c2_i32
// CHECK:         call @"product.x86-64-v4"(
// CHECK:         arith.cmpi sge, %{{.*}}, %c1_i32
// CHECK:         call @"product.x86-64-v3"(
// CHECK:         call @"product.x86-64"(
// CHECK:       func.func private @"product.x86-64-v4"({{.*}} attributes {prefer_vector_width = "512", target_cpu = "x86-64-v4"
// Tiles are for the registers of each.
// LOOPS:       func.func private @"product.x86-64"(
// LOOPS-NOT:     vector<8xf64>
// LOOPS:       func.func private @"product.x86-64-v3"(
// LOOPS-NOT:     vector<8xf64>
// LOOPS:       func.func private @"product.x86-64-v4"(
// LOOPS:         vector<8xf64>
func.func @main(%a: memref<16x16xf64>, %b: memref<16x16xf64>, %r: memref<16x16xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    func.call @product(%a, %b, %r) : (memref<16x16xf64>, memref<16x16xf64>, memref<16x16xf64>) -> ()
  }
  return
}
func.func private @product(%a: memref<16x16xf64>, %b: memref<16x16xf64>, %r: memref<16x16xf64>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<16x16xf64>, memref<16x16xf64>) outs(%r : memref<16x16xf64>) {
  ^bb0(%x: f64, %y: f64, %z: f64):
    %0 = arith.mulf %x, %y : f64
    %1 = arith.addf %z, %0 : f64
    linalg.yield %1 : f64
  }
  return
}

// The choice is made when the program is loaded, once.
// CHECK:       llvm.mlir.global internal @toy.processor(0 : i32)
// CHECK:       llvm.mlir.global internal @toy.start() {{.*}}section = ".init_array"
// TWICE:       llvm.mlir.global internal @toy.processor(
// TWICE-NOT:   llvm.mlir.global internal @toy.processor(

// The functions that are added come from no line of the program.
// PLACE:       llvm.func internal @toy.choose_processor()
// PLACE:       } loc(#[[NOWHERE:loc[0-9]+]])
// PLACE:       #[[NOWHERE]] = loc(unknown)
