//! Uses of symbols: the names that the attributes of operations refer to.
//!
//! Input: operations, and the attributes to leave out (usually the callee of a call). Output: the symbols that the
//! other attributes refer to, in any symbol table. Invariant: no reference is missed; if one cannot be read,
//! [`References::names`] is None.

use crate::ir;
use melior::ir::operation::{OperationLike, OperationRef};
use std::collections::HashSet;

/// The symbols that some operations refer to.
#[derive(Debug, Default)]
pub struct References {
    names: HashSet<String>,
    /// The texts of attributes that may refer to symbols in ways that only their dialect knows.
    texts: Vec<String>,
}

impl References {
    /// The symbols that operations refer to in their attributes, except for attributes that `is_left_out` accepts.
    pub fn of<'c: 'a, 'a>(
        operations: impl IntoIterator<Item = OperationRef<'c, 'a>>,
        is_left_out: impl Fn(&OperationRef<'c, 'a>, &str) -> bool,
    ) -> Self {
        let mut references = Self::default();
        // Equal attributes are one object, and most operations share their attributes with others.
        let mut seen = HashSet::new();
        for operation in operations {
            for (name, attribute) in operation.attributes() {
                let name = name.as_string_ref().as_str().unwrap_or_default();
                let key = ir::id(attribute);
                if !is_left_out(&operation, name) && seen.insert(key) {
                    ir::symbols(attribute, &mut references.names, &mut references.texts);
                }
            }
        }
        references
    }

    /// The symbols that operations refer to otherwise than as what they call or define. The type of a private function may
    /// change if its name is not among them: all its calls are known.
    pub fn besides_calls<'c: 'a, 'a>(
        operations: impl IntoIterator<Item = OperationRef<'c, 'a>>,
    ) -> Self {
        Self::of(operations, |operation, name| {
            let is_call = ir::name(operation) == "func.call" && name == "callee";
            is_call || ["sym_name", "function_type"].contains(&name)
        })
    }

    /// All names; None if a reference cannot be read.
    pub fn names(self) -> Option<HashSet<String>> {
        let mut names = self.names;
        for text in self.texts {
            names.extend(names_in(&text)?);
        }
        Some(names)
    }

    /// True if a symbol may be referred to.
    pub fn mention(&self, name: &str) -> bool {
        self.names.contains(name) || self.texts.iter().any(|text| text.contains(name))
    }
}

/// The symbols in the text of an attribute; None if one is written with escapes.
fn names_in(text: &str) -> Option<Vec<String>> {
    let name = |text: &str| match text.strip_prefix('"') {
        Some(quoted) => {
            let name = quoted.split('"').next().unwrap_or(quoted);
            (!name.contains('\\')).then(|| name.to_owned())
        }
        None => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "_$.-".contains(c);
            Some(text.split(|c| !is_part(c)).next().unwrap_or(text).to_owned())
        }
    };
    text.split('@').skip(1).map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_in_texts_are_found() {
        let names = |text| names_in(text).map(|names| names.join(" "));
        assert_eq!(names("#a.b<@f, x = @g$1x2::@\"h i\">").as_deref(), Some("f g$1x2 h i"));
        assert_eq!(names("none").as_deref(), Some(""));
        assert_eq!(names("@\"a\\22\""), None);
    }
}
