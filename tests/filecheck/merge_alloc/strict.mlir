// With `strict`, what is not known is an error wherever it stands: around an allocation, too.
// RUN: toy-opt %s --split-input-file --merge-alloc=strict --allow-unregistered-dialect --verify-diagnostics
func.func @outside(%i: index, %v: f32) {
  %a = memref.alloc() : memref<16xf32>
  // expected-error@below {{'test.region' op expecting RegionBranchOpInterface for merge-alloc}}
  "test.region"() ({
    memref.store %v, %a[%i] : memref<16xf32>
    "test.end"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @inside(%i: index, %v: f32) {
  // expected-error@below {{'test.region' op expecting RegionBranchOpInterface for merge-alloc}}
  "test.region"() ({
    %a = memref.alloc() : memref<16xf32>
    memref.store %v, %a[%i] : memref<16xf32>
    "test.end"() : () -> ()
  }) : () -> ()
  return
}

// -----

func.func @operand() {
  %a = memref.alloc() : memref<16xf32>
  // expected-error@below {{'test.use' op is not known to merge-alloc}}
  "test.use"(%a) : (memref<16xf32>) -> ()
  return
}

// -----

// The function is known; what it gives back is not.
func.func private @pointer(memref<4xf32>) -> !llvm.ptr
func.func @result() {
  %a = memref.alloc() : memref<4xf32>
  // expected-error@below {{'func.call' op has a result in which merge-alloc cannot follow the buffer}}
  %p = call @pointer(%a) : (memref<4xf32>) -> !llvm.ptr
  return
}

// -----

// This one could not be merged anyway.
func.func @dynamic(%i: index, %v: f32) {
  // expected-remark@below {{`test.region` is not known to merge-alloc}}
  "test.region"() ({
    %a = memref.alloc(%i) : memref<?xf32>
    memref.store %v, %a[%i] : memref<?xf32>
    "test.end"() : () -> ()
  }) : () -> ()
  return
}
