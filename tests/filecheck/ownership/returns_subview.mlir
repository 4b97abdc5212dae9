// A function that frees a buffer returns a part of its argument, which its caller freed once more.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -O2 -emit=jit | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK:      1.000000 9.000000
func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func private @show(%a: memref<2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.load %a[%c0] : memref<2xf64>
  %y = memref.load %a[%c1] : memref<2xf64>
  %l = memref.alloca() : memref<1x2xf64>
  memref.store %x, %l[%c0, %c0] : memref<1x2xf64>
  memref.store %y, %l[%c0, %c1] : memref<1x2xf64>
  %u = memref.cast %l : memref<1x2xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  return
}
func.func private @f(%a: memref<4xf64>) -> memref<2xf64, strided<[1], offset: 1>> {
 %t = memref.alloc() : memref<4xf64>
 memref.copy %a, %t : memref<4xf64> to memref<4xf64>
 memref.dealloc %t : memref<4xf64>
 %s = memref.subview %a[1] [2] [1] : memref<4xf64> to memref<2xf64, strided<[1], offset: 1>>
 return %s : memref<2xf64, strided<[1], offset: 1>>
}
func.func private @between(%a: memref<4xf64>) {
 %c0 = arith.constant 0 : index
 %nine = arith.constant 9.0 : f64
 %x = call @f(%a) : (memref<4xf64>) -> memref<2xf64, strided<[1], offset: 1>>
 memref.store %nine, %x[%c0] :  memref<2xf64, strided<[1], offset: 1>>
 return
}
func.func @main() {
 %c0 = arith.constant 0 : index
 %one = arith.constant 1.0 : f64
 %nine = arith.constant 9.0 : f64
 %a = memref.alloc() : memref<4xf64>
 linalg.fill ins(%one : f64) outs(%a : memref<4xf64>)
 call @between(%a) : (memref<4xf64>) -> ()
 %b = memref.alloc() : memref<2xf64>
 %s = memref.subview %a[0] [2] [1] : memref<4xf64> to memref<2xf64, strided<[1]>>
 memref.copy %s, %b : memref<2xf64, strided<[1]>> to memref<2xf64>
 call @show(%b) : (memref<2xf64>) -> ()
 return
}
