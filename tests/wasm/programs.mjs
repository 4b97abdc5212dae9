// Runs programs in one process: `node programs.mjs HOST.mjs...` prints a line of JSON for each.
for (const file of process.argv.slice(2)) {
  const result = { file, output: "", errors: "", status: null };
  try {
    const { run } = await import(file);
    const print = (text) => (result.output += text);
    result.status = await run({ print, error: (text) => (result.errors += text) });
  } catch (error) {
    result.errors += error.stack;
  }
  console.log(JSON.stringify(result));
}
