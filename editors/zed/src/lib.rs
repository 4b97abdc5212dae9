//! Toy for Zed: where the language server is.
//!
//! Input: the settings of the server `toyc`, and the folder that is open. Output: the command that Zed runs: the `path` of
//! the settings, or `toyc` in the PATH of the folder.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{
    Command, Extension, LanguageServerId, Result, Worktree, register_extension,
};

struct Toy;

impl Extension for Toy {
    fn new() -> Self {
        Self
    }

    fn language_server_command(
        &mut self,
        server: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Command> {
        let settings = LspSettings::for_worktree(server.as_ref(), worktree)?;
        let (path, arguments) = match settings.binary {
            Some(binary) => (binary.path, binary.arguments),
            None => (None, None),
        };
        let found = path.or_else(|| worktree.which("toyc"));
        let missing = "toyc is not in PATH: set lsp.toyc.binary.path to the compiler";
        Ok(Command {
            command: found.ok_or(missing)?,
            args: arguments.unwrap_or_else(|| vec!["lsp".to_owned()]),
            env: worktree.shell_env(),
        })
    }
}

register_extension!(Toy);
