// A large literal is put together from parts, each behind the last of its elements.
// RUN: (echo 'func.func @main() { %%c = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>'; \
// RUN:   echo '%%v0 = "toy.neg"(%%c) : (tensor<f64>) -> tensor<f64>'; \
// RUN:   for i in $(seq 119); do echo "%%v$i = \"toy.add\"(%%v$((i-1)), %%c) : (tensor<f64>, tensor<f64>) -> tensor<f64>"; done; \
// RUN:   echo "%%e = \"toy.from_elements\"($(seq -s, 0 119 | sed 's/[0-9][0-9]*/%%v&/g')) : ($(yes 'tensor<f64>' | head -120 | paste -sd,)) -> tensor<2x60xf64>"; \
// RUN:   echo '"toy.print"(%%e) : (tensor<2x60xf64>) -> () return }') > %t.mlir
// RUN: toyc %t.mlir -emit=linalg --print-ir-after=toy-split-literals -o /dev/null 2>&1 | FileCheck %s
// RUN: toyc %t.mlir -emit=jit | FileCheck %s --check-prefix=OUT
// RUN: toyc %t.mlir -emit=jit -O2 | FileCheck %s --check-prefix=OUT
// RUN: toyc %t.mlir -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s --check-prefix=OUT
// CHECK: "toy.from_elements"{{.*}} -> tensor<50xf64>
// CHECK-NEXT: "toy.add"
// CHECK: "toy.from_elements"{{.*}} -> tensor<50xf64>
// CHECK-NEXT: "toy.add"
// CHECK: "toy.from_elements"{{.*}} -> tensor<20xf64>
// CHECK: tensor.concat dim(0) {{.*}} : (tensor<50xf64>, tensor<50xf64>, tensor<20xf64>) -> tensor<120xf64>
// CHECK: "toy.reshape"({{.*}}) : (tensor<120xf64>) -> tensor<2x60xf64>
// OUT: {{^}}-1.000000 0.000000 1.000000 {{.*}} 48.000000 49.000000 50.000000 {{.*}} 58.000000 {{$}}
// OUT-NEXT: {{^}}59.000000 {{.*}} 98.000000 99.000000 {{.*}} 118.000000 {{$}}
func.func @main() { return }
