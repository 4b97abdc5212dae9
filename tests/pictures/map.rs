//! The map: every stage, its folder and its chapters.

use super::drawing::{Align, Font, Picture, Tone};
use crate::tools::{Outcome, fail, root};

/// A stage as in `-emit=`, the form of the program, the folder below `crates/toy-compiler/src` or the crate, and the
/// chapters. The color is the same as long as data is in the same place: text, values, buffers, machine code.
const ROOMS: [(&str, &str, &str, &str, Tone); 11] = [
    ("tokens, ast", "a tree, with names", "toy-syntax", "1, 2", Tone::Plain),
    ("toy", "Toy's operations", "stages/toy", "3–5, 16", Tone::Blue),
    ("shapes", "all shapes known", "stages/shapes", "6", Tone::Blue),
    ("linalg", "no structs, fused", "stages/linalg", "7, 15", Tone::Blue),
    ("memref", "values in buffers", "stages/memref", "8, 17", Tone::Orange),
    ("merged", "one allocation", "stages/merged", "9", Tone::Orange),
    ("dealloc", "all is freed", "stages/dealloc", "10", Tone::Orange),
    ("loops", "loops and vectors", "stages/loops", "11, 18", Tone::Orange),
    ("mlir-llvm", "addresses", "stages/mlir_llvm", "12", Tone::Violet),
    ("llvm, obj", "one machine's code", "codegen", "12, 13", Tone::Violet),
    ("exe, jit, lib", "it runs", "codegen", "13, 14, 20", Tone::Green),
];

pub fn map() -> Picture {
    let title = "The whole compiler from the text to the executable: each stage, the form of the program there, its folder, and the chapters that tell it";
    const ROW: i32 = 40;
    let height = 74 + ROW * ROOMS.len() as i32 + 58;
    let mut picture = Picture::new("map", title, height);
    picture.text((12, 20), Font::Bold, "-emit=");
    picture.text((124, 20), Font::Bold, "folder");
    picture.text((262, 20), Font::Bold, "the program");
    picture.label((430, 20), Font::Bold, Align::Right, "chapter");
    picture.card((12, 32), (100, 26), Tone::Faint, Font::Small, "x.toy");
    picture.label((430, 49), Font::Small, Align::Right, "0");
    picture.text((262, 49), Font::Small, "text");
    for (index, (stage, form, folder, chapters, tone)) in (0..).zip(ROOMS) {
        let y = 74 + index * ROW;
        picture.arrow(&[(62, y - if index == 0 { 16 } else { ROW - 26 }), (62, y)]);
        picture.card((12, y), (100, 26), tone, Font::Code, stage);
        picture.text((124, y + 17), Font::Code, folder);
        picture.text((262, y + 17), Font::Small, form);
        picture.label((430, y + 17), Font::Small, Align::Right, chapters);
    }
    let below = height - 44;
    for (line, text) in (0..).zip([
        "x.mlir may enter at each stage from toy to mlir-llvm",
        "folders are in crates/toy-compiler/src, toy-syntax is in crates;",
        "merged uses crates/merge-alloc and crates/memory-planner",
    ]) {
        picture.text((12, below + line * 17), Font::Small, text);
    }
    picture
}

/// Each folder of a stage is on the map, and each folder of the map is there.
pub fn is_complete() -> Outcome {
    let source = root().join("crates/toy-compiler/src");
    let mut folders: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(source.join("stages"))? {
        let entry = entry?;
        if entry.path().is_dir() {
            folders.push(format!("stages/{}", entry.file_name().to_string_lossy()));
        }
    }
    let is_shown = |folder: &String| ROOMS.iter().any(|room| room.2 == folder);
    let is_there =
        |folder: &str| source.join(folder).is_dir() || root().join("crates").join(folder).is_dir();
    let missing: Vec<_> = folders.iter().filter(|folder| !is_shown(folder)).collect();
    let gone: Vec<_> = ROOMS.iter().map(|room| room.2).filter(|room| !is_there(room)).collect();
    if missing.is_empty() && gone.is_empty() {
        Ok(())
    } else {
        fail(format!("not on the map: {missing:?}; only on the map: {gone:?}"))
    }
}
