//! Passes over the Toy dialect and over memrefs: one pass, one file, its rules in the file's head.

pub mod bufferize;
pub mod canonicalize;
pub mod deallocate;
pub mod flatten;
pub mod freeze_poison;
pub mod merge_alloc;
pub mod needs;
pub mod outline;
pub mod rotate;
pub mod schedule;
pub mod specialize;
pub mod split_literals;
pub mod verify_merged;
