// RUN: toy-opt %s --split-input-file --cse | FileCheck %s
// RUN: not toy-opt %s --split-input-file=0 2>&1 | FileCheck %s --check-prefix=WHOLE
// RUN: (cat %s; echo 'func.func @c() { nonsense }') > %t.bad
// RUN: not toy-opt %t.bad --split-input-file -o %t.out 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: test ! -e %t.out
// CHECK:      module {
// CHECK:        @a
// CHECK:      }
// CHECK-NEXT: // -----
// CHECK-NEXT: module {
// CHECK:        @a
// CHECK:      }
// CHECK-NEXT: // -----
// CHECK-NEXT: module {
// CHECK:        @b
// WHOLE:      redefinition of symbol named 'a'
// The line is that of the file.
// BAD:        E0401
// BAD:        tmp.bad:30:
// BAD:        func.func @c() { nonsense }
func.func private @a()

// -----

func.func private @a()

// -----

func.func private @b()
