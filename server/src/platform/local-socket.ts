// Unix sockets that belong to a folder. The system limits a socket's path to about a hundred bytes, so a folder with a longer
// path keeps its sockets in a short one below /tmp.
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { StartError } from "./start-error.ts";

/** macOS allows 103 bytes and Linux 107; PostgreSQL's socket name takes 14 of them. */
const LONGEST_FOLDER = 103 - "/.s.PGSQL.5432".length;

/** Where the sockets of `folder` are. PostgreSQL treats a comma in a path as a separator. */
export function socketFolder(folder: string): string {
  if (Buffer.byteLength(folder) <= LONGEST_FOLDER && !folder.includes(",")) return folder;
  return join("/tmp", `server-sockets-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`);
}

/**
 * Creates the short folder for `folder`'s sockets if it needs one. Everyone may write to /tmp: a folder that another user
 * created first could hold a fake PostgreSQL, and is refused with a StartError.
 */
export function openSocketFolder(folder: string): string {
  const short = socketFolder(folder);
  if (short === folder) return folder;
  mkdirSync(short, { recursive: true, mode: 0o700 });
  const found = lstatSync(short);
  const isOurs = found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  if (!isOurs) {
    throw new StartError(
      `${short} belongs to somebody else. Remove it, or set DATA_DIR to a shorter path that needs no folder there.`,
    );
  }
  return short;
}

/** Does nothing if the folder holds its own sockets. */
export function removeSocketFolder(folder: string): void {
  const short = socketFolder(folder);
  if (short !== folder) rmSync(short, { recursive: true, force: true });
}

/**
 * Whether a process listens on the socket: the only sign of life that a crash cannot leave behind. Rejects with a StartError when
 * this user may not ask, which says neither.
 */
export function isListening(path: string): Promise<boolean> {
  return new Promise((settle, fail) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      settle(true);
    });
    socket.once("error", ({ code }: NodeJS.ErrnoException) => {
      if (code !== "EACCES" && code !== "EPERM") return settle(code !== "ENOENT" && code !== "ECONNREFUSED");
      fail(
        new StartError(
          `This user may not use ${path} (${code}), so it is unknown whether a server runs there. It belongs to another user, such as ` +
            "root after a command run with sudo. If none runs, remove it as that user.",
        ),
      );
    });
  });
}
