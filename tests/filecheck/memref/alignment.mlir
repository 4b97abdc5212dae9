// New buffers begin with a cache line if they fill one. Small ones are aligned as malloc does it, and
// those of the input as the input says.
// RUN: toy-opt %s --toy-one-shot-bufferize | FileCheck %s
// CHECK-NOT:  toyc.
// CHECK-DAG:  memref.alloc() : memref<2x3xf64>
// CHECK-DAG:  memref.alloc() {alignment = 64 : i64} : memref<8xf64>
// CHECK-DAG:  memref.alloc(%{{.*}}) {alignment = 64 : i64} : memref<?xf64>
// CHECK-DAG:  memref.alloc() : memref<100xf64>
// CHECK-DAG:  memref.alloc() {alignment = 64 : i64} : memref<3xi8>
// CHECK-NOT:  toyc.
func.func private @use(tensor<2x3xf64>, tensor<8xf64>, tensor<?xf64>, memref<100xf64>, memref<3xi8>)
func.func @f(%n: index, %a: tensor<2x3xf64>, %b: tensor<8xf64>, %c: tensor<?xf64>) {
  %e = tensor.empty() : tensor<2x3xf64>
  %x = linalg.add ins(%a, %a : tensor<2x3xf64>, tensor<2x3xf64>) outs(%e : tensor<2x3xf64>) -> tensor<2x3xf64>
  %f = tensor.empty() : tensor<8xf64>
  %y = linalg.add ins(%b, %b : tensor<8xf64>, tensor<8xf64>) outs(%f : tensor<8xf64>) -> tensor<8xf64>
  %g = tensor.empty(%n) : tensor<?xf64>
  %z = linalg.add ins(%c, %c : tensor<?xf64>, tensor<?xf64>) outs(%g : tensor<?xf64>) -> tensor<?xf64>
  %m = memref.alloc() : memref<100xf64>
  %k = memref.alloc() {alignment = 64 : i64} : memref<3xi8>
  call @use(%x, %y, %z, %m, %k) : (tensor<2x3xf64>, tensor<8xf64>, tensor<?xf64>, memref<100xf64>, memref<3xi8>) -> ()
  return
}
