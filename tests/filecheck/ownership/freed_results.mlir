// One result of a function is freed by hand, another one by a function, a third one not at all.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -O2 -emit=jit | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK:      1.000000 1.000000
// CHECK-NEXT: 1.000000 1.000000
// CHECK-NEXT: 1.000000 1.000000
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
func.func private @fresh(%a: memref<2xf64>) -> memref<2xf64> {
 %s = memref.alloc() : memref<2xf64>
 memref.copy %a, %s : memref<2xf64> to memref<2xf64>
 return %s : memref<2xf64>
}
func.func private @id(%a: memref<2xf64>) -> memref<2xf64> { return %a : memref<2xf64> }
func.func private @consume(%a: memref<2xf64>) { 
 call @show(%a) : (memref<2xf64>) -> ()
memref.dealloc %a : memref<2xf64>
 return }
func.func @main() {
 %one = arith.constant 1.0 : f64
 %a = memref.alloc() : memref<2xf64>
 linalg.fill ins(%one : f64) outs(%a : memref<2xf64>)
 %x = call @fresh(%a) : (memref<2xf64>) -> memref<2xf64>
 %y = call @fresh(%x) : (memref<2xf64>) -> memref<2xf64>
 %z = call @fresh(%y) : (memref<2xf64>) -> memref<2xf64>
 %w = call @id(%z) : (memref<2xf64>) -> memref<2xf64>
 memref.dealloc %x : memref<2xf64>
 call @consume(%w) : (memref<2xf64>) -> ()
 call @show(%y) : (memref<2xf64>) -> ()
 %b = memref.alloc() : memref<2xf64>
 linalg.fill ins(%one : f64) outs(%b : memref<2xf64>)
 %b2 = call @id(%b) : (memref<2xf64>) -> memref<2xf64>
 call @show(%b2) : (memref<2xf64>) -> ()
 memref.dealloc %b2 : memref<2xf64>
 return
}
