// scf.parallel in the input runs with threads, in the JIT and in executables of both targets.
// RUN: toyc %s -emit=jit -O0 --threads 3 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 --threads 2 | FileCheck %s
// RUN: toyc %s -O2 --threads 3 -o %t && %t | FileCheck %s
// RUN: toyc %s -emit=llvm -O2 --threads 3 | FileCheck %s --check-prefix=LLVM
// RUN: toyc %s -emit=llvm -O2 | FileCheck %s --check-prefix=ONE
// LLVM: call {{.*}}@__kmpc_fork_call
// ONE-NOT: __kmpc
// CHECK: 0.000000 1.000000 4.000000 9.000000 16.000000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %m = memref.alloc() : memref<5xf64>
  scf.parallel (%i) = (%c0) to (%c5) step (%c1) {
    %int = arith.index_cast %i : index to i64
    %x = arith.sitofp %int : i64 to f64
    %y = arith.mulf %x, %x : f64
    memref.store %y, %m[%i] : memref<5xf64>
    scf.reduce
  }
  %t = bufferization.to_tensor %m restrict : memref<5xf64> to tensor<5xf64>
  "toy.print"(%t) : (tensor<5xf64>) -> ()
  return
}
