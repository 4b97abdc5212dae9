//! The steps of one program in a chapter of part two.

use super::drawing::{Align, Font, Picture, Tone};

pub fn by_hand() -> Picture {
    let title = "A program stops at the stage shapes, its text is changed by hand, and the compiler goes on with the changed text";
    let mut picture = Picture::new("by-hand", title, 216);
    picture.text((12, 20), Font::Bold, "hello.toy");
    for (x, width, stage) in [(12, 132, "a * transpose(a)"), (164, 60, "toy"), (244, 70, "shapes")]
    {
        picture.card((x, 30), (width, 30), Tone::Blue, Font::Code, stage);
    }
    for x in [144, 224] {
        picture.arrow(&[(x, 45), (x + 20, 45)]);
    }
    picture.arrow(&[(279, 60), (279, 92)]);
    picture.text((288, 80), Font::Small, "-emit=shapes");
    picture.area((164, 92), (230, 30), Tone::Orange);
    picture.label((238, 111), Font::Code, Align::Right, "toy.mul");
    picture.arrow(&[(246, 107), (304, 107)]);
    picture.text((312, 111), Font::Code, "toy.add");
    picture.text((12, 105), Font::Bold, "hello.mlir");
    picture.text((12, 120), Font::Small, "changed by you");
    picture.arrow(&[(279, 122), (279, 154)]);
    picture.text((288, 142), Font::Small, "-emit=jit");
    for (x, width, stage) in [(244, 70, "linalg"), (332, 46, "...")] {
        picture.card((x, 154), (width, 30), Tone::Green, Font::Code, stage);
    }
    picture.arrow(&[(314, 169), (332, 169)]);
    picture.arrow(&[(378, 169), (398, 169)]);
    for (y, numbers) in [(165, "2 5"), (181, "5 8")] {
        picture.text((404, y), Font::Code, numbers);
    }
    picture.text((12, 206), Font::Small, "nothing but the text goes from one stage to the next");
    picture
}

pub fn old_value() -> Picture {
    let title = "One iteration of two loops: to keep the old tensor, all of it is copied; to keep one old element, nothing is";
    let mut picture = Picture::new("old-value", title, 262);
    let row = |picture: &mut Picture, x: i32, y: i32, tone: Tone, updated: &str| {
        for (index, number) in (0..).zip(["1", "3", updated, "4", "5"]) {
            let tone = if index == 2 && updated == "6" { Tone::Orange } else { tone };
            picture.card((x + index * 30, y), (30, 28), tone, Font::Code, number);
        }
    };
    for (x, program, definition, use_of_old) in [
        (12, "steps.toy", "old = x", "x - old"),
        (244, "steps_in_place.toy", "old = x[i]", "x[i] - old"),
    ] {
        picture.text((x, 20), Font::Bold, program);
        picture.text((x, 44), Font::Code, definition);
        picture.text((x, 116), Font::Code, "x[i] = 3 + 3");
        picture.text((x, 214), Font::Code, use_of_old);
    }
    // A tensor: the iteration needs both.
    row(&mut picture, 12, 54, Tone::Blue, "3");
    row(&mut picture, 12, 126, Tone::Blue, "3");
    row(&mut picture, 12, 162, Tone::Green, "6");
    picture.arrow(&[(166, 140), (186, 140), (186, 176), (166, 176)]);
    picture.text((12, 232), Font::Small, "reads two buffers: a copy of");
    picture.text((12, 248), Font::Small, "8,000 bytes in each iteration");
    // An element: it has left the buffer before the update.
    row(&mut picture, 244, 54, Tone::Blue, "3");
    picture.arrow(&[(319, 82), (319, 92), (408, 92), (408, 82)]);
    picture.card((398, 54), (30, 28), Tone::Violet, Font::Code, "3");
    row(&mut picture, 244, 126, Tone::Blue, "6");
    picture.card((398, 126), (30, 28), Tone::Violet, Font::Code, "3");
    picture.text((244, 232), Font::Small, "reads one element of a buffer");
    picture.text((244, 248), Font::Small, "and a number: no copy");
    picture.dashed(&[(226, 12), (226, 250)]);
    picture
}

pub fn concatenation() -> Picture {
    let title = "A 2x2 and a 1x2 tensor joined: the rows of the second follow those of the first, also in memory";
    let mut picture = Picture::new("concatenation", title, 236);
    let block = |picture: &mut Picture, (x, y): (i32, i32), numbers: &[&str], tone: Tone| {
        for (index, number) in (0..).zip(numbers) {
            let at = (x + index % 2 * 34, y + index / 2 * 30);
            picture.card(at, (34, 30), tone, Font::Code, number);
        }
    };
    for (x, name) in [(30, "a: 2x2"), (160, "b: 1x2"), (290, "a & b: 3x2")] {
        picture.text((x, 20), Font::Bold, name);
    }
    block(&mut picture, (30, 32), &["1", "2", "3", "4"], Tone::Blue);
    picture.label((129, 66), Font::Bold, Align::Middle, "&");
    block(&mut picture, (160, 32), &["5", "6"], Tone::Orange);
    picture.label((259, 66), Font::Bold, Align::Middle, "=");
    block(&mut picture, (290, 32), &["1", "2", "3", "4"], Tone::Blue);
    block(&mut picture, (290, 92), &["5", "6"], Tone::Orange);
    picture.text((30, 146), Font::Bold, "in memory");
    for (index, number) in (0..).zip(["1", "2", "3", "4", "5", "6"]) {
        let tone = if index < 4 { Tone::Blue } else { Tone::Orange };
        picture.card((30 + index * 34, 156), (34, 30), tone, Font::Code, number);
    }
    picture.text((30, 206), Font::Small, "row 0 on: the part of a");
    picture.text((244, 175), Font::Small, "row 2 on: the part of b");
    picture.text(
        (30, 228),
        Font::Small,
        "all other dimensions are equal: each operand is one block",
    );
    picture
}
