// A struct has fields.
func.func private @f(%x: !toy.struct<[]>) { return }
func.func @main() {
  return
}
