// list-v2 through the official client: folders, orders and cursors, under the caller's policies.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { alice, openStorage, type StorageWorld } from "../../testing/storage/storage.ts";

let world: StorageWorld;
const names = [
  "a.txt",
  "a/1.txt",
  "a/2.txt",
  "a/b/3.txt",
  "a0.txt",
  "b/x.txt",
  "c_d.txt",
  "cxd.txt",
  "Z.txt",
];

beforeAll(async () => {
  world = await openStorage();
  for (const [at, name] of names.entries()) {
    await world.clients.service.storage.from("posters").upload(name, name);
    await world.db.database
      .asService("times that tell")
      .query(
        "update storage.objects set created_at = timestamptz '2026-01-01 00:00:00.000400+00' + $2 * interval '1 s' where name = $1",
        [name, at],
      );
  }
  await world.clients.alice.storage.from("papers").upload(`${alice}/own.txt`, "own");
});

afterAll(() => world?.close());

const posters = () => world.clients.service.storage.from("posters");
type Options = Parameters<ReturnType<typeof posters>["listV2"]>[0];

/** Every page, as names with folders marked by their slash, in page order. */
async function pages(options: Options): Promise<string[][]> {
  const all: string[][] = [];
  for (let cursor: string | undefined; all.length < 20;) {
    const { data, error } = await posters().listV2({ ...options, ...(cursor ? { cursor } : {}) });
    expect(error).toBeNull();
    all.push([...data!.folders, ...data!.objects].map(({ name }) => name));
    if (!data!.hasNext) return all;
    cursor = data!.nextCursor!;
  }
  throw new Error("the cursor goes in a circle");
}

const flat = (options: Options) => pages(options).then((all) => all.flat());
const bytewise = names.toSorted();

describe("without a delimiter", () => {
  it("lists every object below the prefix by the bytes of its name, both ways and page by page", async () => {
    expect(await flat({})).toEqual(bytewise);
    expect(await pages({ limit: 4 })).toEqual([
      bytewise.slice(0, 4),
      bytewise.slice(4, 8),
      bytewise.slice(8),
    ]);
    expect(await pages({ limit: 1, sortBy: { column: "name", order: "desc" } })).toEqual(
      bytewise.toReversed().map((name) => [name]),
    );
    expect(await flat({ prefix: "a/" })).toEqual(["a/1.txt", "a/2.txt", "a/b/3.txt"]);
    expect(await flat({ prefix: "c_" })).toEqual(["c_d.txt"]);
    expect(await flat({ prefix: "a.txt", exactMatch: true })).toEqual(["a.txt"]);
    expect(await flat({ prefix: "a", exactMatch: true })).toEqual([]);
  });

  it("lists by time, even with a cursor between two objects of the same millisecond", async () => {
    const sortBy = { column: "created_at", order: "asc" } as const;
    expect(await pages({ sortBy, limit: 2 })).toEqual([
      names.slice(0, 2),
      names.slice(2, 4),
      names.slice(4, 6),
      names.slice(6, 8),
      names.slice(8),
    ]);
    expect(await flat({ sortBy: { column: "created_at", order: "desc" }, limit: 2 })).toEqual(
      names.toReversed(),
    );
    await world.db.database
      .asService("all at once")
      .query("update storage.objects set created_at = '2026-02-01' where bucket_id = 'posters'");
    expect(await flat({ sortBy, limit: 2 })).toEqual(bytewise);
  });
});

describe("with a delimiter", () => {
  it("folds everything below a slash, each folder once, even if a page ends at it", async () => {
    const all = ["Z.txt", "a.txt", "a/", "a0.txt", "b/", "c_d.txt", "cxd.txt"];
    for (const limit of [1, 2, 3, 100]) {
      const found = await flat({ with_delimiter: true, limit });
      expect(found.toSorted()).toEqual(all);
      const back = await flat({ with_delimiter: true, limit, sortBy: { column: "name", order: "desc" } });
      expect(back.toSorted()).toEqual(all);
    }
    expect(await flat({ with_delimiter: true, prefix: "a/", limit: 1 })).toEqual([
      "a/1.txt",
      "a/2.txt",
      "a/b/",
    ]);
    expect(
      (
        await flat({ with_delimiter: true, limit: 2, sortBy: { column: "updated_at", order: "desc" } })
      ).toSorted(),
    ).toEqual(all);
  });

  it("gives only the names of folders, and for objects what the client documents", async () => {
    const { data } = await posters().listV2({ with_delimiter: true, prefix: "a/" });
    expect(data!.folders).toEqual([{ key: "b", name: "a/b/" }]);
    expect(data!.objects[0]).toEqual({
      ...{
        key: "1.txt",
        name: "a/1.txt",
        id: expect.any(String),
        metadata: expect.objectContaining({ size: 7 }),
      },
      ...{
        created_at: expect.any(String),
        updated_at: expect.any(String),
        last_accessed_at: expect.any(String),
      },
    });
    expect(data!.hasNext).toBe(false);
  });
});

it("shows each caller what the policies show", async () => {
  const list = async (who: "alice" | "bob") =>
    (await world.clients[who].storage.from("papers").listV2()).data!.objects;
  expect((await list("alice")).map(({ name }) => name)).toEqual([`${alice}/own.txt`]);
  expect(await list("bob")).toEqual([]);
});

it("refuses invalid cursors, orders and limits", async () => {
  const forged = [
    "bm9uc2Vuc2U=",
    Buffer.from("l:a\no:sideways").toString("base64"),
    Buffer.from("l:a\nc:version").toString("base64"),
    Buffer.from("l:a\nc:created_at\na:yesterday").toString("base64"),
  ];
  for (const cursor of forged) {
    expect((await posters().listV2({ cursor })).error).toMatchObject({
      status: 400,
      message: "Invalid continuation token",
    });
  }
  const odd = [
    { limit: 0 },
    { limit: 1.5 },
    { sortBy: { column: "owner" } },
    { prefix: 1 },
  ] as unknown as Options[];
  for (const options of odd) expect((await posters().listV2(options)).error).toMatchObject({ status: 400 });
});
