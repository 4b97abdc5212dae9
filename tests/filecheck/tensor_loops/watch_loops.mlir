// Each iteration of a loop of the program begins with its line. Loops without a line are somebody else's.
// RUN: toy-opt %s --toy-watch-loops | FileCheck %s
// RUN: toy-opt %s --toy-watch-loops --toy-watch-loops | FileCheck %s

// CHECK:         func.func private @toy.loop(i32)
// CHECK-LABEL:   func.func @loops
// CHECK:           scf.for
// CHECK-NEXT:        %[[FOUR:.*]] = arith.constant 4 : i32
// CHECK-NEXT:        func.call @toy.loop(%[[FOUR]]) : (i32) -> ()
// CHECK-NEXT:        %{{.*}} = scf.while
// CHECK-NEXT:          arith.cmpf
// CHECK-NEXT:          scf.condition
// CHECK-NEXT:        } do {
// CHECK-NEXT:        ^bb0
// CHECK-NEXT:          %[[FIVE:.*]] = arith.constant 5 : i32
// CHECK-NEXT:          func.call @toy.loop(%[[FIVE]]) : (i32) -> ()
// CHECK-NOT:     @toy.loop
#for = loc("a.toy":4:3 to 7:4)
#while = loc("inner"(fused["a.toy":5:5, "a.toy":6:1]))
func.func @loops(%n: index, %x: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %end = scf.while (%y = %x) : (f64) -> f64 {
      %more = arith.cmpf olt, %y, %x : f64
      scf.condition(%more) %y : f64
    } do {
    ^bb0(%y: f64):
      %sum = arith.addf %y, %x : f64
      scf.yield %sum : f64
    } loc(#while)
  } loc(#for)
  scf.for %i = %c0 to %n step %c1 {
    func.call @f() : () -> ()
  } loc(unknown)
  return
}
func.func private @f()
