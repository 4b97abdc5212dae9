//! Text, tokens, the tree, and errors.

use super::drawing::{Align, Font, Picture, Tone};

/// A row of boxes with code, from the left; the result is the middle of each.
fn row(picture: &mut Picture, y: i32, texts: &[&str], tone: Tone) -> Vec<i32> {
    let mut x = 12;
    let mut middles = Vec::new();
    for text in texts {
        let width = 14 + 8 * text.chars().count() as i32;
        picture.card((x, y), (width, 26), tone, Font::Code, text);
        middles.push(x + width / 2);
        x += width + 5;
    }
    middles
}

/// A node of a tree: its text, its middle, its level, and the node above it.
type Node = (&'static str, i32, i32, Option<usize>);

/// The expression that step 3 begins with.
pub fn tree() -> Picture {
    let nodes: [Node; 9] = [
        ("-", 190, 0, None),
        ("-", 90, 1, Some(0)),
        ("*", 290, 1, Some(0)),
        ("9", 50, 2, Some(1)),
        ("4", 130, 2, Some(1)),
        ("3", 250, 2, Some(2)),
        ("+", 330, 2, Some(2)),
        ("2", 290, 3, Some(6)),
        ("1", 370, 3, Some(6)),
    ];
    let title = "The tokens of 9 - 4 - 3 * (2 + 1) and its tree, in which operands are deeper than their operation";
    let tokens = ["9", "-", "4", "-", "3", "*", "(", "2", "+", "1", ")"];
    let text = "9 - 4 - 3 * (2 + 1)";
    let notes = ["operands are computed first:", "they are deeper"];
    tree_of("tree", title, text, &tokens, &nodes, notes)
}

/// The product in `multiply_transpose`, which chapter 1 prints.
pub fn product_tree() -> Picture {
    let nodes: [Node; 5] = [
        ("*", 190, 0, None),
        ("transpose", 110, 1, Some(0)),
        ("transpose", 270, 1, Some(0)),
        ("a", 110, 2, Some(1)),
        ("b", 270, 2, Some(2)),
    ];
    let title = "The tokens of transpose(a) * transpose(b) and its tree, without parentheses";
    let tokens = ["transpose", "(", "a", ")", "*", "transpose", "(", "b", ")"];
    let text = "transpose(a) * transpose(b)";
    let notes = ["the parentheses are gone:", "the form of the tree says it"];
    tree_of("product-tree", title, text, &tokens, &nodes, notes)
}

fn tree_of(
    name: &str,
    title: &str,
    text: &str,
    tokens: &[&str],
    nodes: &[Node],
    notes: [&str; 2],
) -> Picture {
    let mut picture = Picture::new(name, title, 280);
    picture.text((12, 20), Font::Code, text);
    picture.label((428, 20), Font::Small, Align::Right, "text");
    row(&mut picture, 36, tokens, Tone::Plain);
    picture.label((428, 78), Font::Small, Align::Right, "tokens");
    picture.label((428, 118), Font::Small, Align::Right, "tree");
    let y = |level: i32| 92 + level * 46;
    for (_, x, level, above) in nodes {
        if let Some((_, above, ..)) = above.map(|above| nodes[above]) {
            picture.line(&[(above, y(level - 1) + 28), (*x, y(*level))]);
        }
    }
    for (index, (text, x, level, _)) in nodes.iter().enumerate() {
        let is_inner = nodes.iter().any(|(.., above)| *above == Some(index));
        let tone = if is_inner { Tone::Blue } else { Tone::Green };
        let width = 18 + 8 * text.len() as i32;
        picture.card((x - width / 2, y(*level)), (width, 28), tone, Font::Code, text);
    }
    for (y, note) in [(256, notes[0]), (272, notes[1])] {
        picture.text((12, y), Font::Small, note);
    }
    picture
}

pub fn descent() -> Picture {
    let title = "The tokens of a + b * transpose(a), and which of them each call of sum, product and primary reads";
    let mut picture = Picture::new("descent", title, 238);
    picture.label((428, 20), Font::Small, Align::Right, "tokens");
    let tokens = ["a", "+", "b", "*", "transpose", "(", "a", ")"];
    let middles = row(&mut picture, 28, &tokens, Tone::Plain);
    let half = |token: usize| (14 + 8 * tokens[token].len() as i32) / 2;
    for (row, function, calls, tone) in [
        (0, "sum", &[(0, 7)][..], Tone::Orange),
        (1, "product", &[(0, 0), (2, 7)], Tone::Blue),
        (2, "primary", &[(0, 0), (2, 2), (4, 7)], Tone::Green),
        (3, "sum, again", &[(6, 6)], Tone::Orange),
    ] {
        let y = 70 + row * 28;
        picture.label((428, y + 14), Font::Code, Align::Right, function);
        for (first, last) in calls {
            let (start, end) = (middles[*first] - half(*first), middles[*last] + half(*last));
            picture.area((start, y), (end - start, 18), tone);
        }
    }
    for (y, text) in [
        (196, "sum calls product for what stands between two +,"),
        (212, "product calls primary for what stands between two *,"),
        (228, "and inside of parentheses it all begins again"),
    ] {
        picture.text((12, y), Font::Small, text);
    }
    picture
}

pub fn spans() -> Picture {
    let title = "A line of text with the offset of each byte, its tokens with their spans, and a message that points at one";
    let mut picture = Picture::new("spans", title, 316);
    const TEXT: &str = "  print(sqare(a));";
    const CELL: i32 = 22;
    let x = |offset: i32| 20 + offset * CELL;
    for (offset, letter) in (0..).zip(TEXT.chars()) {
        picture.area((x(offset), 24), (CELL, 28), Tone::Plain);
        let shown = if letter == ' ' { "\u{b7}".to_owned() } else { letter.to_string() };
        picture.label((x(offset) + CELL / 2, 43), Font::Code, Align::Middle, &shown);
        // Three digits are wider than a cell.
        if offset % 2 == 0 {
            let number = (125 + offset).to_string();
            picture.label((x(offset) + CELL / 2, 16), Font::Small, Align::Middle, &number);
        }
    }
    for (start, end, tone) in [
        (2, 7, Tone::Blue),
        (7, 8, Tone::Blue),
        (8, 13, Tone::Orange),
        (13, 14, Tone::Orange),
        (14, 15, Tone::Orange),
        (15, 16, Tone::Orange),
        (16, 17, Tone::Blue),
        (17, 18, Tone::Blue),
    ] {
        picture.area((x(start) + 2, 62), ((end - start) * CELL - 4, 12), tone);
    }
    picture.text(
        (20, 94),
        Font::Small,
        "every token keeps its span: where it starts, where it ends",
    );
    picture.label((x(12), 116), Font::Code, Align::Middle, "133..141");
    picture.arrow(&[(x(12), 122), (x(12), 146)]);
    picture.area((20, 148), (400, 156), Tone::Plain);
    // As ariadne draws it, but for the corners.
    picture.text((32, 168), Font::Code, "Error: there is no function `sqare`");
    picture.line(&[(76, 292), (56, 292)]);
    picture.line(&[(76, 182), (76, 292)]);
    picture.line(&[(76, 182), (96, 182)]);
    picture.text((102, 186), Font::Code, "mistakes.toy:8:9");
    picture.text((56, 212), Font::Code, "8");
    picture.text((92, 212), Font::Code, "  print(sqare(a));");
    picture.line(&[(150, 218), (208, 218)]);
    picture.line(&[(179, 218), (179, 236), (203, 236)]);
    picture.text((209, 240), Font::Code, "called here");
    picture.text((92, 272), Font::Code, "Help: did you mean `square`?");
    picture
}

/// The statements of `syntax.toy` in step 5.
pub fn recovery() -> Picture {
    let lines = [
        ("var a = ;", Some("expected an expression")),
        ("var b<2, = [1, 2];", Some("expected a size")),
        ("print([1, 2, 3]);", None),
        ("print(4)", Some("expected `;`")),
        ("print(a + );", Some("expected an expression")),
    ];
    recovered("recovery", &lines)
}

/// The statements of `four_mistakes.toy` in chapter 1.
pub fn four_mistakes() -> Picture {
    let lines = [
        ("var a = [1, 2;", Some("expected `]`")),
        ("var b = scaled(a) + ;", Some("expected an expression")),
        ("print(a)", Some("expected `;`")),
        ("print(b);", None),
    ];
    recovered("four-mistakes", &lines)
}

fn recovered(name: &str, lines: &[(&str, Option<&str>)]) -> Picture {
    let title = "A parser that meets an error skips to the end of the statement and goes on, so that one run shows all errors";
    let height = 38 + 44 * lines.len() as i32;
    let mut picture = Picture::new(name, title, height);
    for (index, (text, error)) in (0..).zip(lines) {
        let y = 14 + index * 44;
        picture.area((12, y), (250, 30), if error.is_some() { Tone::Red } else { Tone::Green });
        picture.text((22, y + 19), Font::Code, text);
        match error {
            Some(what) => {
                picture.arrow(&[(264, y + 15), (286, y + 15)]);
                picture.text((290, y + 12), Font::Words, "error:");
                picture.text((290, y + 27), Font::Small, what);
            }
            None => {
                picture.text((290, y + 19), Font::Small, "read as usual");
            }
        }
    }
    picture.text(
        (12, height - 12),
        Font::Small,
        "after an error, the parser skips to the end of the statement",
    );
    picture
}
