//! `toyc lsp`: real sessions over standard input and output.
//!
//! Input: programs and messages, also malformed ones. Output: an error for each answer that is missing or wrong, and
//! for a server that ends before it is told to. Features that need no compiler are tested in `crates/toy-lsp`.

mod editing;
mod fuzz;
mod lifecycle;
mod mending;
mod neovim;
mod session;
mod shapes;
mod speed;

use crate::tools::{Tests, trial};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("the_exit_status_is_the_protocols", lifecycle::exit_status),
        ("requests_have_their_time", lifecycle::order),
        ("a_cancelled_request_is_answered_once", lifecycle::cancelled),
        ("diagnostics_follow_the_text", editing::diagnostics),
        ("quick_fixes_mend_the_program", editing::quick_fixes),
        ("edits_have_the_form_that_the_client_reads", editing::edit_forms),
        ("columns_count_the_units_of_the_client", editing::encodings),
        ("names_are_found_and_renamed", editing::names),
        ("uris_are_answered_as_they_are_written", editing::uris),
        ("the_outline_and_the_workspace_have_symbols", editing::symbols),
        ("formatting_is_that_of_toyc_fmt", editing::formatting),
        ("tokens_and_folds_cover_the_text", editing::tokens),
        ("functions_know_their_callers_and_callees", editing::calls),
        ("selections_grow_from_a_word_to_the_file", editing::selections),
        ("completion_and_signatures_work_in_unfinished_text", editing::completion),
        ("hover_shows_shapes_with_the_calls_that_lead_there", shapes::hover),
        ("hints_and_lenses_show_shapes_and_bytes", shapes::hints),
        ("an_unfinished_file_keeps_its_last_good_shapes", shapes::unfinished),
        ("errors_in_shapes_have_related_places", shapes::errors),
        ("statements_without_errors_have_shapes", shapes::parts),
        ("commands_return_stages_and_plans", shapes::commands),
        ("a_compilation_has_limits", shapes::limits),
        ("a_crash_of_the_compiler_is_a_diagnostic", shapes::crashes),
        ("an_error_is_in_the_line_that_is_typed", mending::unfinished_lines),
        ("a_fix_is_offered_in_its_whole_line", mending::fixes_of_the_line),
        ("a_fix_converts_to_another_element_type", mending::fixes_of_element_types),
        ("only_what_may_follow_is_offered", mending::offers),
        ("hover_shows_comments_fields_and_what_is_not_known", mending::hovers),
        ("a_refused_name_says_what_has_it", mending::refusals),
        ("settings_are_those_of_the_command_line", mending::settings),
        ("settings_are_asked_for", mending::asked_settings),
        ("a_server_ends_with_its_editor", mending::orphans),
        ("nothing_that_arrives_ends_the_server", fuzz::messages),
        ("nothing_that_is_typed_ends_the_server", fuzz::edits),
        ("a_keystroke_takes_a_fraction_of_a_check", speed::keystroke),
        ("shapes_take_little_longer_than_a_check", speed::shapes),
        ("a_long_line_costs_no_more_than_many", speed::long_line),
        ("thousands_of_changes_are_one_edit", speed::many_changes),
        ("neovim_drives_every_request", neovim::drives),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("lsp/{name}"), test)).collect()
}
