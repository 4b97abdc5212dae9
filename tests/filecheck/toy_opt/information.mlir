// RUN: toy-opt --version | FileCheck %s --check-prefix=VERSION
// RUN: toy-opt -help | FileCheck %s --check-prefix=HELP
// RUN: toy-opt --list-passes | FileCheck %s --check-prefix=LIST
// RUN: not toy-opt no-such-file.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: toy-opt %s -o %t && FileCheck %s < %t
// RUN: not toy-opt %s -o %t.dir/x 2>&1 | FileCheck %s --check-prefix=UNWRITABLE
// RUN: toy-opt < /dev/null | FileCheck %s --check-prefix=NOTHING
// VERSION:    toy-opt {{[0-9.]+}} (LLVM 22.
// HELP:       Usage: toy-opt
// LIST:       --toy-canonicalize
// LIST:       --canonicalize
// MISSING:    error[E0001]: cannot read `no-such-file.mlir`
// UNWRITABLE: error[E0002]
// NOTHING:    module {
// CHECK:      func.func private @f()
func.func private @f()
