// What is certainly freed by hand stays as it is: in a loop, by a function, on both paths.
// RUN: toyc %s -emit=dealloc | FileCheck %s
// CHECK-LABEL: @consume
// CHECK:         memref.dealloc
// CHECK-LABEL: @f(
// CHECK-SAME:    {
// CHECK-NOT:     dealloc
// CHECK:         scf.for {{.*}} -> (memref<2xf64>)
// CHECK:           memref.dealloc
// CHECK:         }
// CHECK:         memref.dealloc
// CHECK-NOT:     dealloc
// CHECK:         return
func.func private @show(memref<2xf64>)
func.func private @consume(%a: memref<2xf64>) {
  call @show(%a) : (memref<2xf64>) -> ()
  memref.dealloc %a : memref<2xf64>
  return
}
func.func private @f(%a: memref<2xf64>, %n: index)  {
 %c0 = arith.constant 0 : index
 %c1 = arith.constant 1 : index
 %s = memref.alloc() : memref<2xf64>
 memref.copy %a, %s : memref<2xf64> to memref<2xf64>
 %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %s) -> memref<2xf64> {
   %y = memref.alloc() : memref<2xf64>
   linalg.add ins(%x, %x : memref<2xf64>, memref<2xf64>) outs(%y : memref<2xf64>)
   memref.dealloc %x : memref<2xf64>
   scf.yield %y : memref<2xf64>
 }
 call @show(%r) : (memref<2xf64>) -> ()
 memref.dealloc %r : memref<2xf64>
 return
}
func.func @main() {
 %m = memref.alloc() : memref<2xf64>
 call @consume(%m) : (memref<2xf64>) -> ()

 %c3 = arith.constant 3 : index
 %one = arith.constant 1.0 : f64
 %a = memref.alloc() : memref<2xf64>
 linalg.fill ins(%one : f64) outs(%a : memref<2xf64>)
 call @f(%a, %c3) : (memref<2xf64>, index) -> ()
 return
}
// CHECK-LABEL: @main
// CHECK-COUNT-1: memref.dealloc
// CHECK-NOT:     dealloc
