//! The fate of the functions that `--function` selects.
//!
//! Input: the functions of the program before the first pass and after each one. Output: the specializations that
//! existed once, and the pass that removed each. Invariant: a specialization that still exists is not lost.

use melior::ir::Module;
use mlir_support::ir;
use std::collections::{BTreeMap, HashMap, HashSet};
use toy_compiler::dialect::ops;

/// The functions so far.
#[derive(Default)]
pub struct Fates {
    /// The names of all functions, in the order in which they appeared, without specializations.
    pub names: Vec<String>,
    /// The readable keys, by symbol.
    keys: HashMap<String, String>,
    /// The selected functions and their callers, by readable key or else by symbol.
    present: BTreeMap<String, bool>,
    /// The reason why each missing function is gone.
    lost: BTreeMap<String, String>,
}

impl Fates {
    pub fn key(&self, symbol: &str) -> Option<String> {
        self.keys.get(symbol).cloned()
    }

    /// One sentence for each function that is not there anymore.
    pub fn lost(&self) -> impl Iterator<Item = String> {
        self.lost.iter().map(|(key, fate)| format!("{key}: {fate}"))
    }

    pub fn note_module(
        &mut self,
        pass: Option<&str>,
        module: &Module,
        is_meant: impl Fn(&str, Option<&str>) -> bool,
    ) {
        let mut called = HashSet::new();
        let mut present = BTreeMap::new();
        let mut symbols = Vec::new();
        for operation in ir::operations(module.as_operation()) {
            called.extend(ops::callee(&operation));
            if !["func.func", "llvm.func"].contains(&ir::name(&operation)) {
                continue;
            }
            let symbol = ops::symbol_name(&operation);
            if let Some(key) = ops::string_attribute(&operation, "toy.specialization") {
                self.keys.insert(symbol.clone(), key);
            }
            let key = self.key(&symbol);
            if key.is_none() && !self.names.contains(&symbol) {
                self.names.push(symbol.clone());
            }
            if is_meant(&symbol, key.as_deref()) {
                symbols.push((symbol, key));
            }
        }
        for (symbol, key) in symbols {
            let is_called = called.contains(&symbol);
            present.insert(key.unwrap_or(symbol), is_called);
        }
        self.advance(present, |is_called| reason(pass.unwrap_or_default(), is_called));
    }

    pub fn note_llvm(&mut self, symbols: Vec<String>, is_meant: impl Fn(&str) -> bool) {
        let meant = symbols.into_iter().filter(|symbol| is_meant(symbol));
        let present = meant.map(|symbol| (self.key(&symbol).unwrap_or(symbol), true)).collect();
        self.advance(present, |_| {
            "LLVM's optimizer inlined it into its callers, or found it unused".to_owned()
        });
    }

    fn advance(&mut self, present: BTreeMap<String, bool>, fate: impl Fn(bool) -> String) {
        for (key, is_called) in &self.present {
            if !present.contains_key(key) {
                self.lost.insert(key.clone(), fate(*is_called));
            }
        }
        // Specialization replaces a function without shapes by functions with shapes.
        let is_replaced = |key: &String| {
            let prefix = format!("{key}(");
            present.keys().any(|other| other.starts_with(&prefix))
        };
        self.lost.retain(|key, _| !present.contains_key(key) && !is_replaced(key));
        self.present = present;
    }
}

/// The reason why a pass removed a function; `is_called` is true if it had callers before.
fn reason(pass: &str, is_called: bool) -> String {
    match (pass, is_called) {
        ("toy-specialize", false) => {
            "never called, so it is compiled for no shapes (pass toy-specialize)".to_owned()
        }
        ("toy-specialize", true) => {
            "called only by functions that are never called (pass toy-specialize)".to_owned()
        }
        ("toy-inline", _) => "inlined into its callers (pass toy-inline)".to_owned(),
        ("toy-cse", true) => {
            "merged with an equal function, which its callers call now (pass toy-cse)".to_owned()
        }
        (pass, true) => format!("removed with its calls (pass {pass})"),
        (pass, false) => format!("removed, as no call is left (pass {pass})"),
    }
}
