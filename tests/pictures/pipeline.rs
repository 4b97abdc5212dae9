//! The strip of stages, once for each chapter of part one: existing, new and missing ones.

use super::drawing::{Align, Font, Picture, Tone};

/// The stages of the finished compiler: the form of the program, and the step that makes it real.
const STAGES: [(&str, usize); 12] = [
    ("text", 2),
    ("tokens", 3),
    ("tree", 3),
    ("Toy", 6),
    ("shapes", 10),
    ("rewritten", 8),
    ("linalg", 11),
    ("memref", 12),
    ("planned", 13),
    ("freed", 14),
    ("loops", 15),
    ("machine", 16),
];

/// Each chapter's additions, in the reader's words.
const NEWS: [&str; 20] = [
    "from linalg to machine code; what is dashed comes later",
    "the whole way, from the text",
    "real tokens, and a tree of expressions",
    "a tree of functions, and the way from it",
    "errors that point at the text",
    "a dialect: operations of your own",
    "a verifier, and linalg from the dialect",
    "rewriting: less to compute",
    "functions that know no shapes",
    "shapes, one copy of a function per shape",
    "loops as values: linalg",
    "in place, or a copy",
    "one arena for all buffers",
    "every buffer is freed, once",
    "loops that are fast",
    "an executable, for two machines",
    "comparisons, and variables that change",
    "branches, through all stages",
    "loops, and what memory does in them",
    "gradients, and sums",
];

/// Stages that a chapter changes beside those that it makes real.
fn is_new(step: usize, stage: &str, made: usize) -> bool {
    match step {
        1 => IN_STEP_1.contains(&stage),
        2 => IN_STEP_2.contains(&stage),
        4 | 5 => ["tokens", "tree"].contains(&stage),
        7 => ["Toy", "linalg", "machine"].contains(&stage),
        9 => stage == "Toy",
        17 => ["tokens", "tree", "Toy", "shapes", "linalg"].contains(&stage),
        18 => ["tokens", "tree", "Toy", "shapes", "linalg", "planned"].contains(&stage),
        19 => !["text", "rewritten", "freed", "loops"].contains(&stage),
        20 => ["tokens", "tree", "Toy", "shapes", "linalg"].contains(&stage),
        _ => step == made,
    }
}

/// Stages that step 1 has in a cheap form.
const IN_STEP_1: [&str; 2] = ["linalg", "machine"];
/// And step 2: its parser makes no tree.
const IN_STEP_2: [&str; 2] = ["text", "tokens"];

fn is_there(step: usize, stage: &str, made: usize) -> bool {
    made <= step || IN_STEP_1.contains(&stage) || step > 1 && IN_STEP_2.contains(&stage)
}

pub fn all() -> impl Iterator<Item = Picture> {
    (1..=NEWS.len()).map(pipeline)
}

fn pipeline(step: usize) -> Picture {
    let news = NEWS[step - 1];
    let title = format!("The stages of the compiler after step {step}; new: {news}");
    let mut picture = Picture::new(&format!("pipeline-{step:02}"), &title, 138);
    const ROW: usize = 6;
    const WIDTH: i32 = 64;
    const GAP: i32 = 8;
    for (index, (stage, made)) in STAGES.into_iter().enumerate() {
        let (row, column) = ((index / ROW) as i32, (index % ROW) as i32);
        let at = (8 + column * (WIDTH + GAP), 10 + row * 56);
        let tone = match () {
            () if is_new(step, stage, made) => Tone::Orange,
            () if is_there(step, stage, made) => Tone::Blue,
            () => Tone::Faint,
        };
        picture.card(at, (WIDTH, 30), tone, Font::Small, stage);
        match (column, row) {
            (5, 0) => {
                let x = at.0 + WIDTH / 2;
                picture.arrow(&[(x, 40), (x, 53), (40, 53), (40, 66)]);
            }
            (5, _) => {}
            _ => {
                picture.line(&[(at.0 + WIDTH, at.1 + 15), (at.0 + WIDTH + GAP, at.1 + 15)]);
            }
        }
    }
    picture.label((220, 124), Font::Words, Align::Middle, &format!("Step {step}: {news}"));
    picture
}
