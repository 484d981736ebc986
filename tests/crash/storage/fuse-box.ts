// Loaded into the server before anything else, with `--import`: kills it, or its PostgreSQL, exactly before or after the file
// operation that a lit fuse names. Every step of the storage service on a disk is such an operation.
import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join, sep } from "node:path";
import type { Fuse, Verb } from "./fuse.ts";

const FUSE = process.env.FUSE!;
const home = dirname(FUSE);
/** Operations that the lit fuse let pass. */
const passed = { fuse: "", count: 0 };

function lit(): Fuse | undefined {
  try {
    const text = fs.readFileSync(FUSE, "utf8");
    if (passed.fuse !== text) Object.assign(passed, { fuse: text, count: 0 });
    return JSON.parse(text) as Fuse;
  } catch {
    return undefined;
  }
}

function reach(verb: Verb, when: Fuse["when"], pathOf: () => string): void {
  const fuse = lit();
  if (!fuse || fuse.verb !== verb || fuse.when !== when) return;
  if (!pathOf().startsWith(join(home, fuse.folder) + sep)) return;
  if (passed.count++ < fuse.skip) return;
  fs.rmSync(FUSE, { force: true });
  setTimeout(kill, fuse.delayMs, fuse.target);
  if (fuse.delayMs === 0) kill(fuse.target);
}

function kill(target: Fuse["target"]): void {
  if (target !== "node") {
    const [pid] = fs.readFileSync(join(home, "postgres/postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), "SIGKILL");
  }
  if (target !== "postgres") process.kill(process.pid, "SIGKILL");
}

/* oxlint-disable typescript/no-explicit-any -- functions of any signature are wrapped */
type Any = any;

function wrap(owner: Any, name: string, verb: Verb, pathOf: (args: Any[]) => string): void {
  const real = owner[name].bind(owner);
  owner[name] = async (...args: Any[]) => {
    reach(verb, "before", () => pathOf(args));
    const result = await real(...args);
    reach(verb, "after", () => pathOf(args));
    return result;
  };
}

/** Streams write with callbacks and file numbers. */
function wrapStreamed(name: "write" | "writev"): void {
  const real = (fs as Any)[name].bind(fs);
  (fs as Any)[name] = (fd: number, ...args: Any[]) => {
    const pathOf = () => fs.readlinkSync(`/proc/self/fd/${fd}`);
    reach("write", "before", pathOf);
    const done = args.pop();
    return real(fd, ...args, (...results: Any[]) => {
      reach("write", "after", pathOf);
      done(...results);
    });
  };
}

const target = promises as Any;
wrap(target, "rename", "rename", ([, to]) => String(to));
wrap(target, "link", "link", ([, to]) => String(to));
wrap(target, "copyFile", "copy", ([, to]) => String(to));
wrap(target, "rm", "remove", ([path]) => String(path));
wrap(target, "unlink", "remove", ([path]) => String(path));
wrap(target, "writeFile", "write", ([path]) => String(path));
const open = target.open.bind(target);
target.open = async (...args: Any[]) => {
  const handle = await open(...args);
  wrap(handle, "write", "write", () => String(args[0]));
  wrap(handle, "sync", "sync", () => String(args[0]));
  return handle;
};
wrapStreamed("write");
wrapStreamed("writev");
syncBuiltinESMExports();
