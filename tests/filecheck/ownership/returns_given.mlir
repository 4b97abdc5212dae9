// A tensor that is returned may be a buffer of the input: its contents and its alignment stay.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O1 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// CHECK: {{^}}4.000000 0.000000{{ $}}
func.func private @cloned(%x: f64, %y: f64) -> tensor<3xf64> {
  %m = memref.alloc() : memref<3xf64>
  linalg.fill ins(%x : f64) outs(%m : memref<3xf64>)
  %clone = bufferization.clone %m : memref<3xf64> to memref<3xf64>
  linalg.fill ins(%y : f64) outs(%m : memref<3xf64>)
  %t = bufferization.to_tensor %clone restrict writable : memref<3xf64> to tensor<3xf64>
  return %t : tensor<3xf64>
}
func.func private @aligned(%x: f64) -> (tensor<3xf64>, f64) {
  %bytes = arith.constant 256 : index
  %m = memref.alloc() {alignment = 256 : i64} : memref<3xf64>
  linalg.fill ins(%x : f64) outs(%m : memref<3xf64>)
  %address = memref.extract_aligned_pointer_as_index %m : memref<3xf64> -> index
  %rest = arith.remui %address, %bytes : index
  %integer = arith.index_cast %rest : index to i64
  %number = arith.sitofp %integer : i64 to f64
  %t = bufferization.to_tensor %m restrict writable : memref<3xf64> to tensor<3xf64>
  return %t, %number : tensor<3xf64>, f64
}
func.func @main() {
  %one = arith.constant 1 : index
  %x = arith.constant 4.0 : f64
  %y = arith.constant 1.0 : f64
  %t = call @cloned(%x, %y) : (f64, f64) -> tensor<3xf64>
  %u:2 = call @aligned(%y) : (f64) -> (tensor<3xf64>, f64)
  %v:2 = call @aligned(%y) : (f64) -> (tensor<3xf64>, f64)
  %w:2 = call @aligned(%y) : (f64) -> (tensor<3xf64>, f64)
  %number = tensor.extract %t[%one] : tensor<3xf64>
  %a = arith.addf %u#1, %v#1 : f64
  %b = arith.addf %a, %w#1 : f64
  %printed = tensor.from_elements %number, %b : tensor<2xf64>
  "toy.print"(%printed) : (tensor<2xf64>) -> ()
  return
}
