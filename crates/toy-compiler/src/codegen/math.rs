//! The C library's mathematical functions, `libm`: checks if an object calls any, and finds them for its linker.
//!
//! Input: an object file and the C compiler driver that links it. Output: arguments for the driver, and the files
//! that will be missing. They are `-lm` except for one case: glibc's `libm.a` for x86-64 is a script that names two
//! archives, and the script of Debian's cross compilers names paths that only an x86-64 machine has. The archives
//! themselves are next to the script, so they are linked by their names there.

use object::{Object, ObjectSymbol};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The form of the library, for one linker.
#[derive(Debug, PartialEq, Eq)]
pub enum Math {
    /// The linker finds it under its name.
    Named,
    /// Archives that refer to each other.
    Archives(Vec<PathBuf>),
    /// A linker script that names files that do not exist.
    Broken { script: PathBuf, missing: Vec<PathBuf> },
    /// This compiler has no archive of it.
    Absent,
}

impl Math {
    /// The library that a driver links statically; `spawn` asks the driver.
    pub fn find(program: &str, spawn: impl FnOnce(&mut Command) -> io::Result<Output>) -> Self {
        // A driver that cannot be run, or that does not know the question, gets the usual argument.
        let answer = spawn(Command::new(program).arg("-print-file-name=libm.a"));
        let Some(answer) = answer.ok().filter(|answer| answer.status.success()) else {
            return Self::Named;
        };
        let library = Path::new(OsStr::from_bytes(answer.stdout.trim_ascii()));
        if library == Path::new("libm.a") {
            return Self::Absent;
        }
        let Some(named) = script(library).as_deref().and_then(files) else { return Self::Named };
        Self::behind(library, named)
    }

    /// The library that a script describes.
    fn behind(script: &Path, named: Vec<PathBuf>) -> Self {
        if named.iter().all(|file| file.exists()) {
            return Self::Named;
        }
        let beside = |file: &PathBuf| Some(script.with_file_name(file.file_name()?));
        let beside: Option<Vec<_>> = named.iter().map(beside).collect();
        match beside.filter(|files| files.iter().all(|file| file.exists())) {
            Some(files) => Self::Archives(files),
            None => {
                let missing = named.into_iter().filter(|file| !file.exists()).collect();
                Self::Broken { script: script.to_owned(), missing }
            }
        }
    }

    pub fn arguments(&self) -> Vec<OsString> {
        let Self::Archives(files) = self else { return vec!["-lm".into()] };
        let mut arguments: Vec<OsString> = vec!["-Wl,--start-group".into()];
        arguments.extend(files.iter().map(Into::into));
        arguments.push("-Wl,--end-group".into());
        arguments
    }

    /// The reason why linking with it fails, if it must.
    pub fn fault(&self) -> Option<String> {
        match self {
            Self::Named | Self::Archives(_) => None,
            Self::Absent => Some("this compiler has no `libm.a`".to_owned()),
            Self::Broken { script, missing } => {
                let missing: Vec<_> =
                    missing.iter().map(|file| format!("`{}`", file.display())).collect();
                let script = script.display();
                Some(format!("`{script}` names files that are not here: {}", missing.join(", ")))
            }
        }
    }
}

/// The text of a script for a linker; None if the file is an archive.
fn script(library: &Path) -> Option<String> {
    // Scripts are short.
    let mut text = String::new();
    File::open(library).ok()?.take(4096).read_to_string(&mut text).ok()?;
    (!text.starts_with("!<arch>")).then_some(text)
}

/// The files that a script names, by whole paths. None if it contains anything that we do not know.
fn files(script: &str) -> Option<Vec<PathBuf>> {
    let mut rest = script.trim_start();
    while let Some(comment) = rest.strip_prefix("/*") {
        rest = comment.split_once("*/")?.1.trim_start();
    }
    if let Some(format) = rest.strip_prefix("OUTPUT_FORMAT") {
        rest = format.split_once(')')?.1.trim_start();
    }
    let list = ["GROUP", "INPUT"].iter().find_map(|word| rest.strip_prefix(word))?;
    let list = list.trim().strip_prefix('(')?.strip_suffix(')')?;
    let files: Vec<_> =
        list.split([' ', ',', '\t', '\n']).filter(|word| !word.is_empty()).collect();
    let are_paths = files.iter().all(|word| word.starts_with('/') && !word.contains(['(', ')']));
    (are_paths && !files.is_empty()).then(|| files.into_iter().map(PathBuf::from).collect())
}

/// Names that an object refers to and the C library proper has: names that the runtime uses, and names that LLVM's
/// code generator and optimizer use on their own. `__aarch64_ldadd8_relax` is in the compiler's own library, on AArch64;
/// `toy_last_error` is weak: only libraries define it.
const WITHOUT_MATH: &str = "\
    _GLOBAL_OFFSET_TABLE_ __errno_location __aarch64_ldadd8_relax __tls_get_addr _exit _setjmp abort access \
    aligned_alloc atexit bcmp calloc clock_gettime close dup dup2 exit fcntl ferror fflush fputc free \
    fwrite getenv getpid longjmp lseek madvise malloc malloc_trim malloc_usable_size memchr memcmp \
    memcpy memmove memset mmap munmap open pthread_atfork pthread_attr_destroy pthread_attr_getstack \
    pthread_attr_init pthread_attr_setstacksize pthread_create pthread_getattr_np pthread_join \
    pthread_self qsort read realloc realpath rename snprintf stdout strcmp strerror strlen strncasecmp \
    strstr strtod syscall sysinfo toy_last_error unlink vsnprintf write";

/// True if an object may need the library of mathematical functions: it refers to a name that is not known to be
/// elsewhere.
pub fn is_needed(object: &[u8]) -> bool {
    let Ok(object) = object::File::parse(object) else { return true };
    let needed = |symbol: &object::Symbol| symbol.is_undefined() && !symbol.is_weak();
    object.symbols().filter(needed).any(|symbol| match symbol.name() {
        // The first entry of every table of symbols has no name.
        Ok(name) => !name.is_empty() && WITHOUT_MATH.split(' ').all(|known| known != name),
        Err(_) => true,
    })
}

#[cfg(test)]
mod tests {
    use super::WITHOUT_MATH;
    use std::path::Path;

    /// The runtime declares the functions that it uses of the C library: `extern TYPE NAME(` or `extern TYPE NAME;`.
    #[test]
    fn the_runtime_needs_no_math_where_it_computes_nothing() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../runtime");
        let parts = ["runtime", "data"].map(|part| {
            std::fs::read_dir(format!("{root}/{part}")).unwrap().map(|file| file.unwrap().path())
        });
        let files = ["runtime.c", "threads.c", "data.c"].map(|file| Path::new(root).join(file));
        let files = files.into_iter().chain(parts.into_iter().flatten());
        let sources: Vec<_> = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        let lines = sources.iter().flat_map(|source| source.lines());
        let declared = lines.filter_map(|line| line.strip_prefix("extern "));
        let declared: Vec<_> = declared
            .filter(|line| !line.starts_with("inline") && !line.starts_with("double"))
            .filter_map(|line| line.split(['(', ';']).next()?.split([' ', '*']).next_back())
            .collect();
        assert!(declared.len() > 20, "{declared:?}");
        // The files of the runtime call each other's functions.
        let is_own = |name: &str| {
            sources.iter().any(|source| source.lines().any(|line| defines(line, name)))
        };
        let unknown: Vec<_> = declared
            .into_iter()
            .filter(|name| WITHOUT_MATH.split(' ').all(|known| known != *name) && !is_own(name))
            .collect();
        assert!(unknown.is_empty(), "not in WITHOUT_MATH: {unknown:?}");
    }

    /// True for the first line of a definition: `void *toy_malloc(size_t size)`.
    fn defines(line: &str, name: &str) -> bool {
        let is_head = !line.starts_with([' ', '/', '#']) && !line.ends_with([';', ',']);
        let called = || line.split_once('(')?.0.rsplit([' ', '*']).next();
        is_head && !line.starts_with("extern") && called() == Some(name)
    }
}
