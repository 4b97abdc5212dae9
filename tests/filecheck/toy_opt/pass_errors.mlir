// What a pass cannot handle: exit status 1, the pass, and no output.
// RUN: not toy-opt %s --toy-to-linalg -o %t 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not toy-opt %s --cse --convert-func-to-llvm --pass-pipeline= 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not toy-opt %s --one-shot-bufferize=bufferize-function-boundaries -o %t 2>&1 | FileCheck %s --check-prefix=UPSTREAM
// RUN: not toy-opt %s --toy-one-shot-bufferize -o %t 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: not toy-opt %s --toy-to-linalg --error-format=json 2>&1 | FileCheck %s --check-prefix=JSON
// RUN: test ! -e %t
// JSON:     "code":"E0403"
// OPEN:     error[E0403]: `toy-to-linalg` needs a program in which all shapes are known
// OPEN:     its shapes are not known yet
// OPEN:     run `toy-specialize` before it
// EMPTY:    --pass-pipeline needs a value
// UPSTREAM: error[E0403]: op was not bufferized
// UPSTREAM: in the pass `one-shot-bufferize{bufferize-function-boundaries}`
// OWN:      error[E0403]: op was not bufferized
func.func @f(%x: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.transpose"(%x) : (tensor<*xf64>) -> tensor<*xf64>
  return %0 : tensor<*xf64>
}
