//! The strip of stages, once for each chapter of part one: existing, new and missing ones.

use super::drawing::{Align, Font, Picture, Tone};

/// The stages of the finished compiler: the form of the program, and the step that makes it real.
const STAGES: [(&str, usize); 12] = [
    ("text", 1),
    ("tokens", 2),
    ("tree", 2),
    ("Toy", 4),
    ("shapes", 8),
    ("rewritten", 6),
    ("linalg", 9),
    ("memref", 10),
    ("planned", 11),
    ("freed", 12),
    ("loops", 13),
    ("machine", 14),
];

/// Each chapter's additions, in the reader's words.
const NEWS: [&str; 17] = [
    "the whole way; what is dashed comes later",
    "real tokens, a grammar, a tree",
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
];

/// Stages that a chapter changes beside those that it makes real.
fn is_new(step: usize, stage: &str, made: usize) -> bool {
    match step {
        1 => IN_STEP_1.contains(&stage),
        3 => ["tokens", "tree"].contains(&stage),
        5 => ["Toy", "linalg", "machine"].contains(&stage),
        7 => stage == "Toy",
        15 => ["tokens", "tree", "Toy", "shapes", "linalg"].contains(&stage),
        16 => ["tokens", "tree", "Toy", "shapes", "linalg", "planned"].contains(&stage),
        17 => !["text", "rewritten", "freed", "loops"].contains(&stage),
        _ => step == made,
    }
}

/// Stages that step 1 has in a cheap form: its parser makes no tree.
const IN_STEP_1: [&str; 4] = ["text", "tokens", "linalg", "machine"];

fn is_there(step: usize, stage: &str, made: usize) -> bool {
    made <= step || IN_STEP_1.contains(&stage)
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
