// A public function of a library frees its argument, which is a caller's elsewhere; a function of the library gives
// it what it owns itself. Each buffer is freed once.
// RUN: toyc %s -emit=dealloc | FileCheck %s
// RUN: printf 'void both(long); void late(double *, double *, long, long, long); double *aligned_alloc(long, long); int main(void) { both(0); both(1); double *a = aligned_alloc(64, 64); a[0] = 5; late(a, a, 0, 4, 1); return 0; }' > %t.c
// RUN: toyc %s -emit=obj -O0 -o %t.o && cc -w %t.c %t.o -lm -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s --check-prefix=OUT
// RUN: toyc %s -emit=obj -O2 -o %t.o && cc -w %t.c %t.o -lm -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s --check-prefix=OUT
// CHECK-LABEL: func.func @destroy(
// CHECK: memref.dealloc
// CHECK-LABEL: func.func @late(
// CHECK: call @destroy(
// CHECK-LABEL: func.func @both(
// CHECK: call @make
// CHECK: call @late$freeing(
// CHECK-LABEL: func.func private @destroy$freeing
// CHECK-NOT: memref.dealloc
// CHECK-LABEL: func.func private @late$freeing
// CHECK: call @destroy$freeing(
// OUT: {{^}}2.000000 1.000000 3.000000 5.000000{{ $}}
func.func private @show(%x: f64) {
  %r = tensor.from_elements %x : tensor<1xf64>
  "toy.print"(%r) : (tensor<1xf64>) -> ()
  return
}
func.func @make(%x: f64) -> memref<4xf64> {
  %a = memref.alloc() : memref<4xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<4xf64>)
  return %a : memref<4xf64>
}
func.func @destroy(%a: memref<4xf64>) {
  %zero = arith.constant 0 : index
  %x = memref.load %a[%zero] : memref<4xf64>
  call @show(%x) : (f64) -> ()
  memref.dealloc %a : memref<4xf64>
  return
}
func.func @late(%a: memref<4xf64>) {
  call @destroy(%a) : (memref<4xf64>) -> ()
  return
}
func.func @both(%p: i1) {
  %one = arith.constant 1.0 : f64
  %two = arith.constant 2.0 : f64
  %three = arith.constant 3.0 : f64
  scf.if %p {
    %a = func.call @make(%one) : (f64) -> memref<4xf64>
    func.call @destroy(%a) : (memref<4xf64>) -> ()
    %b = func.call @make(%three) : (f64) -> memref<4xf64>
    func.call @late(%b) : (memref<4xf64>) -> ()
  } else {
    %a = memref.alloc() : memref<4xf64>
    linalg.fill ins(%two : f64) outs(%a : memref<4xf64>)
    func.call @late(%a) : (memref<4xf64>) -> ()
  }
  return
}
