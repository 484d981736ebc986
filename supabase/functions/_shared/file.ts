/**
 * A file that is deployed beside a function, because `static_files` of config.toml names it. The module name is hidden from Deno's
 * check, which would look for Node's types and find none.
 */
export async function readFile(file: URL): Promise<Uint8Array<ArrayBuffer>> {
  const files = (await import(["node", "fs/promises"].join(":"))) as { readFile: typeof readFile };
  return files.readFile(file);
}
