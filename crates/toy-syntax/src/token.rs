//! The tokens of Toy, described to logos.
//!
//! Input: the text. Output: [`Token`]s, borrowed from the text, and the words in which messages
//! speak of them. Invariants: [`Token::Invalid`] stands for text the lexer has already complained
//! about, so nobody complains about it again; white space and comments make no token.

use logos::Logos;
use std::fmt;
use toy_diagnostics::text::clipped;

#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\x0B\x0C]+")]
#[logos(skip(r"#[^\n\r]*", allow_greedy = true))]
pub enum Token<'source> {
    #[token("def")]
    Def,
    #[token("var")]
    Var,
    #[token("return")]
    Return,
    #[token("struct")]
    Struct,
    #[regex("[a-zA-Z_][a-zA-Z0-9_]*")]
    Identifier(&'source str),
    /// Any run that starts like a number, so that `1.2.3` and `0x1F` are one bad number and not
    /// several good tokens; the lexer tells the good ones from the bad ones.
    #[regex(r"\.*[0-9]([0-9a-zA-Z_.]|[eE][+-][0-9])*")]
    Number(&'source str),
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("<")]
    Less,
    #[token(">")]
    Greater,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token("=")]
    Equals,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token(".")]
    Dot,
    /// A string or a comment as other languages write them: wholes the lexer wants in one piece.
    #[regex(r#""[^"\n\r]*"?"#)]
    #[regex(r"/[/*][^\n\r]*", allow_greedy = true)]
    Invalid,
}

impl Token<'_> {
    /// The name of the kind of token, for `-emit=tokens`.
    pub fn kind(&self) -> &'static str {
        match self {
            Token::Def => "Def",
            Token::Var => "Var",
            Token::Return => "Return",
            Token::Struct => "Struct",
            Token::Identifier(_) => "Identifier",
            Token::Number(_) => "Number",
            Token::OpenParen => "OpenParen",
            Token::CloseParen => "CloseParen",
            Token::OpenBrace => "OpenBrace",
            Token::CloseBrace => "CloseBrace",
            Token::OpenBracket => "OpenBracket",
            Token::CloseBracket => "CloseBracket",
            Token::Less => "Less",
            Token::Greater => "Greater",
            Token::Comma => "Comma",
            Token::Semicolon => "Semicolon",
            Token::Equals => "Equals",
            Token::Plus => "Plus",
            Token::Minus => "Minus",
            Token::Star => "Star",
            Token::Slash => "Slash",
            Token::Dot => "Dot",
            Token::Invalid => "Invalid",
        }
    }

    /// Whether the token is a word of the language that would otherwise be a name.
    pub fn is_keyword(&self) -> bool {
        matches!(self, Token::Def | Token::Var | Token::Return | Token::Struct)
    }

    /// The bracket that closes this opening one.
    pub fn closing(&self) -> Option<Token<'static>> {
        match self {
            Token::OpenParen => Some(Token::CloseParen),
            Token::OpenBrace => Some(Token::CloseBrace),
            Token::OpenBracket => Some(Token::CloseBracket),
            _ => None,
        }
    }

    pub fn is_closing(&self) -> bool {
        matches!(self, Token::CloseParen | Token::CloseBrace | Token::CloseBracket)
    }
}

/// The token as a message quotes it: in backquotes, long ones cut.
impl fmt::Display for Token<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Token::Def => "def",
            Token::Var => "var",
            Token::Return => "return",
            Token::Struct => "struct",
            Token::Identifier(text) | Token::Number(text) => text,
            Token::OpenParen => "(",
            Token::CloseParen => ")",
            Token::OpenBrace => "{",
            Token::CloseBrace => "}",
            Token::OpenBracket => "[",
            Token::CloseBracket => "]",
            Token::Less => "<",
            Token::Greater => ">",
            Token::Comma => ",",
            Token::Semicolon => ";",
            Token::Equals => "=",
            Token::Plus => "+",
            Token::Minus => "-",
            Token::Star => "*",
            Token::Slash => "/",
            Token::Dot => ".",
            Token::Invalid => return write!(formatter, "text that is not Toy"),
        };
        write!(formatter, "`{}`", clipped(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_quoted_in_human_words() {
        assert_eq!(Token::Semicolon.to_string(), "`;`");
        assert_eq!(Token::Identifier("ab").to_string(), "`ab`");
    }
}
