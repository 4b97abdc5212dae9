//! The meanings of all names in a program.
//!
//! Input: a tree, also one with errors, and its tokens. Output: the definitions, and every place that names one of
//! them. Invariants: the places are sorted and do not overlap; a name that means nothing has a place without a
//! definition; the work is linear in the program, and recursion is as deep as blocks are nested.

mod resolve;

use std::collections::HashMap;
use std::ops::Range;
use toy_diagnostics::source::Span;
use toy_syntax::ast::Module;
use toy_syntax::builtins::Builtin;
use toy_syntax::token::Token;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The place of a definition in [`Names::definitions`].
    Definition(usize),
    Builtin(&'static Builtin),
    /// `axis` or `end` before a `=` in a call.
    Label,
    Unknown,
}

/// The use of a name at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Define,
    Write,
    Read,
    Call,
}

/// A place with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub span: Span,
    pub target: Target,
    pub role: Role,
}

/// The kinds of definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Function,
    Struct,
    Field,
    Parameter,
    Variable,
    /// The variable of a `for`.
    Loop,
}

/// Something that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub kind: Kind,
    pub name: String,
    /// The name.
    pub span: Span,
    /// The whole definition.
    pub whole: Span,
    /// The scope of the name: the rest of the block, the body of a loop, or everything.
    pub scope: Span,
    /// The definition of the function or the struct that it is in.
    pub parent: Option<usize>,
    /// The definition of its struct; None for a tensor, and for a definition without a type.
    pub structure: Option<usize>,
    /// The shape that the program writes, with `<` and `>`.
    pub declared: Option<Span>,
}

impl Definition {
    pub fn is_variable(&self) -> bool {
        matches!(self.kind, Kind::Parameter | Kind::Variable | Kind::Loop)
    }
}

/// All names of a program.
#[derive(Default)]
pub struct Names {
    /// In source order, except for functions and structs, which come first.
    pub definitions: Vec<Definition>,
    pub places: Vec<Place>,
    /// For each function and struct, the range of the definitions in it.
    inside: Vec<Range<usize>>,
}

impl Names {
    pub fn resolve(module: &Module, tokens: &[(Token<'_>, Span)]) -> Self {
        let (mut names, functions) = resolve::resolve(module, tokens);
        // Names that the parser made up in recovery have no text, or the text of something else.
        names.places.retain(|place| place.span.start < place.span.end);
        names.places.sort_by_key(|place| place.span);
        names.places.dedup_by(|later, earlier| later.span.start < earlier.span.end);
        names.add_unread(tokens, &functions);
        names.find_insides();
        names
    }

    fn find_insides(&mut self) {
        self.inside = vec![0..0; self.definitions.len()];
        for (index, it) in self.definitions.iter().enumerate() {
            let Some(inside) = it.parent.and_then(|parent| self.inside.get_mut(parent)) else {
                continue;
            };
            let start = if inside.end == 0 { index } else { inside.start };
            *inside = start..index + 1;
        }
    }

    /// The definitions of a kind in a function or a struct, in order.
    fn inside(&self, parent: usize, kind: Kind) -> impl Iterator<Item = &Definition> {
        let inside = self.inside.get(parent).cloned().unwrap_or_default();
        let all = self.definitions[inside].iter();
        all.filter(move |it| it.kind == kind && it.parent == Some(parent))
    }

    /// Adds the names in text that the parser could not read.
    fn add_unread(&mut self, tokens: &[(Token<'_>, Span)], functions: &HashMap<&str, usize>) {
        let mut variables: HashMap<&str, Vec<(usize, &Definition)>> = HashMap::new();
        for (number, it) in self.definitions.iter().enumerate().filter(|(_, it)| it.is_variable()) {
            variables.entry(&it.name).or_default().push((number, it));
        }
        let mut found = Vec::new();
        for (index, (token, span)) in tokens.iter().enumerate() {
            let Token::Identifier(name) = token else { continue };
            let is_known = self.places.binary_search_by_key(span, |place| place.span).is_ok();
            let before = index.checked_sub(1).map(|before| tokens[before].0);
            if is_known || before == Some(Token::Dot) {
                continue;
            }
            let (target, role) = match tokens.get(index + 1) {
                Some((Token::OpenParen, _)) => {
                    let function = functions.get(name).copied().map(Target::Definition);
                    let builtin = || toy_syntax::builtins::find(name).map(Target::Builtin);
                    (function.or_else(builtin), Role::Call)
                }
                _ => {
                    let all = variables.get(name).map(Vec::as_slice).unwrap_or_default();
                    // A function's definitions are neighbors, and no other function contains the place.
                    let before = all.partition_point(|(_, it)| it.scope.start <= span.start);
                    let before = all[..before].iter().rev();
                    let nearest = before.clone().next().map(|(_, it)| it.parent);
                    let mut near = before.take_while(|(_, it)| Some(it.parent) == nearest);
                    let known = near.find(|(_, it)| span.end <= it.scope.end);
                    (known.map(|(number, _)| Target::Definition(*number)), Role::Read)
                }
            };
            found.extend(target.map(|target| Place { span: *span, target, role }));
        }
        self.places.extend(found);
        self.places.sort_by_key(|place| place.span);
    }

    /// The place at an offset: the name that contains it or ends there.
    pub fn at(&self, offset: u32) -> Option<&Place> {
        let next = self.places.partition_point(|place| place.span.start <= offset);
        let place = self.places.get(next.checked_sub(1)?)?;
        (offset <= place.span.end).then_some(place)
    }

    pub fn definition(&self, place: &Place) -> Option<(usize, &Definition)> {
        match place.target {
            Target::Definition(index) => Some((index, &self.definitions[index])),
            _ => None,
        }
    }

    /// The places that mean the same.
    pub fn same(&self, target: Target) -> impl Iterator<Item = &Place> {
        self.places.iter().filter(move |place| place.target == target)
    }

    /// The definition of a kind with a name.
    pub fn named(&self, kind: Kind, name: &str) -> Option<usize> {
        self.definitions.iter().position(|it| it.kind == kind && it.name == name)
    }

    /// The fields of a struct, in order.
    pub fn fields(&self, structure: usize) -> impl Iterator<Item = &Definition> {
        self.inside(structure, Kind::Field)
    }

    /// The parameters of a function, in order.
    pub fn parameters(&self, function: usize) -> impl Iterator<Item = &Definition> {
        self.inside(function, Kind::Parameter)
    }

    /// The variables that are known at an offset, the innermost last.
    pub fn variables_at(&self, offset: u32) -> impl Iterator<Item = &Definition> {
        let variables = self.definitions.iter().filter(|it| it.is_variable());
        variables.filter(move |it| it.scope.start <= offset && offset <= it.scope.end)
    }

    /// The function whose text contains an offset.
    pub fn function_at(&self, offset: u32) -> Option<usize> {
        self.definitions.iter().position(|it| {
            // A function that the parser could not read has no name.
            let is_read = it.kind == Kind::Function && !it.name.is_empty();
            is_read && it.whole.start <= offset && offset <= it.whole.end
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toy_diagnostics::source::Source;

    /// Each name with the line of its definition.
    fn resolved(text: &str) -> Vec<(String, String)> {
        let source = Source::new("t", text);
        let (module, _) = toy_syntax::analyze(&source);
        let names = Names::resolve(&module, &toy_syntax::lexer::lex(&source).0);
        let describe = |place: &Place| {
            let target = match place.target {
                Target::Definition(index) => {
                    let span = names.definitions[index].span;
                    format!("{}", source.line_column(span.start).line)
                }
                other => format!("{other:?}").chars().take(7).collect(),
            };
            (source.snippet(place.span).to_owned(), target)
        };
        names.places.iter().map(describe).collect()
    }

    fn targets(text: &str, name: &str) -> Vec<String> {
        let all = resolved(text).into_iter();
        all.filter(|(found, _)| found == name).map(|(_, target)| target).collect()
    }

    #[test]
    fn variables_are_known_in_their_blocks() {
        let text = "def main() {\nvar a = 1;\nif (a) {\nvar b = a; print(b);\n} else {\nvar b = (a);\n\
                    print((b));\n}\nprint(b);\nfor i in 0..a { a = i; }\nprint(i);\n}";
        assert_eq!(targets(text, "a"), ["2"; 6]);
        assert_eq!(targets(text, "b"), ["4", "4", "6", "6", "Unknown"]);
        assert_eq!(targets(text, "i"), ["10", "10", "Unknown"]);
    }

    #[test]
    fn fields_belong_to_the_structs_of_values() {
        let text = "struct P { var x; }\nstruct Q { P x; var y; }\ndef f(Q q) { return q.x.x; }\n\
                    def g(p) { Q q = {{p}, p}; return f(q) + q.x.z; }";
        assert_eq!(targets(text, "x"), ["1", "2", "2", "1", "2"]);
        assert_eq!(targets(text, "z"), ["Unknown"]);
        assert_eq!(targets(text, "Q"), ["2", "2", "2"]);
        assert_eq!(targets(text, "P"), ["1", "1"]);
    }

    #[test]
    fn calls_are_of_functions_or_builtins() {
        let text = "def exp(x) { return x; }\ndef main() { print(exp(sum([1], axis = 0)), f(1)); }";
        assert_eq!(targets(text, "exp"), ["1", "1"]);
        assert_eq!(targets(text, "sum"), ["Builtin"]);
        assert_eq!(targets(text, "axis"), ["Label"]);
        assert_eq!(targets(text, "f"), ["Unknown"]);
    }

    #[test]
    fn what_could_not_be_read_hides_nothing_else() {
        let text = "def main() {\nvar a = ;\nvar b = a +;\nprint(b, a.);\n";
        assert_eq!(targets(text, "a"), ["2", "2", "2"]);
        assert_eq!(targets(text, "b"), ["3", "3"]);
    }
}
