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

pub fn tree() -> Picture {
    let title = "The tokens of var c = a + b * transpose(a); and its tree, in which the product is below the sum";
    let mut picture = Picture::new("tree", title, 330);
    picture.text((12, 20), Font::Code, "var c = a + b * transpose(a);");
    picture.label((428, 20), Font::Small, Align::Right, "text");
    let words = ["var", "c", "=", "a", "+", "b", "*", "transpose", "(", "a", ")", ";"];
    row(&mut picture, 36, &words, Tone::Plain);
    picture.label((428, 78), Font::Small, Align::Right, "tokens");
    picture.label((428, 118), Font::Small, Align::Right, "tree");
    let node = |picture: &mut Picture, middle: i32, y: i32, tone: Tone, text: &str| {
        let width = 18 + 8 * text.len() as i32;
        picture.card((middle - width / 2, y), (width, 28), tone, Font::Code, text);
    };
    for (from, to) in [
        ((190, 124), (190, 146)),
        ((190, 174), (110, 196)),
        ((190, 174), (270, 196)),
        ((270, 224), (190, 246)),
        ((270, 224), (350, 246)),
        ((350, 274), (350, 296)),
    ] {
        picture.line(&[from, to]);
    }
    node(&mut picture, 190, 96, Tone::Blue, "var c");
    node(&mut picture, 190, 146, Tone::Blue, "+");
    node(&mut picture, 110, 196, Tone::Green, "a");
    node(&mut picture, 270, 196, Tone::Blue, "*");
    node(&mut picture, 190, 246, Tone::Green, "b");
    node(&mut picture, 350, 246, Tone::Blue, "transpose");
    node(&mut picture, 350, 296, Tone::Green, "a");
    picture.text((12, 300), Font::Small, "* binds tighter than +,");
    picture.text((12, 316), Font::Small, "so it is deeper in the tree");
    picture
}

pub fn spans() -> Picture {
    let title = "A line of text with the offset of each byte, its tokens with their spans, and a message that points at one";
    let mut picture = Picture::new("spans", title, 262);
    const TEXT: &str = "  print(a + bb);";
    const CELL: i32 = 25;
    let x = |offset: i32| 20 + offset * CELL;
    for (offset, letter) in (0..).zip(TEXT.chars()) {
        picture.area((x(offset), 24), (CELL, 28), Tone::Plain);
        let shown = if letter == ' ' { "\u{b7}".to_owned() } else { letter.to_string() };
        picture.label((x(offset) + CELL / 2, 43), Font::Code, Align::Middle, &shown);
        let number = (30 + offset).to_string();
        picture.label((x(offset) + CELL / 2, 16), Font::Small, Align::Middle, &number);
    }
    for (start, end, tone) in [
        (2, 7, Tone::Blue),
        (7, 8, Tone::Blue),
        (8, 9, Tone::Blue),
        (10, 11, Tone::Blue),
        (12, 14, Tone::Orange),
        (14, 15, Tone::Blue),
        (15, 16, Tone::Blue),
    ] {
        picture.area((x(start) + 2, 62), ((end - start) * CELL - 4, 12), tone);
    }
    picture.text(
        (20, 94),
        Font::Small,
        "every token keeps its span: where it starts, where it ends",
    );
    picture.label((x(13), 116), Font::Code, Align::Middle, "42..44");
    picture.arrow(&[(x(13), 122), (x(13), 146)]);
    picture.area((20, 148), (400, 100), Tone::Plain);
    picture.text((32, 168), Font::Code, "error: `bb` is not defined");
    picture.text((32, 188), Font::Code, "  3 |   print(a + bb);");
    picture.text((32, 204), Font::Code, "    |             ^^");
    picture.text((32, 226), Font::Code, "  help: did you mean `b`?");
    picture
}

pub fn recovery() -> Picture {
    let title = "A parser that meets an error skips to the next semicolon and goes on, so that one run shows two errors";
    let mut picture = Picture::new("recovery", title, 214);
    let lines = [
        ("var a = [1, 2;", Some("`]` is missing")),
        ("var b = transpose(a);", None),
        ("print(b b);", Some("an operator is missing")),
        ("print(a);", None),
    ];
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
        (12, 202),
        Font::Small,
        "after an error, the parser skips to `;` and starts the next statement",
    );
    picture
}
