//! Functions and their shapes, values and their buffers, values that go through regions.

use super::drawing::{Font, Picture, Tone};

/// The table of specializations and the stack beside it.
fn table(picture: &mut Picture, rows: &[(&str, &str, Tone)], stack: &[&str]) {
    picture.text((12, 20), Font::Bold, "table");
    for (index, (key, state, tone)) in (0..).zip(rows) {
        let y = 30 + index * 34;
        picture.card((12, y), (170, 28), Tone::Plain, Font::Code, key);
        picture.card((186, y), (62, 28), *tone, Font::Words, state);
    }
    picture.text((284, 20), Font::Bold, "stack");
    for (index, frame) in (0..).zip(stack) {
        let tone = if index == 0 { Tone::Orange } else { Tone::Plain };
        picture.card((284, 30 + index * 34), (144, 28), tone, Font::Code, frame);
    }
}

pub fn functions() -> Picture {
    let title = "Two calls in each of two functions: inlined, seven bodies; as functions, three, and arrows for the calls";
    let mut picture = Picture::new("functions", title, 212);
    picture.text((12, 20), Font::Bold, "inlined: a body for each call");
    let bodies: [(i32, &[(i32, &str)]); 3] = [
        (34, &[(94, "f2")]),
        (84, &[(40, "f1"), (148, "f1")]),
        (134, &[(12, "f0"), (66, "f0"), (120, "f0"), (174, "f0")]),
    ];
    for (y, row) in bodies {
        for (x, name) in row {
            picture.card((*x, y), (44, 28), Tone::Blue, Font::Code, name);
        }
    }
    for (from, to, y) in [
        (106, 62, 62),
        (126, 170, 62),
        (52, 34, 112),
        (72, 88, 112),
        (160, 142, 112),
        (180, 196, 112),
    ] {
        picture.line(&[(from, y), (to, y + 22)]);
    }
    picture.text((260, 20), Font::Bold, "functions: one each");
    for (y, name) in [(34, "f2"), (84, "f1"), (134, "f0")] {
        picture.card((318, y), (44, 28), Tone::Orange, Font::Code, name);
    }
    for y in [62, 112] {
        for x in [330, 350] {
            picture.arrow(&[(x, y), (x, y + 22)]);
        }
    }
    picture.text((12, 186), Font::Small, "one function more, twice the bodies");
    picture.text((260, 186), Font::Small, "one more, and one more:");
    picture.text((260, 202), Font::Small, "calls are operations");
    picture
}

pub fn specialization() -> Picture {
    let title = "The table from a function and its shapes to new, busy or done, and the stack of functions that are being specialized";
    let mut picture = Picture::new("specialization", title, 312);
    table(
        &mut picture,
        &[
            ("main", "busy", Tone::Orange),
            ("f10$3", "busy", Tone::Orange),
            ("... f9$3 to f2$3 ...", "busy", Tone::Orange),
            ("f1$3", "busy", Tone::Orange),
            ("f0$3", "done", Tone::Green),
        ],
        &["f1$3", "f2$3", "... f3$3 ... f9$3", "f10$3", "main"],
    );
    picture.text((284, 218), Font::Small, "the top works; the");
    picture.text((284, 234), Font::Small, "others wait for it");
    picture.area((12, 246), (416, 58), Tone::Plain);
    picture.text((24, 266), Font::Code, "f1 calls f0 again, with 3 numbers:");
    picture.text((24, 288), Font::Words, "new: push it.   done: take its type.   busy: an error.");
    picture
}

pub fn recursion() -> Picture {
    let title = "A call that meets a busy entry of the table: the functions on the stack call each other in a cycle";
    let mut picture = Picture::new("recursion", title, 218);
    table(
        &mut picture,
        &[
            ("main", "busy", Tone::Orange),
            ("even$s", "busy", Tone::Red),
            ("odd$s", "busy", Tone::Orange),
        ],
        &["odd$s", "even$s", "main"],
    );
    picture.arrow(&[(284, 44), (266, 44), (266, 78), (249, 78)]);
    picture.text((12, 172), Font::Words, "odd calls even, which waits for odd: its shape needs");
    picture.text((12, 190), Font::Words, "itself. The error is shown at this call.");
    picture
}

pub fn destination() -> Picture {
    let title = "Destination-passing style: an empty tensor goes in as outs, the operation gives the result, and later both are one buffer";
    let mut picture = Picture::new("destination", title, 232);
    picture.text((12, 20), Font::Bold, "values");
    picture.text((300, 20), Font::Bold, "memory, later");
    picture.card((12, 34), (110, 28), Tone::Blue, Font::Code, "%a");
    picture.card((142, 34), (130, 28), Tone::Orange, Font::Code, "tensor.empty");
    picture.card((12, 106), (260, 40), Tone::Violet, Font::Code, "linalg.generic");
    picture.arrow(&[(67, 62), (67, 106)]);
    picture.text((74, 88), Font::Small, "ins");
    picture.arrow(&[(207, 62), (207, 106)]);
    picture.text((214, 88), Font::Small, "outs");
    picture.arrow(&[(142, 146), (142, 182)]);
    picture.card((77, 182), (130, 28), Tone::Orange, Font::Code, "%result");
    picture.card((310, 106), (110, 40), Tone::Orange, Font::Words, "one buffer");
    picture.dashed_arrow(&[(272, 48), (290, 48), (290, 120), (310, 120)]);
    picture.dashed_arrow(&[(207, 196), (290, 196), (290, 134), (310, 134)]);
    picture.text((300, 176), Font::Small, "the destination and");
    picture.text((300, 192), Font::Small, "the result share it");
    picture
}

pub fn aliases() -> Picture {
    let title = "Which values share a buffer before and after a write: in place if the old value is not read any more, a copy if it is";
    let mut picture = Picture::new("aliases", title, 292);
    for (x, heading, read) in [(12, "a is not read again", false), (232, "a is read again", true)] {
        picture.text((x, 20), Font::Bold, heading);
        let lines = ["b = flat(a)", "c = b + 1", if read { "print(a)" } else { "print(c)" }];
        for (index, text) in (0..).zip(lines) {
            let tone = if index == 1 { Tone::Orange } else { Tone::Plain };
            picture.card((x, 32 + index * 32), (196, 26), tone, Font::Code, text);
        }
        picture.text((x, 150), Font::Small, "before the write");
        picture.area((x, 158), (196, 40), Tone::Blue);
        picture.card((x + 12, 165), (40, 26), Tone::Plain, Font::Code, "a");
        picture.card((x + 60, 165), (40, 26), Tone::Plain, Font::Code, "b");
        picture.text((x, 218), Font::Small, "after it");
        match read {
            false => {
                picture.area((x, 226), (196, 40), Tone::Blue);
                for (index, name) in (0..).zip(["a", "b", "c"]) {
                    picture.card(
                        (x + 12 + 48 * index, 233),
                        (40, 26),
                        Tone::Plain,
                        Font::Code,
                        name,
                    );
                }
                picture.text((x, 284), Font::Small, "one set: written in place");
            }
            true => {
                picture.area((x, 226), (112, 40), Tone::Blue);
                picture.area((x + 124, 226), (72, 40), Tone::Orange);
                picture.card((x + 12, 233), (40, 26), Tone::Plain, Font::Code, "a");
                picture.card((x + 60, 233), (40, 26), Tone::Plain, Font::Code, "b");
                picture.card((x + 140, 233), (40, 26), Tone::Plain, Font::Code, "c");
                picture.text((x, 284), Font::Small, "two sets: c gets a copy");
            }
        }
    }
    picture.dashed(&[(220, 12), (220, 284)]);
    picture
}

pub fn in_place() -> Picture {
    let title = "The numbers in memory after each operation: in place, the sum overwrites what a later print still needs; a copy keeps it";
    let mut picture = Picture::new("in-place", title, 252);
    let cells = |picture: &mut Picture, x: i32, y: i32, numbers: [&str; 3], tone: Tone| {
        for (index, number) in (0..).zip(numbers) {
            picture.card((x + index * 30, y), (30, 26), tone, Font::Code, number);
        }
    };
    for (x, heading) in [(150, "in place"), (300, "with a copy")] {
        picture.text((x, 20), Font::Bold, heading);
    }
    for (y, text) in [(52, "a = [1, 2, 3]"), (112, "b = a + 10"), (172, "print(a)")] {
        picture.text((12, y), Font::Code, text);
    }
    cells(&mut picture, 150, 34, ["1", "2", "3"], Tone::Blue);
    cells(&mut picture, 300, 34, ["1", "2", "3"], Tone::Blue);
    cells(&mut picture, 150, 94, ["11", "12", "13"], Tone::Orange);
    cells(&mut picture, 300, 94, ["1", "2", "3"], Tone::Blue);
    cells(&mut picture, 300, 124, ["11", "12", "13"], Tone::Orange);
    cells(&mut picture, 150, 158, ["11", "12", "13"], Tone::Red);
    cells(&mut picture, 300, 158, ["1", "2", "3"], Tone::Green);
    picture.text((150, 202), Font::Small, "prints b: wrong");
    picture.text((300, 202), Font::Small, "prints a: right");
    picture.text(
        (12, 236),
        Font::Small,
        "Without the last print nothing reads a, and in place is right.",
    );
    picture
}

pub fn carried() -> Picture {
    let title = "A while loop with values that are carried along: start values, the condition, the body, yield, and the results";
    let mut picture = Picture::new("carried", title, 264);
    picture.card((130, 12), (180, 28), Tone::Green, Font::Words, "values before the loop");
    picture.card((130, 76), (180, 40), Tone::Blue, Font::Words, "before: the condition");
    picture.card((130, 152), (180, 40), Tone::Violet, Font::Words, "after: the body");
    picture.card((130, 228), (180, 28), Tone::Green, Font::Words, "values after the loop");
    picture.arrow(&[(220, 40), (220, 76)]);
    picture.text((228, 62), Font::Small, "%i, %x");
    picture.arrow(&[(220, 116), (220, 152)]);
    picture.text((228, 138), Font::Small, "true");
    picture.arrow(&[(130, 172), (70, 172), (70, 96), (130, 96)]);
    picture.text((14, 126), Font::Small, "scf.yield");
    picture.text((14, 142), Font::Small, "%i2, %x2");
    picture.arrow(&[(310, 96), (370, 96), (370, 242), (310, 242)]);
    picture.text((376, 166), Font::Small, "false");
    picture
}

pub fn branches() -> Picture {
    let title = "An if with two regions, each of which yields a value; the operation has one result, whichever of them runs";
    let picture = Picture::new("branches", title, 226);
    let regions = [["%1 = a * 2", "scf.yield %1"], ["%2 = a + b", "scf.yield %2"]];
    two_regions(picture, "a < b", regions, "%x: one result")
}

/// Branches before they have results.
pub fn regions() -> Picture {
    let title = "An if with two regions: one prints twice, the other one once; the condition decides which of them runs";
    let picture = Picture::new("regions", title, 226);
    let regions = [["print(a)", "print(0 - a)"], ["print(a)", ""]];
    two_regions(picture, "a < 0", regions, "one of them ran")
}

fn two_regions(
    mut picture: Picture,
    condition: &str,
    regions: [[&str; 2]; 2],
    end: &str,
) -> Picture {
    picture.card((150, 10), (140, 28), Tone::Plain, Font::Code, condition);
    picture.area((12, 64), (416, 106), Tone::Plain);
    picture.text((24, 84), Font::Code, "scf.if");
    for ((x, heading), [first, second]) in [(28, "then"), (228, "else")].into_iter().zip(regions) {
        picture.area((x, 92), (184, 70), Tone::Blue);
        picture.text((x + 8, 108), Font::Small, heading);
        picture.text((x + 60, 124), Font::Code, first);
        picture.text((x + 60, 148), Font::Code, second);
    }
    picture.arrow(&[(220, 38), (220, 64)]);
    picture.arrow(&[(220, 170), (220, 190)]);
    picture.card((150, 190), (140, 28), Tone::Green, Font::Code, end);
    picture
}

pub fn names() -> Picture {
    let title = "Three lines of a program, and the table of names after each: an assignment replaces the entry of x, and the old value is still there";
    let mut picture = Picture::new("names", title, 216);
    for (x, heading) in [(12, "the program"), (190, "the table"), (312, "the values")] {
        picture.text((x, 20), Font::Bold, heading);
    }
    let rows = [
        ("var x = a;", "%arg0", "%arg0"),
        ("x = (x + a / x) / 2;", "%4", "%4 = ..."),
        ("x = (x + a / x) / 2;", "%9", "%9 = ..."),
    ];
    for (index, (line, value, made)) in (0..).zip(rows) {
        let y = 34 + index * 54;
        picture.card((12, y), (166, 28), Tone::Plain, Font::Code, line);
        picture.card((190, y), (100, 28), Tone::Orange, Font::Code, &format!("x: {value}"));
        picture.card((312, y), (116, 28), Tone::Blue, Font::Code, made);
        picture.arrow(&[(290, y + 14), (312, y + 14)]);
    }
    picture.text((12, 204), Font::Small, "values never change; the table does");
    picture
}

/// The same loop as in [`carried`], for Newton's method.
pub fn newton() -> Picture {
    let title = "Newton's loop: a goes in as x, the condition lets x through to the body, the body yields a new x, and at the end it comes out";
    let mut picture = Picture::new("newton", title, 264);
    picture.card((110, 12), (220, 28), Tone::Green, Font::Code, "x = a");
    picture.card((110, 76), (220, 40), Tone::Blue, Font::Code, "x * x - a > 1e-9");
    picture.card((110, 152), (220, 40), Tone::Violet, Font::Code, "(x + a / x) / 2");
    picture.card((110, 228), (220, 28), Tone::Green, Font::Code, "return x");
    picture.text((110, 70), Font::Small, "first region");
    picture.text((110, 146), Font::Small, "second region");
    picture.arrow(&[(220, 40), (220, 76)]);
    picture.text((228, 62), Font::Small, "x, for the first round");
    picture.arrow(&[(220, 116), (220, 152)]);
    picture.text((228, 138), Font::Small, "true, and x");
    picture.arrow(&[(110, 172), (62, 172), (62, 96), (110, 96)]);
    picture.text((12, 126), Font::Small, "a new");
    picture.text((12, 142), Font::Small, "x");
    picture.arrow(&[(330, 96), (378, 96), (378, 242), (330, 242)]);
    picture.text((384, 160), Font::Small, "false,");
    picture.text((384, 176), Font::Small, "and x");
    picture
}

pub fn cotangents() -> Picture {
    let title = "Two products: on the left the values, from x down to the result, on the right their cotangents, from 1 back up to x";
    let mut picture = Picture::new("cotangents", title, 236);
    picture.text((12, 20), Font::Bold, "forward: values");
    picture.text((230, 20), Font::Bold, "back: cotangents");
    for (y, value, cotangent) in [
        (34, "x", "1 * p  +  x * x  +  x * x"),
        (104, "p = x * x", "1 * x"),
        (174, "r = p * x", "1"),
    ] {
        picture.card((12, y), (120, 34), Tone::Blue, Font::Code, value);
        picture.card((190, y), (238, 34), Tone::Orange, Font::Code, cotangent);
    }
    for y in [68, 138] {
        picture.arrow(&[(72, y), (72, y + 36)]);
        picture.arrow(&[(309, y + 36), (309, y)]);
    }
    picture.arrow(&[(132, 191), (190, 191)]);
    picture.dashed_arrow(&[(132, 121), (160, 121), (160, 51), (190, 51)]);
    picture.text(
        (12, 228),
        Font::Small,
        "x is used three times, so three contributions are added up",
    );
    picture
}

pub fn structs() -> Picture {
    let title = "A struct in the tree is one value; in the Toy dialect it is the tensors of its fields, one after the other";
    let mut picture = Picture::new("structs", title, 238);
    picture.text((12, 20), Font::Bold, "in the program: one value");
    picture.area((12, 30), (416, 70), Tone::Plain);
    picture.text((24, 50), Font::Code, "var p = Pair{a, b}");
    picture.card((24, 60), (190, 30), Tone::Blue, Font::Code, ".first");
    picture.card((226, 60), (190, 30), Tone::Orange, Font::Code, ".second");
    picture.arrow(&[(119, 90), (119, 140)]);
    picture.arrow(&[(321, 90), (321, 140)]);
    picture.text((12, 128), Font::Bold, "in the IR");
    picture.card((24, 140), (190, 30), Tone::Blue, Font::Code, "%0: tensor<2x3xf64>");
    picture.card((226, 140), (190, 30), Tone::Orange, Font::Code, "%1: tensor<2xf64>");
    picture.text((12, 200), Font::Words, "p.second is %1: nothing is copied, and no later stage");
    picture.text((12, 218), Font::Words, "knows that there was a struct.");
    picture
}
