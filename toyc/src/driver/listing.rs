//! `--print`: the names that `--cpu`, `--features`, `--target` and `--print-ir-after` know, and the runtime library.
//!
//! Input: the list, and the target (None: this machine). Output: one name per line with its description, in the order
//! of names except for `native`, and of the pipeline; or assembly.

use crate::cli::Listing;
use toy_compiler::codegen::processor::{self, NATIVE};
use toy_compiler::codegen::runtime;
use toy_compiler::codegen::target::{self, Architecture, Selection, TARGETS};
use toy_compiler::passes;
use toy_compiler::pipeline::pass_names;
use toy_compiler::stages::loops::versions::VERSIONS;
use toy_diagnostics::Diagnostic;

pub fn of(list: Listing, target: Option<&str>) -> Result<String, Diagnostic> {
    let entries = match list {
        Listing::Runtime => return runtime(target),
        Listing::Targets => targets(),
        Listing::Passes => passes(),
        Listing::Cpus => {
            let (architecture, is_host) = target::architecture(target)?;
            cpus(architecture, is_host)
        }
        Listing::Features => {
            let (architecture, _) = target::architecture(target)?;
            let features = architecture.processors.features.iter();
            features.map(|(name, description)| (*name, (*description).to_owned())).collect()
        }
    };
    let width = entries.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let line =
        |(name, note): &(_, String)| format!("{name:width$}  {note}").trim_end().to_owned() + "\n";
    Ok(entries.iter().map(line).collect())
}

/// The runtime library as assembly.
fn runtime(target: Option<&str>) -> Result<String, Diagnostic> {
    let target = Selection { triple: target.map(str::to_owned), ..Selection::default() };
    let text = runtime::assembly(&target::machine(&target, 2)?);
    let internal = || Diagnostic::internal("the runtime has no assembly");
    let text = text.map_err(|errors| errors.into_iter().next().unwrap_or_else(internal))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn cpus(architecture: Architecture, is_host: bool) -> Vec<(&'static str, String)> {
    let mut entries = Vec::new();
    if is_host {
        entries.push((
            NATIVE,
            format!("this machine's, {}; the default of -emit=jit", processor::host().0),
        ));
    }
    let level = processor::host_level(architecture).filter(|_| is_host);
    let versions: Vec<_> = VERSIONS.iter().map(|version| version.cpu).collect();
    entries.extend(architecture.processors.cpus.iter().map(|name| {
        let note = match name {
            name if *name == architecture.cpu => "the default of files",
            name if versions.contains(name) => "large loops of such files have versions for it",
            _ => return (*name, String::new()),
        };
        let is_chosen = level.is_some_and(|level| level == *name);
        (*name, format!("{note}{}", if is_chosen { ", which this machine chooses" } else { "" }))
    }));
    entries
}

fn passes() -> Vec<(&'static str, String)> {
    let summary = |name| passes::named(name).map_or("", |pass| pass.summary);
    pass_names().into_iter().map(|name| (name, summary(name).to_owned())).collect()
}

fn targets() -> Vec<(&'static str, String)> {
    TARGETS
        .iter()
        .map(|architecture| {
            let is_host =
                target::architecture(Some(architecture.triple)).is_ok_and(|(_, is_host)| is_host);
            (architecture.triple, if is_host { "this machine" } else { "" }.to_owned())
        })
        .collect()
}
