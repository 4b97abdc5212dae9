//! Pictures for the chapters of part two only.

use super::drawing::{Align, Font, Picture, Tone};

pub fn what_to_how() -> Picture {
    let title = "One transposed product at five stages: at the top it says what is computed, at the bottom how";
    let mut picture = Picture::new("what-to-how", title, 250);
    let rows = [
        ("text", "a * transpose(a)"),
        ("toy", "toy.transpose, toy.mul"),
        ("linalg", "one element: b[i,j] = a[i,j] * a[j,i]"),
        ("loops", "for i { for j { load, mul, store } }"),
        ("asm", "movsd, mulsd, movsd"),
    ];
    for (index, (stage, form)) in (0..).zip(rows) {
        let y = 30 + index * 40;
        picture.text((12, y + 19), Font::Bold, stage);
        picture.card((74, y), (300, 28), Tone::Blue, Font::Code, form);
        if index > 0 {
            picture.arrow(&[(224, y - 12), (224, y)]);
        }
    }
    picture.label((408, 48), Font::Words, Align::Middle, "what");
    picture.arrow(&[(408, 58), (408, 188)]);
    picture.label((408, 208), Font::Words, Align::Middle, "how");
    picture.text((12, 242), Font::Small, "each arrow is a lowering");
    picture
}

pub fn clones() -> Picture {
    let title = "Three calls of one function, two keys, two clones: the second call finds the key of the first";
    let mut picture = Picture::new("clones", title, 196);
    for (x, heading) in [(12, "calls in main"), (166, "key in the table"), (322, "clone")] {
        picture.text((x, 20), Font::Bold, heading);
    }
    for (y, call) in [(36, "c = f(a, b)"), (80, "d = f(b, a)"), (124, "e = f(c, d)")] {
        picture.card((12, y), (118, 30), Tone::Blue, Font::Code, call);
    }
    for (y, key, clone) in [(58, "f: 2x3, 2x3", "f$2x3$2x3"), (124, "f: 3x2, 3x2", "f$3x2$3x2")] {
        picture.card((166, y), (118, 30), Tone::Orange, Font::Code, key);
        picture.arrow(&[(284, y + 15), (322, y + 15)]);
        picture.card((322, y), (106, 30), Tone::Green, Font::Code, clone);
    }
    picture.arrow(&[(130, 51), (166, 69)]);
    picture.arrow(&[(130, 95), (166, 78)]);
    picture.arrow(&[(130, 139), (166, 139)]);
    picture.text((12, 184), Font::Small, "f is multiply_transpose; the arguments of e are 3x2");
    picture
}

pub fn two_visits() -> Picture {
    let title = "A recursive function is visited twice: at first the call has no shape, and the other branch says it";
    let mut picture = Picture::new("two-visits", title, 216);
    for (x, heading, call, product, tone) in [
        (8, "first visit", "call: ?", "product: ?", Tone::Red),
        (232, "second visit", "call: 2x2", "product: 2x2", Tone::Blue),
    ] {
        picture.text((x, 20), Font::Bold, heading);
        picture.card((x, 34), (94, 30), Tone::Blue, Font::Code, "m / m: 2x2");
        picture.card((x + 102, 34), (96, 30), tone, Font::Code, call);
        picture.arrow(&[(x + 150, 64), (x + 150, 84)]);
        picture.card((x + 102, 84), (96, 30), tone, Font::Code, product);
        picture.arrow(&[(x + 47, 64), (x + 47, 132), (x + 70, 132), (x + 70, 146)]);
        picture.arrow(&[(x + 150, 114), (x + 150, 132), (x + 130, 132), (x + 130, 146)]);
        picture.card((x + 40, 146), (120, 30), Tone::Green, Font::Code, "result: 2x2");
    }
    picture.text((8, 196), Font::Small, "open meets known:");
    picture.text((8, 210), Font::Small, "the known one holds");
    picture.text((232, 196), Font::Small, "the call has a shape now");
    picture
}

pub fn descriptor() -> Picture {
    let title = "A memref as a descriptor: two pointers into a block of memory, an offset, two sizes and two strides";
    let mut picture = Picture::new("descriptor", title, 236);
    let fields = ["allocated", "aligned", "offset: 0", "sizes: 3, 4", "strides: 4, 1"];
    for (index, field) in (0..).zip(fields) {
        let tone = if index < 2 { Tone::Orange } else { Tone::Plain };
        picture.card((12, 20 + index * 34), (112, 28), tone, Font::Code, field);
    }
    picture.card((176, 70), (36, 28), Tone::Faint, Font::Small, "");
    for cell in 0..12 {
        let tone = if cell == 9 { Tone::Green } else { Tone::Blue };
        picture.card((212 + cell * 18, 70), (18, 28), tone, Font::Small, "");
    }
    picture.arrow(&[(124, 34), (180, 34), (180, 70)]);
    picture.arrow(&[(124, 68), (150, 68), (150, 52), (216, 52), (216, 70)]);
    picture.text((176, 120), Font::Small, "up to a multiple of 64");
    picture.line(&[(194, 98), (194, 108)]);
    picture.arrow(&[(383, 146), (383, 98)]);
    picture.label((432, 162), Font::Code, Align::Right, "(2, 1): 4 * 2 + 1 * 1 = 9");
    picture.text(
        (12, 212),
        Font::Small,
        "`free` gets the first pointer, loads and stores use the second",
    );
    picture
}

pub fn one_llvm() -> Picture {
    let title =
        "Two bindings, melior and inkwell, and one LLVM below both; a second one is not linked";
    let mut picture = Picture::new("one-llvm", title, 236);
    for (x, safe, raw) in [(20, "melior", "mlir-sys"), (250, "inkwell", "llvm-sys")] {
        picture.card((x, 12), (120, 30), Tone::Blue, Font::Words, safe);
        picture.arrow(&[(x + 60, 42), (x + 60, 64)]);
        picture.card((x, 64), (120, 30), Tone::Plain, Font::Words, raw);
    }
    picture.arrow(&[(80, 94), (80, 116)]);
    picture.card((20, 116), (120, 30), Tone::Green, Font::Words, "MLIR");
    picture.arrow(&[(80, 146), (80, 168)]);
    picture.card((20, 168), (120, 30), Tone::Green, Font::Words, "LLVM");
    picture.arrow(&[(280, 94), (280, 183), (140, 183)]);
    picture.card((310, 168), (118, 30), Tone::Faint, Font::Words, "another LLVM");
    picture.crossed((310, 168), (118, 30));
    picture.dashed_arrow(&[(350, 94), (350, 168)]);
    picture.text((20, 224), Font::Small, "the linker decides, and one option of inkwell");
    picture
}

pub fn callers() -> Picture {
    let title = "C, Python and Rust call the same compiled function; a wrong call is a status, an exception, or does not compile";
    let mut picture = Picture::new("callers", title, 206);
    for (x, heading) in [(12, "caller"), (134, "bindings"), (310, "a wrong call")] {
        picture.text((x, 20), Font::Bold, heading);
    }
    for (y, caller, bindings, wrong) in [
        (34, "C", "library.h", "status 2"),
        (74, "Python", "kernels.py", "ValueError"),
        (114, "Rust", "kernels.rs", "error[E0502]"),
    ] {
        picture.card((12, y), (86, 30), Tone::Blue, Font::Words, caller);
        picture.arrow(&[(98, y + 15), (134, y + 15)]);
        picture.card((134, y), (104, 30), Tone::Orange, Font::Code, bindings);
        picture.arrow(&[(238, y + 15), (310, y + 15)]);
        picture.card((310, y), (118, 30), Tone::Red, Font::Code, wrong);
        picture.line(&[(238, y + 15), (262, y + 15), (262, 160)]);
    }
    picture.arrow(&[(262, 150), (262, 164)]);
    picture.card((134, 164), (294, 30), Tone::Green, Font::Code, "product_2x3_3x2: machine code");
    picture
}

pub fn lanes() -> Picture {
    let title = "Sixteen elements in eight partial sums: element k is added to sum k mod 8, and the eight are added in order";
    let mut picture = Picture::new("lanes", title, 212);
    for lane in 0..8 {
        let x = 20 + lane * 50;
        picture.card((x, 12), (42, 28), Tone::Blue, Font::Code, &format!("x{lane}"));
        picture.card((x, 48), (42, 28), Tone::Blue, Font::Code, &format!("x{}", lane + 8));
        picture.arrow(&[(x + 21, 76), (x + 21, 98)]);
        picture.card((x, 98), (42, 28), Tone::Orange, Font::Code, &format!("s{lane}"));
        picture.line(&[(x + 21, 126), (x + 21, 142)]);
    }
    picture.line(&[(41, 142), (391, 142)]);
    picture.arrow(&[(216, 142), (216, 158)]);
    picture.card((106, 158), (220, 28), Tone::Green, Font::Code, "s0 + s1 + s2 + ... + s7");
    picture.text(
        (20, 206),
        Font::Small,
        "eight chains side by side: a register of 2, 4 or 8 numbers fits",
    );
    picture
}

pub fn places() -> Picture {
    let title = "What knows an operator, and who finds the place: a table, rustc, the program, the tests, a reader";
    let mut picture = Picture::new("places", title, 235);
    let rows = [
        (Tone::Blue, "a table", "parser, editors, purity, dead code, examples"),
        (Tone::Blue, "rustc", "the row of the operation, the rule for shapes"),
        (Tone::Green, "the program", "the dialect in IRDL, which a test writes"),
        (Tone::Green, "the program", "the lowering to linalg"),
        (Tone::Orange, "the tests", "advice for other languages"),
        (Tone::Violet, "a reader", "a & b is not b & a; pages of errors"),
    ];
    picture.text((12, 20), Font::Bold, "who finds it");
    picture.text((132, 20), Font::Bold, "what knows the operator");
    for (index, (tone, who, what)) in (0..).zip(rows) {
        let y = 30 + index * 33;
        picture.card((12, y), (104, 27), tone, Font::Words, who);
        picture.card((128, y), (304, 27), Tone::Plain, Font::Small, what);
    }
    picture
}

pub fn one_diagnostic() -> Picture {
    let title =
        "Whatever finds an error makes one kind of value, and one place shows it in three forms";
    let mut picture = Picture::new("one-diagnostic", title, 206);
    for (x, heading) in [(12, "what finds it"), (158, "Diagnostic"), (314, "how it is shown")] {
        picture.text((x, 20), Font::Bold, heading);
    }
    for (index, finder) in (0..).zip(["the lexer", "a pass", "MLIR", "the linker"]) {
        let y = 34 + index * 40;
        picture.card((12, y), (96, 30), Tone::Blue, Font::Words, finder);
        picture.arrow(&[(108, y + 15), (150, 84 + index * 14)]);
    }
    picture.area((150, 30), (120, 160), Tone::Plain);
    for (index, field) in (0..).zip(["code", "message", "labels", "notes", "help"]) {
        picture.card((158, 38 + index * 30), (104, 24), Tone::Orange, Font::Code, field);
    }
    for (index, form) in (0..).zip(["a frame", "one line", "JSON"]) {
        let y = 44 + index * 50;
        picture.arrow(&[(270, 95 + index * 15), (318, y + 15)]);
        picture.card((318, y), (110, 30), Tone::Green, Font::Words, form);
    }
    picture
}

pub fn trailing() -> Picture {
    let title =
        "An operation in memory: its results in front of it, its regions and operands behind it";
    let mut picture = Picture::new("trailing", title, 150);
    for (x, width, tone, part) in [
        (6, 64, Tone::Green, "result 1"),
        (70, 64, Tone::Green, "result 0"),
        (134, 96, Tone::Orange, "the operation"),
        (230, 62, Tone::Plain, "region 0"),
        (292, 71, Tone::Blue, "operand 0"),
        (363, 71, Tone::Blue, "operand 1"),
    ] {
        picture.card((x, 44), (width, 40), tone, Font::Small, part);
    }
    picture.text((134, 20), Font::Code, "OperationRef");
    picture.arrow(&[(140, 26), (140, 44)]);
    picture.label((134, 110), Font::Small, Align::Right, "found by subtraction");
    picture.text((236, 110), Font::Small, "found by addition and counts");
    picture.text(
        (6, 138),
        Font::Small,
        "one block of memory: no part can be added later, but for operands",
    );
    picture
}

pub fn worklist() -> Picture {
    let title = "The greedy driver takes operations from a list; a pattern that fires puts its neighbors on the list";
    let mut picture = Picture::new("worklist", title, 214);
    picture.text((12, 20), Font::Bold, "the list");
    for (index, operation) in (0..).zip(["toy.transpose", "toy.reshape", "toy.mul"]) {
        picture.card((12, 32 + index * 34), (120, 28), Tone::Blue, Font::Code, operation);
    }
    picture.arrow(&[(132, 46), (176, 46)]);
    picture.card((176, 30), (130, 32), Tone::Orange, Font::Words, "try its patterns");
    picture.arrow(&[(241, 62), (241, 98)]);
    picture.text((250, 84), Font::Small, "one fires");
    picture.card((176, 98), (184, 32), Tone::Green, Font::Words, "change the program");
    picture.arrow(&[(176, 114), (132, 114)]);
    picture.text((176, 150), Font::Small, "new operations, users, operands");
    picture.text((176, 164), Font::Small, "go on the list again");
    picture.arrow(&[(306, 46), (340, 46)]);
    picture.text((344, 50), Font::Small, "none: next");
    picture.text(
        (12, 204),
        Font::Small,
        "empty: an iteration is over; one that changes nothing is the last",
    );
    picture
}

pub fn turns() -> Picture {
    let title = "Two buffers take turns: what one iteration writes, the next one reads, and writes into the other";
    let mut picture = Picture::new("turns", title, 196);
    for (x, heading) in [(12, "iteration"), (110, "reads"), (270, "writes")] {
        picture.text((x, 20), Font::Bold, heading);
    }
    for iteration in 0..4 {
        let y = 32 + iteration * 36;
        let (reads, writes) = if iteration % 2 == 0 { ("A", "B") } else { ("B", "A") };
        let tone = |buffer| if buffer == "A" { Tone::Blue } else { Tone::Orange };
        picture.text((24, y + 19), Font::Words, &format!("{}", iteration + 1));
        picture.card((90, y), (90, 28), tone(reads), Font::Code, reads);
        picture.arrow(&[(180, y + 14), (250, y + 14)]);
        picture.card((250, y), (90, 28), tone(writes), Font::Code, writes);
    }
    picture.text((12, 188), Font::Small, "nothing is copied, and there are never more than two");
    picture
}

pub fn workspace() -> Picture {
    let title = "Two forms of one function: one allocates its workspace and frees it, the other gets it from its caller";
    let mut picture = Picture::new("workspace", title, 188);
    for (y, name, steps) in
        [(16, "NAME", ["malloc", "compute", "free"]), (100, "NAME_in", ["", "compute", ""])]
    {
        picture.text((12, y + 20), Font::Code, name);
        for (index, step) in (0..).zip(steps).filter(|(_, step)| !step.is_empty()) {
            let tone = if step == "compute" { Tone::Green } else { Tone::Red };
            picture.card((96 + index * 112, y), (92, 30), tone, Font::Code, step);
        }
    }
    picture.arrow(&[(188, 31), (208, 31)]);
    picture.arrow(&[(300, 31), (320, 31)]);
    picture.card((96, 54), (316, 24), Tone::Orange, Font::Small, "workspace, for this call");
    picture.card(
        (12, 138),
        (400, 24),
        Tone::Orange,
        Font::Small,
        "workspace of the caller, for any number of calls",
    );
    picture.text(
        (12, 182),
        Font::Small,
        "the second form never allocates, so it cannot run out of memory",
    );
    picture
}

pub fn flattened() -> Picture {
    let title = "The parameters of a function with a struct: generic, then with shapes, then flattened to three tensors";
    let mut picture = Picture::new("flattened", title, 190);
    for (y, stage, parameters) in [
        (14, "toy", [("Line line", 200), ("x", 96), ("", 0)]),
        (72, "shapes", [("{scalar, <3>}", 200), ("<3>", 96), ("", 0)]),
        (130, "flattened", [("scalar", 96), ("<3>", 96), ("<3>", 96)]),
    ] {
        picture.text((12, y + 20), Font::Bold, stage);
        let mut x = 110;
        for (index, (text, width)) in parameters.into_iter().enumerate() {
            let is_struct = width == 200 || (y == 130 && index < 2);
            let tone = if is_struct { Tone::Orange } else { Tone::Blue };
            if width > 0 {
                picture.card((x, y), (width, 30), tone, Font::Code, text);
                x += width + 8;
            }
        }
    }
    for (from, to) in [((210, 44), (210, 72)), ((362, 44), (362, 72)), ((362, 102), (362, 130))] {
        picture.arrow(&[from, to]);
    }
    picture.arrow(&[(158, 102), (158, 130)]);
    picture.arrow(&[(262, 102), (262, 130)]);
    picture.text((12, 182), Font::Small, "orange: the struct, and what was in it");
    picture
}
