// Mistakes in the text of a pipeline: exit status 2 and the place in the text.
// RUN: (for text in 'cse' 'func.func(cse)' 'builtin.module(cse' 'builtin.module(cse))' 'builtin.module(cse,,cse)' \
// RUN:   'builtin.module(canonicalize{top-down=false)' 'builtin.module(cse(cse))' 'builtin.module(cse,nothing)' \
// RUN:   'builtin.module(canonicalize{top=1})' 'builtin.module(canonicalize{max-iterations=many})' \
// RUN:   'builtin.module(func.func(toy-canonicalize))' 'builtin.module(builtin.module(toy-specialize))' \
// RUN:   'builtin.module(affine-loop-coalescing)' 'builtin.module(linalg-detensorize)' 'builtin.module(func.fnc(cse))' \
// RUN:   'builtin.module(toy-to-linalg{a})' 'builtin.module(func.func(sparsifier))'; do \
// RUN:   toy-opt a.mlir --error-format=short --pass-pipeline="$text"; echo "status $?"; done) > %t 2>&1
// RUN: FileCheck %s < %t
// CHECK:      --pass-pipeline:1:1: error[E0005]: the pipeline must begin with `builtin.module(`
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:1: error[E0005]: the pipeline must begin with `builtin.module(`
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:19: error[E0005]: expected `,` or `)`
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:20: error[E0005]: expected the end of the text
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:20: error[E0005]: expected a pass or an operation
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:28: error[E0005]: the options have no end
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:16: error[E0005]: `cse` is not an operation to nest passes under
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:20: error[E0005]: there is no pass `nothing`
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:16: error[E0005]: the pass `canonicalize` has no option `top`
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:16: error[E0005]: the option `max-iterations` of the pass `canonicalize`: 'many' value invalid for long argument!
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:26: error[E0005]: `toy-canonicalize` works on the whole module and cannot be nested under `func.func`
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:31: error[E0005]: `toy-specialize` works on the whole module and cannot be nested under `builtin.module`
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:16: error[E0005]: `affine-loop-coalescing` is a pass on `func.func`, but is nested under `builtin.module`
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:16: error[E0005]: `linalg-detensorize` is a pass on `func.func`, but is nested under `builtin.module`
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:25: error[E0005]: there is no operation `func.fnc` to nest passes under
// CHECK-NEXT: status 2
// CHECK-NEXT: --pass-pipeline:1:16: error[E0005]: the pass `toy-to-linalg` has no options
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0505]: LLVM gives up: Can't add pass {{.*}} restricted to 'builtin.module'
// CHECK-NEXT: status 2
// CHECK-NOT:  {{.}}
