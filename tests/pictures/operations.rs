//! MLIR's operations: their parts, their contents, their uses, and how they are rewritten.

use super::drawing::{Align, Font, Picture, Tone};

pub fn anatomy() -> Picture {
    let title = "A printed operation and the names of its parts: result, name, operands, attribute, types, location";
    let mut picture = Picture::new("anatomy", title, 262);
    let first = line(
        &mut picture,
        (28, 58),
        &[
            ("%2", Tone::Blue),
            ("=", Tone::Plain),
            ("\"toy.generic_call\"", Tone::Violet),
            ("(%0, %1)", Tone::Green),
        ],
    );
    let second = line(&mut picture, (60, 98), &[("{callee = @f}", Tone::Orange)]);
    line(&mut picture, (60, 138), &[(": (tensor<*xf64>, tensor<*xf64>)", Tone::Plain)]);
    let fourth = line(&mut picture, (60, 178), &[("-> tensor<*xf64>", Tone::Plain)]);
    picture.line(&[(324, 151), (340, 151), (340, 180)]);
    let fifth = line(&mut picture, (60, 218), &[("loc(\"x.toy\":3:9)", Tone::Red)]);
    for (x, what) in [(first[0], "result"), (first[2], "name"), (first[3], "operands")] {
        picture.label((x.max(36), 28), Font::Bold, Align::Middle, what);
        picture.line(&[(x, 34), (x, 58)]);
    }
    for (y, from, what) in [
        (111, second[0] + 56, "attributes: constants"),
        (191, fourth[0] + 68, "types, in and out"),
        (231, fifth[0] + 70, "location: the source"),
    ] {
        picture.line(&[(from, y), (258, y)]);
        picture.text((264, y + 4), Font::Bold, what);
    }
    picture
}

pub fn parts() -> Picture {
    let title = "A constant and a transpose, printed, with the names of their parts: result, name, attribute, operand, types";
    let mut picture = Picture::new("parts", title, 248);
    let constant = line(
        &mut picture,
        (8, 48),
        &[
            ("%0", Tone::Blue),
            ("=", Tone::Plain),
            ("\"toy.constant\"()", Tone::Violet),
            ("{value = dense<1.5>}", Tone::Orange),
        ],
    );
    line(&mut picture, (60, 80), &[(": () -> tensor<2x3xf64>", Tone::Plain)]);
    let transpose = line(
        &mut picture,
        (8, 146),
        &[
            ("%1", Tone::Blue),
            ("=", Tone::Plain),
            ("\"toy.transpose\"", Tone::Violet),
            ("(%0)", Tone::Green),
        ],
    );
    let types = (60, 178);
    line(&mut picture, types, &[(": (tensor<2x3xf64>) -> tensor<3x2xf64>", Tone::Plain)]);
    for (x, what) in [(constant[0], "result"), (constant[2], "name"), (constant[3], "attribute")] {
        picture.label((x.max(32), 22), Font::Bold, Align::Middle, what);
        picture.line(&[(x, 28), (x, 48)]);
    }
    picture.line(&[(transpose[3], 146), (transpose[3], 132)]);
    picture.label((transpose[3], 126), Font::Bold, Align::Middle, "operand");
    picture.arrow(&[(transpose[3] - 34, 122), (24, 122), (24, 76)]);
    picture.label((220, 224), Font::Bold, Align::Middle, "types: operands, then results");
    picture.line(&[(220, 204), (220, 212)]);
    picture.text((12, 242), Font::Small, "Its location is not printed; it is there all the same.");
    picture
}

/// Parts of a line of code as cards next to each other; the middle of each.
fn line(picture: &mut Picture, (mut x, y): (i32, i32), parts: &[(&str, Tone)]) -> Vec<i32> {
    let mut middles = Vec::new();
    for (text, tone) in parts {
        let width = 8 + 8 * text.len() as i32;
        picture.card((x, y), (width, 26), *tone, Font::Code, text);
        middles.push(x + width / 2);
        x += width + 4;
    }
    middles
}

pub fn nesting() -> Picture {
    let title = "Boxes in boxes: a module holds a function, which holds a region, which holds a block, which holds operations";
    let mut picture = Picture::new("operation", title, 312);
    let boxes = [
        ((8, 8), (424, 296), Tone::Plain, "operation: builtin.module"),
        ((24, 36), (392, 256), Tone::Violet, "its region, with one block"),
        ((40, 64), (360, 216), Tone::Plain, "operation: func.func @main"),
        ((56, 92), (328, 176), Tone::Violet, "its region"),
        ((72, 120), (296, 136), Tone::Blue, "a block: operations in order (shortened)"),
    ];
    for ((x, y), size, tone, text) in boxes {
        picture.area((x, y), size, tone);
        picture.text((x + 10, y + 19), Font::Words, text);
    }
    for (index, text) in (0..).zip([
        "%0 = toy.constant dense<...>",
        "%1 = toy.transpose(%0)",
        "toy.print(%1)",
        "func.return",
    ]) {
        picture.card((88, 146 + index * 26), (264, 22), Tone::Green, Font::Code, text);
    }
    picture
}

pub fn use_list() -> Picture {
    let title = "A value knows its uses: a list from the result of the constant to operands of two other operations";
    let mut picture = Picture::new("use-list", title, 236);
    picture.card((12, 24), (130, 34), Tone::Blue, Font::Code, "toy.constant");
    picture.card((12, 66), (130, 26), Tone::Orange, Font::Code, "result 0: %0");
    picture.line(&[(76, 58), (76, 66)]);
    for (y, name, operands, used) in [
        (24, "toy.mul", ["operand 0: %0", "operand 1: %1"], 0),
        (130, "toy.transpose", ["operand 0: %0", ""], 0),
    ] {
        picture.card((270, y), (150, 30), Tone::Blue, Font::Code, name);
        for (index, operand) in operands.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            let tone = if index == used { Tone::Orange } else { Tone::Plain };
            picture.card((270, y + 34 + index as i32 * 28), (150, 24), tone, Font::Code, operand);
        }
    }
    picture.arrow(&[(142, 79), (200, 79), (200, 70), (270, 70)]);
    picture.text((150, 62), Font::Small, "first use");
    picture.arrow(&[(270, 78), (230, 78), (230, 176), (270, 176)]);
    picture.text((166, 130), Font::Small, "next use");
    picture.arrow(&[(270, 184), (230, 184), (230, 206)]);
    picture.text((244, 208), Font::Small, "the end of the list");
    picture.text((12, 224), Font::Small, "Replacing %0 walks this list, and nothing else.");
    picture
}

pub fn location() -> Picture {
    let title = "A span of the text becomes the location of an operation, and the location a span again, under which the message is shown";
    let mut picture = Picture::new("location", title, 250);
    picture.text((12, 20), Font::Bold, "the text, line 5");
    picture.text((24, 48), Font::Code, "print(");
    picture.card((76, 32), (176, 26), Tone::Orange, Font::Code, "transpose(b) + b");
    picture.text((256, 48), Font::Code, ");");
    picture.text((290, 48), Font::Small, "a span: bytes");
    picture.arrow(&[(164, 58), (164, 92)]);
    picture.text((174, 80), Font::Small, "Source::location, when the tree is lowered");
    picture.card((12, 92), (112, 30), Tone::Blue, Font::Code, "toy.add");
    picture.card((128, 92), (300, 30), Tone::Orange, Font::Code, "many_shapes.toy: 5:9 to 5:25");
    picture.text(
        (12, 142),
        Font::Small,
        "passes keep it: whatever becomes of the operation has it",
    );
    picture.arrow(&[(164, 150), (164, 184)]);
    picture.text((174, 172), Font::Small, "Source::span, when the verifier complains");
    picture.text((12, 206), Font::Code, " 5 |   print(transpose(b) + b);");
    picture.card((98, 214), (136, 26), Tone::Red, Font::Words, "does not fit");
    picture
}

pub fn uses() -> Picture {
    let title =
        "A reshape, and the list of the four operations of rewrites.toy that use its result";
    let mut picture = Picture::new("uses", title, 222);
    picture.card((12, 20), (150, 34), Tone::Blue, Font::Code, "toy.reshape");
    picture.card((12, 62), (150, 26), Tone::Orange, Font::Code, "its result: %1");
    picture.line(&[(87, 54), (87, 62)]);
    for (index, (operation, operand)) in (0..).zip([
        ("%9  toy.mul", "operand 1"),
        ("%6  toy.reshape", "operand 0"),
        ("%4  toy.transpose", "operand 0"),
        ("%3  toy.add", "operand 0"),
    ]) {
        let y = 14 + index * 46;
        picture.card((188, y), (156, 30), Tone::Blue, Font::Code, operation);
        picture.card((348, y), (84, 30), Tone::Orange, Font::Words, operand);
        if index > 0 {
            picture.arrow(&[(390, y - 16), (390, y)]);
        }
    }
    picture.arrow(&[(162, 75), (176, 75), (176, 8), (390, 8), (390, 14)]);
    picture.text((12, 210), Font::Small, "To replace %1, MLIR walks this list, and nothing else.");
    picture
}

pub fn rewrite() -> Picture {
    let title = "Two transposes in a row and a print; after the rewriting the print uses the first value, and the transposes are erased";
    let mut picture = Picture::new("rewrite", title, 232);
    for (x, heading) in [(110, "before"), (330, "after")] {
        picture.label((x, 20), Font::Bold, Align::Middle, heading);
        for (y, text) in [(32, "%0: x"), (80, "%1 = transpose %0"), (128, "%2 = transpose %1")] {
            let is_gone = x == 330 && y > 32;
            let tone = if is_gone { Tone::Faint } else { Tone::Blue };
            picture.card((x - 82, y), (164, 30), tone, Font::Code, text);
            if is_gone {
                picture.crossed((x - 82, y), (164, 30));
            }
        }
        let print = if x == 110 { "print %2" } else { "print %0" };
        picture.card((x - 82, 176), (164, 30), Tone::Green, Font::Code, print);
    }
    for y in [62, 110, 158] {
        picture.arrow(&[(110, y), (110, y + 18)]);
    }
    picture.arrow(&[(412, 47), (430, 47), (430, 191), (412, 191)]);
    picture.arrow(&[(204, 120), (234, 120)]);
    picture.label(
        (220, 224),
        Font::Small,
        Align::Middle,
        "transpose(transpose(x)) is x; what has no use is erased",
    );
    picture
}
