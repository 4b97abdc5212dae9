//! MLIR's debug attributes, written as text and parsed together.
//!
//! Input: descriptions of functions, variables and types. Output: the attributes, by the names given on request.
//! Why text: a `distinct` attribute is a new one each time it is parsed, so everything that refers to the
//! compile unit or to a subprogram must be parsed together with it.
//!
//! The declared language is C++: DWARF has no code for Toy, and of the languages gdb supports, C++ has
//! row-major arrays and overloaded functions.

use crate::dialect::shape::{Element, TensorType};
use melior::ir::Attribute;
use mlir_support::Session;
use mlir_support::location::Place;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

/// The name of an attribute in the text.
pub type Reference = String;

/// The attributes that a text defines.
pub type Attributes<'c> = HashMap<Reference, Attribute<'c>>;

/// Bits of an address on all targets, and of a member of a struct.
const WORD: u64 = 64;

#[derive(Default)]
pub struct Definitions {
    text: String,
    /// The name of each definition other than subprograms: equal ones are shared.
    known: HashMap<String, Reference>,
    wanted: Vec<Reference>,
    count: usize,
}

/// A member of a struct: a word, or a struct of several.
pub struct Member {
    pub name: String,
    pub ty: Reference,
    /// Words in front of it.
    pub offset: usize,
    pub words: usize,
}

/// The place of the elements of an array.
#[derive(Clone, Copy, PartialEq)]
pub enum Elements {
    Here,
    /// At the address that is stored at the array's location.
    Behind,
}

impl Definitions {
    /// A function, at its place in a file.
    pub fn subprogram(&mut self, name: &str, place: &Place, is_internal: bool) -> Reference {
        let file = self.file(&place.file);
        let unit = self.unit(&file);
        let ty = self.define("#llvm.di_subroutine_type<callingConvention = DW_CC_normal>");
        let flags = if is_internal { "LocalToUnit|Definition" } else { "Definition" };
        let (name, line) = (quoted(name), place.start.0);
        let id = self.count;
        self.wanted(format!(
            "#llvm.di_subprogram<id = distinct[{id}]<>, compileUnit = {unit}, scope = {file}, \
             name = {name}, file = {file}, line = {line}, scopeLine = {line}, \
             subprogramFlags = \"{flags}\", type = {ty}>"
        ))
    }

    /// A variable of a function, or its parameter with a number, counted from 1.
    pub fn variable(
        &mut self,
        subprogram: &str,
        name: &str,
        place: &Place,
        parameter: usize,
        ty: &str,
    ) -> Reference {
        let (file, name, line) = (self.file(&place.file), quoted(name), place.start.0);
        self.wanted(format!(
            "#llvm.di_local_variable<scope = {subprogram}, name = {name}, file = {file}, \
             line = {line}, arg = {parameter}, type = {ty}>"
        ))
    }

    fn number(&mut self, element: Element) -> Reference {
        self.define(&format!(
            "#llvm.di_basic_type<tag = DW_TAG_base_type, name = \"{}\", sizeInBits = {}, \
             encoding = {}>",
            element.c(),
            8 * element.bytes(),
            element.dwarf()
        ))
    }

    /// A tensor: an array of arrays of numbers, or a number.
    pub fn tensor(&mut self, ty: &TensorType, elements: Elements) -> Reference {
        let number = self.number(ty.element);
        if ty.is_scalar() {
            return number;
        }
        let bits = ty.bytes().map_or(u64::MAX, |bytes| bytes.saturating_mul(8));
        let location = match elements {
            Elements::Here => "",
            Elements::Behind => "dataLocation = <[DW_OP_push_object_address, DW_OP_deref]>, ",
        };
        let ranges: Vec<_> = ty
            .shape
            .0
            .iter()
            .map(|dim| format!("#llvm.di_subrange<count = {dim} : i64>"))
            .collect();
        self.define(&format!(
            "#llvm.di_composite_type<tag = DW_TAG_array_type, baseType = {number}, \
             sizeInBits = {bits}, {location}elements = {}>",
            ranges.join(", ")
        ))
    }

    /// A struct of so many words.
    pub fn structure(&mut self, name: &str, words: usize, members: &[Member]) -> Reference {
        let members: Vec<_> = members
            .iter()
            .map(|member| {
                self.define(&format!(
                    "#llvm.di_derived_type<tag = DW_TAG_member, name = {}, baseType = {}, \
                     sizeInBits = {}, offsetInBits = {}>",
                    quoted(&member.name),
                    member.ty,
                    member.words as u64 * WORD,
                    member.offset as u64 * WORD
                ))
            })
            .collect();
        let elements = match members.as_slice() {
            [] => String::new(),
            _ => format!(", elements = {}", members.join(", ")),
        };
        self.define(&format!(
            "#llvm.di_composite_type<tag = DW_TAG_structure_type, name = {}, sizeInBits = {}{elements}>",
            quoted(name),
            words as u64 * WORD
        ))
    }

    /// Reads all definitions; the attributes are subprograms and variables.
    pub fn read<'c>(self, session: &'c Session) -> Attributes<'c> {
        let attributes = session.attributes(&self.text, &self.wanted);
        let attributes = attributes.expect("the text of the definitions is valid");
        self.wanted.into_iter().zip(attributes).collect()
    }

    fn file(&mut self, path: &str) -> Reference {
        let path = Path::new(path);
        let text = |part: Option<&std::ffi::OsStr>| {
            quoted(&part.map(|part| part.to_string_lossy()).unwrap_or_default())
        };
        let directory = text(path.parent().map(Path::as_os_str));
        let name = text(path.file_name().or(Some(path.as_os_str())));
        self.define(&format!("#llvm.di_file<{name} in {directory}>"))
    }

    /// The one compile unit, of the first file that asks.
    fn unit(&mut self, file: &str) -> Reference {
        if let Some(unit) = self.known.get("unit") {
            return unit.clone();
        }
        let unit = self.append(&format!(
            "#llvm.di_compile_unit<id = distinct[{}]<>, sourceLanguage = DW_LANG_C_plus_plus, \
             file = {file}, producer = \"toyc\", isOptimized = false, emissionKind = Full>",
            self.count
        ));
        self.known.insert("unit".to_owned(), unit.clone());
        unit
    }

    fn define(&mut self, definition: &str) -> Reference {
        if let Some(known) = self.known.get(definition) {
            return known.clone();
        }
        let reference = self.append(definition);
        self.known.insert(definition.to_owned(), reference.clone());
        reference
    }

    fn wanted(&mut self, definition: String) -> Reference {
        let reference = self.append(&definition);
        self.wanted.push(reference.clone());
        reference
    }

    fn append(&mut self, definition: &str) -> Reference {
        let reference = format!("#d{}", self.count);
        self.count += 1;
        let _ = writeln!(self.text, "{reference} = {definition}");
        reference
    }
}

/// A string as MLIR's parser reads it.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => {
                let _ = write!(quoted, "\\{byte:02X}");
            }
            _ => quoted.push(byte as char),
        }
    }
    quoted.push('"');
    quoted
}
