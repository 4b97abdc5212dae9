// Nothing is not the type of a field.
func.func private @f(%x: !toy.struct<[!toy.any]>) { return }
func.func @main() {
  return
}
