func.func @main() {
  return
}
func.func @main() {
  return
}
