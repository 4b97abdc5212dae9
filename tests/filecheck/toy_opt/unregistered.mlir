// RUN: not toy-opt %s 2>&1 | FileCheck %s --check-prefix=NOT
// RUN: toy-opt %s -allow-unregistered-dialect --cse | FileCheck %s
// NOT:   error[E0401]: operation being parsed with an unregistered dialect
// CHECK: %0 = "nobody.knows"() : () -> i32
func.func @f() -> i32 {
  %0 = "nobody.knows"() : () -> i32
  return %0 : i32
}
