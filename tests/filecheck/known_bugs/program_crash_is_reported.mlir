// RUN: bash -c 'toyc %s -emit=jit; test $? = 139' 2>&1 | FileCheck %s
// CHECK: error[E0504]: the program was ended by an invalid memory access
llvm.func @main() {
  %null = llvm.mlir.zero : !llvm.ptr
  %value = llvm.load volatile %null : !llvm.ptr -> i64
  llvm.return
}
