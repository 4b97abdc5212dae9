// ARGS: -x mlir
func.func @main() {
  omp.barrier
  return
}
