// What a systemd unit starts its program with: the user and the environment.
import { StartError } from "../../server/src/platform/start-error.ts";

/** `read` returns the text of a file that the unit names. Throws StartError. */
export function settingsIn(
  unit: string,
  read: (path: string) => string,
): { readonly user: string; readonly settings: Readonly<Record<string, string>> } {
  const all = (name: string) =>
    Array.from(unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm")), ([, text]) => text!);
  const own = all("Environment").flatMap((line) => line.split(/\s+/).filter(Boolean));
  const filed = all("EnvironmentFile").flatMap((path) => linesOf(read(path), path));
  const settings = Object.fromEntries([...own, ...filed].map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
  return { user: all("User").at(-1) ?? "root", settings };
}

/** NAME=value each. What systemd would read in another way, such as backslashes, is refused. */
function linesOf(text: string, path: string): string[] {
  return text.split("\n").flatMap((raw, index) => {
    const line = raw.trim();
    if (line === "" || /^[#;]/.test(line)) return [];
    const [, name, value = ""] = /^(\w+)=\s*(.*)$/.exec(line) ?? [];
    const [, , inner = value] = /^(["'])(.*)\1$/.exec(value) ?? [];
    const quote = inner === value ? "" : value[0]!;
    if (name === undefined || value.includes("\\") || (quote ? inner.includes(quote) : /^["']/.test(value)))
      throw new StartError(
        `${path}, line ${index + 1}: write NAME=value, the whole value in quotes or none, without backslashes.`,
      );
    return [`${name}=${inner}`];
  });
}
