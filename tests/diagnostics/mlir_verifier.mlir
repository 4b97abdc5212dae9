func.func @f() -> f64 {
  return
}
func.func @main() {
  return
}
