// Options that are wrong, a capacity that is too small, and `strict`.
// RUN: not toyc %s -opt -emit=merged --merge-alloc=alignment=0 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not toyc %s -opt -emit=merged --merge-alloc=alignment=-64 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not toyc %s -opt -emit=merged --merge-alloc=compact=64 2>&1 | FileCheck %s --check-prefix=COMPACT
// RUN: not toy-opt %s --merge-alloc=compact=64 2>&1 | FileCheck %s --check-prefix=COMPACT
// RUN: not toyc %s -opt -emit=merged --merge-alloc=planner=best 2>&1 | FileCheck %s --check-prefix=PLANNER
// RUN: not toyc %s -opt -emit=merged --merge-alloc=check 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: toy-opt %s --merge-alloc=capacity=4096
// RUN: not toy-opt %s --merge-alloc=capacity=4095 2>&1 | FileCheck %s --check-prefix=CAPACITY
// RUN: not toyc %s -opt -emit=merged --merge-alloc=strict 2>&1 | FileCheck %s --check-prefix=STRICT
// ALIGNMENT: `alignment` is a power of two
// COMPACT:   `compact` is `true` or `false`
// PLANNER:   the planners are `portfolio`, `exact`, `chunk-size`, `chunk-hot`
// UNKNOWN:   the options are `analysis-only`, {{.*}}`alignment`, `compact`, `stagger`, `min-allocs`
// CAPACITY:  E0403{{.*}} the buffers take 4096 bytes, but the capacity is 4095
// CAPACITY:  no plan takes fewer than 4096 bytes
// CAPACITY:  the 4096 bytes in use at tick 3 are the most
// STRICT:    E0405{{.*}} 'async.execute' op expecting RegionBranchOpInterface for merge-alloc
func.func private @use(memref<8x64xf32>)
func.func @capacity() {
  %a = memref.alloc() : memref<8x64xf32>
  func.call @use(%a) : (memref<8x64xf32>) -> ()
  %b = memref.alloc() : memref<8x64xf32>
  memref.copy %a, %b : memref<8x64xf32> to memref<8x64xf32>
  %c = memref.alloc() : memref<8x64xf32>
  memref.copy %b, %c : memref<8x64xf32> to memref<8x64xf32>
  return
}
func.func @asynchronous() {
  %a = memref.alloc() : memref<8x64xf32>
  %t = async.execute {
    func.call @use(%a) : (memref<8x64xf32>) -> ()
    async.yield
  }
  async.await %t : !async.token
  return
}
