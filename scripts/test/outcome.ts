// The outcome of one check of `npm test`, and how checks run their tools: output is kept and shown on failure only.
import { spawn } from "node:child_process";
import { delimiter, join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../..");
const bin = join(root, "node_modules/.bin");

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const NOTHING: Totals = { passed: 0, failed: 0, skipped: 0 };

export interface Outcome {
  readonly ok: boolean;
  /** Shown on failure. */
  readonly output: string;
  /** Shown after the time. */
  readonly note?: string;
  /** Only for a check that runs tests. */
  readonly totals?: Totals;
}

export interface Ran extends Outcome {
  readonly stdout: string;
}

/** Runs a tool of node_modules/.bin, or "node", in the repository or a folder of it. Never rejects. */
export function run(
  tool: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Ran> {
  const command = tool === "node" ? process.execPath : join(bin, tool);
  return new Promise((done) => {
    let output = "";
    let stdout = "";
    const child = spawn(command, args, {
      cwd: join(root, options.cwd ?? "."),
      env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, NO_COLOR: "1", ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString();
      output += chunk.toString();
    });
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.once("error", (error) => done({ ok: false, output: `${tool}: ${error.message}`, stdout }));
    child.once("close", (code, signal) =>
      done({ ok: code === 0, output: output || `${tool} ended with ${code ?? signal}`, stdout }),
    );
  });
}
