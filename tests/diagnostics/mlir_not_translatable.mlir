// ARGS: -x mlir
func.func @main() {
  gpu.barrier
  return
}
