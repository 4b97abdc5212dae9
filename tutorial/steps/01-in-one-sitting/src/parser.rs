//! Tokens to linalg: what is parsed is lowered at once.
//!
//! ```text
//! program   = "def" "main" "(" ")" "{" { statement ";" } "}"
//! statement = "var" NAME "=" sum | "print" "(" sum ")"
//! sum       = product { "+" product }
//! product   = primary { "*" primary }
//! primary   = literal | NAME | "(" sum ")" | "transpose" "(" sum ")"
//! literal   = NUMBER | "[" literal { "," literal } "]"
//! ```

use crate::lexer::lex;
use crate::lower::{Code, Value};
use std::collections::HashMap;

struct Parser<'s> {
    tokens: Vec<(&'s str, usize)>,
    next: usize,
    variables: HashMap<&'s str, Value>,
    code: Code,
}

/// The program in MLIR's linalg dialect.
pub fn compile(source: &str) -> Result<String, String> {
    let (variables, code) = (HashMap::new(), Code::default());
    let mut parser = Parser { tokens: lex(source)?, next: 0, variables, code };
    match parser.program() {
        Ok(()) => Ok(parser.code.module()),
        Err(message) => Err(format!("line {}: {message}", parser.tokens[parser.next].1)),
    }
}

impl<'s> Parser<'s> {
    fn program(&mut self) -> Result<(), String> {
        for token in ["def", "main", "(", ")", "{"] {
            self.expect(token)?;
        }
        while !self.accept("}") {
            self.statement()?;
            self.expect(";")?;
            if self.code.is_too_long() {
                return Err("the program is too long".to_string());
            }
        }
        self.expect("")
    }

    fn statement(&mut self) -> Result<(), String> {
        if self.accept("var") {
            let name = self.name()?;
            self.expect("=")?;
            let value = self.sum()?;
            self.variables.insert(name, value);
        } else {
            self.expect("print")?;
            let value = self.parenthesized()?;
            self.code.print(&value);
        }
        Ok(())
    }

    fn sum(&mut self) -> Result<Value, String> {
        let mut sum = self.product()?;
        while self.accept("+") {
            let product = self.product()?;
            sum = self.code.element_wise("add", &sum, &product)?;
        }
        Ok(sum)
    }

    fn product(&mut self) -> Result<Value, String> {
        let mut product = self.primary()?;
        while self.accept("*") {
            let factor = self.primary()?;
            product = self.code.element_wise("mul", &product, &factor)?;
        }
        Ok(product)
    }

    fn primary(&mut self) -> Result<Value, String> {
        if self.accept("transpose") {
            let operand = self.parenthesized()?;
            return Ok(self.code.transpose(&operand));
        }
        match self.peek().chars().next() {
            Some('(') => self.parenthesized(),
            Some('[' | '0'..='9') => {
                let mut elements = Vec::new();
                let shape = self.literal(&mut elements)?;
                Ok(self.code.constant(&shape, &elements))
            }
            _ => {
                let name = self.name()?;
                let variable = self.variables.get(name).cloned();
                variable.ok_or_else(|| format!("`{name}` is not defined"))
            }
        }
    }

    fn parenthesized(&mut self) -> Result<Value, String> {
        self.expect("(")?;
        let value = self.sum()?;
        self.expect(")")?;
        Ok(value)
    }

    /// Appends the elements, row by row, and returns the shape.
    fn literal(&mut self, elements: &mut Vec<f64>) -> Result<Vec<usize>, String> {
        if !self.accept("[") {
            let number =
                self.peek().parse().ok().filter(|number: &f64| number.is_finite());
            elements.push(number.ok_or_else(|| self.expected("a number"))?);
            self.next += 1;
            return Ok(vec![]);
        }
        let inner = self.literal(elements)?;
        let mut count = 1;
        while self.accept(",") {
            if self.literal(elements)? != inner {
                return Err("the elements of a list must have one shape".to_string());
            }
            count += 1;
        }
        self.expect("]")?;
        Ok([vec![count], inner].concat())
    }

    fn name(&mut self) -> Result<&'s str, String> {
        let name = self.peek();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            return Err(self.expected("a name"));
        }
        self.next += 1;
        Ok(name)
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.accept(token) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{token}`")))
        }
    }

    /// Takes the next token if it is this one.
    fn accept(&mut self, token: &str) -> bool {
        let is_next = self.peek() == token;
        // Nothing follows the empty token at the end.
        self.next += usize::from(is_next && !token.is_empty());
        is_next
    }

    fn peek(&self) -> &'s str {
        self.tokens[self.next].0
    }

    fn expected(&self, what: &str) -> String {
        format!("expected {what}, found `{}`", self.peek())
    }
}
