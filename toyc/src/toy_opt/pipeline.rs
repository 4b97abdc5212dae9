//! The text of a pipeline: `builtin.module(toy-canonicalize,func.func(cse,canonicalize{top-down=false}))`.
//!
//! Input: the text. Output: its passes in order, each a [`Leaf`] with the operations it is nested under. The nested
//! text means one pass after the other over the whole module, because passes under one operation see nothing of its
//! neighbors. Invariants: every error has a span in the text; nesting is bounded, and nothing here recurses.
//!
//! ```text
//! pipeline = [element {"," element}]
//! element  = name ["{" options "}"] | name "(" pipeline ")"
//! ```
//!
//! There may be white space around each element; options are any text whose braces match.

use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// The root operation of every pipeline.
pub const ROOT: &str = "builtin.module";

/// Deeper than in any real pipeline, and shallow enough for MLIR, which recurses.
const MAX_DEPTH: usize = 32;

/// An error on the command line.
pub fn command_line_error(message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(codes::COMMAND_LINE, message)
}

/// One pass of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The operations it is nested under, without the root.
    pub anchors: Vec<String>,
    pub name: String,
    /// The text in braces.
    pub options: String,
    /// The name and the options, in the text.
    pub span: Span,
}

impl Leaf {
    /// The pass alone in MLIR's syntax, nested under its anchors.
    pub fn text(&self) -> String {
        let mut text: String = self.anchors.iter().map(|anchor| format!("{anchor}(")).collect();
        text.push_str(&self.name);
        if !self.options.is_empty() {
            text.push_str(&format!("{{{}}}", self.options));
        }
        text + &")".repeat(self.anchors.len())
    }
}

/// The passes of a text.
pub fn parse(source: &Source) -> Result<Vec<Leaf>, Diagnostic> {
    Parser { text: &source.text, at: 0, anchors: Vec::new(), leaves: Vec::new() }.run()
}

/// True if a pass or an operation could have this name.
pub fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.$".contains(c);
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && text.chars().all(is_part)
}

/// True if the braces in the options match.
pub fn is_balanced(options: &str) -> bool {
    closing_brace(&format!("{options}}}")) == Some(options.len())
}

/// The offset of the brace that closes one opened before the text.
fn closing_brace(text: &str) -> Option<usize> {
    let mut depth = 1;
    text.bytes().position(|byte| {
        depth += i64::from(byte == b'{') - i64::from(byte == b'}');
        depth == 0
    })
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// The open operations, the root first, each with its span.
    anchors: Vec<(&'t str, Span)>,
    leaves: Vec<Leaf>,
}

impl<'t> Parser<'t> {
    fn run(mut self) -> Result<Vec<Leaf>, Diagnostic> {
        self.root()?;
        // Each iteration reads one element that may follow a `(` or a `,`, and the text after it.
        let mut may_end = true;
        loop {
            self.skip_space();
            if self.peek() == Some(')') && may_end {
                if self.close()? {
                    return Ok(self.leaves);
                }
            } else {
                let (name, span) = self.name("a pass or an operation")?;
                if self.take('(') {
                    self.open(name, span)?;
                    may_end = true;
                    continue;
                }
                self.leaf(name, span)?;
            }
            self.skip_space();
            while self.peek() == Some(')') {
                if self.close()? {
                    return Ok(self.leaves);
                }
                self.skip_space();
            }
            if !self.take(',') {
                return Err(self.expected("`,` or `)`"));
            }
            may_end = false;
        }
    }

    /// `builtin.module(`
    fn root(&mut self) -> Result<(), Diagnostic> {
        self.skip_space();
        let help = format!("write `{ROOT}(...)` around the passes");
        let (name, span) = self.name(&format!("`{ROOT}`")).map_err(|d| d.help(&help))?;
        if name != ROOT || !self.take('(') {
            let message = format!("the pipeline must begin with `{ROOT}(`");
            return Err(command_line_error(message).label(span, "not with this").help(help));
        }
        self.anchors.push((name, span));
        Ok(())
    }

    fn open(&mut self, name: &'t str, span: Span) -> Result<(), Diagnostic> {
        // MLIR takes any name for an operation; a name without a dialect is a pass, or misspelled.
        if name != "any" && !name.contains('.') {
            let message = format!("`{}` is not an operation to nest passes under", clipped(name));
            let diagnostic = command_line_error(message).label(span, "not an operation");
            return Err(diagnostic.help("the options of a pass go in braces: `NAME{a=b c=d}`"));
        }
        if self.anchors.len() >= MAX_DEPTH {
            let message = format!("passes are nested more than {MAX_DEPTH} deep");
            return Err(command_line_error(message).label(span, "too deep"));
        }
        self.anchors.push((name, span));
        Ok(())
    }

    /// Takes a `)`; true if it is the last one and nothing follows.
    fn close(&mut self) -> Result<bool, Diagnostic> {
        self.at += 1;
        self.anchors.pop();
        if !self.anchors.is_empty() {
            return Ok(false);
        }
        self.skip_space();
        match self.peek() {
            None => Ok(true),
            Some(_) => Err(self.expected("the end of the text")),
        }
    }

    fn leaf(&mut self, name: &str, span: Span) -> Result<(), Diagnostic> {
        let mut options = "";
        if self.take('{') {
            let start = self.at;
            let Some(length) = closing_brace(&self.text[start..]) else {
                let open = Span::new(start - 1, start);
                return Err(
                    command_line_error("the options have no end").label(open, "no `}` for this")
                );
            };
            options = self.text[start..start + length].trim();
            self.at = start + length + 1;
        }
        let end = if options.is_empty() { span.end as usize } else { self.at };
        self.leaves.push(Leaf {
            anchors: self.anchors[1..].iter().map(|(name, _)| (*name).to_owned()).collect(),
            name: name.to_owned(),
            options: options.to_owned(),
            span: Span::new(span.start as usize, end),
        });
        Ok(())
    }

    fn name(&mut self, what: &str) -> Result<(&'t str, Span), Diagnostic> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| "(){},".contains(c) || c.is_whitespace());
        let name = &rest[..end.unwrap_or(rest.len())];
        if name.is_empty() {
            return Err(self.expected(what));
        }
        let span = Span::new(self.at, self.at + name.len());
        if !is_name(name) {
            let message = format!("`{}` is not the name of a pass", clipped(name));
            return Err(command_line_error(message).label(span, "this"));
        }
        self.at += name.len();
        self.skip_space();
        Ok((name, span))
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = self.peek();
        let span = Span::new(self.at, self.at + found.map_or(0, char::len_utf8));
        let label = match (found, self.anchors.last()) {
            (None, Some((name, _))) => format!("the text ends here, inside of `{name}(`"),
            (None, None) => "the text ends here".to_owned(),
            (Some(_), _) => format!("not {what}"),
        };
        command_line_error(format!("expected {what}")).label(span, label)
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        self.at += if is_there { wanted.len_utf8() } else { 0 };
        is_there
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let leaves = parse(&Source::new("t", text));
        leaves.unwrap_or_else(|d| panic!("{text}: {d:?}")).iter().map(Leaf::text).collect()
    }

    #[test]
    fn nested_text_becomes_passes_in_order() {
        for (text, expected) in [
            ("builtin.module()", [].as_slice()),
            (" builtin.module ( ) ", &[]),
            ("builtin.module(cse)", &["cse"]),
            ("builtin.module( cse , a-b{} )", &["cse", "a-b"]),
            (
                "builtin.module(a,func.func(b,c{d=e}),f)",
                &["a", "func.func(b)", "func.func(c{d=e})", "f"],
            ),
            ("builtin.module(a{b={c,d} e=f(g)},\n\th)", &["a{b={c,d} e=f(g)}", "h"]),
            ("builtin.module(a {b} ,any(c))", &["a{b}", "any(c)"]),
            ("builtin.module(x.y(z.w(a),b),c)", &["x.y(z.w(a))", "x.y(b)", "c"]),
            ("builtin.module(func.func(),func.func( ))", &[]),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn a_leaf_spans_its_name_and_options() {
        let leaves = parse(&Source::new("t", "builtin.module(a {b c} , d)")).unwrap();
        let spans: Vec<_> = leaves.iter().map(|leaf| (leaf.span.start, leaf.span.end)).collect();
        assert_eq!(spans, [(15, 22), (25, 26)]);
    }

    #[test]
    fn errors_have_a_message_and_a_span() {
        let deep = format!("builtin.module({}cse", "func.func(".repeat(40));
        for (text, at, message) in [
            ("", 0, "expected `builtin.module`"),
            ("cse", 0, "the pipeline must begin with `builtin.module(`"),
            ("func.func(cse)", 0, "the pipeline must begin with `builtin.module(`"),
            ("any(cse)", 0, "the pipeline must begin with `builtin.module(`"),
            ("builtin.module", 0, "the pipeline must begin with `builtin.module(`"),
            ("builtin.module(", 15, "expected a pass or an operation"),
            ("builtin.module(cse", 18, "expected `,` or `)`"),
            ("builtin.module(cse,", 19, "expected a pass or an operation"),
            ("builtin.module(cse,)", 19, "expected a pass or an operation"),
            ("builtin.module(,cse)", 15, "expected a pass or an operation"),
            ("builtin.module(cse cse)", 19, "expected `,` or `)`"),
            ("builtin.module(cse))", 19, "expected the end of the text"),
            ("builtin.module(cse),cse", 19, "expected the end of the text"),
            ("builtin.module(cse{a)", 18, "the options have no end"),
            ("builtin.module(cse{a}})", 21, "expected `,` or `)`"),
            ("builtin.module({a})", 15, "expected a pass or an operation"),
            (
                "builtin.module(cse(canonicalize))",
                15,
                "`cse` is not an operation to nest passes under",
            ),
            ("builtin.module(é)", 15, "`é` is not the name of a pass"),
            ("builtin.module(cse é)", 19, "expected `,` or `)`"),
            (&deep, 15 + 31 * 10, "passes are nested more than 32 deep"),
        ] {
            let diagnostic = parse(&Source::new("t", text)).expect_err(text);
            let place = diagnostic.labels[0].span.start;
            assert_eq!((place, diagnostic.message.as_str()), (at, message), "{text}");
        }
    }

    #[test]
    fn braces_must_match() {
        for (options, balanced) in
            [("", true), ("a={b}", true), ("{", false), ("}", false), ("}{", false), ("{}{}", true)]
        {
            assert_eq!(is_balanced(options), balanced, "{options}");
        }
    }
}
