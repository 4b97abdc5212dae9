//! Compares the planners on a file in MiniMalloc's format.
//!
//! ```text
//! cargo run --release --example compare -- FILE.csv
//! ```
//!
//! Without a file, it plans five buffers on which the planners differ.

use memory_planner::{Limits, Planner, csv, verify};
use std::error::Error;
use std::time::Instant;

const BUFFERS: &str = "\
id,lower,upper,size
a,0,3,3
b,1,2,4
c,2,5,3
d,3,7,4
e,3,7,1
";

fn main() -> Result<(), Box<dyn Error>> {
    let text = match std::env::args_os().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => BUFFERS.into(),
    };
    let table = csv::read(text)?;
    println!("{} buffers", table.buffers.len());
    println!("{:16}{:>14}{:>14}  {:12}seconds", "planner", "peak", "lower bound", "status");
    for planner in Planner::ALL {
        let begin = Instant::now();
        let plan = planner.plan(&table.buffers, &Limits::default())?;
        let seconds = begin.elapsed().as_secs_f64();
        verify(&table.buffers, &plan.offsets)?;
        println!(
            "{:16}{:>14}{:>14}  {:12}{seconds:.3}",
            planner.name(),
            plan.peak,
            plan.lower_bound,
            plan.status.to_string()
        );
    }
    Ok(())
}
