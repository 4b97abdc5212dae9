//! The targets of a page's links on the site.
//!
//! Input: a page and a target as it is written in the repository. Output: a link that works on the site: to another
//! page, to a picture, to a page with the text of a file, or to the code host if the site knows one. Invariant: a link is
//! relative and leads to a file of the site, or it is absolute.

use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// The possible targets of links.
pub struct Links {
    /// The repository.
    pub root: PathBuf,
    /// The pages of the book: from the path in the repository to the path in the book.
    pub pages: BTreeMap<PathBuf, PathBuf>,
    /// The address of the repository at the code host.
    pub host: Option<String>,
    /// Pictures that are linked, in the repository and in the book.
    pub pictures: BTreeMap<PathBuf, PathBuf>,
    /// Files and folders that get a page with their text.
    pub sources: BTreeSet<PathBuf>,
}

impl Links {
    /// The target of a link on `page`, which is a path in the repository.
    pub fn resolved(&mut self, page: &Path, target: &str) -> Result<String> {
        if target.contains("://") || target.starts_with('#') || target.starts_with("mailto:") {
            return Ok(target.to_owned());
        }
        let (file, heading) = match target.split_once('#') {
            Some((file, heading)) => (file, format!("#{heading}")),
            None => (target, String::new()),
        };
        let file = normal(&page.parent().unwrap_or(Path::new("")).join(file));
        let from = self.pages[page].clone();
        if let Some(to) = self.pages.get(&file) {
            return Ok(relative(&from, to) + &heading);
        }
        let absolute = self.root.join(&file);
        if !absolute.exists() {
            bail!("{}: `{target}` leads nowhere", page.display());
        }
        if file.extension().is_some_and(|extension| extension == "svg" || extension == "png") {
            let to = in_book(&file);
            let link = relative(&from, &to);
            self.pictures.insert(file, to);
            return Ok(link);
        }
        if let Some(host) = &self.host {
            let kind = if absolute.is_dir() { "tree" } else { "blob" };
            return Ok(format!("{host}/{kind}/main/{}{heading}", file.display()));
        }
        let to = source_page(&file);
        // The pages of sources have lines, but no headings.
        let heading = if heading.starts_with("#L") { &heading } else { "" };
        self.sources.insert(file);
        Ok(relative(&from, &to) + heading)
    }
}

/// The place in the book: without the folder that holds most of it.
pub fn in_book(file: &Path) -> PathBuf {
    file.strip_prefix("tutorial").unwrap_or(file).to_owned()
}

/// The page with the text of a file of the repository. mdBook would take `.md` in its name for a page of the book.
pub fn source_page(file: &Path) -> PathBuf {
    let name = file.display().to_string();
    let name = name.strip_suffix(".md").map_or(name.clone(), |name| format!("{name}.markdown"));
    PathBuf::from(format!("source/{name}.html"))
}

/// A link from one file of the book to another.
pub fn relative(from: &Path, to: &Path) -> String {
    // The first page of the site.
    let to = if to == Path::new("README.md") { Path::new("index.html") } else { to };
    let folder: Vec<_> = from.parent().unwrap_or(Path::new("")).components().collect();
    let to: Vec<_> = to.components().collect();
    let shared = folder.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let mut link = PathBuf::new();
    link.extend(folder[shared..].iter().map(|_| Component::ParentDir));
    link.extend(&to[shared..]);
    link.display().to_string()
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            part => result.push(part),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(host: Option<&str>) -> Links {
        let pages =
            ["tutorial/README.md", "tutorial/build/01-a.md", "tutorial/04-b.md", "LANGUAGE.md"];
        Links {
            root: Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
            pages: pages.map(|page| (page.into(), in_book(Path::new(page)))).into(),
            host: host.map(str::to_owned),
            pictures: BTreeMap::new(),
            sources: BTreeSet::new(),
        }
    }

    #[test]
    fn links_lead_to_pages_sources_or_the_host() {
        let page = Path::new("tutorial/build/01-a.md");
        for (target, expected) in [
            ("https://mlir.llvm.org", "https://mlir.llvm.org"),
            ("#quiz", "#quiz"),
            ("../04-b.md#uses", "../04-b.md#uses"),
            ("../../LANGUAGE.md", "../LANGUAGE.md"),
            ("../pictures/mlp.svg", "../pictures/mlp.svg"),
            ("../../toyc/src/main.rs#L3", "../source/toyc/src/main.rs.html#L3"),
            ("../../toyc/src", "../source/toyc/src.html"),
            ("../../CONTRIBUTING.md#style", "../source/CONTRIBUTING.markdown.html"),
            ("../README.md", "../index.html"),
        ] {
            assert_eq!(links(None).resolved(page, target).unwrap(), expected);
        }
        let mut hosted = links(Some("https://example.org/toyc"));
        let link = hosted.resolved(page, "../../toyc/src/main.rs").unwrap();
        assert_eq!(link, "https://example.org/toyc/blob/main/toyc/src/main.rs");
        let link = hosted.resolved(Path::new("LANGUAGE.md"), "toyc/src").unwrap();
        assert_eq!(link, "https://example.org/toyc/tree/main/toyc/src");
        assert!(links(None).resolved(page, "../nothing.md").is_err());
    }
}
