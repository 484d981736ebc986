// Copies a folder while another process writes to it.
import { chmodSync, constants, copyFileSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const SKIPPED = new Set(["ENOENT", "EEXIST"]);

/** `wanted` is called with each name and its depth. Files that vanish meanwhile, or were copied before, are skipped. */
export function copyFolder(
  from: string,
  to: string,
  wanted: (name: string, depth: number) => boolean = () => true,
  depth = 0,
): void {
  mkdirSync(to, { recursive: true });
  chmodSync(to, statSync(from).mode);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (!wanted(entry.name, depth)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    try {
      if (entry.isDirectory()) copyFolder(source, target, wanted, depth + 1);
      else if (entry.isFile()) copyFileSync(source, target, constants.COPYFILE_EXCL);
    } catch (error) {
      if (!SKIPPED.has((error as { code: string }).code)) throw error;
    }
  }
}
