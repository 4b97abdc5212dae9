//! Programs that run on the pages, and the editor for them.
//!
//! Input: the blocks of Toy of the pages, the compiler, and cargo, for the front end. Output: attributes of a block:
//! `data-toy`, the name of its file, gives it an editor, and `data-run`, its module of WebAssembly, a button that runs it;
//! and the scripts with the modules and the editor, which `programs.js` loads. A block is a program if it defines `main`.
//! One that the compiler refuses, or that has arguments, does not run. Invariant: equal modules are one file.

use crate::highlight::escaped;
use anyhow::{Context, Result, bail, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The site's folders of modules, and of what a page loads to run and to edit programs.
const MODULES: &str = "programs";
const EDITOR: &str = "editor";

/// The page of the compiler's reports, whose parts the editor has as well.
const PARTS: &str = "crates/toy-report/src/page";
const CODEMIRROR: &str = "toyc/src/serve/editor/codemirror.js";

pub struct Programs {
    toyc: PathBuf,
    /// A folder for programs and what the compiler makes of them.
    scratch: PathBuf,
    /// The names of the modules.
    modules: BTreeMap<Vec<u8>, String>,
    /// Runs a module; the same for all.
    host: String,
}

impl Programs {
    /// Fails where the compiler makes no modules.
    pub fn new(toyc: &Path, scratch: &Path) -> Result<Self> {
        let mut programs = Programs {
            toyc: toyc.to_owned(),
            scratch: scratch.to_owned(),
            modules: BTreeMap::new(),
            host: String::new(),
        };
        fs::create_dir_all(scratch)?;
        match programs.compiled("program.toy", "def main() { print(1); }\n")? {
            Ok((_, host)) => programs.host = host,
            Err(errors) => bail!(
                "no program can run on the pages. Run `./setup`, which installs what is missing, or leave them out, with \
                 `--without-reports`:\n{errors}"
            ),
        }
        Ok(programs)
    }

    /// The attributes of a block.
    pub fn attributes(&mut self, page: &Path, info: &str, text: &str) -> Result<String> {
        let (language, rest) = info.split_once(' ').unwrap_or((info, ""));
        if language.split(',').next() != Some("toy") || !text.contains("def main(") {
            return Ok(String::new());
        }
        let path = rest.rsplit_once('=').map_or(rest, |(_, path)| path);
        let stem = Path::new(path).file_stem().or(page.file_stem()).unwrap_or_default();
        let stem = stem.to_string_lossy().to_lowercase();
        let name = format!("{stem}.toy");
        let run = match self.compiled(&name, text)? {
            Ok((module, host)) if host == self.host => {
                let names: BTreeSet<_> = self.modules.values().cloned().collect();
                let number = |number: u32| match number {
                    1 => format!("{MODULES}/{stem}"),
                    _ => format!("{MODULES}/{stem}-{number}"),
                };
                let new = (1..).map(number).find(|name| !names.contains(name));
                let name = self.modules.entry(module).or_insert(new.unwrap_or_default());
                format!(" data-run=\"{name}\"")
            }
            // It has arguments, and with them a host with files.
            Ok(_) | Err(_) => String::new(),
        };
        Ok(format!(" data-toy=\"{}\"{run}", escaped(&name)))
    }

    /// The module of a program and its host without the program's name; or the compiler's messages.
    fn compiled(&self, name: &str, text: &str) -> Result<Result<(Vec<u8>, String), String>> {
        fs::write(self.scratch.join(name), text)?;
        let options = ["-w", "-O2", "--target", "wasm32", "-o", "module.wasm"];
        let mut command = Command::new(&self.toyc);
        command.arg(name).args(options).current_dir(&self.scratch);
        let run = command.output().with_context(|| self.toyc.display().to_string())?;
        if !run.status.success() {
            return Ok(Err(String::from_utf8_lossy(&run.stderr).into_owned()));
        }
        let host = fs::read_to_string(self.scratch.join("module.mjs"))?;
        let about = format!("// {name}, ");
        let lines = host.lines().filter(|line| !line.starts_with(&about));
        let host = lines.map(|line| format!("{line}\n")).collect();
        Ok(Ok((fs::read(self.scratch.join("module.wasm"))?, host)))
    }

    /// Writes the scripts to the site.
    pub fn write(&self, root: &Path, site: &Path) -> Result<()> {
        for folder in [MODULES, EDITOR] {
            fs::create_dir_all(site.join(folder))?;
        }
        let pack = |name: &str, bytes: &[u8]| -> Result<()> {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
            encoder.write_all(bytes)?;
            let script =
                format!("toyFiles['{name}'] = '{}';\n", STANDARD.encode(encoder.finish()?));
            Ok(fs::write(site.join(format!("{name}.js")), script)?)
        };
        for (module, name) in &self.modules {
            pack(name, module)?;
        }
        pack(&format!("{MODULES}/host"), self.host.as_bytes())?;
        pack(&format!("{EDITOR}/front-end"), &front_end(root)?)?;
        let parts = |names: &[&str]| -> Result<String> {
            names.iter().map(|name| Ok(fs::read_to_string(root.join(PARTS).join(name))?)).collect()
        };
        let edit = format!(
            "const toyEdit = (() => {{\nlet BUILTINS = null;\n{}{}return toyEdit;\n}})();\n",
            parts(&["elements.js", "highlight.js"])?,
            include_str!("../edit.js")
        );
        fs::write(site.join(EDITOR).join("edit.js"), edit)?;
        fs::write(site.join(EDITOR).join("run.js"), parts(&["packed.js", "run.js"])?)?;
        fs::copy(root.join(CODEMIRROR), site.join(EDITOR).join("codemirror.js"))?;
        Ok(())
    }
}

/// The front end as a module of WebAssembly: the crate `toy-web`.
fn front_end(root: &Path) -> Result<Vec<u8>> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let target = variable("CARGO_TARGET_DIR").unwrap_or(root.join("target"));
    // Panics name files: the module is the same in any folder.
    let home = variable("CARGO_HOME").or(variable("HOME").map(|home| home.join(".cargo")));
    let registry = home.unwrap_or_default().join("registry/src");
    let renamed = [(root, "toyc"), (registry.as_path(), "registry")]
        .map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display()));
    let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--locked", "--package", "toy-web", "--profile", "web"])
        .args(["--target", TARGET])
        .arg("--target-dir")
        .arg(&target)
        .env("CARGO_ENCODED_RUSTFLAGS", renamed.join("\u{1f}"))
        .current_dir(root)
        .status();
    ensure!(
        built.is_ok_and(|status| status.success()),
        "the front end cannot be built for the pages: `rustup target add {TARGET}` installs what that takes, as `./setup` does; \
         `--without-reports` leaves the programs out"
    );
    Ok(fs::read(target.join(TARGET).join("web/toy_web.wasm"))?)
}
