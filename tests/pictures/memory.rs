//! The lifetimes of buffers, their places, and who frees them.

use super::drawing::{Align, Font, Picture, Tone};

/// The operations of part one's `pipeline.toy` that have a buffer: the time, from left to right.
const OPERATIONS: [&str; 11] =
    ["+ 1", "turn", "* 2", "turn", "- 3", "turn", "/ 4", "turn", "print", "turn", "print"];

/// Buffers with their bytes, the operation that writes them first and the last one that reads them. What is computed in
/// place has the buffer of its operand: `b * 2` that of `b`.
const BUFFERS: [(&str, i32, i32, i32, Tone); 6] = [
    ("a + 1", 128, 0, 1, Tone::Blue),
    ("b", 128, 1, 3, Tone::Orange),
    ("c", 128, 3, 5, Tone::Green),
    ("d", 128, 5, 7, Tone::Violet),
    ("e", 128, 7, 8, Tone::Red),
    ("turn(a)", 128, 9, 10, Tone::Blue),
];

const LEFT: i32 = 68;
const STEP: i32 = 33;

/// The operations at the bottom, with a line for each.
fn time(picture: &mut Picture, top: i32, bottom: i32) {
    for (index, name) in (0..).zip(OPERATIONS) {
        let x = LEFT + index * STEP;
        picture.dashed(&[(x, top), (x, bottom)]);
        picture.label((x + STEP / 2, bottom + 16), Font::Small, Align::Middle, name);
    }
    picture.label(
        (428, bottom + 36),
        Font::Small,
        Align::Right,
        "time: one operation after the other",
    );
}

pub fn lifetimes() -> Picture {
    let title = "The six buffers of pipeline.toy as bars over its operations: each lives from the first write to the last read";
    let mut picture = Picture::new("lifetimes", title, 296);
    time(&mut picture, 12, 224);
    for (index, (name, bytes, first, last, tone)) in (0..).zip(BUFFERS) {
        let (x, y) = (LEFT + first * STEP + 2, 18 + index * 34);
        picture.label((LEFT - 8, y + 18), Font::Small, Align::Right, name);
        let width = (last - first + 1) * STEP - 4;
        picture.card((x, y), (width, 26), tone, Font::Small, &bytes.to_string());
    }
    picture.text((12, 286), Font::Small, "bars that do not overlap may share memory");
    picture
}

/// Greedy by size, first fit, like the chapter's planner.
fn offsets() -> Vec<i32> {
    let mut order: Vec<usize> = (0..BUFFERS.len()).collect();
    order.sort_by_key(|index| (-BUFFERS[*index].1, *index));
    let mut offsets = vec![0; BUFFERS.len()];
    let mut placed: Vec<usize> = Vec::new();
    for index in order {
        let (_, bytes, first, last, _) = BUFFERS[index];
        let mut others: Vec<(i32, i32)> = placed
            .iter()
            .filter(|other| BUFFERS[**other].2 <= last && first <= BUFFERS[**other].3)
            .map(|other| (offsets[*other], offsets[*other] + BUFFERS[*other].1))
            .collect();
        others.sort_unstable();
        let mut at = 0;
        for (start, end) in others {
            if at + bytes <= start {
                break;
            }
            at = at.max(end);
        }
        offsets[index] = at;
        placed.push(index);
    }
    offsets
}

pub fn arena() -> Picture {
    let title = "The same buffers in one arena: time from left to right, offsets from the bottom up; no two boxes overlap";
    let offsets = offsets();
    let size = BUFFERS.iter().zip(&offsets).map(|(buffer, at)| at + buffer.1).max().unwrap_or(0);
    let sum: i32 = BUFFERS.iter().map(|buffer| buffer.1).sum();
    let high = |bytes: i32| bytes * 5 / 8;
    let mut picture = Picture::new("arena", title, 102 + high(size));
    let bottom = 12 + high(size);
    time(&mut picture, 12, bottom);
    for ((name, bytes, first, last, tone), at) in BUFFERS.into_iter().zip(&offsets) {
        let corner = (LEFT + first * STEP + 2, bottom - high(at + bytes));
        let width = (last - first + 1) * STEP - 4;
        picture.card(corner, (width, high(bytes) - 2), tone, Font::Small, name);
    }
    picture.label((LEFT - 8, 22), Font::Small, Align::Right, &size.to_string());
    picture.label((LEFT - 8, bottom), Font::Small, Align::Right, "0");
    let text = format!("{sum} bytes in six buffers; {size} bytes in one arena");
    picture.text((12, bottom + 62), Font::Words, &text);
    picture.text(
        (12, bottom + 80),
        Font::Small,
        "the largest first, each at the lowest free offset",
    );
    picture
}

pub fn ownership() -> Picture {
    let title = "A buffer through an if: one edge brings a new buffer that we own, the other one the caller's; a flag says which, and only what we own is freed";
    let mut picture = Picture::new("ownership", title, 288);
    picture.card((160, 10), (120, 28), Tone::Plain, Font::Code, "if c");
    picture.arrow(&[(190, 38), (110, 64)]);
    picture.arrow(&[(250, 38), (330, 64)]);
    picture.card((24, 64), (172, 28), Tone::Green, Font::Code, "x = alloc()");
    picture.card((244, 64), (172, 28), Tone::Blue, Font::Code, "x = argument");
    picture.text((24, 112), Font::Words, "ours:");
    picture.card((70, 100), (126, 26), Tone::Green, Font::Code, "yield x, true");
    picture.text((236, 112), Font::Words, "theirs:");
    picture.card((290, 100), (126, 26), Tone::Blue, Font::Code, "yield x, false");
    picture.arrow(&[(133, 126), (190, 158)]);
    picture.arrow(&[(353, 126), (250, 158)]);
    picture.card((120, 158), (200, 28), Tone::Orange, Font::Code, "x, is_ours");
    picture.arrow(&[(220, 186), (220, 204)]);
    picture.card((120, 204), (200, 26), Tone::Plain, Font::Code, "... uses of x ...");
    picture.arrow(&[(220, 230), (220, 250)]);
    picture.card((90, 250), (260, 28), Tone::Red, Font::Code, "if is_ours { dealloc x }");
    picture
}

pub fn too_early() -> Picture {
    let title = "Freed at the end of the block, a buffer that the block returns is gone when its caller reads it; the caller has to free it";
    let mut picture = Picture::new("too-early", title, 226);
    for (x, heading) in [(12, "at the end of the block"), (232, "by the last owner")] {
        picture.text((x, 20), Font::Bold, heading);
        picture.card((x, 32), (196, 26), Tone::Green, Font::Code, "b = alloc()");
        picture.card((x, 64), (196, 26), Tone::Plain, Font::Code, "write b");
    }
    picture.card((12, 96), (196, 26), Tone::Red, Font::Code, "dealloc b");
    picture.card((12, 128), (196, 26), Tone::Plain, Font::Code, "return b");
    picture.card((12, 168), (196, 26), Tone::Red, Font::Code, "caller: read b");
    picture.text((12, 214), Font::Small, "reads memory that is gone");
    picture.card((232, 96), (196, 26), Tone::Plain, Font::Code, "return b, and own it");
    picture.card((232, 136), (196, 26), Tone::Green, Font::Code, "caller: read b");
    picture.card((232, 168), (196, 26), Tone::Green, Font::Code, "caller: dealloc b");
    picture.text((232, 214), Font::Small, "freed once, after the last read");
    picture.dashed(&[(220, 12), (220, 216)]);
    picture
}

pub fn rounds() -> Picture {
    let title = "Three iterations of a loop that hands on a new buffer each time: the first buffer is not the loop's and stays; each later one is freed by the iteration that has read it";
    let mut picture = Picture::new("rounds", title, 262);
    for (x, heading) in [(12, "iteration"), (88, "reads"), (174, "writes"), (280, "and then")] {
        picture.text((x, 20), Font::Bold, heading);
    }
    let rows = [
        ("1", "first", "A", "keeps first", Tone::Blue),
        ("2", "A", "B", "frees A", Tone::Red),
        ("3", "B", "C", "frees B", Tone::Red),
    ];
    for (index, (iteration, reads, writes, then, tone)) in (0..).zip(rows) {
        let y = 34 + index * 50;
        let from = if index == 0 { Tone::Blue } else { Tone::Green };
        picture.text((30, y + 19), Font::Words, iteration);
        picture.card((64, y), (80, 28), from, Font::Code, reads);
        picture.arrow(&[(144, y + 14), (168, y + 14)]);
        picture.card((168, y), (80, 28), Tone::Green, Font::Code, writes);
        picture.card((272, y), (156, 28), tone, Font::Words, then);
        picture.dashed_arrow(&[(208, y + 28), (208, y + 39), (104, y + 39), (104, y + 50)]);
    }
    picture.card((64, 184), (80, 28), Tone::Green, Font::Code, "C");
    picture.text((168, 203), Font::Words, "is the result; the function frees it");
    picture.text(
        (12, 244),
        Font::Words,
        "The flag says whose it is: the function's, or the loop's.",
    );
    picture
}
