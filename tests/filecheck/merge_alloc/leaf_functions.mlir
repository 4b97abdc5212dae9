// The option `leaf-functions`: declared functions that call nothing of the module. Of all others this is not known.
// RUN: toy-opt %s --merge-alloc="stack=4096" | FileCheck %s --check-prefix=UNKNOWN
// RUN: toy-opt %s --merge-alloc="stack=4096 leaf-functions=log" | FileCheck %s --check-prefix=UNKNOWN
// RUN: toy-opt %s --merge-alloc="stack=4096 leaf-functions={log, flush}" | FileCheck %s --check-prefix=LEAF
// RUN: not toy-opt %s --merge-alloc="leaf-functions=log," 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: an entry of `leaf-functions` is empty
func.func private @log(memref<16xf64>)
func.func private @flush()
// UNKNOWN-LABEL: func.func @logging(
// UNKNOWN-NOT:     memref.alloca()
// UNKNOWN:         memref.alloc()
// LEAF-LABEL:    func.func @logging(
// LEAF-NOT:        memref.alloc()
// LEAF:            memref.alloca() {{.*}}: memref<128xi8>
func.func @logging(%x: f64) {
  %a = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
  call @log(%a) : (memref<16xf64>) -> ()
  call @flush() : () -> ()
  return
}
// A function with a body is not trusted because of its name: what it calls counts.
// UNKNOWN-LABEL: func.func @indirect(
// LEAF-LABEL:    func.func @indirect(
// LEAF-NOT:        memref.alloca()
func.func @indirect(%x: f64) {
  %a = memref.alloc() : memref<16xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<16xf64>)
  call @other(%a) : (memref<16xf64>) -> ()
  return
}
func.func private @other(memref<16xf64>)
