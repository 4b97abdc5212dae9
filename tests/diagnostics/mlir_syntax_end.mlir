func.func @main() {
