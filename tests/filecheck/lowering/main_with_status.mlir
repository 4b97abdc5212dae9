// A main that has a status of its own keeps it.
// RUN: toyc %s -emit=llvm | FileCheck %s
// RUN: (toyc %s -emit=jit; echo "status $?") | FileCheck %s --check-prefix=STATUS
// CHECK: define i32 @main()
// CHECK: ret i32 3
// STATUS: status 3
func.func @main() -> i32 {
  %0 = arith.constant 3 : i32
  return %0 : i32
}
