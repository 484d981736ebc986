// The mails on disk: one .eml file each, with names that sort by time. Shows the newest 500. Several processes may share the
// folder, so it is listed again each time, and files appear only once complete.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const KEPT = 500;
/** Older mails are deleted with every fiftieth new one: listing the folder takes twice as long as writing a mail. */
const CLEAN_UP_EVERY = 50;
const FILE = /^(\d{13}-\d{6}-[0-9a-f]{8})\.eml$/;

export interface Store {
  /** Returns the new mail's id once it is on disk. */
  save(content: Uint8Array): Promise<string>;
  /** Newest first. */
  ids(): Promise<string[]>;
  read(id: string): Promise<Buffer | undefined>;
  /** False when there was no such mail. */
  remove(id: string): Promise<boolean>;
  close(): Promise<void>;
}

/** When the mail with this id arrived, in milliseconds since the epoch. */
export const receivedAt = (id: string): number => Number(id.slice(0, 13));

export async function openStore(directory: string | undefined): Promise<Store> {
  const temporary = directory === undefined;
  const folder = directory ?? (await mkdtemp(join(tmpdir(), "mailbox-")));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let count = 0;

  const pathOf = (id: string) => join(folder, `${id}.eml`);

  async function all(): Promise<string[]> {
    const names = (await readdir(folder)).flatMap((name) => FILE.exec(name)?.[1] ?? []);
    return names.toSorted().toReversed();
  }

  return {
    ids: async () => (await all()).slice(0, KEPT),
    async save(content) {
      // The counter keeps mails of the same millisecond in order.
      count = (count + 1) % 1_000_000;
      const id = `${Date.now()}-${String(count).padStart(6, "0")}-${randomBytes(4).toString("hex")}`;
      const unfinished = join(folder, `${id}.unfinished`);
      await writeFile(unfinished, content, { mode: 0o600 });
      await rename(unfinished, pathOf(id));
      if (count % CLEAN_UP_EVERY === 1) {
        const surplus = (await all()).slice(KEPT);
        await Promise.all(surplus.map((old) => rm(pathOf(old), { force: true })));
      }
      return id;
    },
    async read(id) {
      return FILE.test(`${id}.eml`) ? readFile(pathOf(id)).catch(absent) : undefined;
    },
    async remove(id) {
      if (!FILE.test(`${id}.eml`)) return false;
      return rm(pathOf(id))
        .then(() => true, absent)
        .then(Boolean);
    },
    async close() {
      if (temporary) await rm(folder, { recursive: true, force: true });
    },
  };
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
