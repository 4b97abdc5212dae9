// A crash of MLIR is a diagnostic that names the pass, and nothing is written. LLVM 22 erases the
// allocation twice (llvm-project issue 219492).
// RUN: not toy-opt %s --cse --buffer-results-to-out-params=hoist-static-allocs -o %t > %t.err 2>&1
// RUN: FileCheck %s < %t.err
// RUN: test ! -e %t
// CHECK:      error[E0900]: MLIR or LLVM crashed on this input
// CHECK-NEXT: in the step `buffer-results-to-out-params{hoist-static-allocs}`
func.func private @f() -> (memref<2xf64>, memref<2xf64>) {
  %0 = memref.alloc() : memref<2xf64>
  return %0, %0 : memref<2xf64>, memref<2xf64>
}
