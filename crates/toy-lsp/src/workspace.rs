//! The programs of the workspace that are not open.
//!
//! Input: folders. Output: their `.toy` files, as documents. Invariants: the search is bounded in files, bytes and
//! depth; it follows no links; hidden folders and build folders are left out.

use crate::document::{Document, MAX_ANALYZED};
use std::path::{Path, PathBuf};
use url::Url;

const MAX_FILES: usize = 2_000;
const MAX_ENTRIES: usize = 50_000;
/// A second's work.
const MAX_BYTES: u64 = 4 << 20;

/// The documents in the folders that are not open.
pub fn documents(folders: &[PathBuf], is_open: impl Fn(&Path) -> bool) -> Vec<Document> {
    let mut bytes = 0;
    let mut documents = Vec::new();
    for path in files(folders) {
        let Ok(uri) = Url::from_file_path(&path) else { continue };
        let length = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if is_open(&path) || length > MAX_ANALYZED as u64 {
            continue;
        }
        bytes += length;
        if bytes > MAX_BYTES {
            break;
        }
        if let Ok(text) = std::fs::read_to_string(&path) {
            documents.push(Document::new(uri.as_str().into(), 0, &text, true));
        }
    }
    documents
}

fn files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut rest: Vec<PathBuf> = folders.iter().rev().cloned().collect();
    let (mut found, mut entries) = (Vec::new(), 0);
    while let Some(folder) = rest.pop() {
        let Ok(inside) = std::fs::read_dir(&folder) else { continue };
        let mut inside: Vec<_> = inside.flatten().take(MAX_ENTRIES - entries).collect();
        entries += inside.len();
        inside.sort_by_key(std::fs::DirEntry::file_name);
        for entry in inside {
            let (path, name) = (entry.path(), entry.file_name());
            let is_hidden = name.as_encoded_bytes().starts_with(b".");
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_hidden && !is_made(&path) => rest.push(path),
                Ok(kind) if kind.is_file() && path.extension().is_some_and(|it| it == "toy") => {
                    found.push(path);
                }
                _ => {}
            }
        }
        if found.len() >= MAX_FILES || entries >= MAX_ENTRIES {
            break;
        }
    }
    found.truncate(MAX_FILES);
    found
}

fn is_made(folder: &Path) -> bool {
    let made = ["target", "node_modules", "build"];
    folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| made.contains(&name))
}
