//! The text of `--export` and `--main`, read from left to right.
//!
//! Input: a text in the grammar of [`super`]. Output: an [`Export`], or a diagnostic with the place in the text.

use super::{Argument, Export, Gradient};
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};
use toy_syntax::ast::Derivative;
use toy_syntax::element::Element;
use toy_syntax::limits::MAX_STRUCT_DEPTH;
use toy_syntax::shape::{MAX_RANK, Shape, TensorType};

pub struct Parser<'t> {
    pub text: &'t str,
    pub rest: &'t str,
    pub option: &'static str,
}

impl<'t> Parser<'t> {
    pub fn export(&mut self) -> Result<Export, Diagnostic> {
        let Some(open) = self.rest.find('(') else {
            return Err(self.malformed("the shapes of the arguments are missing"));
        };
        let (head, tail) = self.rest.split_at(open);
        let (alias, mut function) = match head.split_once('=') {
            Some((alias, function)) => (Some(alias.trim()), function.trim()),
            None => (None, head.trim()),
        };
        self.rest = &tail[1..];
        let mut gradient = None;
        // A function of the program may have such a name: then shapes follow, and nothing else.
        let is_twice =
            self.rest.split_once(')').is_some_and(|it| it.1.trim_start().starts_with('('));
        let place = Derivative::NAMES.iter().position(|name| *name == function);
        if let Some(place) = place.filter(|_| is_twice) {
            let (of, by) = self.gradient()?;
            (function, gradient) = (of, Some(Gradient { with_value: place == 1, by }));
        }
        if function.is_empty() || alias == Some("") {
            return Err(self.malformed("a name is missing"));
        }
        let arguments = self.list(')', 0)?;
        self.skip_space();
        if !self.rest.is_empty() {
            return Err(self.unexpected("the end"));
        }
        let mut export = Export {
            text: self.text.to_owned(),
            c_name: String::new(),
            function: function.to_owned(),
            gradient,
            arguments,
            is_main: false,
            is_flat: false,
        };
        export.c_name = alias.map_or_else(|| export.default_name(), str::to_owned);
        Ok(export)
    }

    /// A function and numbers of parameters, and then the bracket before the shapes.
    fn gradient(&mut self) -> Result<(&'t str, Vec<usize>), Diagnostic> {
        let end = self.rest.find([',', ')']).unwrap_or(self.rest.len());
        let (function, rest) = self.rest.split_at(end);
        self.rest = rest;
        let mut by = Vec::new();
        while self.eat(',') {
            let (digits, rest) = self.digits();
            let number = digits.parse().ok().filter(|number| !by.contains(number));
            let Some(number) = number else {
                return Err(self.unexpected("the number of another parameter"));
            };
            self.rest = rest;
            by.push(number);
        }
        if !self.eat(')') || !self.eat('(') {
            return Err(self.unexpected("`,` or `)`"));
        }
        Ok((function.trim(), if by.is_empty() { vec![0] } else { by }))
    }

    /// Arguments up to a closing bracket.
    fn list(&mut self, close: char, depth: usize) -> Result<Vec<Argument>, Diagnostic> {
        let mut arguments = Vec::new();
        if self.eat(close) {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.argument(depth)?);
            if self.eat(close) {
                return Ok(arguments);
            }
            if !self.eat(',') {
                return Err(self.unexpected(&format!("`,` or `{close}`")));
            }
        }
    }

    fn argument(&mut self, depth: usize) -> Result<Argument, Diagnostic> {
        if self.eat('{') {
            if depth == MAX_STRUCT_DEPTH {
                let why = format!("it has more than {MAX_STRUCT_DEPTH} structs inside one another");
                return Err(self.malformed(&why));
            }
            let fields = self.list('}', depth + 1)?;
            if fields.is_empty() {
                return Err(self.malformed("a struct has at least one field"));
            }
            return Ok(Argument::Struct(fields));
        }
        let mut sizes = Vec::new();
        if self.eat('(') {
            if !self.eat(')') {
                return Err(self.unexpected("`)` (`()` is a scalar)"));
            }
        } else if self.eat('<') {
            while !self.eat('>') {
                if !sizes.is_empty() && !self.eat(',') {
                    return Err(self.unexpected("`,` or `>`"));
                }
                sizes.push(self.size()?);
            }
        } else if let Some(rest) = self.rest.strip_prefix("scalar") {
            self.rest = rest;
        } else {
            sizes.push(self.size()?);
            while self.eat('x') {
                sizes.push(self.size()?);
            }
        }
        if sizes.len() > MAX_RANK {
            return Err(self.malformed(&format!("a shape has more than {MAX_RANK} dimensions")));
        }
        let ty = TensorType { element: self.element()?, shape: Shape(sizes) };
        if !ty.fits() {
            return Err(self.malformed(&format!("a tensor of shape {ty} is too large")));
        }
        Ok(Argument::Tensor(ty))
    }

    /// The element type, which may be left out.
    fn element(&mut self) -> Result<Element, Diagnostic> {
        self.skip_space();
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Ok(Element::DEFAULT);
        }
        let Some(element) = Element::named(name) else {
            return Err(
                self.unexpected(&format!("`,`, `)` or an element type, {},", Element::names()))
            );
        };
        self.rest = rest;
        Ok(element)
    }

    /// Digits, and the text after them.
    fn digits(&mut self) -> (&'t str, &'t str) {
        self.skip_space();
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        self.rest.split_at(end)
    }

    fn size(&mut self) -> Result<u64, Diagnostic> {
        let (digits, rest) = self.digits();
        if digits.is_empty() {
            return Err(self.unexpected("a shape"));
        }
        self.rest = rest;
        match digits.parse() {
            Ok(0) => Err(self.malformed("a size is 0, but tensors have elements")),
            Ok(size) => Ok(size),
            Err(_) => Err(self.malformed(&format!("the size {} is too large", clipped(digits)))),
        }
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.skip_space();
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = match self.rest {
            "" => "the text ends".to_owned(),
            rest => format!("there is `{}`", clipped(rest)),
        };
        self.malformed(&format!("{found} where {wanted} is expected"))
    }

    fn malformed(&self, why: &str) -> Diagnostic {
        let option = self.option;
        let message = format!("`{option} '{}'` cannot be read: {why}", clipped(self.text));
        Diagnostic::error(codes::BAD_EXPORT, message).help(format!(
            "write a function with the shapes of its arguments, as in `{option} 'f(2x3, ())'`: `()` is \
             a scalar, `2x3 f32` has elements of 32 bits, and `{{2x3, ()}}` is a struct of the two; or its gradient: \
             `grad(f)(2x3, ())`",
        ))
    }
}
