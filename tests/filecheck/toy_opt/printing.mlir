// RUN: toy-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: toy-opt %s --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
// RUN: toy-opt %s --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOCAL
// RUN: toy-opt %s --mlir-elide-elementsattrs-if-larger=2 | FileCheck %s --check-prefix=ELIDED
// RUN: toy-opt %s --canonicalize --toy-canonicalize --time-passes 2>&1 >/dev/null | FileCheck %s --check-prefix=TIME
// GENERIC: "func.return"(%0)
// LOC:     return %{{.*}} : tensor<3xi32> loc(#loc
// LOC:     loc("{{.*}}printing.mlir":15:
// LOCAL:   arith.constant {{.*}} loc("{{.*}}printing.mlir":16:8)
// LOCAL:   return %{{.*}} : tensor<3xi32> loc("some.toy":7:3)
// ELIDED:  dense_resource<__elided__>
// TIME:    canonicalize
// TIME:    toy-canonicalize
// TIME:    total
func.func @f() -> tensor<3xi32> {
  %0 = "arith.constant"() {value = dense<[1, 2, 3]> : tensor<3xi32>} : () -> tensor<3xi32>
  return %0 : tensor<3xi32> loc("some.toy":7:3)
}
