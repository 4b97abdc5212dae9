//! Iterations: over which indices, in which order, and how many at a time.

use super::drawing::{Align, Font, Picture, Tone};

/// A grid of cells with its name above.
fn grid(
    picture: &mut Picture,
    (x, y): (i32, i32),
    (rows, columns): (i32, i32),
    cell: i32,
    tone: impl Fn(i32, i32) -> Tone,
) {
    for row in 0..rows {
        for column in 0..columns {
            picture.area(
                (x + column * cell, y + row * cell),
                (cell - 2, cell - 2),
                tone(row, column),
            );
        }
    }
}

pub fn iteration_space() -> Picture {
    let title = "The points of an iteration space d0, d1, and the element of a, of b and of the result that the maps name for one point";
    let mut picture = Picture::new("iteration-space", title, 318);
    const CELL: i32 = 24;
    let one = |row: i32, column: i32| {
        move |r: i32, c: i32| if (r, c) == (row, column) { Tone::Orange } else { Tone::Plain }
    };
    picture.text((12, 20), Font::Code, "result = a + transpose(b)");
    picture.label((220, 48), Font::Bold, Align::Middle, "d0 = 1, d1 = 2");
    picture.label((220, 68), Font::Small, Align::Middle, "d1");
    grid(&mut picture, (172, 74), (3, 4), CELL, |r, c| {
        if (r, c) == (1, 2) { Tone::Orange } else { Tone::Blue }
    });
    picture.label((160, 114), Font::Small, Align::Right, "d0");
    for (x, from) in [(60, 196), (220, 220), (380, 244)] {
        picture.arrow(&[(from, 148), (x, 176)]);
    }
    grid(&mut picture, (12, 180), (3, 4), CELL, one(1, 2));
    grid(&mut picture, (184, 180), (4, 3), CELL, one(2, 1));
    grid(&mut picture, (332, 180), (3, 4), CELL, one(1, 2));
    for (x, name, map) in
        [(60, "a", "(d0, d1)"), (220, "b", "(d1, d0)"), (380, "result", "(d0, d1)")]
    {
        picture.label((x, 294), Font::Code, Align::Middle, map);
        picture.label((x, 310), Font::Small, Align::Middle, name);
    }
    picture
}

pub fn cache_line() -> Picture {
    let title = "A matrix in memory as lines of eight numbers: a walk along a row uses all eight, a walk down a column one of eight";
    let mut picture = Picture::new("cache-line", title, 250);
    const CELL: i32 = 23;
    for (x, heading, is_row) in [(16, "along a row", true), (236, "down a column", false)] {
        picture.text((x, 20), Font::Bold, heading);
        for row in 0..5 {
            let is_loaded = !is_row || row == 0;
            let tone = if is_loaded { Tone::Blue } else { Tone::Plain };
            picture.area((x - 4, 32 + row * 32), (8 * CELL + 6, 28), tone);
            for column in 0..8 {
                let is_used = if is_row { row == 0 } else { column == 0 };
                let at = (x + column * CELL, 36 + row * 32);
                picture.area(at, (CELL - 3, 20), if is_used { Tone::Orange } else { Tone::Plain });
            }
        }
    }
    picture.text((16, 212), Font::Words, "1 line for 8 numbers");
    picture.text((236, 212), Font::Words, "5 lines for 5 numbers");
    picture.text(
        (16, 240),
        Font::Small,
        "blue: a line of 64 bytes that the cache loads; orange: what is used",
    );
    picture
}

pub fn tile() -> Picture {
    let title = "A product by tiles: a tile of the result needs a strip of a and a strip of b, and the blocks of both that are in use fit into the cache";
    let mut picture = Picture::new("tile", title, 300);
    const CELL: i32 = 28;
    let a = |r: i32, c: i32| match (r, c) {
        (1, 2) => Tone::Orange,
        (1, _) => Tone::Blue,
        _ => Tone::Plain,
    };
    let b = |r: i32, c: i32| match (r, c) {
        (2, 1) => Tone::Orange,
        (_, 1) => Tone::Blue,
        _ => Tone::Plain,
    };
    let c = |r: i32, c: i32| if (r, c) == (1, 1) { Tone::Orange } else { Tone::Plain };
    picture.text((12, 20), Font::Code, "c = a @ b");
    picture.text((12, 38), Font::Small, "one cell is a tile, not a number");
    grid(&mut picture, (236, 14), (4, 4), CELL, b);
    picture.label((360, 74), Font::Code, Align::Left, "b");
    grid(&mut picture, (110, 140), (4, 4), CELL, a);
    picture.label((102, 202), Font::Code, Align::Right, "a");
    grid(&mut picture, (236, 140), (4, 4), CELL, c);
    picture.label((360, 202), Font::Code, Align::Left, "c");
    picture.arrow(&[(222, 180), (262, 180)]);
    picture.arrow(&[(276, 126), (276, 166)]);
    picture.card((12, 266), (18, 18), Tone::Orange, Font::Small, "");
    picture.text((38, 280), Font::Small, "in the cache now");
    picture.card((200, 266), (18, 18), Tone::Blue, Font::Small, "");
    picture.text((226, 280), Font::Small, "the tiles that come next");
    picture
}

pub fn vector() -> Picture {
    let title = "A tile in four registers: its rows are read, numbers change places between the registers, and columns are written as rows";
    let mut picture = Picture::new("vector", title, 246);
    const CELL: i32 = 42;
    let tones = [Tone::Blue, Tone::Green, Tone::Orange, Tone::Violet];
    for (x, heading, is_turned) in
        [(20, "as they are read", false), (250, "as they are written", true)]
    {
        picture.text((x, 20), Font::Bold, heading);
        for (row, column) in (0..4).flat_map(|row| (0..4).map(move |column| (row, column))) {
            // Where the number was.
            let (line, place) = if is_turned { (column, row) } else { (row, column) };
            let text = format!("{}{place}", ["a", "b", "c", "d"][line as usize]);
            let corner = (x + column * CELL, 32 + row * CELL);
            picture.card(corner, (CELL - 4, CELL - 10), tones[line as usize], Font::Code, &text);
        }
    }
    picture.arrow(&[(196, 108), (240, 108)]);
    picture.text(
        (20, 218),
        Font::Small,
        "a row of boxes is one register; a color is one line of memory",
    );
    picture.text((20, 236), Font::Small, "no number goes through memory on its way");
    picture
}
