// What an earlier run has said is gone after the next one.
// RUN: toy-opt %s --merge-alloc=plan-only --merge-alloc="plan-only min-allocs=100" | FileCheck %s --check-prefix=FEW
// RUN: toy-opt %s --merge-alloc=plan-only --merge-alloc=analysis-only | FileCheck %s --check-prefix=ANALYSIS
// RUN: toy-opt %s --merge-alloc=plan-only --merge-alloc="call-trees" | FileCheck %s --check-prefix=MERGED
// RUN: toy-opt %s --merge-alloc="plan-only call-trees" --merge-alloc="plan-only" | FileCheck %s --check-prefix=ALONE
// FEW-NOT:       merge_alloc.{{lifetime|offset|total|scope}}
// FEW-COUNT-4:   merge_alloc.untouched
// FEW-NOT:       merge_alloc.{{lifetime|offset|total|scope}}
// ANALYSIS-NOT:  merge_alloc.{{offset|total|lower_bound}}
// ANALYSIS-COUNT-4: merge_alloc.lifetime
// ANALYSIS-NOT:  merge_alloc.{{offset|total|lower_bound}}
// MERGED-NOT:    merge_alloc.
// ALONE-NOT:     merge_alloc.workspace
func.func private @use(memref<4xf32>)
func.func private @callee() {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  call @use(%b) : (memref<4xf32>) -> ()
  return
}
func.func @caller() {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  call @use(%b) : (memref<4xf32>) -> ()
  call @callee() : () -> ()
  return
}
// Without allocations there is nothing to do but this.
// MERGED-LABEL: func.func @stale
func.func @stale(%a: memref<4xf32>) attributes { merge_alloc.scope = 7 } {
  call @use(%a) : (memref<4xf32>) -> ()
  return
}
