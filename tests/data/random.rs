//! Functions of random programs as the main function, with arguments in files: `toyc run` and executables agree with the
//! interpreter.
//!
//! Input: seeds; TOYC_RANDOM_SEED and TOYC_RANDOM_COUNT choose other, or more, programs. Output: for each function that
//! takes tensors, the printed text and the elements of its results. Invariant: the elements of arguments are multiples
//! of 1/8, so that every kind of file holds them exactly.

use crate::exports::at;
use crate::exports::driver::element;
use crate::exports::random::{exports_of, is_declined, style};
use crate::generator;
use crate::interpreter::{self, Called};
use crate::programs::build_with;
use crate::random::{Tally, count, variable};
use crate::tools::{Job, Outcome, fail, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::path::Path;
use toy_compiler::interface::{Argument, Element, Export, TensorType};

/// Programs of one test.
const BATCH: u64 = 5;

/// Functions of one program.
const MAX_FUNCTIONS: usize = 3;

pub fn trials() -> Vec<Trial> {
    let first = variable("TOYC_RANDOM_SEED", 0);
    let end = first + count().div_ceil(20);
    let batches = (first..end).step_by(BATCH as usize).map(|start| start..end.min(start + BATCH));
    let batches = batches.map(|seeds| {
        let name = format!("data/random/{}-{}", seeds.start, seeds.end - 1);
        trial(name, move || check(seeds))
    });
    batches.collect()
}

fn check(seeds: std::ops::Range<u64>) -> Outcome {
    let mut tally = Tally::new("data");
    for seed in seeds {
        let text = generator::program(seed, style(seed));
        tally.count("programs");
        if let Err(failure) = check_program(seed, &text, &mut tally)
            && !tally.failed(seed, "toy", text.as_bytes(), &failure)?
        {
            break;
        }
    }
    tally.finish()
}

fn check_program(seed: u64, text: &str, tally: &mut Tally) -> Outcome {
    let level = [0, 2][(seed / 2 % 2) as usize];
    let mut functions = 0;
    for export in exports_of(text)? {
        let is_tensor = |argument: &Argument| matches!(argument, Argument::Tensor(_));
        if functions == MAX_FUNCTIONS || !export.arguments.iter().all(is_tensor) {
            continue;
        }
        let called = interpreter::call(text, &export.function, &export.arguments, element);
        // The functions that cannot be called are those of `exports/random`.
        let Ok(called) = called else { continue };
        if is_declined(text, &export, &at(level)) {
            continue;
        }
        functions += 1;
        let folder = tally.scratch(seed);
        std::fs::write(folder.join("program.toy"), text)?;
        run(seed, &export, &called, level, &folder)
            .map_err(|failed| format!("{} at -O{level}: {}", export.call(), said(&failed)))?;
        std::fs::remove_dir_all(&folder)?;
        tally.count(format!("functions-O{level}"));
    }
    Ok(())
}

fn said(failed: &Failed) -> &str {
    failed.message().unwrap_or("no message")
}

fn run(seed: u64, export: &Export, called: &Called, level: u8, folder: &Path) -> Outcome {
    let mut words = Vec::new();
    for (number, argument) in export.arguments.iter().enumerate() {
        let Argument::Tensor(ty) = argument else { continue };
        words.push(written(seed as usize + number, number, ty, folder)?);
    }
    if !called.results.is_empty() {
        words.extend(["-o", "r-{}.npy"].map(str::to_owned));
    }
    let (call, level) = (export.call(), format!("-O{level}"));
    let options = ["run", "-w", "program.toy", &level, "--main", &call];
    agrees(toyc(options.into_iter().chain(words.iter().map(String::as_str))), called, folder)?;
    if seed % 4 < 2 {
        return Ok(());
    }
    let program = folder.join("program");
    build_with(&folder.join("program.toy"), &program, &["-w", &level, "--main", &call], None)?;
    agrees(Job::new(program, &words), called, folder)
}

/// Runs a program, and compares its output and its files, which are removed.
fn agrees(job: Job, called: &Called, folder: &Path) -> Outcome {
    job.current_dir(folder).run()?.exits(0)?.prints(&called.output)?.silent()?;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("r-")) {
            found.push(bits(&elements(&std::fs::read(&path)?)));
            std::fs::remove_file(path)?;
        }
    }
    let mut expected: Vec<_> = called.results.iter().map(|tensor| bits(tensor)).collect();
    // The order of files in a folder says nothing.
    found.sort();
    expected.sort();
    if found == expected { Ok(()) } else { fail(format!("results {found:x?}, not {expected:x?}")) }
}

fn bits(elements: &[f64]) -> Vec<u64> {
    let canonical = |element: &f64| if element.is_nan() { f64::NAN } else { *element };
    elements.iter().map(|element| canonical(element).to_bits()).collect()
}

/// The elements of a .npy file of the kind that programs write.
fn elements(file: &[u8]) -> Vec<f64> {
    let header = 10 + usize::from(u16::from_le_bytes([file[8], file[9]]));
    let is_single = file[..header].windows(3).any(|text| text == b"<f4");
    if is_single {
        let (numbers, _) = file[header..].as_chunks();
        return numbers.iter().map(|bytes| f32::from_le_bytes(*bytes).into()).collect();
    }
    let (numbers, _) = file[header..].as_chunks();
    numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect()
}

/// The word that stands for an argument on the command line: a number, or the name of a file that is made.
fn written(kind: usize, tensor: usize, ty: &TensorType, folder: &Path) -> Result<String, Failed> {
    let dims = ty.shape.0.as_slice();
    let count = dims.iter().product::<u64>() as usize;
    let numbers: Vec<_> = (0..count).map(|index| element(tensor, index)).collect();
    if dims.is_empty() {
        return Ok(numbers[0].to_string());
    }
    let (name, bytes) = match (kind % 4, dims) {
        // Files of f64 are refused for f32.
        (_, _) if ty.element != Element::DEFAULT => {
            let is_fortran = kind.is_multiple_of(2);
            let numbers = if is_fortran { columns_first(&numbers, dims) } else { numbers };
            let data = numbers.iter().flat_map(|number| (*number as f32).to_le_bytes()).collect();
            (format!("a{tensor}.npy"), npy("<f4", is_fortran, dims, data))
        }
        (0, [_, columns]) if *columns > 1 => {
            let row = |row: &[f64]| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
            let rows: Vec<_> = numbers.chunks(*columns as usize).map(row).collect();
            (format!("a{tensor}.csv"), rows.join("\n").into_bytes())
        }
        (1, _) => {
            let data = numbers.iter().flat_map(|number| (*number as f32).to_le_bytes()).collect();
            (format!("a{tensor}.npy"), npy("<f4", false, dims, data))
        }
        (2, _) => {
            let data = columns_first(&numbers, dims);
            let data = data.iter().flat_map(|number| number.to_le_bytes()).collect();
            (format!("a{tensor}.npy"), npy("<f8", true, dims, data))
        }
        _ => {
            let data = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            (format!("a{tensor}.npy"), npy("<f8", false, dims, data))
        }
    };
    std::fs::write(folder.join(&name), bytes)?;
    Ok(name)
}

/// The elements in Fortran's order: the first index runs fastest.
fn columns_first(numbers: &[f64], dims: &[u64]) -> Vec<f64> {
    let at = |place: usize| {
        let (mut rest, mut index) = (place, 0);
        let mut stride = numbers.len();
        for dim in dims.iter().map(|dim| *dim as usize) {
            stride /= dim;
            index += rest % dim * stride;
            rest /= dim;
        }
        numbers[index]
    };
    (0..numbers.len()).map(at).collect()
}

fn npy(descr: &str, is_fortran: bool, dims: &[u64], data: Vec<u8>) -> Vec<u8> {
    let order = if is_fortran { "True" } else { "False" };
    let dims: String = dims.iter().map(|dim| format!("{dim}, ")).collect();
    let header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({dims}), }}\n");
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    file.extend(data);
    file
}
