// The fields of a struct are types.
func.func private @f(%x: !toy.struct<[1, "x"]>) { return }
func.func @main() {
  return
}
