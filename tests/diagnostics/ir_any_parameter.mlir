// A parameter has a type that says something.
func.func private @f(%x: !toy.any) { return }
func.func @main() {
  return
}
