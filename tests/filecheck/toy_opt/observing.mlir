// What is shown on the way: the module before and after passes, the passes themselves, a trace.
// RUN: toy-opt %s --cse --toy-canonicalize --cse --print-ir-before=cse 2>&1 >/dev/null | grep -- ----- | FileCheck %s --check-prefix=BEFORE
// RUN: toy-opt %s --pass-pipeline='builtin.module(func.func(cse),toy-canonicalize{})' --print-ir-after=cse 2>&1 >/dev/null \
// RUN:   | grep -- ----- | FileCheck %s --check-prefix=NESTED
// RUN: toy-opt %s --toy-cse --cse --symbol-dce --print-ir-after-change 2>&1 >/dev/null | grep -- ----- | FileCheck %s --check-prefix=CHANGE
// RUN: toy-opt %s --cse --cse --print-ir-before-all 2>&1 >/dev/null | grep -c -- ----- | FileCheck %s --check-prefix=ALL
// RUN: not toy-opt %s --cse --print-ir-after=canonicalize 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: toy-opt %s --cse --merge-alloc='alignment=64' --canonicalize=top-down=false --dump-pass-pipeline 2>&1 >/dev/null | FileCheck %s --check-prefix=DUMP
// RUN: toy-opt %s --show-dialects | tr '\n' ' ' | FileCheck %s --check-prefix=DIALECTS
// RUN: toy-opt %s --cse --time-passes=%t.json -o /dev/null && python3 -m json.tool %t.json | FileCheck %s --check-prefix=TRACE
// RUN: not toy-opt %s --time-passes=/nonexistent/trace.json 2>&1 | FileCheck %s --check-prefix=NOTRACE
// BEFORE-COUNT-2: IR before cse
// BEFORE-NOT: IR
// NESTED: IR after func.func(cse)
// NESTED-NOT: IR
// CHANGE: IR after toy-cse
// CHANGE-NOT: IR
// ALL: 2
// UNKNOWN: the pass `canonicalize` to show the module at does not run
// UNKNOWN: builtin.module(cse)
// DUMP: builtin.module(cse,merge-alloc{alignment=64},canonicalize{top-down=false})
// DIALECTS: affine {{.*}} func {{.*}} linalg {{.*}} tosa toy transform
// TRACE: traceEvents
// TRACE: "name": "cse"
// TRACE: "ph": "X"
// NOTRACE: error[E0002]
func.func @main() {
  %0 = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %1 = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %2 = "toy.mul"(%0, %1) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  "toy.print"(%2) : (tensor<f64>) -> ()
  return
}
