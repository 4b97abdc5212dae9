//! The memory of a running program, counted.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{LazyLock, Mutex};

/// The names that MLIR calls these functions by.
pub const ALLOCATE: &str = "_mlir_memref_to_llvm_aligned_alloc";
pub const FREE: &str = "_mlir_memref_to_llvm_free";

/// What a program has allocated.
#[derive(Default)]
struct Memory {
    /// The buffers that are not freed yet: addresses, and sizes in bytes.
    buffers: HashMap<usize, usize>,
    /// How many there were in all.
    count: usize,
    /// How many bytes there are now, and how many there were at most.
    bytes: usize,
    peak: usize,
}

static MEMORY: LazyLock<Mutex<Memory>> = LazyLock::new(Mutex::default);

unsafe extern "C" {
    fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void;
    #[link_name = "free"]
    fn c_free(memory: *mut c_void);
}

/// What programs call for a `memref.alloc`.
pub extern "C" fn allocate(alignment: usize, size: usize) -> *mut c_void {
    // SAFETY: MLIR passes a power of two, and a size that it divides.
    let address = unsafe { aligned_alloc(alignment, size) };
    if address.is_null() {
        eprintln!("error: there is no memory for {size} bytes");
        std::process::exit(1);
    }
    let mut memory = MEMORY.lock().expect("nothing panics meanwhile");
    memory.buffers.insert(address as usize, size);
    memory.count += 1;
    memory.bytes += size;
    memory.peak = memory.peak.max(memory.bytes);
    address
}

/// What they call for a `memref.dealloc`.
pub extern "C" fn free(address: *mut c_void) {
    let mut memory = MEMORY.lock().expect("nothing panics meanwhile");
    let Some(size) = memory.buffers.remove(&(address as usize)) else {
        eprintln!("error: this is freed twice, or was never allocated");
        std::process::exit(1);
    };
    memory.bytes -= size;
    // SAFETY: it was in the table: `aligned_alloc` has returned it, and it is freed once.
    unsafe { c_free(address) }
}

/// One line about the program that has run.
pub fn report() -> String {
    let memory = MEMORY.lock().expect("nothing panics meanwhile");
    let Memory { count, peak, bytes, .. } = &*memory;
    format!("memory: {count} allocated, {peak} bytes at most, {bytes} bytes never freed")
}
