//! `--explain`: the page about a code.
//!
//! Input: a code or the name of a warning. Output: the page, or a diagnostic that suggests the most
//! similar code.

use toy_diagnostics::suggest::Suggestions;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

pub fn page(name: &str) -> Result<&'static str, Diagnostic> {
    if let Some(code) = codes::find(name) {
        return Ok(code.page);
    }
    let message = format!("there is no code `{}` to explain", clipped(name));
    let diagnostic = Diagnostic::error(codes::NOT_AVAILABLE, message);
    // Codes are in upper case, names in lower case.
    let by_code: Vec<&str> = codes::ALL.iter().map(|code| code.id).collect();
    let by_name: Vec<&str> = codes::warnings().filter_map(|code| code.lint).collect();
    let nearest =
        |name: String, known: &[&'static str]| Suggestions::default().nearest(&name, known);
    let nearest = nearest(name.to_ascii_lowercase(), &by_name)
        .or_else(|| nearest(name.to_ascii_uppercase(), &by_code));
    Err(match nearest {
        Some(nearest) => diagnostic.help(format!("did you mean `{nearest}`?")),
        None => diagnostic.help("codes look like E0203 or W0101; messages show them in brackets"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_code_or_name_is_suggested() {
        let help = |name: &str| page(name).unwrap_err().help.unwrap().message;
        assert_eq!(help("E0230"), "did you mean `E0203`?");
        assert_eq!(help("unused-variables"), "did you mean `unused-variable`?");
        assert!(help("xyzzy").starts_with("codes look like"));
        assert!(page("e0203").unwrap().starts_with("# E0203: "));
        assert_eq!(page("Shadowing").unwrap(), page("W0104").unwrap());
    }
}
