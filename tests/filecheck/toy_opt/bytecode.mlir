// Bytecode is the same module as the text, for us and for MLIR.
// RUN: toy-opt %s --emit-bytecode | head -c 4 | od -An -tx1 | FileCheck %s --check-prefix=MAGIC
// RUN: toy-opt %s --toy-cse --emit-bytecode | toy-opt --toy-canonicalize | FileCheck %s
// RUN: toy-opt %s --toy-cse --emit-bytecode | mlir-opt --irdl-file=%irdl | FileCheck %s
// RUN: toy-opt %s --emit-bytecode | head -c 40 | not toy-opt 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not toy-opt %s --emit-bytecode --split-input-file 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: toy-opt %s --emit-bytecode -o %t.mlir && toyc run %t.mlir | FileCheck %s --check-prefix=BYTES
// RUN: toy-opt %s --emit-bytecode | toyc -x mlir - -emit=jit | FileCheck %s --check-prefix=BYTES
// RUN: toy-opt %s --emit-bytecode | not toyc -x toy - 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: toy-opt %s --emit-bytecode | head -c 40 > %t.mlir && not toyc %t.mlir 2>&1 | FileCheck %s --check-prefix=CUT
// BYTES: {{^}}1.000000
// NAMED: this is MLIR's bytecode: `-x mlir` compiles it
// MAGIC: 4d 4c ef 52
// CHECK:       func.func @main
// CHECK:         "toy.constant"
// CHECK-NOT:     "toy.constant"
// CHECK:         "toy.print"
// CUT: [E0401]
// SPLIT: several modules cannot be written as bytecode
func.func @main() {
  %0 = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %2 = "toy.mul"(%0, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  "toy.print"(%2) : (tensor<f64>) -> ()
  return
}
