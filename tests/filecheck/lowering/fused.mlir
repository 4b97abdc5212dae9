// math.fma is an instruction, or a call of a function of arithmetic: of numbers, or of vectors of them.
// RUN: toy-opt %s --toy-mathematics=fused=instruction | FileCheck %s --check-prefix=FUSED
// RUN: toy-opt %s --toy-mathematics | FileCheck %s
// RUN: toyc %s -emit=asm --target x86_64-unknown-linux-gnu -O2 -o - | FileCheck %s --check-prefix=BASELINE
// RUN: toyc %s -emit=asm --target x86_64-unknown-linux-gnu --cpu x86-64-v3 -O0 -o - | FileCheck %s --check-prefix=ASM
// RUN: toyc %s -emit=asm --target aarch64-unknown-linux-gnu -O1 -o - | FileCheck %s --check-prefix=ARM

// A vector looks at all elements at once, and computes again where one needs it.
// CHECK:       func.func private @toy.fma.4(%{{.*}}: vector<4xf64>, %{{.*}}: vector<4xf64>, %{{.*}}: vector<4xf64>) -> vector<4xf64>
// CHECK:         %[[ALL:.*]] = vector.reduction <and>, %[[EACH:.*]] : vector<4xi1> into i1
// CHECK:         scf.if %[[ALL]] -> (vector<4xf64>, vector<4xf64>, vector<4xi64>)
// CHECK:           arith.select %[[EACH]]
// CHECK:       func.func private @toy.fma(%{{.*}}: f64, %{{.*}}: f64, %{{.*}}: f64) -> f64
// CHECK:         arith.cmpf
// CHECK:         scf.if
// CHECK-LABEL: func.func @numbers
// CHECK:         call @toy.fma(%arg0, %arg1, %arg2)
// FUSED-LABEL: func.func @numbers
// FUSED:         math.fma %arg0, %arg1, %arg2 : f64
// FUSED-NOT:   func
func.func @numbers(%a: f64, %b: f64, %c: f64) -> f64 {
  %r = math.fma %a, %b, %c : f64
  return %r : f64
}

// CHECK-LABEL: func.func @vectors
// CHECK:         call @toy.fma.4(%arg0, %arg1, %arg2)
// FUSED-LABEL: func.func @vectors
// FUSED:         math.fma %arg0, %arg1, %arg2 : vector<4xf64>
func.func @vectors(%a: vector<4xf64>, %b: vector<4xf64>, %c: vector<4xf64>) -> vector<4xf64> {
  %r = math.fma %a, %b, %c : vector<4xf64>
  return %r : vector<4xf64>
}

// Numbers of 32 bits have definitions of their own; other types are MLIR's.
// CHECK-LABEL: func.func @others
// CHECK:         call @toy.fmaf(%arg0, %arg0, %arg0)
// CHECK:         math.fma %arg1, %arg1, %arg1 : vector<2x2xf64>
// CHECK:         call @toy.expf(%arg0)
func.func @others(%a: f32, %b: vector<2x2xf64>) -> (f32, vector<2x2xf64>, f32) {
  %r = math.fma %a, %a, %a : f32
  %s = math.fma %b, %b, %b : vector<2x2xf64>
  %e = math.exp %a : f32
  return %r, %s, %e : f32, vector<2x2xf64>, f32
}

func.func @main() {
  return
}

// BASELINE-LABEL: numbers:
// BASELINE:         mulsd
// BASELINE-LABEL: vectors:
// BASELINE:         mulpd
// ASM-LABEL: numbers:
// ASM:         vfmadd
// ASM-LABEL: vectors:
// ASM:         vfmadd{{.*}}%ymm
// ARM-LABEL: numbers:
// ARM:         fmadd
// ARM-LABEL: vectors:
// ARM:         fmla
