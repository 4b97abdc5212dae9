//! The outputs of the compiler.

use super::drawing::{Align, Font, Picture, Tone};

pub fn executable() -> Picture {
    let title = "From LLVM IR to an object file and with the runtime to an executable, for two machines; and to the JIT, which needs no file";
    let mut picture = Picture::new("executable", title, 280);
    picture.card((150, 10), (140, 30), Tone::Blue, Font::Words, "LLVM IR");
    for (x, heading, linker) in
        [(12, "x86-64", "cc + runtime"), (154, "AArch64", "its cc + runtime")]
    {
        picture.label((x + 62, 84), Font::Bold, Align::Middle, heading);
        picture.card((x, 92), (124, 28), Tone::Violet, Font::Code, "program.o");
        picture.arrow(&[(x + 62, 120), (x + 62, 156)]);
        picture.card((x, 156), (124, 28), Tone::Plain, Font::Code, linker);
        picture.arrow(&[(x + 62, 184), (x + 62, 220)]);
        picture.card((x, 220), (124, 28), Tone::Green, Font::Code, "./program");
    }
    picture.label((366, 84), Font::Bold, Align::Middle, "JIT");
    picture.card((304, 92), (124, 28), Tone::Violet, Font::Words, "code in memory");
    picture.arrow(&[(366, 120), (366, 156)]);
    picture.card((304, 156), (124, 28), Tone::Plain, Font::Words, "our own print");
    picture.arrow(&[(366, 184), (366, 220)]);
    picture.card((304, 220), (124, 28), Tone::Green, Font::Words, "it runs");
    picture.line(&[(220, 40), (220, 56)]);
    for x in [74, 216, 366] {
        picture.arrow(&[(220, 56), (x, 56), (x, 72)]);
    }
    picture.text(
        (12, 270),
        Font::Small,
        "one optimizer, one code generator for each kind of processor",
    );
    picture
}

pub fn debugger() -> Picture {
    let title = "The line table: each address of the program belongs to a line of the source, so a debugger can stop there";
    let mut picture = Picture::new("debugger", title, 220);
    for (x, heading) in [(12, "machine code"), (190, "line table"), (292, "hello.toy")] {
        picture.text((x, 20), Font::Bold, heading);
    }
    let rows = [
        ("1130  mov", "1", 0),
        ("1138  call", "2", 1),
        ("1140  vaddpd", "3", 2),
        ("1145  vmovapd", "3", 2),
        ("114a  call", "4", 3),
    ];
    for (index, (code, line, target)) in (0..).zip(rows) {
        let y = 32 + index * 34;
        let is_here = index == 2;
        let tone = if is_here { Tone::Orange } else { Tone::Plain };
        picture.card((12, y), (150, 28), tone, Font::Code, code);
        picture.line(&[(162, y + 14), (190, y + 14)]);
        picture.card((190, y), (62, 28), tone, Font::Code, &format!("line {line}"));
        picture.arrow(&[(252, y + 14), (290, 46 + target * 34)]);
    }
    for (index, text) in (0..).zip(["def main() {", "var a = f();", "var b = a+a;", "print(b);"]) {
        let tone = if index == 2 { Tone::Orange } else { Tone::Blue };
        picture.card((292, 32 + index * 34), (138, 28), tone, Font::Code, text);
    }
    picture.text((292, 190), Font::Small, "break hello.toy:3");
    picture.text((292, 206), Font::Small, "stops at 1140");
    picture
}

/// The same for the program of part one.
pub fn line_table() -> Picture {
    let title = "The line table of steps.toy: each address of f belongs to one of its lines, so a debugger can stop there";
    let mut picture = Picture::new("line-table", title, 196);
    for (x, heading) in [(12, "machine code"), (148, "line table"), (238, "steps.toy")] {
        picture.text((x, 20), Font::Bold, heading);
    }
    let rows = [
        ("11c0  movsd", "3", 0),
        ("11d4  mulsd", "4", 1),
        ("11d9  movsd", "4", 1),
        ("11f2  addsd", "5", 2),
    ];
    for (index, (code, line, target)) in (0..).zip(rows) {
        let y = 32 + index * 34;
        let is_here = index == 1;
        let tone = if is_here { Tone::Orange } else { Tone::Plain };
        picture.card((12, y), (116, 28), tone, Font::Code, code);
        picture.line(&[(128, y + 14), (148, y + 14)]);
        picture.card((148, y), (62, 28), tone, Font::Code, &format!("line {line}"));
        picture.arrow(&[(210, y + 14), (236, 46 + target * 34)]);
    }
    for (index, text) in (0..).zip(["var t = transpose(a);", "var u = t * b;", "return u + 1;"]) {
        let tone = if index == 1 { Tone::Orange } else { Tone::Blue };
        picture.card((238, 32 + index * 34), (194, 28), tone, Font::Code, text);
    }
    picture.text((238, 152), Font::Small, "break steps.toy:4");
    picture.text((238, 168), Font::Small, "stops at 11d4");
    picture
}
