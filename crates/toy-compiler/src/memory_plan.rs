//! A plan of memory as text, as a picture and as JSON, and the files that it is written to.
//!
//! Input: a [`MemoryPlan`], the data that the crate `merge-alloc` collects. Output: its text ([`text()`]), its drawing
//! ([`svg()`]) or its JSON for tools ([`json()`]). Invariant: the same plan gives the same bytes.

mod json;
pub mod svg;
mod text;

pub use ::merge_alloc::plan::*;
pub use json::json;
use std::path::PathBuf;
pub use svg::svg;
pub use text::text;

/// The note on plans of programs that are compiled without merging.
pub const NOT_MERGED: &str = "-O0 merges nothing: this is the plan of -O1";

/// A file for the plan; the extension selects the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFile {
    pub path: PathBuf,
    pub format: Format,
}

/// The formats of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Svg,
    Json,
    Text,
}

impl PlanFile {
    /// Err: the reason why the name is not valid.
    pub fn new(path: PathBuf) -> Result<Self, String> {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let format = match extension.to_ascii_lowercase().as_str() {
            "svg" => Format::Svg,
            "json" => Format::Json,
            "txt" => Format::Text,
            _ => return Err("the file's name ends in .svg, .json or .txt".to_owned()),
        };
        Ok(Self { path, format })
    }
}

impl Format {
    /// The plan in this format.
    pub fn show(self, plan: &MemoryPlan) -> String {
        match self {
            Format::Svg => svg(plan),
            Format::Json => json(plan),
            Format::Text => text(plan),
        }
    }
}
