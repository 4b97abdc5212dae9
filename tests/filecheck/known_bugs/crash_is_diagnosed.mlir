// RUN: not toyc %s -emit=obj -o %t 2>&1 | FileCheck %s
// RUN: test ! -e %t
// LLVM's code generator ends the process on an intrinsic that only its own passes may make.
// CHECK: error[E0505]: LLVM gives up: Cannot select: intrinsic %llvm.coro.begin
llvm.func @main() {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %null = llvm.mlir.zero : !llvm.ptr
  %id = llvm.intr.coro.id %zero, %null, %null, %null : (i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.token
  %begin = llvm.intr.coro.begin %id, %null : (!llvm.token, !llvm.ptr) -> !llvm.ptr
  llvm.return
}
