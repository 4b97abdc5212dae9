// A private function with more than 16 numbers as results stores them where its caller says; a buffer stays a result. A
// function with fewer, or one that is public or whose address is taken, keeps its results.
// RUN: toy-opt %s --toy-many-results | FileCheck %s
// CHECK: func.func private @many(%[[X:.*]]: f64, %[[B:.*]]: memref<2xf64>, %[[TO:.*]]: !llvm.ptr) -> memref<2xf64>
// CHECK: llvm.store %[[X]], %[[TO]]
// CHECK: %[[LAST:.*]] = llvm.getelementptr %[[TO]][16]
// CHECK: llvm.store %[[X]], %[[LAST]]
// CHECK: return %[[B]] : memref<2xf64>
func.func private @many(%x: f64, %b: memref<2xf64>) -> (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, memref<2xf64>) {
  return %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %b : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, memref<2xf64>
}
// CHECK: func.func @public(%{{.*}}: f64) -> (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64)
func.func @public(%x: f64) -> (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64) {
  return %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
}
// CHECK: func.func private @taken(%{{.*}}: f64) -> (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64)
func.func private @taken(%x: f64) -> (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64) {
  return %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64
}
// CHECK: func.func private @few(%{{.*}}: f64) -> (f64, f64)
func.func private @few(%x: f64) -> (f64, f64) {
  return %x, %x : f64, f64
}
// CHECK: func.func @main
// CHECK: %[[SLOT:.*]] = llvm.alloca {{.*}} x !llvm.array<17 x i64>
// CHECK: %[[C:.*]] = call @many(%{{.*}}, %{{.*}}, %[[SLOT]]) : (f64, memref<2xf64>, !llvm.ptr) -> memref<2xf64>
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[SLOT]][3]
// CHECK: %[[V:.*]] = llvm.load %[[AT]]
// CHECK: memref.store %[[V]], %[[C]]
func.func @main(%x: f64, %b: memref<2xf64>) {
  %c0 = arith.constant 0 : index
  %r:18 = call @many(%x, %b) : (f64, memref<2xf64>) -> (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, memref<2xf64>)
  memref.store %r#3, %r#17[%c0] : memref<2xf64>
  %f = func.constant @taken : (f64) -> (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64)
  return
}
