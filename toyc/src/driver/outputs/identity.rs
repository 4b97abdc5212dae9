//! Files that may be the same one under two names.
//!
//! Input: paths, or standard input. Output: whether an output would overwrite an input or another output.

use crate::output;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A file, existing or not: its path without links, and if it exists its device and number. Both are None for anything
/// but regular files: `/dev/null` is never overwritten.
#[derive(Default)]
pub struct Identity {
    place: Option<PathBuf>,
    file: Option<(u64, u64)>,
}

impl Identity {
    pub fn of(path: &Path) -> Self {
        let metadata = std::fs::metadata(path).ok();
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            return Self::default();
        }
        let file = metadata.map(|metadata| (metadata.dev(), metadata.ino()));
        Self { place: output::place(path).ok(), file }
    }

    /// The file that a shell has opened as standard input, if any.
    pub fn of_stdin() -> Self {
        let file = std::io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from);
        let metadata = file.and_then(|file| file.metadata()).ok().filter(|it| it.is_file());
        Self { place: None, file: metadata.map(|metadata| (metadata.dev(), metadata.ino())) }
    }

    pub fn is(&self, other: &Self) -> bool {
        let has_place = self.place.is_some() && self.place == other.place;
        has_place || self.file.is_some() && self.file == other.file
    }
}
