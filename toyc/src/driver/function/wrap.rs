//! Long lines of IR, broken for reading.
//!
//! Input: a line of MLIR or LLVM IR. Output: the same tokens in lines of at most [`WIDTH`] columns where that is
//! possible; continuations are indented. Invariant: a line is broken only at a space that is neither in a string
//! nor in a comment, so that the text means the same.

/// The width that fits next to the line numbers of an editor, and on a printed page.
const WIDTH: usize = 92;

/// The additional indentation of continuations.
const INDENT: usize = 4;

/// The line, broken, with a newline at its end. A comment begins with `comment`.
pub fn wrapped(line: &str, comment: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    let mut text = String::new();
    let mut rest = line.trim_end().to_owned();
    while rest.chars().count() > WIDTH {
        let Some(at) = break_point(&rest, comment) else { break };
        text.push_str(&rest[..at]);
        text.push('\n');
        rest = " ".repeat(indent + INDENT) + &rest[at + 1..];
    }
    text + &rest + "\n"
}

/// The space to break at: in the second half of the width, the space in the fewest brackets, or else the last one
/// before or the first one after.
fn break_point(line: &str, comment: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start().len();
    let (mut depth, mut is_string, mut is_escaped) = (0, false, false);
    let mut best: Option<(i32, usize)> = None;
    let mut before = None;
    let mut previous = ' ';
    for (column, (at, c)) in line.char_indices().enumerate() {
        if is_string {
            is_string = is_escaped || c != '"';
            is_escaped = c == '\\' && !is_escaped;
            continue;
        }
        if line[at..].starts_with(comment) {
            break;
        }
        match c {
            '"' => is_string = true,
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if previous != '-' => depth -= 1,
            ' ' if at < indent => {}
            ' ' if holds_together(&line[..at], &line[at + 1..]) => {}
            ' ' if column > WIDTH => {
                return best.map(|(_, at)| at).or(before).or(Some(at));
            }
            ' ' if column > WIDTH / 2 => {
                let is_better = best.is_none_or(|(least, _)| depth <= least);
                best = if is_better { Some((depth, at)) } else { best };
            }
            ' ' => before = Some(at),
            _ => {}
        }
        previous = c;
    }
    best.map(|(_, at)| at).or(before)
}

/// True if a space is between words that read as one: around a sign, or before a brace.
fn holds_together(left: &str, right: &str) -> bool {
    left.ends_with([':', '='])
        || left.ends_with("->")
        || right.starts_with(['=', '{', '}'])
        || right.len() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_outside_of_strings_and_comments() {
        let long = "a".repeat(100);
        for text in [
            "short".to_owned(),
            long.clone(),
            format!("  x = \"a {long} b\""),
            format!("// a {long} b"),
        ] {
            assert_eq!(wrapped(&text, "//"), text.clone() + "\n");
        }
        let header = "  func.func private @name(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>) -> tensor<3x2xf64> {";
        let expected = "  func.func private @name(%arg0: tensor<2x3xf64>, %arg1: tensor<2x3xf64>)\n      -> tensor<3x2xf64> {\n";
        assert_eq!(wrapped(header, "//"), expected);
    }

    #[test]
    fn nothing_but_spaces_changes() {
        let line = "    %0 = call @f(%1, %2) : (".to_owned()
            + &"tensor<2x3xf64>, ".repeat(30)
            + "f64) -> f64";
        let text = wrapped(&line, "//");
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(words(&text), words(&line));
    }
}
