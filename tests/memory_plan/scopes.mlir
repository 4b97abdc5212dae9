// Scopes within a function, several memory spaces, and allocations that stay as they are.
func.func private @use(memref<8x64xf32>)
func.func private @use_one(memref<8x64xf32, 1>)
func.func private @use_any(memref<?xf32>)
func.func @forall(%n: index, %step: index) -> memref<8x64xf32> {
  %a = memref.alloc() : memref<8x64xf32>
  %b = memref.alloc() : memref<8x64xf32>
  %size = memref.alloc(%n) : memref<?xf32>
  func.call @use_any(%size) : (memref<?xf32>) -> ()
  func.call @use(%b) : (memref<8x64xf32>) -> ()
  scf.forall (%i) in (%n) {
    %c = memref.alloc() : memref<8x64xf32>
    %d = memref.alloc() : memref<8x64xf32>
    func.call @use(%c) : (memref<8x64xf32>) -> ()
    func.call @use(%d) : (memref<8x64xf32>) -> ()
  }
  func.call @use(%a) : (memref<8x64xf32>) -> ()
  %one = memref.alloc() : memref<8x64xf32, 1>
  %two = memref.alloc() : memref<8x64xf32, 1>
  func.call @use_one(%one) : (memref<8x64xf32, 1>) -> ()
  func.call @use_one(%two) : (memref<8x64xf32, 1>) -> ()
  %result = memref.alloc() : memref<8x64xf32>
  return %result : memref<8x64xf32>
}
