// A buffer that is stored in another one is refused if this program would free it: nothing says how long it is needed.
// RUN: not toyc %s -emit=jit -O0 2>&1 | FileCheck %s
// RUN: not toyc %s -emit=jit -O2 2>&1 | FileCheck %s
// RUN: (cat %s; echo 'func.func @main() { %%a = memref.alloc() : memref<2xf64> %%t = memref.alloc() : memref<1xmemref<2xf64>> call @keep(%%a, %%t) : (memref<2xf64>, memref<1xmemref<2xf64>>) -> () return }') | grep -v INNER > %t.mlir
// RUN: not toyc %t.mlir -emit=jit -O0 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: grep -v INNER %s | toyc -x mlir - -emit=obj -o %t.o
// CHECK: error[E0407]: a buffer that is stored in another one has no known owner
// CHECK: 12:3
// ARGUMENT: error[E0407]: a buffer that is stored in another one has no known owner
func.func private @register(%table: memref<2xmemref<3xf64>>, %i: index) { // INNER
  %a = memref.alloc() : memref<3xf64> // INNER
  memref.store %a, %table[%i] : memref<2xmemref<3xf64>> // INNER
  return // INNER
} // INNER
func.func @keep(%a: memref<2xf64>, %table: memref<1xmemref<2xf64>>) {
  %zero = arith.constant 0 : index
  memref.store %a, %table[%zero] : memref<1xmemref<2xf64>>
  return
}
