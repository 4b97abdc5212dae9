// Mistakes on the command line: exit status 2, and nothing is read: there is no such file.
// RUN: (for arguments in '--cannonicalize' '--split-input-fil' '--toy-specialise' '--xyzzy' '--cse=fast' \
// RUN:   '--canonicalize=top-down=x' '--toy-canonicalize=x' '--verify-each=2' '--color=red' '-o' 'b.mlir' \
// RUN:   '--canonicalize={' '--pass-pipeline=cse --cse' '--inline=a=b --cse=c'; do \
// RUN:   toy-opt a.mlir --error-format=short $arguments; echo "status $?"; done) > %t 2>&1
// RUN: FileCheck %s < %t
// CHECK:      error[E0005]: there is no option or pass `--cannonicalize`
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: there is no option or pass `--split-input-fil`
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: there is no option or pass `--toy-specialise`
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: there is no option or pass `--xyzzy`
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: `--cse`: the pass `cse` has no option `fast`
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: `--canonicalize`: the option `top-down` of the pass `canonicalize`: 'x' is invalid value for boolean argument! Try 0 or 1
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: `--toy-canonicalize`: the pass `toy-canonicalize` has no options
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: `2` is not a value of --verify-each
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: `red` is not a value of --color
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: -o needs a value
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: there can be one input, but these are two: `a.mlir`, `b.mlir`
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: the braces in the options of `--canonicalize` do not match
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: --pass-pipeline is given together with other passes
// CHECK-NEXT: status 2
// CHECK-NEXT: error[E0005]: `--inline`: the pass `inline` has no option `a`
// CHECK-NEXT: error[E0005]: `--cse`: the pass `cse` has no option `c`
// CHECK-NEXT: status 2
// CHECK-NOT:  {{.}}
// RUN: (for argument in --cannonicalize --split-input-fil --toy-specialise; do not toy-opt $argument; done) 2>&1 | FileCheck %s --check-prefix=MEANT
// MEANT: did you mean `--canonicalize`?
// MEANT: did you mean `--split-input-file`?
// MEANT: did you mean `--toy-specialize`?
