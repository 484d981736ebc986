// An answer beyond a certain size is refused, and a request beyond a certain size is never run. Both get a refusal in
// PostgREST's shape.
import { describe, expect, it } from "vitest";
import { openRest } from "../../testing/rest.ts";
import { CALLERS, contextOf } from "../../testing/conformance/sides.ts";

const MOST = 100_000;

const { db, rest } = await openRest(
  `
  create table shelves (id int primary key, label text);
  create table books (id int primary key, shelf_id int references shelves, story text);
  insert into shelves select n, 'shelf ' || n from generate_series(1, 5) n;
  insert into books select n, 1 + n % 5, repeat('word ', 100) from generate_series(1, 300) n;
  grant all on shelves, books to anon;
  create function stories() returns setof text language sql stable as 'select story from books';
  create function shelf() returns setof shelves language sql as 'update shelves set label = label where id = 1 returning *';
  create function story() returns text language sql stable as $$ select repeat('long ', 50000) $$;`,
  { maxBytes: MOST },
);

const ask = (path: string, init: RequestInit = {}) =>
  rest.fetch(new Request(`http://localhost${path}`, init), contextOf(CALLERS.anon));

describe("an answer that is too large", () => {
  it.each([
    ["rows", "/books?limit=300", {}],
    ["an embedded list", "/shelves?limit=1&select=id,books(id,a:story,b:story,c:story,d:story)", {}],
    ["lists in lists", "/books?limit=9&select=id,s:shelves(b:books(*))", {}],
    ["a column under many names", `/books?limit=9&select=${names(99)}`, {}],
    ["lines", "/books?limit=300", { headers: { accept: "text/csv" } }],
    ["rows where one was wanted", "/books", { headers: { accept: "application/vnd.pgrst.object+json" } }],
    ["what a function returns", "/rpc/stories", {}],
    ["one value", "/rpc/story", {}],
    ["rows written", "/books?id=lt.250", { method: "PATCH", body: '{"story":"' + "new ".repeat(120) + '"}' }],
  ])("is refused: %s", async (_, path, init: RequestInit) => {
    const answer = await ask(path, {
      ...init,
      headers: { "content-type": "application/json", prefer: "return=representation", ...init.headers },
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toEqual({
      code: "54000",
      message: "The answer is too large",
      details: expect.stringMatching(/^An answer, or a list embedded in it, may have \d+ bytes here\.$/),
      hint: "Ask for fewer rows or columns with limit, Range or select.",
    });
  });

  it("leaves nothing behind when it was a write", async () => {
    const { rows } = await db.database
      .asService("the test looks at everything")
      .query("select from books where story like 'new %'");
    expect(rows).toHaveLength(0);
  });

  it("does not affect what fits, nor a write that returns nothing", async () => {
    const fits = await ask("/shelves?select=id,books(id)");
    expect(((await fits.json()) as { books: object[] }[]).flatMap(({ books }) => books)).toHaveLength(300);
    const silent = await ask("/books?id=lt.250", {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ story: "word ".repeat(100) }),
    });
    expect(silent.status).toBe(204);
  });
});

describe("a request for too much", () => {
  it.each([
    ["101 columns", `/books?select=${names(101)}`],
    ["resources embedded six deep", `/books?select=${"shelves(books(".repeat(3)}id${")".repeat(6)}`],
    ["101 embedded resources", `/shelves?select=${each(101, (n) => `b${n}:books()`)}`],
    ["101 filters", `/books?${each(101, () => "id=eq.1", "&")}`],
    ["101 filters in a tree", `/books?or=(${each(101, () => "id.eq.1")})`],
    ["101 columns to order by", `/books?order=${each(101, () => "id")}`],
  ])("is not run: %s", async (_, path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: "PGRST100",
      message: "The request asks for too much at once",
      details: expect.any(String),
    });
  });

  it("runs at exactly its limits", async () => {
    for (const path of [
      `/books?limit=1&select=${names(100)}`,
      `/books?limit=1&select=shelves(books(shelves(books(shelves(id)))))`,
      `/books?${each(100, () => "id=eq.1", "&")}`,
    ]) {
      expect((await ask(path)).status).not.toBe(400);
    }
  });
});

describe("a regular expression with a back-reference", () => {
  const refused = {
    code: "PGRST100",
    message: "Back-references are not supported in a regular expression",
    details: "Matching one can take exponential time.",
    hint: null,
  };

  it.each([
    ["match", "/shelves?label=match.", String.raw`(s)\1`],
    ["after a control character", "/shelves?label=match.", String.raw`(s)\c\\1`],
    ["imatch, negated", "/shelves?label=not.imatch.", String.raw`\\(s)\1`],
    ["any of a list", "/shelves?label=match(any).", String.raw`{"(s)\\1"}`],
    ["in a tree", "/shelves?or=", String.raw`(id.eq.1,not.and(id.eq.2,label.match."(s)\\1"))`],
    ["a filter of a list within", "/shelves?select=books(id)&books.story=match.", String.raw`(s)\1`],
    ["a filter of what a function returns", "/rpc/shelf?label=match.", String.raw`(s)\1`],
  ])("is refused: %s", async (_, path, pattern) => {
    const init = path.startsWith("/rpc/")
      ? { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }
      : {};
    const answer = await ask(path + encodeURIComponent(pattern), init);
    expect([answer.status, await answer.json()]).toEqual([400, refused]);
  });

  it("is none after an escaped backslash, or in another filter", async () => {
    for (const filter of [
      String.raw`match.\\1`,
      String.raw`match(any).{"\\\\1"}`,
      String.raw`like.\1`,
      String.raw`match.^\d`,
    ])
      expect((await ask(`/shelves?label=${encodeURIComponent(filter)}`)).status).toBe(200);
  });
});

function each(count: number, piece: (n: number) => string, separator = ","): string {
  return Array.from({ length: count }, (_, n) => piece(n)).join(separator);
}

function names(count: number): string {
  return each(count, (n) => `s${n}:story`);
}
