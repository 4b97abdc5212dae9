//! The definitions and uses of names.

use super::View;
use crate::names::{Place, Role, Target};
use gen_lsp_types::{DocumentHighlight, DocumentHighlightKind, Location, Position};

/// The definition of the name at a position.
pub fn definition(view: &View, position: Position) -> Option<Location> {
    let place = view.analysis.names.at(view.offset(position))?;
    let (_, definition) = view.analysis.names.definition(place)?;
    Some(view.location(definition.span))
}

/// The definition of the struct of the name at a position.
pub fn type_definition(view: &View, position: Position) -> Option<Location> {
    let names = &view.analysis.names;
    let (_, definition) = names.definition(names.at(view.offset(position))?)?;
    Some(view.location(names.definitions.get(definition.structure?)?.span))
}

/// The places that mean the same as the name at a position.
pub fn references(view: &View, position: Position, with_definition: bool) -> Vec<Location> {
    let places = same(view, position).into_iter();
    let wanted = places.filter(|place| with_definition || place.role != Role::Define);
    wanted.map(|place| view.location(place.span)).collect()
}

pub fn highlights(view: &View, position: Position) -> Vec<DocumentHighlight> {
    let highlight = |place: &Place| DocumentHighlight {
        range: view.range(place.span),
        kind: Some(match place.role {
            Role::Define | Role::Write => DocumentHighlightKind::Write,
            Role::Read | Role::Call => DocumentHighlightKind::Read,
        }),
    };
    same(view, position).into_iter().map(highlight).collect()
}

fn same<'v>(view: &'v View, position: Position) -> Vec<&'v Place> {
    let names = &view.analysis.names;
    match names.at(view.offset(position)) {
        Some(place) if !matches!(place.target, Target::Unknown | Target::Label) => {
            names.same(place.target).collect()
        }
        _ => Vec::new(),
    }
}
