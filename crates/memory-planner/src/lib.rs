//! Static memory planning: given buffers with known sizes, alignments and lifetimes, find an
//! offset for each in one arena, so that buffers that are live at the same time do not overlap and
//! the arena is as small as possible. The problem is also called *dynamic storage allocation* or
//! *offset assignment*; it is NP-hard (Garey and Johnson 1979, problem SR2).
//!
//! ```
//! use memory_planner::{Buffer, Limits, Status, plan, verify};
//!
//! let buffers = [
//!     Buffer::new(65_536, 0, 2), // 65,536 bytes, live at times 0 and 1
//!     Buffer::new(65_536, 1, 3),
//!     Buffer::new(30_000, 2, 4).with_align(64),
//! ];
//! let plan = plan(&buffers, &Limits::default())?;
//! assert_eq!(plan.peak, 131_072);
//! assert_eq!(plan.status, Status::Optimal);
//! assert_eq!(verify(&buffers, &plan.offsets), Ok(plan.peak));
//! # Ok::<(), memory_planner::PlanError>(())
//! ```
//!
//! # Units
//!
//! Sizes, alignments, offsets, peaks and capacities are **bytes**. Times are whatever the caller
//! counts, such as positions in a program; only their order matters. A lifetime is half-open: a
//! buffer that ends at time 5 and one that starts at 5 may share memory. Budgets are **work
//! units**, operations that are counted, so that the same input gives the same plan on every
//! machine; see [`Limits`].
//!
//! # Guarantees
//!
//! Every input gives a plan or an error, never a panic. Every plan is valid (see [`verify()`], which
//! shares no code with the planners). [`Plan::lower_bound`] holds for all plans, and
//! [`Status::Optimal`] and [`Status::Infeasible`] are proofs. The crate has no `unsafe` code, and
//! without the default feature `cli` no dependencies.
//!
//! # What to call
//!
//! | | |
//! |---|---|
//! | [`plan()`] | the default planner, [`Planner::Portfolio`] |
//! | [`Planner::plan`] | a planner by name, for comparisons |
//! | [`verify()`] | checks a plan, wherever it comes from |
//! | [`csv`] | reads and writes MiniMalloc's files |
//! | [`svg`] | draws a plan |
#![cfg_attr(
    feature = "cli",
    doc = "| [`command`] | the command line, for programs that offer it as their own |"
)]
//! | [`random`] | reproducible random numbers, for test instances |
//!
//! # Complexity
//!
//! For `n` buffers, the first pass of the portfolio (first fit in order of time, both directions)
//! takes O(n log n) and about a second per million buffers. The rest runs until the peak reaches
//! the lower bound or the capacity, or the budget is spent: greedy planners, local search over
//! placement orders for components of up to 200,000 buffers, and exact search, whose tables take
//! O(n²) memory, for components of up to 3,000. A *component* is a set of buffers that are
//! connected by overlapping lifetimes.
//!
//! # Sources
//!
//! - Exact search: branching as in Giffler and Thompson, *Algorithms for Solving
//!   Production-Scheduling Problems* (1960); the *not first* rule of Carlier and Pinson, *An
//!   Algorithm for Solving the Job-Shop Problem* (1989); conflict analysis as in Ohrimenko, Stuckey
//!   and Codish, *Propagation via Lazy Clause Generation* (2009); conflict-directed backjumping by
//!   Prosser, *Hybrid Algorithms for the Constraint Satisfaction Problem* (1993); section weights as
//!   in Boussemart, Hemery, Lecoutre and Sais, *Boosting Systematic Search by Weighting
//!   Constraints* (2004).
//! - Local search: Joslin and Clements, *Squeaky Wheel Optimization* (1999), over the skyline of
//!   Burke, Kendall and Whitwell, *A New Placement Heuristic for the Orthogonal Stock-Cutting
//!   Problem* (2004).
//! - `chunk-size` and `chunk-hot`: the merge-alloc proposal for MLIR (llvm/llvm-project#95882).
//! - Free ranges: Seidel and Aragon, *Randomized Search Trees* (1996). Random numbers: Steele, Lea
//!   and Flood, *Fast Splittable Pseudorandom Number Generators* (2014).
//! - The file format and the instances A to K: Moffitt, *MiniMalloc: A Lightweight Memory Allocator
//!   for Hardware-Accelerated Machine Learning* (2023).

#![forbid(unsafe_code)]
#![deny(missing_docs)]

// | module | from input to output |
// |---|---|
// | `model` | buffers, limits, plans and errors: plain data |
// | `instance` | buffers into components of items in normal form |
// | `greedy` | components into offsets, each item placed once |
// | `reorder` | components into better offsets, by changing placement orders |
// | `exact` | components into better offsets, or proofs that there are none |
// | `portfolio` | all of these into the default planner |
// | `planner` | the planners by name |
// | `verify` | buffers and offsets into a peak or an error, independently |
// | `csv`, `svg`, `command` | files, pictures and the command line |
// | `budget`, `orders`, `random` | work units, orders of items, random numbers |
mod budget;
#[cfg(feature = "cli")]
pub mod command;
pub mod csv;
mod exact;
mod greedy;
mod instance;
mod model;
mod orders;
mod planner;
mod portfolio;
pub mod random;
mod reorder;
pub mod svg;
mod verify;

pub use model::{Buffer, Limits, Plan, PlanError, Status};
pub use planner::{Planner, plan};
pub use verify::{VerifyError, verify};

/// The README's example is a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
