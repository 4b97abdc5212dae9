//! The pictures of the tutorial, drawn.
//!
//! Output: `tutorial/pictures/NAME.svg`. Each is a file of its own, light or dark as its reader's page is, and readable
//! on a telephone: see [`drawing`]. Invariants: the files match the drawings here, byte for byte; every picture has a
//! title and belongs to a chapter; every text is inside of its picture, and inside of its box.
//!
//! With TOYC_UPDATE=1 the files are written: look at them.

mod drawing;
mod front_end;
mod loops;
mod map;
mod memory;
mod operations;
mod outputs;
mod part_two;
mod pipeline;
mod programs;
mod values;

use crate::tools::{Outcome, compare_with_file, fail, files, root, stem, trial};
use drawing::Picture;
use libtest_mimic::Trial;
use std::path::PathBuf;

/// Pictures that `toyc` itself draws: chapters show the commands.
const BY_TOYC: [&str; 1] = ["mlp"];

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("pictures/every_file_is_drawn", every_file_is_drawn),
        trial("pictures/what_does_not_fit_is_found", drawing::what_does_not_fit_is_found),
        trial("pictures/the_map_is_complete", map::is_complete),
    ];
    for picture in all() {
        trials.push(trial(format!("pictures/{}", picture.name), move || {
            picture.fits()?;
            compare_with_file(picture.svg().as_bytes(), &file(&picture.name))
        }));
    }
    trials
}

fn all() -> Vec<Picture> {
    let mut all = vec![
        front_end::descent(),
        front_end::tree(),
        front_end::product_tree(),
        front_end::spans(),
        front_end::recovery(),
        front_end::four_mistakes(),
        operations::anatomy(),
        operations::parts(),
        operations::nesting(),
        operations::location(),
        operations::uses(),
        operations::use_list(),
        operations::rewrite(),
        values::functions(),
        values::specialization(),
        values::recursion(),
        values::destination(),
        values::aliases(),
        values::in_place(),
        values::carried(),
        values::branches(),
        values::regions(),
        values::names(),
        values::newton(),
        values::cotangents(),
        values::structs(),
        memory::lifetimes(),
        memory::arena(),
        memory::ownership(),
        memory::too_early(),
        memory::rounds(),
        loops::iteration_space(),
        loops::cache_line(),
        loops::tile(),
        loops::vector(),
        outputs::executable(),
        outputs::debugger(),
        outputs::line_table(),
        part_two::what_to_how(),
        part_two::clones(),
        part_two::two_visits(),
        part_two::descriptor(),
        part_two::one_llvm(),
        part_two::callers(),
        part_two::lanes(),
        part_two::places(),
        part_two::one_diagnostic(),
        part_two::trailing(),
        part_two::worklist(),
        part_two::turns(),
        part_two::workspace(),
        part_two::flattened(),
        programs::by_hand(),
        programs::old_value(),
        programs::concatenation(),
        map::map(),
    ];
    all.extend(pipeline::all());
    all
}

fn file(name: &str) -> PathBuf {
    root().join("tutorial/pictures").join(format!("{name}.svg"))
}

/// No file is left over, and no two pictures have one name.
fn every_file_is_drawn() -> Outcome {
    let mut names: Vec<String> = all().into_iter().map(|picture| picture.name).collect();
    names.extend(BY_TOYC.map(str::to_owned));
    names.sort();
    let files: Vec<_> =
        files("tutorial/pictures", &["svg"]).iter().map(|file| stem(file)).collect();
    if files == names { Ok(()) } else { fail(format!("files: {files:?}\ndrawn: {names:?}")) }
}
