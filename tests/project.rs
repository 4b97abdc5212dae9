//! The files around the code agree with it: license, versions, containers, CI, dependencies, pages.
//!
//! Input: the files at the root of the repository. The README is the source of the commands, Cargo.toml of the license,
//! the Rust version and the dependencies; all other files are compared with them.

use crate::pages;
use crate::tools::{Outcome, Tests, fail, files, root, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::path::Path;
use tutorial::markdown::blocks;

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("license_is_the_text_that_the_manifest_declares", license),
        ("toolchain_is_the_oldest_rust_that_the_manifest_allows", toolchain),
        ("containers_build_with_the_first_command_of_the_readme", containers),
        ("ci_runs_the_scripts_of_the_repository", ci),
        ("ci_ends_with_the_test_command_of_the_readme", script),
        ("contributing_names_every_dependency_and_no_other", dependencies),
        ("changelog_has_the_version_of_the_manifest", changelog),
        ("names_are_in_alphabetical_order", names),
        ("the_readme_links_to_every_page", readme_links),
    ];
    let tests = tests.into_iter().map(|(name, test)| trial(format!("project/{name}"), test));
    let pages = root_pages().into_iter().map(|page| {
        let name = format!("project/{page}");
        trial(name.clone(), move || pages::check(&root().join(&page), &name.replace('.', "_")))
    });
    tests.chain(pages).collect()
}

/// The pages at the root that no other test is about.
fn root_pages() -> Vec<String> {
    let pages = files(".", &["md"]).into_iter();
    let names = pages.filter_map(|page| Some(page.file_name()?.to_str()?.to_owned()));
    names.filter(|name| name != "README.md" && name != "LANGUAGE.md").collect()
}

fn read(path: &str) -> Result<String, Failed> {
    std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}").into())
}

/// The text with single spaces, for texts that are wrapped in other ways.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `1.95` for `rust-version = "1.95"` in the manifest of the workspace.
fn declared(key: &str) -> Result<String, Failed> {
    value(&read("Cargo.toml")?, key)
}

fn value(toml: &str, key: &str) -> Result<String, Failed> {
    let mut lines = toml.lines().filter_map(|line| line.split_once(" = "));
    match lines.find(|(name, _)| *name == key) {
        Some((_, value)) => Ok(value.trim_matches('"').to_owned()),
        None => fail(format!("there is no `{key}`")),
    }
}

/// The exceptions, with single spaces.
const EXCEPTIONS: &str = "\
    As an exception, if, as a result of your compiling your source code, portions of this \
    Software are embedded into an Object form of such source code, you may redistribute such \
    embedded portions in such Object form without complying with the conditions of Sections \
    4(a), 4(b) and 4(d) of the License. In addition, if you combine or link compiled forms of \
    this Software with software that is licensed under the GPLv2 (\"Combined Software\") and if a \
    court of competent jurisdiction determines that the patent provision (Section 3), the \
    indemnity provision (Section 9) or other Section of the License conflicts with the \
    conditions of the GPLv2, you may retroactively and prospectively choose to deem waived or \
    otherwise exclude such Section(s) of the License, but only in their entirety and only with \
    respect to the Combined Software.";

fn license() -> Outcome {
    const HEADING: &str = "---- LLVM Exceptions to the Apache 2.0 License ----";
    if declared("license")? != "Apache-2.0 WITH LLVM-exception" {
        return fail("this test knows the text of another license");
    }
    let license = unwrapped(&read("LICENSE")?);
    let Some((apache, exceptions)) = license.split_once(HEADING) else {
        return fail("LICENSE does not have LLVM's exceptions");
    };
    if !apache.starts_with("Apache License Version 2.0, January 2004 ")
        || !apache.contains(" END OF TERMS AND CONDITIONS ")
        || exceptions.trim() != EXCEPTIONS
    {
        return fail("LICENSE is not complete");
    }
    // Debian has the text of the license as well.
    match std::fs::read_to_string("/usr/share/common-licenses/Apache-2.0") {
        Ok(text) if unwrapped(&text) != apache.trim_end() => {
            fail("LICENSE differs from Debian's copy of Apache-2.0")
        }
        _ => Ok(()),
    }
}

fn toolchain() -> Outcome {
    let channel = value(&read("rust-toolchain.toml")?, "channel")?;
    if channel != format!("{}.0", declared("rust-version")?) {
        return fail(format!("rust-toolchain.toml has {channel}"));
    }
    let image = format!("rust:{channel}-bookworm");
    for path in [
        "Dockerfile",
        ".devcontainer/devcontainer.json",
        ".github/workflows/ci.yml",
        ".github/workflows/release.yml",
    ] {
        let text = read(path)?;
        let images = text.matches("rust:").count();
        if images == 0 || images != text.matches(&image).count() {
            return fail(format!("{path} does not build in `{image}`"));
        }
    }
    Ok(())
}

/// The commands of the section "Two commands", in their order.
fn readme_commands() -> Result<Vec<String>, Failed> {
    let readme = read("README.md")?;
    let commands = blocks(&readme)?.into_iter().filter(|block| block.info == "sh");
    Ok(commands.map(|block| block.text.trim_end().to_owned()).collect())
}

fn containers() -> Outcome {
    let commands = readme_commands()?;
    let Some(first) = commands.first() else { return fail("the README has no command") };
    // `cargo run` would build one of the commands that the pages use.
    if !first.contains("cargo build --release -p toyc &&") {
        return fail(format!("`{first}` does not build both toyc and toy-opt"));
    }
    if !read("Dockerfile")?.lines().any(|line| line.strip_prefix("RUN ") == Some(first)) {
        return fail(format!("the Dockerfile does not run `{first}`"));
    }
    let text = read(".devcontainer/devcontainer.json")?;
    let container: serde_json::Value = serde_json::from_str(&text)?;
    match container["postCreateCommand"].as_str() {
        Some(command) if command == first => Ok(()),
        command => fail(format!("the development container runs {command:?}, not `{first}`")),
    }
}

fn ci() -> Outcome {
    let of_ci = [
        ".ci/run",
        ".ci/documentation",
        ".ci/install",
        ".ci/editors",
        ".ci/portable",
        "tests/aarch64-host",
    ];
    for (workflow, scripts) in [("ci", &of_ci[..]), ("release", &["./release", "tests/artifacts"])]
    {
        let text = read(&format!(".github/workflows/{workflow}.yml"))?;
        for script in scripts {
            if !text.lines().any(|line| line.trim() == format!("- run: {script}")) {
                return fail(format!("{workflow}.yml does not run {script}"));
            }
            if !is_executable(&root().join(script)) {
                return fail(format!("{script} cannot be run"));
            }
        }
    }
    Ok(())
}

fn script() -> Outcome {
    let commands = readme_commands()?;
    match read(".ci/run")?.lines().last() {
        Some(last) if commands.get(1).is_some_and(|command| command == last) => Ok(()),
        last => fail(format!("`.ci/run` ends with {last:?}, the README says {commands:?}")),
    }
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

fn dependencies() -> Outcome {
    let contributing = read("CONTRIBUTING.md")?;
    let section = section(&contributing, "## Dependencies")?;
    let mut named = BTreeSet::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let first = row.split('|').nth(1).unwrap_or_default();
        named.extend(first.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    let mut used = BTreeSet::new();
    for manifest in manifests()? {
        used.extend(dependencies_in(&read(&manifest)?));
    }
    let missing: Vec<_> = used.difference(&named).collect();
    let superfluous: Vec<_> = named.difference(&used).collect();
    if missing.is_empty() && superfluous.is_empty() {
        return Ok(());
    }
    fail(format!(
        "CONTRIBUTING.md, Dependencies: it does not say what {missing:?} are for, \
         and {superfluous:?} are not used"
    ))
}

/// The manifests of the workspace, its members, and the workspaces beside it.
fn manifests() -> Result<Vec<String>, Failed> {
    let workspace = read("Cargo.toml")?;
    let Some((_, rest)) = workspace.split_once("members = [") else {
        return fail("the workspace has no members");
    };
    let members = rest.split(']').next().unwrap_or_default();
    // Workspaces of their own.
    let alone = ["tutorial/site", "editors/tree-sitter-toy", "editors/zed"];
    let mut manifests = vec!["Cargo.toml".to_owned()];
    manifests.extend(alone.map(|folder| format!("{folder}/Cargo.toml")));
    for member in members.split('"').skip(1).step_by(2) {
        let Some(folder) = member.strip_suffix("/*") else {
            manifests.push(format!("{member}/Cargo.toml"));
            continue;
        };
        let mut found = Vec::new();
        for entry in std::fs::read_dir(root().join(folder))? {
            let entry = entry?;
            if entry.path().is_dir() {
                let name = entry.file_name();
                found.push(format!("{folder}/{}/Cargo.toml", name.to_string_lossy()));
            }
        }
        found.sort();
        manifests.append(&mut found);
    }
    Ok(manifests)
}

/// The names of all dependencies in a manifest.
fn dependencies_in(manifest: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut is_inside = false;
    for line in manifest.lines() {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            is_inside = section.ends_with("dependencies");
            // `[target.'cfg(unix)'.dependencies.libc]`
            if let Some((_, name)) = section.split_once("dependencies.") {
                names.insert(name.to_owned());
            }
        } else if is_inside && line.starts_with(|c: char| c.is_ascii_alphabetic()) {
            names.extend(line.split(['.', ' ', '=']).next().map(str::to_owned));
        }
    }
    names
}

/// The text from a heading to the next one of its level.
fn section<'t>(page: &'t str, heading: &str) -> Result<&'t str, Failed> {
    let Some((_, rest)) = page.split_once(&format!("\n{heading}\n")) else {
        return fail(format!("there is no `{heading}`"));
    };
    Ok(rest.split("\n## ").next().unwrap_or(rest))
}

fn changelog() -> Outcome {
    let version = declared("version")?;
    let changelog = read("CHANGELOG.md")?;
    let mut headings = changelog.lines().filter_map(|line| line.strip_prefix("## ["));
    if headings.next() != Some("Unreleased]") {
        return fail("what comes next is the first section of CHANGELOG.md");
    }
    match headings.next() {
        Some(newest) if newest.starts_with(&format!("{version}] - ")) => Ok(()),
        newest => fail(format!("the newest version in CHANGELOG.md is {newest:?}, not {version}")),
    }
}

fn names() -> Outcome {
    let page = read("ARCHITECTURE.md")?;
    let rows = section(&page, "## Names")?.lines().filter_map(|row| row.strip_prefix("| **"));
    let terms: Vec<_> = rows.filter_map(|row| row.split("**").next()).collect();
    match terms.windows(2).find(|pair| pair[0] >= pair[1]) {
        _ if terms.is_empty() => fail("there are no names"),
        Some(pair) => fail(format!("`{}` comes before `{}`", pair[1], pair[0])),
        None => Ok(()),
    }
}

fn readme_links() -> Outcome {
    let readme = read("README.md")?;
    let pages = root_pages().into_iter().chain(["LANGUAGE.md".into(), "LICENSE".into()]);
    let missing: Vec<_> = pages.filter(|page| !readme.contains(&format!("]({page})"))).collect();
    if missing.is_empty() { Ok(()) } else { fail(format!("no link to {missing:?}")) }
}
