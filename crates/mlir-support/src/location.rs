//! Places of the source text as MLIR locations, and back.
//!
//! Every operation toyc makes carries a file range (file, start, end), so that an error found at any stage can be shown
//! in the program text. `Locations` knows the file name of the source in locations: with debug information that is an
//! absolute path, which debuggers need.

use crate::raw;
use melior::Context;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Location, Value, ValueLike};
use std::ops::Deref;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::{Code, Diagnostic};

/// Maps spans of one source to locations.
#[derive(Clone, Copy)]
pub struct Locations<'s> {
    pub source: &'s Source,
    /// The file name inside locations.
    pub file: &'s str,
}

/// A location resolved to a file range; lines and columns are 1-based.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub file: String,
    pub start: (u32, u32),
    pub end: (u32, u32),
}

impl Locations<'_> {
    /// An operation, for diagnostics about it.
    pub fn at<'c, 'a>(&self, operation: OperationRef<'c, 'a>) -> Located<'_, 'c, 'a> {
        Located { operation, locations: self }
    }

    pub fn location<'c>(&self, context: &'c Context, span: Span) -> Location<'c> {
        let start = self.source.line_column(span.start);
        let end = self.source.line_column(span.end.max(span.start));
        Location::file_line_col_range(
            context,
            self.file,
            start.line as usize,
            start.column as usize,
            end.line as usize,
            end.column as usize,
        )
    }

    /// The span of a location of this source; None for a location elsewhere or nowhere.
    pub fn span(&self, location: Location) -> Option<Span> {
        self.span_of_place(&place(location)?)
    }

    /// The diagnostic with a label at a location; without one if the location is elsewhere or nowhere.
    pub fn label(
        &self,
        diagnostic: Diagnostic,
        at: Location,
        text: impl Into<String>,
    ) -> Diagnostic {
        match self.span(at) {
            Some(span) => diagnostic.label(span, text),
            None => diagnostic,
        }
    }

    pub fn span_of_place(&self, place: &Place) -> Option<Span> {
        // MLIR's text parser names a module it reads from memory "-".
        if place.file != self.file && place.file != "-" {
            return None;
        }
        let start = self.source.offset(place.start.0, place.start.1);
        let end = self.source.offset(place.end.0, place.end.1);
        // MLIR's parser reports where an operation starts: the label covers the first word.
        let end = if end > start { end } else { start + word_length(&self.source.text, start) };
        Some(Span { start, end })
    }
}

/// An operation, with the source in which it has a place: what a diagnostic about it needs.
#[derive(Clone, Copy)]
pub struct Located<'l, 'c, 'a> {
    pub operation: OperationRef<'c, 'a>,
    pub locations: &'l Locations<'l>,
}

impl<'c, 'a> Deref for Located<'_, 'c, 'a> {
    type Target = OperationRef<'c, 'a>;

    fn deref(&self) -> &Self::Target {
        &self.operation
    }
}

impl Located<'_, '_, '_> {
    /// The place of the operation.
    pub fn span(self) -> Option<Span> {
        self.locations.span(self.operation.location())
    }

    /// The place of a value.
    pub fn span_of(self, value: Value) -> Option<Span> {
        self.locations.span(value.location())
    }

    /// An error with a label for the operation itself.
    pub fn error(
        self,
        code: Code,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Diagnostic {
        self.label(Diagnostic::error(code, message), label)
    }

    /// The diagnostic with a label for the operation itself; if it has no source, a note, with its name if it has one.
    pub fn label(self, diagnostic: Diagnostic, message: impl Into<String>) -> Diagnostic {
        match self.span() {
            Some(span) => diagnostic.label(span, message),
            None => diagnostic.note(match name(self.operation.location()) {
                Some(name) => format!("at `{name}`"),
                None => format!("at {}", self.operation.location()),
            }),
        }
    }

    /// Adds a label at the place of a value, unless the operation or another label is there.
    pub fn label_value(
        self,
        diagnostic: Diagnostic,
        value: Value,
        message: impl Into<String>,
    ) -> Diagnostic {
        match self.span_of(value).filter(|span| Some(*span) != self.span()) {
            Some(span) if diagnostic.labels.iter().all(|label| label.span != span) => {
                diagnostic.label(span, message)
            }
            _ => diagnostic,
        }
    }
}

/// Bytes of the name, symbol or value that starts at an offset; 0 at other characters.
fn word_length(text: &str, offset: u32) -> u32 {
    let rest = text.get(offset as usize..).unwrap_or("");
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.$%@#!\"".contains(c);
    rest.find(|c: char| !is_part(c)).unwrap_or(rest.len()) as u32
}

/// The name in a location; None if it has none.
pub fn name(location: Location) -> Option<String> {
    // SAFETY: the location is a name, whose text is a live identifier.
    location.is_name().then(|| unsafe {
        let name = mlir_sys::mlirLocationNameGetName(location.to_raw());
        raw::string(mlir_sys::mlirIdentifierStr(name))
    })
}

/// The innermost file range of a location: the child of a name, the first member of a fusion that
/// has one, the callee of a call site.
pub fn place(location: Location) -> Option<Place> {
    let mut location = location;
    // A limit, because hand-written locations can nest arbitrarily deep.
    for _ in 0..64 {
        if location.is_file_line_col_range() {
            // melior's text of an identifier must be UTF-8, but a file's name need not be.
            // SAFETY: the location is a file range, whose file name is a live identifier.
            let file = unsafe {
                let name = mlir_sys::mlirLocationFileLineColRangeGetFilename(location.to_raw());
                raw::string(mlir_sys::mlirIdentifierStr(name))
            };
            return Some(Place {
                file,
                start: (
                    location.file_line_col_range_start_line() as u32,
                    location.file_line_col_range_start_column() as u32,
                ),
                end: (
                    location.file_line_col_range_end_line() as u32,
                    location.file_line_col_range_end_column() as u32,
                ),
            });
        }
        if location.is_name() {
            location = location.name_child_location();
        } else if location.is_call_site() {
            location = location.call_site_callee();
        } else if location.is_fused() {
            location = fused_member(location)?;
        } else {
            return None;
        }
    }
    None
}

/// The location of a place.
pub fn at<'c>(context: &'c Context, place: &Place) -> Location<'c> {
    Location::file_line_col_range(
        context,
        &place.file,
        place.start.0 as usize,
        place.start.1 as usize,
        place.end.0 as usize,
        place.end.1 as usize,
    )
}

/// The first member of a fused location that names a place.
fn fused_member(location: Location) -> Option<Location> {
    let members = (0..location.fused_num_locations()).map(|index| location.fused_location(index));
    let named = members.into_iter().find(|member| {
        member.is_file_line_col_range() || member.is_name() || member.is_call_site()
    })?;
    // SAFETY: a location is uniqued in its context and lives as long as the context.
    Some(unsafe { Location::from_raw(named.to_raw()) })
}
