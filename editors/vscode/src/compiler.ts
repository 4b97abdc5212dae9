// Where the compiler is.
//
// Input: the setting `toyc.path`, the folder of the workspace, and the environment of the editor. Output: the path of a
// program that can be run, or the places that do not have it. An editor that is started from a desktop or on a server has
// the PATH of a login shell, in which the folder that `cargo install` fills may be missing: it is looked at as well.

import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';

export type Found = { program: string } | { missing: string };

export function find(setting: string, folder: string | undefined, env = process.env): Found {
  if (/[\\/]/.test(setting)) {
    const full = absolute(setting, folder);
    return isProgram(full) ? { program: full } : { missing: `there is no program \`${full}\`` };
  }
  const cargo = path.join(env.CARGO_HOME || path.join(os.homedir(), '.cargo'), 'bin');
  const folders = [...(env.PATH ?? '').split(path.delimiter).filter(it => it !== ''), cargo];
  const program = folders.map(it => path.join(it, setting)).find(isProgram);
  return program === undefined ? { missing: `there is no \`${setting}\` in PATH or in ${cargo}` } : { program };
}

/** A path with a slash is relative to the folder of the workspace; `~` is the user's home. */
function absolute(setting: string, folder: string | undefined): string {
  if (/^~[\\/]/.test(setting)) return path.join(os.homedir(), setting.slice(2));
  return folder === undefined ? path.resolve(setting) : path.resolve(folder, setting);
}

function isProgram(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}
