// Objects as files on this machine. Hides how a file becomes durable.
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readFile } from "./file-reader.ts";
import {
  copyWhole,
  digest,
  exists,
  linkOrCopy,
  namesIn,
  removeOld,
  sinceWhen,
  syncDirectory,
  write,
} from "./files.ts";
import { isVersion, type ObjectStore, requireVersion, type StoredVersion } from "./object-store.ts";

/** Files below `directory`, spread over 256 folders. */
export function createDiskStore(directory: string): ObjectStore {
  const pathOf = (version: string) => join(directory, requireVersion(version).slice(0, 2), version);

  /** Runs `write` on a temporary path, then makes the result durable under its final name. */
  async function publish<T>(path: string, write: (temporary: string) => Promise<T>): Promise<T> {
    const temporary = `${path}.part`;
    const made = await mkdir(dirname(path), { recursive: true });
    if (made) for (const parent of new Set([dirname(made), directory])) await syncDirectory(parent);
    try {
      const result = await write(temporary);
      await rename(temporary, path);
      await syncDirectory(dirname(path));
      return result;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  return {
    put: async (version, body) => publish(pathOf(version), (temporary) => write(temporary, body)),

    async adopt(version, source) {
      const file = await digest(source);
      await publish(pathOf(version), (temporary) => linkOrCopy(source, temporary));
      return file;
    },

    read: async (version, range) => readFile(pathOf(version), range),

    has: (version) => exists(pathOf(version)),

    async copy(from, to) {
      const source = pathOf(from);
      if (!(await exists(source))) return false;
      await publish(pathOf(to), (temporary) => copyWhole(source, temporary));
      return true;
    },

    async remove(versions) {
      await Promise.all(versions.map((version) => rm(pathOf(version), { force: true })));
    },

    async list(prefix) {
      const names = await namesIn(join(directory, prefix));
      const found = await Promise.all(
        names
          .filter(isVersion)
          .map(async (version) => ({ version, since: await sinceWhen(pathOf(version)) })),
      );
      return found.filter((one): one is StoredVersion => one.since !== undefined);
    },

    // Only one server uses the data folder.
    isOurs: async () => true,

    async removeHalves(before) {
      let removed = 0;
      for (const folder of await namesIn(directory)) {
        removed += await removeOld(join(directory, folder), (name) => name.endsWith(".part"), before);
      }
      return removed;
    },
  };
}
