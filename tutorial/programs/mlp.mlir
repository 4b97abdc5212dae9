// Four layers of a network, each with the same weights; their bodies do not matter.
func.func private @layer(memref<16x16xf64>, memref<16x16xf64>, memref<16x16xf64>)

func.func @mlp(%x: memref<16x16xf64>, %weights: memref<16x16xf64>) -> memref<16x16xf64> {
  %a = memref.alloc() : memref<16x16xf64>
  call @layer(%x, %weights, %a)
      : (memref<16x16xf64>, memref<16x16xf64>, memref<16x16xf64>) -> ()
  %b = memref.alloc() : memref<16x16xf64>
  call @layer(%a, %weights, %b)
      : (memref<16x16xf64>, memref<16x16xf64>, memref<16x16xf64>) -> ()
  %c = memref.alloc() : memref<16x16xf64>
  call @layer(%b, %weights, %c)
      : (memref<16x16xf64>, memref<16x16xf64>, memref<16x16xf64>) -> ()
  %d = memref.alloc() : memref<16x16xf64>
  call @layer(%c, %weights, %d)
      : (memref<16x16xf64>, memref<16x16xf64>, memref<16x16xf64>) -> ()
  return %d : memref<16x16xf64>
}
