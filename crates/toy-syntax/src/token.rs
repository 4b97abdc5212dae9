//! The tokens of Toy, as a logos lexer.
//!
//! Input: the text. Output: [`Token`]s, which borrow from the text, and how messages quote them.
//! Invariants: [`Token::Invalid`] is text for which the lexer has already reported an error, so the
//! parser does not report it again; white space and comments are not tokens.

#![allow(missing_docs, reason = "each variant shows its spelling")]

use logos::Logos;
use std::fmt;
use toy_diagnostics::text::clipped;

/// Makes the tokens: those with one spelling from their rows, and the others.
macro_rules! tokens {
    ($($name:ident = $spelling:tt,)*) => {
        /// A token; names and numbers with their text.
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
        #[logos(skip r"[ \t\r\n\x0B\x0C]+")]
        #[logos(skip(r"#[^\n\r]*", allow_greedy = true))]
        pub enum Token<'source> {
            $(#[token($spelling)] $name,)*
            #[regex("[a-zA-Z_][a-zA-Z0-9_]*")]
            Identifier(&'source str),
            /// Any run that starts like a number, so that `1.2.3` and `0x1F` are one bad number and not
            /// several good tokens; the lexer tells the good ones from the bad ones.
            #[regex(r"\.?[0-9]", number)]
            Number(&'source str),
            /// With its quotes and as written; the lexer checks its end and its escapes.
            #[regex("\"", string)]
            String(&'source str),
            /// Unknown text, or a character, a comment or a range of another language, each as one token.
            #[regex(r"'[^'\n\r]*'")]
            #[regex(r"/[/*][^\n\r]*", allow_greedy = true)]
            #[regex(r"\.\.\.+")]
            #[regex(r"=[<>]")]
            Invalid,
        }

        impl<'source> Token<'source> {
            /// All tokens that have one spelling: keywords, brackets, operators and separators.
            pub const FIXED: &'static [Token<'static>] = &[$(Token::$name),*];

            /// The token as it is in the source; empty for invalid text.
            pub fn spelling(&self) -> &'source str {
                match self {
                    $(Token::$name => $spelling,)*
                    Token::Identifier(text) | Token::Number(text) | Token::String(text) => text,
                    Token::Invalid => "",
                }
            }
        }
    };
}

tokens! {
    Def = "def",
    Var = "var",
    Return = "return",
    Struct = "struct",
    If = "if",
    Else = "else",
    While = "while",
    For = "for",
    In = "in",
    Break = "break",
    Continue = "continue",
    OpenParen = "(",
    CloseParen = ")",
    OpenBrace = "{",
    CloseBrace = "}",
    OpenBracket = "[",
    CloseBracket = "]",
    Less = "<",
    Greater = ">",
    Comma = ",",
    Semicolon = ";",
    Equals = "=",
    Plus = "+",
    Minus = "-",
    Star = "*",
    Slash = "/",
    Percent = "%",
    Dot = ".",
    DotDot = "..",
    Colon = ":",
    LessEqual = "<=",
    GreaterEqual = ">=",
    EqualEqual = "==",
    NotEqual = "!=",
    AndAnd = "&&",
    OrOr = "||",
    Not = "!",
    At = "@",
}

impl Token<'_> {
    /// The name of the kind of token, for `-emit=tokens`.
    pub fn kind(&self) -> String {
        let name = format!("{self:?}");
        name.split('(').next().unwrap_or_default().to_owned()
    }

    /// True if the token is a keyword.
    pub fn is_keyword(&self) -> bool {
        let jumps = matches!(self, Token::Return | Token::Break | Token::Continue);
        let definitions = matches!(self, Token::Def | Token::Var | Token::Struct);
        jumps || definitions || self.starts_control() || matches!(self, Token::Else | Token::In)
    }

    /// True for the words that start a branch or a loop.
    pub fn starts_control(&self) -> bool {
        matches!(self, Token::If | Token::While | Token::For)
    }

    /// The closing bracket of an opening bracket; `None` for other tokens.
    pub fn closing(&self) -> Option<Token<'static>> {
        match self {
            Token::OpenParen => Some(Token::CloseParen),
            Token::OpenBrace => Some(Token::CloseBrace),
            Token::OpenBracket => Some(Token::CloseBracket),
            _ => None,
        }
    }

    /// True if the token is a closing bracket (`>` is not).
    pub fn is_closing(&self) -> bool {
        matches!(self, Token::CloseParen | Token::CloseBrace | Token::CloseBracket)
    }
}

/// The rest of a number whose first digit is read. A `..` ends it: `0..4` is a range.
fn number<'source>(lexer: &mut logos::Lexer<'source, Token<'source>>) -> &'source str {
    let rest = lexer.remainder().as_bytes();
    let mut end = 0;
    while let Some(byte) = rest.get(end) {
        let belongs = match byte {
            b'.' => rest.get(end + 1) != Some(&b'.'),
            b'+' | b'-' => {
                let is_exponent = end > 0 && matches!(rest[end - 1], b'e' | b'E');
                is_exponent && rest.get(end + 1).is_some_and(u8::is_ascii_digit)
            }
            byte => byte.is_ascii_alphanumeric() || *byte == b'_',
        };
        if !belongs {
            break;
        }
        end += 1;
    }
    lexer.bump(end);
    lexer.slice()
}

/// The rest of a string whose opening quote is read. One that has no end on its line ends before closing brackets at the
/// end of the line, which are most likely not part of it.
fn string<'source>(lexer: &mut logos::Lexer<'source, Token<'source>>) -> &'source str {
    let line = lexer.remainder().split(['\n', '\r']).next().unwrap_or_default();
    let mut is_escaped = false;
    let quote = line.bytes().position(|byte| {
        let is_quote = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_quote
    });
    let inner = || line.trim_end_matches([')', ']', '}', ';', ' ', '\t']).len();
    lexer.bump(quote.map_or_else(inner, |quote| quote + 1));
    lexer.slice()
}

/// The token as a message quotes it: in backquotes, clipped if it is long.
impl fmt::Display for Token<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Token::Invalid {
            return write!(formatter, "text that is not Toy");
        }
        write!(formatter, "`{}`", clipped(self.spelling()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_token_is_read_from_its_spelling() {
        for token in Token::FIXED {
            let found: Vec<_> = Token::lexer(token.spelling()).collect();
            assert_eq!(found, [Ok(*token)]);
        }
    }

    #[test]
    fn messages_quote_the_text_of_a_token() {
        assert_eq!(Token::Semicolon.to_string(), "`;`");
        assert_eq!(Token::Identifier("ab").to_string(), "`ab`");
    }
}
