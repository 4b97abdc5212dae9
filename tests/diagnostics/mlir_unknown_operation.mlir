func.func @main() {
  "toy.subtract"() : () -> ()
  return
}
