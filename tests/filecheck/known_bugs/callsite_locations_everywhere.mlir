// RUN: toyc %s -g -emit=obj -o %t
// The debug-scope pass of LLVM 22 crashes on call sites as the location of a module, a function, or an
// operation when there is no file behind them.
module {
  func.func private @f() {
    return loc(callsite(unknown at unknown))
  } loc(callsite("a":1:2 at "b":1:2))
  func.func @main() {
    call @f() : () -> () loc(unknown)
    return
  }
} loc(callsite("a":1:2 at "b":1:2))
