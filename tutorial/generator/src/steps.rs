//! The steps of part one, and the crate of each.
//!
//! Input: the tutorial's chapters `build/NN-SLUG.md`, and files that no listing makes, the expected outputs of programs
//! in `steps/NN-SLUG/programs`. Output: the steps, and the files of their crates. Invariants: a step is the result of
//! its chapter on the step before; an expected output stays until a later step has another one.

use crate::listings::{self, Files};
use crate::{Result, fail};
use std::path::{Path, PathBuf};

#[derive(Clone)]
pub struct Step {
    pub number: usize,
    /// `04-a-dialect`: the name of the chapter's file, and of the crate's folder.
    pub slug: String,
    tutorial: PathBuf,
}

/// The steps of a tutorial, in order.
pub fn all(tutorial: &Path) -> Result<Vec<Step>> {
    let folder = tutorial.join("build");
    let mut steps: Vec<_> = names(&folder)?
        .into_iter()
        .filter_map(|name| {
            let slug = name.strip_suffix(".md")?.to_owned();
            let number = slug.split_once('-')?.0.parse().ok()?;
            Some(Step { number, slug, tutorial: tutorial.to_owned() })
        })
        .collect();
    steps.sort_by(|a, b| a.slug.cmp(&b.slug));
    Ok(steps)
}

impl Step {
    pub fn chapter(&self) -> PathBuf {
        self.tutorial.join("build").join(format!("{}.md", self.slug))
    }

    pub fn page(&self) -> Result<String> {
        read(&self.chapter())
    }

    /// The folder of files that no listing makes.
    pub fn folder(&self) -> PathBuf {
        self.tutorial.join("steps").join(&self.slug)
    }

    /// The step that the chapter starts from; the first one starts from nothing.
    pub fn before(&self) -> Result<Option<Step>> {
        let number = self.number.saturating_sub(1);
        if number == 0 {
            return Ok(None);
        }
        match all(&self.tutorial)?.into_iter().find(|step| step.number == number) {
            Some(step) => Ok(Some(step)),
            None => {
                fail(format!("there is no step {number}, from which step {} starts", self.number))
            }
        }
    }

    /// The files of the step before.
    pub fn files_before(&self) -> Result<Files> {
        self.before()?.map_or(Ok(Files::new()), |before| before.files())
    }

    /// The files of the crate.
    pub fn files(&self) -> Result<Files> {
        let page = self.page()?;
        let applied = listings::apply(&page, &self.files_before()?)
            .map_err(|error| format!("{}:{error}", self.chapter().display()))?;
        let mut files = applied.files;
        files.extend(self.outputs()?);
        Ok(files)
    }

    /// The expected outputs that are new in this step, or other ones than before.
    pub fn outputs(&self) -> Result<Files> {
        let folder = self.folder().join("programs");
        if !folder.is_dir() {
            return Ok(Files::new());
        }
        let names = names(&folder)?.into_iter();
        names.map(|name| Ok((format!("programs/{name}"), read(&folder.join(name))?))).collect()
    }
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).map_err(|error| shown(folder, &error))?;
    let names = entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(names.collect())
}

fn read(file: &Path) -> Result<String> {
    std::fs::read_to_string(file).map_err(|error| shown(file, &error))
}

fn shown(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}
