// All that is expected comes, and nothing else: MLIR's messages and ours.
// RUN: toy-opt %s --split-input-file --verify-diagnostics --canonicalize > %t 2>&1
// RUN: FileCheck %s < %t
// CHECK-NOT: error
// CHECK-COUNT-5: // -----

// expected-error @+2 {{'func.return' op has 0 operands, but enclosing function (@f) returns 1}}
func.func @f() -> f64 {
  return
}

// -----

func.func @g(%x: tensor<*xf64>) {
  %0 = "toy.add"(%x) : (tensor<*xf64>) -> tensor<*xf64>  // expected-error-re {{expects {{exactly|at least}} {{[0-9]+}} operands, but got {{.*}}}}
  return
}

// -----

func.func @shapes(%x: tensor<2xf64>, %y: tensor<3xf64>) {
  // expected-error @below {{cannot combine shapes 2 and 3}}
  // expected-note @above 1 {{this has shape 2}}
  %0 = "toy.add"(%x, %y) : (tensor<2xf64>, tensor<3xf64>) -> tensor<*xf64>
  return
}

// -----

// expected-note @+1 {{see existing symbol definition here}}
func.func private @twice()
func.func private @twice()
// expected-error @above {{redefinition of symbol named 'twice'}}

// -----

func.func @undefined() {
  return %x : f64  // expected-error {{use of undeclared SSA value name}}
}

// -----

func.func private @fine()
