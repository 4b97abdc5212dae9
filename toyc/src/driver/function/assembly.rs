//! Functions in assembly.
//!
//! Input: assembly as LLVM writes it: each function is between its label and `.Lfunc_end`, or `end_function` in
//! WebAssembly. Output: the text of some of the functions, without the directives that only unwinders read.

/// The functions whose symbols are selected.
pub fn functions(text: &str, is_meant: impl Fn(&str) -> bool) -> String {
    let mut functions: Vec<String> = Vec::new();
    let mut is_inside = false;
    let mut types = Vec::new();
    for line in text.lines() {
        if let Some(symbol) = line.strip_prefix("\t.type\t").and_then(|rest| rest.split_once(',')) {
            let is_function = symbol.1.trim_start_matches(['@', '%']) == "function";
            types = if is_function { vec![symbol.0.to_owned()] } else { Vec::new() };
        }
        let label = line.split_once(':').map(|(label, _)| label).unwrap_or_default();
        // In WebAssembly, LLVM puts a `main` with the command line around one without.
        let name = label.trim_matches('"').trim_start_matches("__original_");
        if types.iter().any(|symbol| symbol == label) && is_meant(name) {
            functions.push(String::new());
            is_inside = true;
        }
        if line.starts_with(".Lfunc_end") {
            is_inside = false;
        }
        if let Some(function) = functions.last_mut().filter(|_| is_inside)
            && !line.trim_start().starts_with(".cfi_")
        {
            function.push_str(line);
            function.push('\n');
        }
        if line == "\tend_function" {
            is_inside = false;
        }
    }
    functions.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_ends_at_its_label() {
        let text = "\t.text\n\t.type\tf,@function\nf:\n\t.cfi_startproc\n\tret\n.Lfunc_end0:\n\
                    \t.size\tf, 1\n\t.type\t\"g$2\",@function\n\"g$2\":\n.LBB1_1:\n\tjmp\t.LBB1_1\n.Lfunc_end1:\n";
        assert_eq!(functions(text, |symbol| symbol == "f"), "f:\n\tret\n");
        assert_eq!(
            functions(text, |symbol| symbol == "g$2"),
            "\"g$2\":\n.LBB1_1:\n\tjmp\t.LBB1_1\n"
        );
        assert_eq!(functions(text, |_| false), "");
    }

    #[test]
    fn a_function_of_webassembly_ends_with_an_instruction() {
        let text =
            "\t.type\t__original_main,@function\n__original_main:\n\tend_function\n\t.int64\t0\n";
        assert_eq!(
            functions(text, |symbol| symbol == "main"),
            "__original_main:\n\tend_function\n"
        );
    }
}
