func.func @main() {
  %0 = 
  return
}
