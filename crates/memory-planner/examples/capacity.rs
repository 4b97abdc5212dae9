//! Fits buffers into a fixed capacity, as for a scratchpad memory, with a small budget.
//!
//! ```text
//! cargo run --release --example capacity -- 80
//! ```
//!
//! Four outcomes are possible, and all are handled.

use memory_planner::{Buffer, Limits, PlanError, Status, plan};

fn main() -> Result<(), PlanError> {
    let capacity = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(80);
    // Two buffers per step: one that is live in the next step as well, and one that is not.
    let buffers: Vec<Buffer> = (0..100)
        .flat_map(|step| {
            let carried = Buffer::new(16 + step % 3 * 8, step, step + 2).with_align(8);
            let scratch = Buffer::new(24, step, step + 1).with_align(8);
            [carried, scratch]
        })
        .collect();

    let limits = Limits::new().with_capacity(capacity).with_work(100_000_000);
    let plan = plan(&buffers, &limits)?;
    match plan.status {
        Status::Optimal => println!("fits in {} bytes, the fewest possible", plan.peak),
        Status::Feasible => println!("fits in {} bytes", plan.peak),
        Status::Infeasible => println!("no plan fits: {} bytes are needed", plan.lower_bound),
        // The budget was spent before a plan that fits was found or excluded.
        _ => println!("not found: {} bytes, at least {} needed", plan.peak, plan.lower_bound),
    }
    Ok(())
}
