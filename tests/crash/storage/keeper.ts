// One who keeps files in a bucket: stores, replaces, copies, moves, deletes, empties and looks at pictures, one change after the
// other, and knows what must be there. A change without an answer leaves a doubt, which the next look has to resolve: either it
// happened or it did not.
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../simulator/random.ts";
import { BACK_WITHIN_MS } from "../server.ts";
import { codeOf, isDone, isInDoubt, type Answer } from "./calls.ts";
import { type Change, type Contents, type KeeperDeps, md5 } from "./changes.ts";
import { createUploads, type Uploads } from "./uploads.ts";

export interface Keeper {
  readonly bucket: string;
  /** Changes that were acknowledged. */
  readonly changes: number;
  readonly uploads: Uploads;
  /** Makes one change, after a look if the one before is in doubt. Resolves with false when this one is. */
  act(): Promise<boolean>;
  /** Resolves doubts, and checks everything that must be there. Returns the contents. */
  look(): Promise<Contents>;
}

const MOST_OBJECTS = 12;
const SIZES = [0, 3, 900, 20_000, 300_000];

export function createKeeper(deps: KeeperDeps): Keeper {
  const { ask, random, bucket, fault } = deps;
  let contents: Contents;
  /** What may have become of the contents. */
  let doubts: readonly Contents[] = [];
  let isShaken = false;
  let changes = 0;

  const having = (...entries: (readonly [string, Buffer | undefined])[]): Contents => {
    const changed = new Map(contents);
    for (const [name, value] of entries)
      if (value) changed.set(name, value);
      else changed.delete(name);
    return changed;
  };

  async function asked(what: Change, send: () => Promise<Answer>): Promise<Answer> {
    deps.reached(what);
    const answer = await send();
    if (isInDoubt(answer)) isShaken = true;
    return answer;
  }

  async function change(what: Change, after: Contents, send: () => Promise<Answer>): Promise<Answer> {
    const answer = await asked(what, send);
    if (isDone(answer)) {
      contents = after;
      changes += 1;
    } else if (isInDoubt(answer)) doubts = [contents, after];
    else fault(`${bucket}: the ${what} was answered ${answer.status} ${answer.bytes.toString()}`);
    return answer;
  }

  const uploads = createUploads({
    ...{ ...deps, asked, change },
    become: (name, value) => having([name, value]),
    finished(name, value) {
      contents = having([name, value]);
      doubts = [];
    },
  });
  const choices = createChoices(deps, () => contents!);
  const acts = createActs(deps, { ...choices, asked, change, having, contents: () => contents! });
  const reader = createReader(deps);

  /** A bucket is deleted only without unfinished uploads, which would have nowhere to go. */
  async function deleteBucket(): Promise<void> {
    if (uploads.unfinished > 0 || !isDone(await acts.emptying())) return;
    await change("bucket's deletion", undefined, () => ask("DELETE", `/bucket/${bucket}`));
  }

  async function act(): Promise<boolean> {
    // A busy server may have left a doubt in a round in which no kill came.
    if (isShaken) await look();
    await changeSomething();
    return !isShaken;
  }

  async function changeSomething(): Promise<void> {
    if (!contents) {
      await change("bucket's creation", new Map(), () => ask("POST", "/bucket", { body: { name: bucket } }));
      return;
    }
    if (random.chance(0.35)) return uploads.act(choices.newName, choices.someName, choices.bytes);
    if (contents.size === 0) return void (await acts.upload());
    if (contents.size >= MOST_OBJECTS) {
      await (random.chance(0.3) ? deleteBucket() : random.chance(0.5) ? acts.emptying() : acts.deletion());
      return;
    }
    const more = [
      "upload",
      "upload",
      "replacement",
      "copy",
      "move",
      "deletion",
      "picture",
      "picture",
    ] as const;
    await acts[random.pick(more)!]();
  }

  async function look(): Promise<Contents> {
    isShaken = false;
    if (contents) await uploads.look();
    const candidates = doubts.length > 0 ? doubts : [contents];
    doubts = [];
    const hasBucket = (await reader.read(`/bucket/${bucket}`)) !== undefined;
    const known = new Set(candidates.flatMap((one) => [...(one?.keys() ?? [])]));
    const found = new Map<string, Answer | undefined>();
    for (const name of known) found.set(name, await reader.read(`/object/${bucket}/${name}`));
    const happened = candidates.filter((one) => matches(one, hasBucket, found));
    if (happened.length === 0) fault(`${bucket}: ${describe(candidates, hasBucket, found)}`);
    contents =
      happened[0] ??
      (hasBucket
        ? new Map([...found].flatMap(([name, answer]) => (answer ? [[name, answer.bytes] as const] : [])))
        : undefined);
    for (const [name, value] of contents ?? [])
      reader.checkHeaders(`${bucket}/${name}`, value, found.get(name)!);
    return contents;
  }

  return {
    ...{ bucket, uploads, act, look },
    get changes() {
      return changes;
    },
  };
}

/** What the next change is about. */
function createChoices({ random, pictures }: KeeperDeps, contents: () => NonNullable<Contents>) {
  let names = 0;
  return {
    newName: () => `${random.pick(["", "below/", "below/deeper/"])}file-${++names}`,
    someName: () => random.pick([...contents().keys()]),
    bytes: () => (random.chance(0.5) ? random.pick(pictures.all)! : randomBytes(random)),
  };
}

interface Acting extends ReturnType<typeof createChoices> {
  contents(): NonNullable<Contents>;
  having(...entries: (readonly [string, Buffer | undefined])[]): Contents;
  asked(what: Change, send: () => Promise<Answer>): Promise<Answer>;
  change(what: Change, after: Contents, send: () => Promise<Answer>): Promise<Answer>;
}

function createActs({ ask, random, pictures, bucket, fault }: KeeperDeps, acting: Acting) {
  const { newName, someName, bytes, contents, having, asked, change } = acting;
  const at = (name: string) => `/object/${bucket}/${name}`;
  return {
    upload: () => {
      const [name, value] = [newName(), bytes()];
      return change("upload", having([name, value]), () => ask("POST", at(name), { body: value }));
    },
    replacement: () => {
      const [name, value] = [someName()!, bytes()];
      return change("replacement", having([name, value]), () => ask("PUT", at(name), { body: value }));
    },
    copy: () => {
      const [from, onto] = [someName()!, random.chance(0.4) ? someName()! : newName()];
      if (from === onto) return;
      const body = { bucketId: bucket, sourceKey: from, destinationKey: onto };
      const headers = { "x-upsert": "true" };
      return change("copy", having([onto, contents().get(from)]), () =>
        ask("POST", "/object/copy", { headers, body }),
      );
    },
    move: () => {
      const [from, to] = [someName()!, newName()];
      const body = { bucketId: bucket, sourceKey: from, destinationKey: to };
      return change("move", having([to, contents().get(from)], [from, undefined]), () =>
        ask("POST", "/object/move", { body }),
      );
    },
    deletion: () => {
      const prefixes = [someName()!, ...(random.chance(0.5) ? [someName()!] : [])];
      const gone = prefixes.map((name) => [name, undefined] as const);
      return change("deletion", having(...gone), () =>
        ask("DELETE", `/object/${bucket}`, { body: { prefixes } }),
      );
    },
    emptying: () => change("emptying", new Map(), () => ask("POST", `/bucket/${bucket}/empty`)),
    picture: async () => {
      const name = [...contents()].find(([, value]) => pictures.all.includes(value))?.[0];
      if (!name) return;
      const look = (path: string) => asked("picture", () => ask("GET", path));
      const wrong = await pictures.compare(look, bucket, name, contents().get(name)!);
      if (wrong) fault(`${bucket}/${name}: ${wrong}`);
    },
  };
}

function createReader({ ask, fault }: KeeperDeps) {
  /** Undefined: the bucket or the object is not there. Retries until the server knows. */
  async function read(path: string): Promise<Answer | undefined> {
    for (const deadline = Date.now() + BACK_WITHIN_MS; Date.now() < deadline; await sleep(100)) {
      const answer = await ask("GET", path);
      if (isDone(answer)) return answer;
      if (["NoSuchBucket", "NoSuchKey"].includes(codeOf(answer) ?? "")) return undefined;
      if (!isInDoubt(answer)) fault(`${path} was answered ${answer.status} ${answer.bytes.toString()}`);
    }
    throw new Error(`${path} had no answer within a minute`);
  }

  function checkHeaders(name: string, value: Buffer, { headers }: Answer): void {
    const [size, etag] = [headers.get("content-length"), headers.get("etag")];
    if (Number(size) !== value.length || etag !== `"${md5(value)}"`)
      fault(`${name} has the size ${size} and the tag ${etag}`);
  }

  return { read, checkHeaders };
}

function matches(candidate: Contents, hasBucket: boolean, found: ReadonlyMap<string, Answer | undefined>) {
  if (!candidate || !hasBucket) return hasBucket === (candidate !== undefined);
  return [...found].every(([name, answer]) => {
    const value = candidate.get(name);
    return value ? answer?.bytes.equals(value) : answer === undefined;
  });
}

function describe(
  candidates: readonly Contents[],
  hasBucket: boolean,
  found: ReadonlyMap<string, Answer | undefined>,
): string {
  const sizes = (entries: Iterable<readonly [string, number | undefined]>) =>
    [...entries].map(([name, size]) => `${name} ${size ?? "missing"}`).join(", ");
  const expected = candidates.map((one) =>
    one ? sizes([...one].map(([name, value]) => [name, value.length])) : "no bucket",
  );
  const seen = hasBucket
    ? sizes([...found].map(([name, answer]) => [name, answer?.bytes.length]))
    : "no bucket";
  return `has ${seen}; expected ${expected.join(" or ")}`;
}

function randomBytes(random: Random): Buffer {
  const size = random.pick(SIZES)!;
  return Buffer.from(Uint8Array.from({ length: size }, () => random.below(256)));
}
