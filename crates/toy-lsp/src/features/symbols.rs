//! The outline of a document, and the symbols of a workspace.

use super::View;
use crate::names::{Definition, Kind};
use gen_lsp_types::{BaseSymbolInformation, DocumentSymbol, SymbolInformation, SymbolKind};
use std::collections::HashMap;

/// Structs with their fields, functions with their variables.
pub fn outline(view: &View) -> Vec<DocumentSymbol> {
    let definitions = &view.analysis.names.definitions;
    let mut children: HashMap<usize, Vec<DocumentSymbol>> = HashMap::new();
    for (index, definition) in definitions.iter().enumerate() {
        if let Some(parent) = definition.parent {
            children.entry(parent).or_default().push(symbol(view, index, None));
        }
    }
    let top = definitions.iter().enumerate().filter(|(_, it)| it.parent.is_none());
    let mut symbols: Vec<_> =
        top.map(|(index, _)| symbol(view, index, children.remove(&index))).collect();
    symbols.sort_by_key(|symbol| symbol.range.start);
    symbols
}

#[allow(deprecated, reason = "the field has to be named")]
fn symbol(view: &View, index: usize, children: Option<Vec<DocumentSymbol>>) -> DocumentSymbol {
    let definition = &view.analysis.names.definitions[index];
    DocumentSymbol {
        name: shown_name(definition),
        detail: detail(view, index, definition),
        kind: kind(definition),
        tags: None,
        deprecated: None,
        range: view.range(definition.whole.to(definition.span)),
        selection_range: view.range(definition.span),
        children,
    }
}

/// The protocol wants one that is not empty.
pub fn shown_name(definition: &Definition) -> String {
    if definition.name.is_empty() { "?".to_owned() } else { definition.name.clone() }
}

/// The parameters of a function; the shapes of a variable.
pub fn detail(view: &View, index: usize, definition: &Definition) -> Option<String> {
    match definition.kind {
        Kind::Function => {
            let names = &view.analysis.names;
            let parameters = names.parameters(index).map(|it| view.snippet(it.whole));
            Some(format!("({})", parameters.collect::<Vec<_>>().join(", ")))
        }
        // A field that is a struct; the others are tensors.
        Kind::Field => Some(view.analysis.names.definitions[definition.structure?].name.clone()),
        Kind::Struct => None,
        _ => {
            let facts = &view.document.facts;
            facts.at(definition.span).map(|fact| facts.different(fact).join(" | "))
        }
    }
}

fn kind(definition: &Definition) -> SymbolKind {
    match definition.kind {
        Kind::Function => SymbolKind::Function,
        Kind::Struct => SymbolKind::Struct,
        Kind::Field => SymbolKind::Field,
        Kind::Parameter | Kind::Variable | Kind::Loop => SymbolKind::Variable,
    }
}

/// The outline as a list, for clients without support for trees, and for workspaces.
#[allow(deprecated, reason = "the field has to be named")]
pub fn list(view: &View, is_wanted: impl Fn(&Definition) -> bool) -> Vec<SymbolInformation> {
    let definitions = &view.analysis.names.definitions;
    let wanted = definitions.iter().filter(|it| is_wanted(it));
    let symbol = |it: &Definition| SymbolInformation {
        location: view.location(it.span),
        base_symbol_information: BaseSymbolInformation {
            name: shown_name(it),
            kind: kind(it),
            tags: None,
            container_name: it.parent.map(|parent| definitions[parent].name.clone()),
        },
        deprecated: None,
    };
    wanted.map(symbol).collect()
}

/// True if the letters of a query occur in a name in this order, whatever their case.
pub fn matches(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|it| it == wanted))
}
