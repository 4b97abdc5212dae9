// An object file needs no main; an executable and the JIT do.
// RUN: toyc %s -emit=obj -o %t.o && nm %t.o | FileCheck %s
// RUN: not toyc %s -o %t 2>&1 | FileCheck %s --check-prefix=MAIN
// RUN: not toyc %s -emit=jit 2>&1 | FileCheck %s --check-prefix=MAIN
// CHECK: T twice
// MAIN: E0208
func.func @twice(%x: f64) -> f64 {
  %0 = arith.addf %x, %x : f64
  return %0 : f64
}
