//! Plans the intermediate results of a small graph of operations, and draws the plan.
//!
//! ```text
//! cargo run --example graph
//! ```
//!
//! Time is the position of an operation. A result is live from the operation that computes it up
//! to and including its last use, so its lifetime ends one position after that use.

use memory_planner::svg::Picture;
use memory_planner::{Buffer, Limits, PlanError, plan, verify};

/// An operation: the name and the size of its result in bytes, and the operations it reads.
struct Operation {
    name: &'static str,
    size: u64,
    reads: &'static [usize],
}

/// A residual block: two layers, and a sum with the input.
const GRAPH: [Operation; 6] = [
    Operation { name: "input", size: 64 << 10, reads: &[] },
    Operation { name: "dense1", size: 256 << 10, reads: &[0] },
    Operation { name: "relu", size: 256 << 10, reads: &[1] },
    Operation { name: "dense2", size: 64 << 10, reads: &[2] },
    Operation { name: "sum", size: 64 << 10, reads: &[0, 3] },
    Operation { name: "softmax", size: 64 << 10, reads: &[4] },
];

fn main() -> Result<(), PlanError> {
    let buffers: Vec<Buffer> = (0..GRAPH.len())
        .map(|at| {
            let last_use = (at..GRAPH.len()).rfind(|&user| GRAPH[user].reads.contains(&at));
            let end = last_use.unwrap_or(at) + 1;
            Buffer::new(GRAPH[at].size, at as u64, end as u64).with_align(64)
        })
        .collect();

    let plan = plan(&buffers, &Limits::default())?;
    assert_eq!(verify(&buffers, &plan.offsets), Ok(plan.peak));

    for (operation, offset) in GRAPH.iter().zip(&plan.offsets) {
        println!("{:8} {:7} bytes at offset {offset}", operation.name, operation.size);
    }
    let separate: u64 = buffers.iter().map(|buffer| buffer.size).sum();
    println!("{} bytes ({}) instead of {separate}", plan.peak, plan.status);

    let names = GRAPH.map(|operation| operation.name.to_string());
    let picture = Picture::new(&buffers, &plan.offsets).with_labels(&names).to_svg();
    let path = std::env::temp_dir().join("graph.svg");
    match std::fs::write(&path, picture) {
        Ok(()) => println!("picture: {}", path.display()),
        Err(error) => eprintln!("cannot write {}: {error}", path.display()),
    }
    Ok(())
}
