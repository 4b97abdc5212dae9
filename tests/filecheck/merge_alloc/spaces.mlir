// Memory spaces: only the default one, unless others are named; each has an allocation of its own.
// RUN: toy-opt %s --merge-alloc | FileCheck %s
// RUN: toy-opt %s --merge-alloc="memory-spaces=1" | FileCheck %s --check-prefix=ONE
// RUN: toy-opt %s --merge-alloc="memory-spaces=#gpu.address_space<workgroup>" | FileCheck %s --check-prefix=REUSE
// RUN: toy-opt %s --merge-alloc="memory-spaces=1,#gpu.address_space<workgroup> reuse=none" | FileCheck %s --check-prefix=NONE

func.func private @use0(memref<8xf32>)
func.func private @use1(memref<8xf32, 1>)
func.func private @use2(memref<8xf32, #gpu.address_space<workgroup>>)
// CHECK:       memref.alloc() {{.*}} : memref<32xi8>
// CHECK-NOT:   memref.alloc() {alignment
// CHECK:       return
// ONE:         memref.alloc() {{.*}} : memref<32xi8>
// ONE-NEXT:    memref.alloc() {{.*}} : memref<32xi8, 1>
// ONE-COUNT-2: memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
// ONE:         return
// REUSE-COUNT-2: memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
// NONE:        memref.alloc() {{.*}} : memref<96xi8>
// NONE-NEXT:   memref.alloc() {{.*}} : memref<96xi8, 1>
// NONE-NEXT:   memref.alloc() {{.*}} : memref<96xi8, #gpu.address_space<workgroup>>
// NONE-NOT:    memref.alloc()
func.func @spaces() {
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  %c = memref.alloc() : memref<8xf32, 1>
  %d = memref.alloc() : memref<8xf32, 1>
  %e = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  %g = memref.alloc() : memref<8xf32, #gpu.address_space<workgroup>>
  func.call @use0(%a) : (memref<8xf32>) -> ()
  func.call @use0(%b) : (memref<8xf32>) -> ()
  func.call @use1(%c) : (memref<8xf32, 1>) -> ()
  func.call @use1(%d) : (memref<8xf32, 1>) -> ()
  func.call @use2(%e) : (memref<8xf32, #gpu.address_space<workgroup>>) -> ()
  func.call @use2(%g) : (memref<8xf32, #gpu.address_space<workgroup>>) -> ()
  return
}
