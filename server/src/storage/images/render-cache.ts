// Pictures that were made, on disk: a folder for each version of an object, so that an overwritten object's go with it. Bounded; the
// one that nobody asked for longest goes first.
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Format } from "./transformation.ts";
import type { Picture } from "./drawing-process.ts";

const MOST_BYTES = 256 * 1024 * 1024;
/** The least that a file takes on a disk: millions of pictures of one pixel would fill it. */
const BLOCK = 4096;
const FORMATS: ReadonlySet<string> = new Set(["jpeg", "png", "webp", "avif", "gif"]);

export class RenderCache {
  readonly #directory: string;
  readonly #mostBytes: number;
  /** By path below the directory, the longest unused first. */
  readonly #sizes = new Map<string, number>();
  #bytes = 0;
  #found: Promise<void> | undefined;

  constructor(directory: string, mostBytes = MOST_BYTES) {
    this.#directory = directory;
    this.#mostBytes = mostBytes;
  }

  /** `name` is a file name of ours: nothing a client chose. */
  async get(version: string, name: string, formats: readonly Format[]): Promise<Picture | undefined> {
    await this.#look();
    for (const format of formats) {
      const path = join(version, `${name}.${format}`);
      const size = this.#sizes.get(path);
      if (size === undefined) continue;
      const bytes = await readFile(join(this.#directory, path)).catch(() => undefined);
      this.#drop(path);
      if (!bytes) continue; // another process made room
      this.#note(path, size);
      return { bytes, format };
    }
    return undefined;
  }

  /** A full disk costs the copy and nothing else. */
  async keep(version: string, name: string, { bytes, format }: Picture): Promise<void> {
    if (bytes.length > this.#mostBytes / 8) return;
    await this.#look();
    const path = join(version, `${name}.${format}`);
    const temporary = join(this.#directory, version, `${randomUUID()}.part`);
    try {
      await mkdir(join(this.#directory, version), { recursive: true });
      await writeFile(temporary, bytes);
      await rename(temporary, join(this.#directory, path));
    } catch {
      await rm(temporary, { force: true }).catch(() => {});
      return;
    }
    this.#drop(path);
    this.#note(path, bytes.length);
    await this.#makeRoom();
  }

  /** Forgets the pictures of objects that are gone or overwritten. */
  async forget(versions: readonly string[]): Promise<void> {
    const gone = new Set(versions);
    for (const path of this.#sizes.keys()) if (gone.has(path.split(/[/\\]/)[0]!)) this.#drop(path);
    await Promise.all(
      versions.map((version) => rm(join(this.#directory, version), { recursive: true, force: true })),
    );
  }

  async #makeRoom(): Promise<void> {
    for (const path of this.#sizes.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.#drop(path);
      await rm(join(this.#directory, path), { force: true });
    }
  }

  #note(path: string, size: number): void {
    const room = Math.max(size, BLOCK);
    this.#sizes.set(path, room);
    this.#bytes += room;
  }

  #drop(path: string): void {
    this.#bytes -= this.#sizes.get(path) ?? 0;
    this.#sizes.delete(path);
  }

  /** Reads once what an earlier run left; half-written files go. */
  #look(): Promise<void> {
    return (this.#found ??= this.#find());
  }

  async #find(): Promise<void> {
    const files = await readdir(this.#directory, { recursive: true, withFileTypes: true }).catch(() => []);
    for (const file of files.filter((entry) => entry.isFile())) {
      const whole = join(file.parentPath, file.name);
      const size = await stat(whole)
        .then((found) => found.size)
        .catch(() => undefined);
      const format = file.name.split(".").at(-1)!;
      if (size === undefined) continue;
      if (FORMATS.has(format)) this.#note(whole.slice(this.#directory.length + 1), size);
      else await rm(whole, { force: true });
    }
    await this.#makeRoom();
  }
}
