//! The context of a pass: its input and its reports besides the module.
//!
//! Input: a session, and the locations of the module's operations. Output: the remarks and records of the passes that
//! have run. Invariant: no pass reads them, so that reports observe the pipeline and do not change it.

use crate::{Locations, Session};
use melior::pass::PassManager;
use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use toy_diagnostics::Diagnostic;

/// The data that our passes get besides the module.
pub struct PassContext<'a> {
    pub session: &'a Session,
    pub locations: Locations<'a>,
    /// The remarks of passes, for the caller. No pass reads them.
    pub remarks: RefCell<Vec<Diagnostic>>,
    /// True if passes of rewrite patterns give a remark for each rewrite.
    pub explains_rewrites: bool,
    /// Records of the passes' work, of types of their own, if the caller requests them. No pass reads them.
    pub records: Option<RefCell<Vec<Box<dyn Any>>>>,
    /// The managers of passes that have run, so that a pass that runs again does not collect its patterns again.
    pub(crate) managers: RefCell<HashMap<String, PassManager<'a>>>,
}

impl<'a> PassContext<'a> {
    pub fn new(session: &'a Session, locations: Locations<'a>) -> Self {
        Self {
            session,
            locations,
            remarks: RefCell::default(),
            explains_rewrites: false,
            records: None,
            managers: RefCell::default(),
        }
    }
}
