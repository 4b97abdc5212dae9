//! The names of functions in a debugger.
//!
//! Input: the symbol of a function. Output: for a specialization, the name in the program and the shapes
//! of its arguments, `f<2x3, scalar>` for `f$2x3$s` and its versions; otherwise the symbol. In C++, the declared language
//! ([`super::definitions`]), that is the name of a template instance: a debugger finds all of them by `f`,
//! and each by its full name. A struct is shown as a template, too, because gdb cannot parse names with braces
//! or parentheses.

use crate::stages::loops::versions;

/// The deepest struct in the name of a specialization that is read.
const MAX_DEPTH: usize = 64;

pub fn shown(symbol: &str) -> String {
    let symbol = versions::without_processor(symbol);
    try_shown(symbol).unwrap_or_else(|| symbol.to_owned())
}

fn try_shown(symbol: &str) -> Option<String> {
    let (name, mut rest) = symbol.split_once('$')?;
    let mut part = "";
    // A part of a function that was split.
    if let Some((before, number)) = symbol.rsplit_once("$part")
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        part = &symbol[before.len()..];
        rest = before.get(name.len() + 1..).unwrap_or("");
    }
    if name.is_empty() {
        return None;
    }
    let mut arguments = Vec::new();
    if rest != "void" {
        while !rest.is_empty() {
            let (argument, after) = argument(rest, 0)?;
            arguments.push(argument);
            rest = match after {
                "" => "",
                _ => after.strip_prefix('$').filter(|rest| !rest.is_empty())?,
            };
        }
    }
    let name = format!("{name}{part}");
    Some(if arguments.is_empty() { name } else { template(&name, &arguments) })
}

/// gdb reads `>>` as an operator.
fn template(name: &str, arguments: &[String]) -> String {
    let arguments = arguments.join(", ");
    let space = if arguments.ends_with('>') { " " } else { "" };
    format!("{name}<{arguments}{space}>")
}

/// One argument, and the rest: `2x3`, `s`, or `S2x3$sE`.
fn argument(text: &str, depth: usize) -> Option<(String, &str)> {
    if let Some(rest) = text.strip_prefix('s') {
        return Some(("scalar".to_owned(), rest));
    }
    if let Some(mut rest) = text.strip_prefix('S') {
        let mut fields = Vec::new();
        if depth == MAX_DEPTH {
            return None;
        }
        loop {
            let (field, after) = argument(rest, depth + 1)?;
            fields.push(field);
            match after.strip_prefix('E') {
                Some(after) => return Some((template("Struct", &fields), after)),
                None => rest = after.strip_prefix('$')?,
            }
        }
    }
    let end = text.find(|c: char| !c.is_ascii_digit() && c != 'x').unwrap_or(text.len());
    let (shape, rest) = text.split_at(end);
    shape.split('x').all(|size| !size.is_empty()).then(|| (shape.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn specializations_have_the_name_of_their_function() {
        for (symbol, name) in [
            ("main", "main"),
            ("f$2x3", "f<2x3>"),
            ("f$2x3$s", "f<2x3, scalar>"),
            ("f$void", "f"),
            ("g$S2x3$SsE$sE$2", "g<Struct<2x3, Struct<scalar>, scalar>, 2>"),
            ("g$SsSs$sEE", "g$SsSs$sEE"),
            ("g$Ss$Ss$sEE", "g<Struct<scalar, Struct<scalar, scalar> > >"),
            ("f$2x3$part12", "f$part12<2x3>"),
            ("main$part0", "main$part0"),
            ("f$void$part3", "f$part3"),
            ("f$part$2", "f$part$2"),
            ("f$2x3$", "f$2x3$"),
            ("f$2x", "f$2x"),
            ("f$S2", "f$S2"),
            ("$2", "$2"),
            ("x$y", "x$y"),
        ] {
            assert_eq!(shown(symbol), name);
        }
    }
}
