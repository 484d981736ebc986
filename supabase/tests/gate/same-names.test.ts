// A phone without a network finds people by contract/names, the server by SQL. Both fold every letter alike, and find the same people
// and plates.
import { folded, plateLetters, searchWords, wordsAsked } from "contract/names";
import { describe, expect, it } from "vitest";
import { findPeople } from "../../../site/src/features/gate/rules/find.ts";
import { openGate } from "./world.ts";

const { gate, phone } = await openGate();

/** Names, each with what finds it. */
const people: Record<string, string[]> = {
  "Łukasz Żółć": ["lukasz", "łukasz", "zolc", "ŻÓŁ"],
  "Søren Kierkegård": ["soren", "SØREN", "kierkegard"],
  "Đặng Thị Hà": ["dang", "đặng thi", "ha dang"],
  "Yılmaz İnci": ["yilmaz", "YILMAZ", "inci", "yılmaz"],
  "Sinead O’Brien": [
    "o'brien",
    "o’brien",
    "oʼbrien",
    "o`brien",
    "o´brien",
    "obrien",
    "O＇Brien",
    "sinead o'bri",
  ],
  "Jean-Luc Picard": ["jean-luc", "jean‑luc", "jean–luc", "jeanluc", "luc picard", "jean picard"],
  "María-José Núñez": ["maria jose", "maria-jose", "mariajose nunez", "MARÍA"],
  "Jürgen Weiß": ["weiss", "weiß", "WEISS", "WEIẞ", "jurgen"],
  "Þórunn Æsa Œuvrard": ["thorunn", "þórunn", "aesa", "æsa", "oeuvrard"],
  "Guðrún Ħamed": ["gudrun", "hamed"],
  王小明: ["小明", "王小", "王小明"],
  やまだ・タロウ: ["タロウ", "やまだ", "ロウ"],
  김민수: ["민수", "김민"],
  สมชาย: ["ชาย", "สมช"],
  "صلاح الدِّين": ["الدين", "صلاح"],
  "Соня Чайковская": ["соня", "чайк"],
  "Ελένη Παππάς": ["ελενη", "παππασ", "ΠΑΠΠΆΣ"],
  "प्रिया शर्मा": ["प्रिया", "शर्मा"],
  "Ｆｕｌｌ Ｗｉｄｅ": ["full wide"],
  "Ana🎉 Zero\u200bWidth": ["ana", "zerowidth"],
  'D.J. "Screw" Davis/Smith': ["screw davis", "smith", "sm"],
  "Lucas Wójcik": ["wojcik lu", "lu wojc", "w l", "lu"],
  "Charlene Ng": ["ng ch", "c ng", "ng", "ch"],
};

/** What finds none of them. */
const nobody = ["ukasz", "eiss", "uan", "'", "-", "%", "小红", "q q q", "wojcik x", "ng x"];

const ids = new Map<string, string>();
for (const name of Object.keys(people)) ids.set(name, (await gate.sell({ general: 1 }, [name])).tickets[0]!);

describe("the phone and the server find the same people by name", () => {
  it.each(Object.entries(people))("%s", async (name, texts) => {
    const rows = (await phone.list()).rows;
    for (const text of texts) {
      const [online, offline] = [await phone.search(text), findPeople(rows, text)];
      expect(
        online.map(({ id }) => id),
        `online, ${text}`,
      ).toContain(ids.get(name));
      expect(offline.map(({ id }) => id).toSorted(), `offline, ${text}`).toEqual(
        online.map(({ id }) => id).toSorted(),
      );
    }
  });

  it("first those who have a short word as a whole word", async () => {
    await gate.sell(
      { general: 20 },
      Array.from({ length: 20 }, (_, at) => `Ava Nguyen ${at}`),
    );
    const { rows } = await phone.list();
    for (const found of [await phone.search("ng"), findPeople(rows, "ng")]) {
      expect(found).toHaveLength(20);
      expect(found[0]!.name).toBe("Charlene Ng");
    }
  });

  it.each(["wojcik lu", "ng ch", "ch"])("as the back office does: %s", async (text) => {
    const online = (await phone.search(text)).map(({ id }) => id);
    const attendees = await gate.call(gate.admin, "list_attendees", [text]);
    expect((attendees as { rows: { id: string }[] }).rows.map(({ id }) => id)).toEqual(online);
    const orders = await gate.call(gate.admin, "get_recent_orders", [10, 0, null, null, null, text]);
    expect(orders).toMatchObject({ orders: [{ item_count: 1 }], total_count: 1 });
  });

  it("finds nobody by what is not at the beginning of a word, or no word at all", async () => {
    const rows = (await phone.list()).rows;
    for (const text of nobody) {
      expect(await phone.search(text), text).toEqual([]);
      expect(findPeople(rows, text), text).toEqual([]);
    }
  });

  it("with every word of the one being a word of the other", async () => {
    for (const name of Object.keys(people)) {
      const email = "o-brien.x_y+tag@mail-server.test";
      const [row] = await gate.sql<{ words: string[] }>(
        "select tsvector_to_array(public.search_words($1, $2, null, null)) as words",
        name,
        email,
      );
      expect([...searchWords(name, email)].toSorted(), name).toEqual(row!.words.toSorted());
    }
  });
});

describe("the phone and the server find the same cars by plate", () => {
  it.each([
    ["BAYOU 77", ["bayou", "BAYOU 7", "bayou-77", "ba", "b.a y"], ["ayou", "bayou 78", "b", "77"]],
    [
      "TX-420·Ñ",
      ["tx420", "tx 42", "ＴＸ４２０", "tx–420 n", "TX420Ñ"],
      ["420", "tx-421", "%%", "tx%0", "__"],
    ],
  ])("%s", async (plate, found, not) => {
    const { permits } = await gate.sell({ general: 1, preferred: 1 });
    // As `parse_scans` stores what a phone sends.
    await gate.sql("update public.entry_codes set plate = $2 where id = $1", permits[0], plate);
    const rows = (await phone.list()).rows;
    for (const text of [...found, ...not]) {
      const [online, offline] = [await phone.search(text), findPeople(rows, text)];
      const expected = found.includes(text) ? permits : [];
      expect(
        online.map(({ id }) => id),
        `online, ${text}`,
      ).toEqual(expected);
      expect(
        offline.map(({ id }) => id),
        `offline, ${text}`,
      ).toEqual(expected);
    }
  });
});

it("every letter is folded and separated alike", async () => {
  // Those that this PostgreSQL knows, without most of the thousands that neither side changes.
  const letters = Array.from({ length: 0x1_fbff }, (_, at) => at + 1)
    .filter(
      (at) =>
        !(at > 0x3500 && at < 0xa000) && !(at > 0xad00 && at < 0xd700) && !(at > 0x1_7100 && at < 0x1_8c00),
    )
    .map((at) => String.fromCodePoint(at))
    .filter((letter) => /^[^\p{Cn}\p{Cs}\p{Co}]$/u.test(letter));
  const rows = await gate.sql<{ letter: string; fold: string; plate: string; words: string[] }>(
    `select letter, public.folded(letter) as fold, public.plate_letters(letter) as plate, tsvector_to_array(public.search_words('a' || letter || 'b', '', null, null)) as words
      from unnest($1::text[]) as letter where unicode_assigned(letter)`,
    letters,
  );
  expect(rows.length).toBeGreaterThan(20_000);
  const differs = rows.filter(
    ({ letter, fold, plate, words }) =>
      folded(letter) !== fold ||
      plateLetters(letter) !== plate ||
      [...searchWords(`a${letter}b`, "")].toSorted().join() !== words.toSorted().join(),
  );
  expect(
    differs.map(({ letter, fold, words }) => [letter.codePointAt(0)!.toString(16), fold, words]),
  ).toEqual([]);
  expect(wordsAsked("")(" ana ")).toBe(false);
});
