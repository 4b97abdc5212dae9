// A byte order mark at the beginning of a file is skipped, as in `.toy` files.
// RUN: toyc %s -emit=jit
func.func @main() { return }
