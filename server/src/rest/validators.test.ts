// A client that already has a public answer gets a 304. Caches store no answers of signed-in callers.
import { expect, test } from "vitest";
import { openRest } from "../../testing/rest.ts";
import { CALLERS, contextOf } from "../../testing/conformance/sides.ts";

const { rest, sql } = await openRest(`
  create table dishes (id int primary key, name text);
  insert into dishes values (1, 'brisket'), (2, 'kolache');
  grant select on dishes to anon, authenticated`);

const ask = (path: string, headers: Record<string, string> = {}, as: keyof typeof CALLERS = "anon") =>
  rest.fetch(new Request(`http://localhost${path}`, { headers }), contextOf(CALLERS[as]));

test("answers a public read with 304 until its rows change", async () => {
  const first = await ask("/dishes?order=id");
  const etag = first.headers.get("etag")!;
  expect(first.headers.get("vary")).toContain("authorization");
  const again = await ask("/dishes?order=id", { "if-none-match": `"other", ${etag}` });
  expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag]);
  await sql("update dishes set name = 'ribs' where id = 1");
  const changed = await ask("/dishes?order=id", { "if-none-match": etag });
  expect([changed.status, await changed.json()]).toMatchObject([200, [{ name: "ribs" }, { id: 2 }]]);
  expect(changed.headers.get("etag")).not.toBe(etag);
});

test("treats a changed count as another answer, and a total as different from a page", async () => {
  const { headers } = await ask("/dishes?order=id&limit=1");
  const counted = await ask("/dishes?order=id&limit=1", {
    prefer: "count=exact",
    "if-none-match": headers.get("etag")!,
  });
  expect([counted.status, counted.headers.get("content-range")]).toEqual([206, "0-0/2"]);
});

test("sends no ETag for what a signed-in caller reads, for writes and for refusals", async () => {
  const { headers } = await ask("/dishes?order=id");
  const own = await ask("/dishes?order=id", { "if-none-match": headers.get("etag")! }, "alice");
  expect([own.status, own.headers.get("etag")]).toEqual([200, null]);
  expect((await ask("/nope")).headers.get("etag")).toBeNull();
});

test("does not answer a renamed column from what was prepared for the old one", async () => {
  const read = async () => (await ask("/dishes?select=*&id=eq.2")).json();
  for (let time = 0; time < 5; time++) expect(await read()).toEqual([{ id: 2, name: "kolache" }]);
  await sql(
    "alter table dishes rename name to title; alter table dishes alter id type text; notify pgrst, 'reload schema'",
  );
  await expect.poll(read).toEqual([{ id: "2", title: "kolache" }]);
});
