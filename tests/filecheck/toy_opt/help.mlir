// The definitions of passes are what the help texts show.
// RUN: toy-opt --help | FileCheck %s --check-prefix=ALL
// RUN: toy-opt --help-pass merge-alloc | FileCheck %s --check-prefix=OWN
// RUN: toy-opt --help-pass=--toy-to-linalg | FileCheck %s --check-prefix=NEEDS
// RUN: toy-opt --help-pass toy-one-shot-bufferize | FileCheck %s --check-prefix=STAND-IN
// RUN: toy-opt --help-pass canonicalize | FileCheck %s --check-prefix=UPSTREAM
// RUN: not toy-opt --help-pass toy-csee 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not toy-opt --help-pass 2>&1 | FileCheck %s --check-prefix=NO-NAME

// ALL: --help-pass <NAME>
// ALL: --merge-alloc {{ *}}Merges the buffers
// ALL: capacity=N {{ *}}The most bytes
// ALL: --toy-cse {{ *}}Merges equal Toy operations

// OWN: --merge-alloc[="NAME=VALUE ..."]
// OWN: Runs on: builtin.module or func.func
// OWN: planner=portfolio|exact|
// OWN: alignment=N {{.*}}a power of two
// OWN: default: 64

// NEEDS: Lowers the Toy dialect to linalg on tensors.
// NEEDS: Requires: toy-flatten-structs before it

// STAND-IN: instead of MLIR's one-shot-bufferize

// UPSTREAM: A pass or pipeline of MLIR.
// UPSTREAM: max-iterations=10
// UPSTREAM: What the options mean: mlir-opt-22 --help

// UNKNOWN: there is no option or pass `--toy-csee`
// UNKNOWN: did you mean `--toy-cse`?

// NO-NAME: --help-pass needs a value
