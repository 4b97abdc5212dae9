func.func @main() {
  "nothing.here"() : () -> ()
  return
}
