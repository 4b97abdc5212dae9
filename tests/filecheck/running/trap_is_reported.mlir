// A trap is signal 5 on every processor if it is one for a debugger; LLVM's other one is that on AArch64, and
// an illegal instruction on x86-64.
// RUN: bash -c 'toyc %s -emit=jit; test $? = 133' 2>&1 | FileCheck %s
// CHECK: error[E0504]: the program was ended by a trap
llvm.func @main() {
  "llvm.intr.debugtrap"() : () -> ()
  llvm.return
}
