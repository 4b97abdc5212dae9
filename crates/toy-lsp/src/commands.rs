//! The targets of code lenses: the program at a stage, and the plan of its memory, as text.
//!
//! Input: the arguments of `workspace/executeCommand`. Output: the question for the worker. The request's result is
//! the text.

use crate::facts::What;
use crate::settings::Settings;
use serde_json::Value;

/// `[uri, stage, function?, level?]`; the level defaults to the settings' level
pub const SHOW_STAGE: &str = "toyc.showStage";
/// `[uri]`
pub const SHOW_PLAN: &str = "toyc.showPlan";

/// All commands.
pub const ALL: [&str; 2] = [SHOW_STAGE, SHOW_PLAN];

/// The level of optimization whose plan is shown: from 1 on, buffers are merged.
pub fn plan_level(settings: &Settings) -> u8 {
    settings.optimization_level.max(1)
}

/// The document that a command is about, and the question.
///
/// # Errors
///
/// If an argument is missing or wrong.
pub fn question(
    command: &str,
    arguments: &[Value],
    settings: &Settings,
) -> Result<(String, What), String> {
    let text = |index: usize| arguments.get(index).and_then(Value::as_str).map(str::to_owned);
    let uri = text(0).ok_or("the first argument is the URI of a document")?;
    let what = match command {
        SHOW_STAGE => {
            let stage = text(1).ok_or("the second argument is the name of a stage")?;
            let level = arguments.get(3).and_then(Value::as_u64).map(|level| level.min(3) as u8);
            let level = level.unwrap_or(settings.optimization_level);
            What::Stage { stage, function: text(2), level }
        }
        SHOW_PLAN => {
            let level = plan_level(settings);
            What::Stage { stage: "memory-plan".to_owned(), function: None, level }
        }
        other => return Err(format!("there is no command `{other}`")),
    };
    Ok((uri, what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_read() {
        let arguments = [json!("file:///a"), json!("llvm"), json!("f"), json!(99)];
        let settings = Settings { optimization_level: 2, ..Settings::default() };
        let question = |command: &str, arguments: &[Value]| question(command, arguments, &settings);
        let (uri, what) = question(SHOW_STAGE, &arguments).unwrap();
        let function = Some("f".to_owned());
        assert_eq!(uri, "file:///a");
        assert_eq!(what, What::Stage { stage: "llvm".to_owned(), function, level: 3 });
        let (_, what) = question(SHOW_STAGE, &arguments[..2]).unwrap();
        assert_eq!(what, What::Stage { stage: "llvm".to_owned(), function: None, level: 2 });
        assert!(question(SHOW_STAGE, &arguments[..1]).is_err());
        assert!(question(SHOW_PLAN, &[json!(1)]).is_err());
        assert!(question("toyc.other", &arguments).is_err());
    }
}
