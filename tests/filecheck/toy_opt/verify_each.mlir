// After each pass the module is verified; if that is off, a wrong one is printed, as it is. LLVM 22
// changes the type of a function here and forgets that its address was taken. What a pass of ours gets is
// always verified.
// RUN: not toy-opt %s --drop-equivalent-buffer-results -o %t.no 2>&1 | FileCheck %s
// RUN: not toy-opt %s --drop-equivalent-buffer-results --verify-each=1 2>&1 | FileCheck %s
// RUN: test ! -e %t.no
// RUN: toy-opt %s --drop-equivalent-buffer-results --verify-each=0 | FileCheck %s --check-prefix=OFF
// RUN: not toy-opt %s --drop-equivalent-buffer-results --toy-canonicalize --verify-each=false 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OWN
// CHECK: error[E0403]: 'func.constant' op reference to function with mismatched type
// CHECK: in the pass `drop-equivalent-buffer-results`
// OFF:   "func.func"() <{function_type = (memref<2xf64>) -> (), sym_name = "f"
// OWN:   error[E0401]: 'func.constant' op reference to function with mismatched type
func.func private @f(%x: memref<2xf64>) -> memref<2xf64> {
  return %x : memref<2xf64>
}
func.func @g() -> ((memref<2xf64>) -> memref<2xf64>) {
  %0 = func.constant @f : (memref<2xf64>) -> memref<2xf64>
  return %0 : (memref<2xf64>) -> memref<2xf64>
}
