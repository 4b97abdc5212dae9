//! Which names a function or a parameter can have in C and in C++.
//!
//! Input: names. Output: why one cannot be used, or another one. Deny by default: a function of a shared
//! library that has the name of one in the C library would take its place in the whole process.

use std::collections::HashSet;

/// Why C or C++ cannot have a function of this name; None if both can.
pub fn complaint(name: &str) -> Option<String> {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let starts = name.starts_with(is_letter);
    if !starts || !name.chars().all(|c| is_letter(c) || c.is_ascii_digit()) {
        return Some("it has characters that C does not allow there".to_owned());
    }
    if name.starts_with('_') || name.contains("__") {
        return Some(
            "such names with `_` are reserved for the C and C++ implementation".to_owned(),
        );
    }
    if name == "main" {
        return Some("a library that has `main` cannot be part of a program".to_owned());
    }
    if name.starts_with("toy_") || name.starts_with("TOY_") {
        return Some("names with this beginning belong to the runtime".to_owned());
    }
    if is_keyword(name) {
        return Some("it is a keyword of C or C++".to_owned());
    }
    if is_of_library(name) {
        return Some("it is a name of the C library".to_owned());
    }
    None
}

/// Names for parameters, each of which may be anything, in order: valid ones, no two of them equal.
pub fn parameters(wanted: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::from(["workspace".to_owned()]);
    let mut names = Vec::new();
    for name in wanted {
        let mut name = match complaint(&name) {
            // Parameters may begin with `_`, and have names of functions.
            Some(_) if is_keyword(&name) || is_macro(&name) || !is_identifier(&name) => {
                format!("{}_", identifier(&name))
            }
            _ => name,
        };
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        names.push(name);
    }
    names
}

fn is_identifier(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// A name with other characters replaced.
fn identifier(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        return format!("a{name}");
    }
    name
}

fn is_keyword(name: &str) -> bool {
    KEYWORDS.split_whitespace().any(|keyword| keyword == name)
}

fn is_macro(name: &str) -> bool {
    MACROS.split_whitespace().any(|macro_name| macro_name == name)
}

fn is_of_library(name: &str) -> bool {
    let plain = name.strip_suffix(['f', 'l']).unwrap_or(name);
    is_macro(name)
        || LIBRARY.split_whitespace().any(|known| known == name)
        // Each function of <math.h> is three.
        || MATH.split_whitespace().any(|known| known == name || known == plain)
}

/// Of C11 and C++20.
const KEYWORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t \
    char16_t char32_t class compl concept const consteval constexpr constinit const_cast continue co_await \
    co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern false \
    float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or \
    or_eq private protected public register reinterpret_cast requires restrict return short signed sizeof \
    static static_assert static_cast struct switch template this thread_local throw true try typedef typeid \
    typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq";

/// Names without parentheses that headers or compilers define as macros.
const MACROS: &str = "I NULL EOF BUFSIZ RAND_MAX INFINITY NAN HUGE_VAL errno stdin stdout stderr complex \
    imaginary noreturn unix linux assert offsetof setjmp math_errhandling signbit isnan isinf isfinite \
    isnormal fpclassify isgreater isless size_t ptrdiff_t";

/// The functions of C11's library, but for those of <math.h>, and of POSIX as far as programs commonly use
/// them.
const LIBRARY: &str = "abort abs accept access aligned_alloc alarm asctime atexit at_quick_exit atof atoi atol \
    atoll bcmp bcopy bind brk bsearch btowc bzero calloc call_once chdir chmod clearerr clock clock_gettime \
    close connect creat ctime difftime div dlclose dlerror dlopen dlsym dup dup2 environ execve execvp exit \
    fclose fcntl fdopen feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feof feraiseexcept \
    ferror fesetenv fesetexceptflag fesetround fetestexcept feupdateenv fflush fgetc fgetpos fgets fgetwc \
    fgetws fileno flockfile fopen fork fprintf fputc fputs fputwc fputws fread free freopen fscanf fseek \
    fsetpos fstat fsync ftell ftruncate funlockfile fwide fwprintf fwrite fwscanf getc getchar getcwd getenv \
    getpid gets getuid getwc getwchar gmtime imaxabs imaxdiv index ioctl isalnum isalpha isblank iscntrl \
    isdigit isgraph islower isprint ispunct isspace isupper iswalnum iswalpha iswblank iswcntrl iswctype \
    iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit isxdigit kill labs ldiv listen \
    llabs lldiv localeconv localtime longjmp lseek malloc mblen mbrlen mbrtoc16 mbrtoc32 mbrtowc mbsinit \
    mbsrtowcs mbstowcs mbtowc memccpy memchr memcmp memcpy memmove memset mkdir mktime mmap mprotect \
    mtx_destroy mtx_init mtx_lock mtx_timedlock mtx_trylock mtx_unlock munmap nanosleep open perror pipe poll \
    posix_memalign printf putc putchar putenv puts putwc putwchar qsort quick_exit raise rand random read \
    realloc recv remove rename rewind rindex rmdir sbrk scanf select send setbuf setenv setlocale setvbuf \
    sigaction signal sleep snprintf socket sprintf srand srandom sscanf stat strcat strchr strcmp strcoll \
    strcpy strcspn strdup strerror strftime strlen strncat strncmp strncpy strpbrk strrchr strspn strstr \
    strtod strtof strtoimax strtok strtol strtold strtoll strtoul strtoull strtoumax strxfrm swprintf swscanf \
    syscall sysconf system thrd_create thrd_current thrd_detach thrd_equal thrd_exit thrd_join thrd_sleep \
    thrd_yield time timespec_get tmpfile tmpnam tolower toupper towctrans towlower towupper tss_create \
    tss_delete tss_get tss_set ungetc ungetwc unlink usleep vfprintf vfscanf vfwprintf vfwscanf vprintf vscanf \
    vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf vwscanf wait waitpid wcrtomb wcscat wcschr wcscmp \
    wcscoll wcscpy wcscspn wcsftime wcslen wcsncat wcsncmp wcsncpy wcspbrk wcsrchr wcsrtombs wcsspn wcsstr \
    wcstod wcstof wcstoimax wcstok wcstol wcstold wcstoll wcstombs wcstoul wcstoull wcstoumax wcsxfrm wctob \
    wctomb wctrans wctype wmemchr wmemcmp wmemcpy wmemmove wmemset wprintf write wscanf";

/// The functions of <math.h> and <complex.h>.
const MATH: &str = "acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh \
    cbrt ccos ccosh ceil cexp cimag clog conj copysign cos cosh cpow cproj creal csin csinh csqrt ctan ctanh \
    drem erf erfc exp exp10 exp2 expm1 fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 \
    jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter \
    nexttoward pow pow10 remainder remquo rint round scalb scalbln scalbn significand sin sincos sinh sqrt tan \
    tanh tgamma trunc y0 y1 yn";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_not_keywords_nor_of_the_library() {
        for name in ["f", "f_2x3_s", "mt", "F", "f_void", "exported", "loga", "a_b_c"] {
            assert_eq!(complaint(name), None, "{name}");
        }
        for name in [
            "int",
            "class",
            "typeof",
            "_f",
            "a__b",
            "main",
            "malloc",
            "expf",
            "exp",
            "atan2l",
            "2f",
            "f$2",
            "",
            "f g",
            "é",
            "toy_print",
            "errno",
            "write",
        ] {
            assert!(complaint(name).is_some(), "{name}");
        }
    }

    #[test]
    fn parameters_get_different_valid_names() {
        let names = parameters(
            ["a", "int", "a", "workspace", "x.y", "1", "", "_p", "exp", "NULL"].map(str::to_owned),
        );
        let expected =
            ["a", "int_", "a_", "workspace_", "x_y_", "a1_", "a__", "_p", "exp", "NULL_"];
        assert_eq!(names, expected);
    }
}
