//! Code lenses: how often a function is specialized, and the memory that is planned for it.

use super::View;
use crate::commands::{SHOW_PLAN, SHOW_STAGE};
use crate::facts::Planned;
use crate::names::Kind;
use gen_lsp_types::{CodeLens, Command};
use serde_json::{Value, json};
use toy_diagnostics::text::counted;

pub fn lenses(view: &View) -> Vec<CodeLens> {
    let document = view.document;
    if !document.has_facts {
        return Vec::new();
    }
    let mut lenses = Vec::new();
    let definitions = view.analysis.names.definitions.iter();
    for function in definitions.filter(|it| it.kind == Kind::Function && !it.name.is_empty()) {
        let range = view.range(function.span);
        let uri = &document.uri;
        let mut add = |title: String, command: &str, arguments: Vec<Value>| {
            let command = Command::new(title, None, command.to_owned(), Some(arguments));
            lenses.push(CodeLens { range, command: Some(command), data: None });
        };
        let count = document.facts.counts.get(&function.name).copied().unwrap_or(0);
        let title = match count {
            0 => "never called".to_owned(),
            count => counted(count, "specialization"),
        };
        let stage = if count == 0 { "toy" } else { "shapes" };
        add(title, SHOW_STAGE, vec![json!(uri), json!(stage), json!(function.name)]);
        if let Some(title) = planned(document.plan.as_deref().unwrap_or_default(), &function.name) {
            add(title, SHOW_PLAN, vec![json!(uri)]);
        }
    }
    lenses
}

/// `64 bytes planned`; a range if specializations differ.
fn planned(plan: &[Planned], function: &str) -> Option<String> {
    let own: Vec<&Planned> = plan.iter().filter(|it| it.function == function).collect();
    let least = own.iter().map(|it| it.bytes).min()?;
    let most = own.iter().map(|it| it.bytes).max()?;
    let bytes = match least == most {
        true => counted(most, "byte"),
        false => format!("{least} to {most} bytes"),
    };
    let by_callers = own.iter().all(|it| it.is_workspace);
    Some(format!("{bytes} planned{}", if by_callers { ", from callers" } else { "" }))
}
