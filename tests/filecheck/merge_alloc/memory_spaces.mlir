// Memory spaces are attributes, however they are written; memory of a workgroup is recognized by its
// name in any dialect.
// RUN: toy-opt %s --merge-alloc="plan-only memory-spaces={x=1,y=[2,3]}" | FileCheck %s --check-prefix=DICTIONARY
// RUN: toy-opt %s --merge-alloc="plan-only memory-spaces={{x=1,y=[2,3]},1:i32}" | FileCheck %s --check-prefixes=DICTIONARY,NUMBER
// RUN: toy-opt %s --merge-alloc="plan-only memory-spaces=#spirv.storage_class<Workgroup>" | FileCheck %s --check-prefix=REUSE
// RUN: toy-opt %s --merge-alloc="plan-only reuse=none memory-spaces=#spirv.storage_class<Workgroup>" | FileCheck %s --check-prefix=NONE
// RUN: not toy-opt %s --merge-alloc="memory-spaces=banana" 2>&1 | FileCheck %s --check-prefix=BANANA
// RUN: not toy-opt %s --merge-alloc="memory-spaces=1,,2" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not toy-opt %s --merge-alloc="memory-spaces=<" 2>&1 | FileCheck %s --check-prefix=BRACKET
// RUN: not toy-opt %s --merge-alloc=capacity 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not toy-opt %s --merge-alloc=capacity=-1 2>&1 | FileCheck %s --check-prefix=MINUS
// RUN: not toy-opt %s --merge-alloc=capacity=99999999999999999999 2>&1 | FileCheck %s --check-prefix=LARGE
// BANANA: `banana` is not an attribute
// EMPTY:  an entry of `memory-spaces` is empty
// BRACKET: `<` is not an attribute
// NOTHING: `capacity` needs a number, as in `capacity=N`
// MINUS:  `capacity=-1`: a number has digits only
// LARGE:  `capacity=99999999999999999999`: the largest number is 18446744073709551615
// DICTIONARY: untouched = "its memory space is not among `memory-spaces`"} : memref<16xf32, #spirv
// DICTIONARY: untouched = "its memory space is not among `memory-spaces`"} : memref<16xf32, #spirv
// DICTIONARY-COUNT-2: merge_alloc.offset{{.*}}, {x = 1 : i64, y = [2, 3]}>
// NUMBER-COUNT-2: merge_alloc.offset{{.*}}, 1 : i32>
// REUSE-COUNT-2: untouched = "memory of a workgroup is merged with `reuse=none` only"
// NONE-COUNT-2: merge_alloc.offset
func.func @spaces(%i: index, %v: f32) {
  %a = memref.alloc() : memref<16xf32, #spirv.storage_class<Workgroup>>
  memref.store %v, %a[%i] : memref<16xf32, #spirv.storage_class<Workgroup>>
  %b = memref.alloc() : memref<16xf32, #spirv.storage_class<Workgroup>>
  memref.store %v, %b[%i] : memref<16xf32, #spirv.storage_class<Workgroup>>
  %c = memref.alloc() : memref<16xf32, {x = 1, y = [2, 3]}>
  memref.store %v, %c[%i] : memref<16xf32, {x = 1, y = [2, 3]}>
  %d = memref.alloc() : memref<16xf32, {x = 1, y = [2, 3]}>
  memref.store %v, %d[%i] : memref<16xf32, {x = 1, y = [2, 3]}>
  %e = memref.alloc() : memref<16xf32, 1 : i32>
  memref.store %v, %e[%i] : memref<16xf32, 1 : i32>
  %f = memref.alloc() : memref<16xf32, 1 : i32>
  memref.store %v, %f[%i] : memref<16xf32, 1 : i32>
  return
}
