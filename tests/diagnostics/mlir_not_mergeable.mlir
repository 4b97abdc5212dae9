// ARGS: -opt -emit=merged --merge-alloc=strict
func.func private @use(memref<4xf64>)
func.func @main() {
  %a = memref.alloc() : memref<4xf64>
  %t = async.execute {
    func.call @use(%a) : (memref<4xf64>) -> ()
    async.yield
  }
  async.await %t : !async.token
  return
}
